"""Without a screen a disk with a warning is erased only if it is named by itself: the plan's code does not suffice."""

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from raidtui.cli import app, output
from raidtui.core.disks.machine import Signature
from raidtui.core.plan.model import Plan
from raidtui.core.run import events
from raidtui.runs import directory, launch, planning
from raidtui.runs.journal import Journal
from raidtui.system import block, discovery, doctor
from tests.builders.machines import device, machine
from tests.runs.rig import plan_of

OLD = (Signature(kind="ext4", label="backup"),)
SEEN = machine(
    *(
        device(name, signatures=held, properties={"DEVLINKS": f"/dev/disk/by-id/wwn-{name}"})
        for name, held in (("sda", ()), ("sdb", OLD), ("sdc", OLD))
    )
)
SERIALS = [one.properties["ID_SCSI_SERIAL"] for one in SEEN.devices]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def started() -> list[Plan]:
    return []


@pytest.fixture
def raidtui(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], started: list[Plan]
) -> Run:
    """A command on that machine: exit status, output, errors. No worker is started.

    Modules are patched: the command line has nothing by which a machine and a launcher could be handed in.
    """
    (tmp_path / "plan.json").write_bytes(b"")

    def start(plan: Plan, root: Path) -> Path:
        started.append(plan)
        return tmp_path

    monkeypatch.setattr(launch, "start", start)
    monkeypatch.setattr(launch, "resume", lambda path, code, erases: started.append(directory.read_plan(path)))
    monkeypatch.setattr(directory, "runs_root", lambda: tmp_path / "runs")
    monkeypatch.setattr(doctor, "missing_for_run", lambda: None)
    monkeypatch.setattr(planning, "plan_for", lambda answers, seen: plan_of(seen=SEEN))
    monkeypatch.setattr(planning, "plan_here", lambda answers: plan_of(seen=SEEN))
    monkeypatch.setattr(discovery, "read_machine", lambda: SEEN)
    monkeypatch.setattr(discovery, "machine_id", lambda: "machine")
    answers = tmp_path / "a b.toml"
    answers.write_text('disks = ["x"]\n')

    def run(*argv: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["raidtui", *(word.replace("ANSWERS", str(answers)) for word in argv)])
        with pytest.raises(SystemExit) as ended:
            app.main()
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return run


CODE = plan_of(seen=SEEN).code


def test_the_code_alone_does_not_erase_a_disk_with_something_on_it(raidtui: Run, started: list[Plan]) -> None:
    status, _, said = raidtui("run", "ANSWERS", "--confirm", CODE, "--detach")
    assert status == output.REFUSED and not started
    assert said.count("\n") == 1 and "sda" not in said
    for name, serial in zip(("sdb", "sdc"), SERIALS[1:], strict=True):
        assert f"{name} (ST4000 {serial}): holds ext4 (backup)" in said
    assert said.endswith(f"add --erase {SERIALS[1]} --erase {SERIALS[2]}\n")


def test_every_one_of_them_has_to_be_named(raidtui: Run, started: list[Plan]) -> None:
    status, _, said = raidtui("run", "ANSWERS", "--confirm", CODE, "--erase", SERIALS[1])
    assert status == output.REFUSED and not started
    assert "sdc" in said and "sdb" not in said


def test_to_name_them_without_the_code_is_not_enough(raidtui: Run, started: list[Plan]) -> None:
    named = [word for serial in SERIALS[1:] for word in ("--erase", serial)]
    assert raidtui("run", "ANSWERS", *named)[0] == output.REFUSED and not started


def test_a_list_of_them_has_to_be_as_they_are_line_by_line(raidtui: Run, started: list[Plan], tmp_path: Path) -> None:
    listed = raidtui("plan", "ANSWERS", "--erase-list")[1]
    assert listed == "".join(f"{serial}  ext4 (backup)\n" for serial in SERIALS[1:])
    file = tmp_path / "list"
    first, second = listed.splitlines()
    wrong = {
        f"{first}\n": f"it lacks '{SERIALS[2]} ext4 (backup)'",
        f"{first}\n{second.replace('ext4', 'xfs')}\n": f"it says '{SERIALS[2]} xfs (backup)'",
        f"{listed}{SERIALS[0]}  blank\n": f"it says '{SERIALS[0]} blank'",
    }
    for text, says in wrong.items():
        file.write_text(text)
        status, _, said = raidtui("run", "ANSWERS", "--confirm", CODE, "--erase-list", str(file), "--detach")
        assert status == output.REFUSED and says in said and not started
    file.write_text(listed)
    assert raidtui("run", "ANSWERS", "--confirm", CODE, "--erase-list", str(file), "--detach")[0] == 0
    assert len(started) == 1
    assert raidtui("run", "ANSWERS", "--erase-list", str(file))[0] == output.REFUSED  # the code is needed all the same


def test_a_disk_that_is_none_is_bad_input(raidtui: Run, started: list[Plan]) -> None:
    status, _, said = raidtui("run", "ANSWERS", "--confirm", CODE, "--erase", "sdb")
    assert (status, started) == (output.BAD_INPUT, []) and "'sdb' is no disk of this plan" in said


def test_what_the_plan_says_to_type_starts_it(raidtui: Run, started: list[Plan]) -> None:
    status, said, _ = raidtui("plan", "ANSWERS")
    assert status == 0 and said.split()[-1] == CODE
    (line,) = (line for line in said.splitlines() if line.startswith("    raidtui run "))
    assert raidtui(*shlex.split(line)[1:], "--detach")[0] == 0
    assert len(started) == 1


def run_in(root: Path, made: Plan, *told: events.AnyEvent) -> str:
    """A run of this plan whose journal says this, by its name."""
    path = directory.create(made, root / "runs")
    journal = Journal(path / directory.JOURNAL)
    for event in told:
        journal.add(event)
    journal.close()
    return path.name


STOPPED = events.RunEnded(at_s=2.0, outcome="stopped")


def test_a_run_that_had_ended_asks_by_what_is_on_the_disks_now(
    raidtui: Run, started: list[Plan], tmp_path: Path
) -> None:
    made = plan_of()  # of blank disks
    run = run_in(tmp_path, made, STOPPED)
    status, _, said = raidtui("resume", run, "--confirm", made.code, "--detach")
    assert (status, started) == (output.REFUSED, []) and f"--erase {SERIALS[1]} --erase {SERIALS[2]}" in said
    named = [word for serial in SERIALS[1:] for word in ("--erase", serial)]
    assert raidtui("resume", run, "--confirm", made.code, *named, "--detach")[0] == 0 and len(started) == 1


@pytest.mark.parametrize("typed, goes_on", [([], False), (SERIALS[1:2], False), (SERIALS[1:], True)])
def test_a_person_types_each_of_them(
    raidtui: Run, started: list[Plan], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: list[str], goes_on: bool
) -> None:
    made = plan_of()
    run = run_in(tmp_path, made, STOPPED)
    answers = iter([made.code, *typed])
    monkeypatch.setattr("builtins.input", lambda question: next(answers, ""))
    status, _, _ = raidtui("resume", run, "--detach")
    assert (status == 0, len(started)) == (goes_on, int(goes_on))
    assert goes_on or status == output.REFUSED


def test_the_script_asks_for_each_of_them(raidtui: Run) -> None:
    said = raidtui("plan", "ANSWERS", "--script")[1]
    asked = [line for line in said.splitlines() if line.startswith("confirm ")]
    assert [shlex.split(line)[2] for line in asked] == [serial[-4:] for serial in SERIALS[1:]]
    assert said.index("confirm 'ST4000") < said.index("wipefs --all")


@pytest.mark.parametrize("boot", ["this", "another", ""])
def test_a_run_that_was_cut_off_asks_for_the_code_in_the_same_boot_too(
    raidtui: Run, started: list[Plan], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, boot: str
) -> None:
    """No boot: none of its workers got as far as to say its own."""
    made = plan_of()
    boot_id = block.boot_id() if boot == "this" else boot
    worker = events.WorkerStarted(at_s=1.0, schema=1, run="", boot_id=boot_id, pid=1, start_ticks=1)
    run = run_in(tmp_path, made, *([worker] if boot else []))
    monkeypatch.setattr("builtins.input", lambda question: "")
    assert raidtui("resume", run, "--detach")[0] == output.REFUSED and not started
    named = [word for serial in SERIALS[1:] for word in ("--erase", serial)]
    assert raidtui("resume", run, "--confirm", made.code, *named, "--detach")[0] == 0
    assert len(started) == 1
    assert raidtui("resume", run, "--confirm", "0" * 8, *named, "--detach")[0] == output.REFUSED  # of another run
