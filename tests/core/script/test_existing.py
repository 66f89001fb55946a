"""What a script looks at before it builds, run by bash where programs say what a test wants: done, in part, or not."""

import os
import subprocess
from pathlib import Path

import msgspec
import pytest

from raidtui.core.plan import slots
from raidtui.core.plan.model import Plan
from raidtui.core.script import bash_checks
from raidtui.runs import directory
from tests.builders import sweeps
from tests.runs.rig import plan_of, plan_permanent

FILES = "ffeeddcc-bbaa-9988-7766-554433221100"


class Machine:
    """A folder that stands for /etc and /srv, with the programs that are asked as functions of bash."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.folder, self.plan = folder, plan
        self.conf, self.fstab, self.mounted = folder / "mdadm.conf", folder / "fstab", folder / "array"
        self.array = folder / "md127"
        self.array.touch()
        self.mounted.mkdir()
        self.mounted.chmod(0o755)
        self.fstab.write_text(f"UUID={FILES} {self.mounted} ext4 defaults,nofail 0 2\n")
        self.runs, self.source = "00112233:44556677:8899aabb:ccddeeff", str(self.array)
        self.not_whole = 0  # how `mdadm --detail --test` ends

    def owned_by(self, user: str) -> None:
        self.plan = plan_permanent(mailaddr="root", mount_owner=user)
        self.wrote(line(self), "MAILADDR root")

    def wrote(self, *lines: str, mark: str = "") -> None:
        mark = mark or f"raidtui {self.plan.code}, by hand"
        self.conf.write_text("\n".join(("HOMEHOST x", f"# {mark}: from here", *lines, f"# {mark}: to here", "")))

    def look(self) -> subprocess.CompletedProcess[str]:
        text = "\n".join(bash_checks.first_look(self.plan)).replace("/etc/mdadm/mdadm.conf", str(self.conf))
        text = text.replace("/srv/array", str(self.mounted)).replace(
            "boot_mounts /etc/fstab", f"boot_mounts {self.fstab}"
        )
        given = f"""set -euo pipefail; shopt -s inherit_errexit
            refuse() {{ echo "$1" >&2; exit 3; }}
            mdadm() {{ case "$*" in *--test*) return {self.not_whole} ;; *) echo MD_UUID={self.runs} ;; esac; }}
            findmnt() {{ case "$*" in
              *--fstab*) awk -v at="${{*: -1}}" '$2 == at {{ print $1 }}' {self.fstab} ;;
              *UUID*) echo {FILES} ;;
              *) echo {self.source} ;;
            esac; }}
            array=
            """
        argv = ["bash", "-c", f"{given}\n{text}\necho built"]
        return subprocess.run(argv, cwd=self.folder, capture_output=True, text=True, check=False)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    owner = f"{os.getuid()}:{os.getgid()}"
    return Machine(tmp_path, plan_permanent(mailaddr="root", mount_owner=owner, mount_mode="0755"))


def line(machine: Machine) -> str:
    return f"ARRAY {machine.array} UUID={machine.runs}"


def test_where_nothing_of_it_stands_it_is_built(machine: Machine) -> None:
    for text in (None, "", "ARRAY /dev/md/other UUID=1\n"):
        if text is not None:
            machine.conf.write_text(text)
        done = machine.look()
        assert (done.returncode, done.stdout) == (0, "built\n"), done.stderr


def test_where_all_of_it_stands_nothing_is_done(machine: Machine) -> None:
    machine.wrote(line(machine), "MAILADDR root")
    done = machine.look()
    assert (done.returncode, done.stdout) == (0, "") and "nothing was done" in done.stderr, done.stderr


def test_lines_of_another_script_are_not_its_own(machine: Machine) -> None:
    machine.wrote(line(machine), mark="raidtui 00000000, by hand")
    assert machine.look().stdout == "built\n"


@pytest.mark.parametrize(
    "harm, says",
    [
        (lambda m: setattr(m, "runs", "0"), "does not run"),
        (lambda m: setattr(m, "not_whole", 1), "md127 is not whole"),
        (lambda m: setattr(m, "source", str(m.fstab)), "is not its file system"),
        (lambda m: m.fstab.write_text(""), "does not mount it by its UUID"),
        (lambda m: m.mounted.chmod(0o700), "0755"),
        (lambda m: m.owned_by("nobody-here"), "is not nobody-here"),
        (lambda m: m.conf.write_text(m.conf.read_text().replace("MAILADDR root", "")), "has no line MAILADDR root"),
    ],
)
def test_where_a_part_of_it_stands_it_is_refused(machine: Machine, harm: object, says: str) -> None:
    machine.wrote(line(machine), "MAILADDR root")
    assert callable(harm)
    harm(machine)
    done = machine.look()
    assert (done.returncode, done.stdout) == (3, "") and says in done.stderr, done.stderr


def test_what_a_run_made_of_the_same_plan_stands_too(tmp_path: Path) -> None:
    plan = directory.drawn(plan_permanent())
    array = slots.filled(plan).stages[plan.kept_stage or 0].array
    assert array
    machine = Machine(tmp_path, plan)
    machine.runs = array.uuid
    machine.wrote(f"ARRAY /dev/md/{array.name} UUID={array.uuid}", mark="raidtui the-run")
    machine.source = f"/dev/md/{array.name}"  # neither is a file here: not the same one
    assert "is not its file system" in machine.look().stderr
    machine.plan = msgspec.structs.replace(plan, uuids=())
    assert machine.look().stdout == "built\n"


def test_a_script_that_makes_nothing_permanent_looks_for_nothing() -> None:
    assert list(bash_checks.first_look(sweeps.linked(plan_of("1")))) == []
