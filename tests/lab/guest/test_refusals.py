"""What is missing or forbidden is one clear sentence with what to do, and an exit code; never a traceback."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import tomli_w

import raidtui
from raidtui.core.disks.verdicts import disks_of
from raidtui.system.discovery import read_machine
from tests.lab.guest.brief_runs import RAIDTUI
from tests.lab.guest.brief_runs import raidtui as said
from tests.lab.guest.disk_states import settle

RACK = dict(disks=3, size_mib=128, mbps=94)
# As nobody; the program itself, as in test_run: what it imports it reads as nobody, too.
AS_NOBODY = ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", *RAIDTUI)


def refused(*arguments: str, status: int) -> str:
    """What the command says when it ends with `status`: exactly one line."""
    [line] = said(*arguments, status=status).strip().splitlines()
    return line


@pytest.fixture
def answers() -> Path:
    """Answers over all disks, in a folder that everybody may read."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    path = folder / "answers.toml"
    path.write_text(tomli_w.dumps({"disks": [disk.id for disk in disks_of(read_machine())], "setup": {"level": "5"}}))
    return path


@pytest.fixture
def open_to_all() -> None:
    """Python and the program can be read by everybody, as where they are installed: also from a home of mode 0700."""
    needed = {Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve(), Path(raidtui.__file__).resolve().parents[1]}
    closed = {parent for path in needed for parent in path.parents if not parent.stat().st_mode & 0o001}
    for folder in sorted(closed)[:1]:
        stage = Path(tempfile.mkdtemp(dir="/run"))
        stage.chmod(0o755)
        for path in sorted(one for one in needed if one.is_relative_to(folder)):
            (inside := stage / path.relative_to(folder)).mkdir(parents=True, exist_ok=True)
            if not any(inside.iterdir()):
                subprocess.run(["mount", "--rbind", path, inside], check=True)
        subprocess.run(["mount", "--rbind", stage, folder], check=True)


@contextmanager
def without(program: str) -> Iterator[None]:
    """The program is not on this machine for a while."""
    path = Path(subprocess.run(["which", program], capture_output=True, text=True, check=True).stdout.strip())
    hidden = path.with_name(f"{path.name}.hidden")
    path.rename(hidden)
    try:
        yield
    finally:
        hidden.rename(path)


@pytest.mark.parametrize("program", ["fio", "mdadm"])
def test_a_missing_program_is_named_with_its_package(program: str, answers: Path) -> None:
    with without(program):
        line = refused("run", str(answers), "--confirm", "x", status=1)
    assert f"{program} is not installed" in line and f"apt install {program}" in line


@pytest.mark.usefixtures("open_to_all")
def test_not_root_plans_but_does_not_run(answers: Path) -> None:
    run, disks, plan = (
        subprocess.run((*AS_NOBODY, *words), capture_output=True, text=True, check=False)
        for words in (("run", str(answers), "--confirm", "x"), ("disks",), ("plan", str(answers)))
    )
    [line] = run.stderr.strip().splitlines()
    assert run.returncode == 1 and "root" in line
    assert disks.returncode == 0 and "not checked" in disks.stdout
    assert plan.returncode == 0 and "mdadm --create" in plan.stdout, plan.stderr


def test_a_disk_in_use_cannot_be_planned_and_why(answers: Path) -> None:
    first, second, third = (disk.path for disk in disks_of(read_machine()))
    subprocess.run(["mkswap", first], check=True, capture_output=True)
    subprocess.run(["swapon", first], check=True)
    subprocess.run(["sfdisk", second], input="start=2048\n", text=True, check=True, capture_output=True)
    settle()
    subprocess.run(["pvcreate", "-qq", "-y", f"{second}1"], check=True, capture_output=True)
    subprocess.run(["mdadm", "--create", "/dev/md/old", "--level=1", "--raid-devices=2", "--run", "--bitmap=none",
                    third, "missing"], check=True, capture_output=True)  # fmt: skip
    settle()
    try:
        for disk, word in zip(disks_of(read_machine()), ("swap", "LVM", "md"), strict=True):
            answers.write_text(tomli_w.dumps({"disks": [disk.id, "x"], "setup": {"level": "1"}}))
            line = refused("plan", str(answers), status=3)
            assert disk.name in line and word in line
        subprocess.run(["mdadm", "--stop", str(Path("/dev/md/old").resolve())], check=True)
        answers.write_text(tomli_w.dumps({"disks": [disks_of(read_machine())[2].id, "x"], "setup": {"level": "1"}}))
        assert "md" in refused("plan", str(answers), status=3)
    finally:
        subprocess.run(["swapoff", first], check=True)
        subprocess.run(["wipefs", "-aq", f"{second}1"], check=True)
        for node in (first, second, third):
            subprocess.run(["wipefs", "-aq", node], check=True)
        settle()


@pytest.mark.parametrize(
    "arguments, status, says",
    [
        (("capacity", "9", "--disk", "1TBx3"), 2, "'9' is not a RAID level"),
        (("capacity", "5", "--disk", "1TBxmany"), 2, "not SIZExN"),
        (("run", "/nowhere.toml"), 2, "/nowhere.toml: No such file"),
        (("report", "/etc/hostname"), 2, "hostname"),
        (("report", "/nowhere.json", "/either.json"), 2, "no such file"),
        (("attach", "nothing"), 2, "no run"),
        (("stop", "nothing"), 2, "no run"),
        ((), 2, "no terminal here"),
        (("disks", "--machine", "/etc/hostname"), 2, "hostname"),
    ],
)
def test_bad_input_is_one_sentence(arguments: tuple[str, ...], status: int, says: str) -> None:
    assert says in refused(*arguments, status=status)
