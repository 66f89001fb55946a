"""`scrub`, `replace` and `grow`: a plan with its code, or lines; what is refused, and with which exit code."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from raidtui.core.care import plans
from raidtui.core.care.plans import Limits
from raidtui.core.plan.model import Plan
from raidtui.core.run import events
from raidtui.runs import directory, launch
from raidtui.runs.care import planning
from raidtui.runs.care.planning import CareTarget
from raidtui.system import doctor
from tests.builders.care import cared_for, seen, serial
from tests.builders.journals import started
from tests.cli.conftest import Command
from tests.runs.rig import run_in

MACHINE = seen()
Here = Callable[[bool], None]


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Here:
    """The array is kept by a run, or not; nothing is started."""

    def found(kept: bool) -> None:
        array, disks = cared_for(MACHINE, kept=kept)
        monkeypatch.setattr(planning, "find", lambda name: CareTarget(array, disks, MACHINE))

    def start(plan: Plan, root: object) -> None:
        raise ValueError(f"started: {plan.title}")

    monkeypatch.setattr(launch, "start", start)
    monkeypatch.setattr(doctor, "missing_for_run", lambda: None)
    return found


DISKS = cared_for(MACHINE)[1]
REPLACE = ("replace", "md127", serial(DISKS, "sdb"), serial(DISKS, "sdd"))


GROW = ("grow", "md127", serial(DISKS, "sdd"))


@pytest.mark.parametrize(
    "words",
    [("scrub", "md127"), ("scrub", "md127", "--at-most", "50MB/s"), REPLACE, GROW, (*GROW, "--at-least", "5MB/s")],
)
def test_the_plan_is_shown_with_the_command_that_carries_it_out(
    command: Command, here: Here, words: tuple[str, ...]
) -> None:
    here(True)
    code, printed, err = command(*words)
    assert (code, err) == (0, "") and "disk of the array 0: sda" in printed
    *_, given, _, told = printed.splitlines()
    assert given.split() == ["raidtui", *words, "--confirm", told]
    assert command(*given.split()[1:]) == (
        2,
        "",
        "raidtui: started: " + json.loads(command(*words, "--json")[1])["recipe_title"] + "\n",
    )


def test_which_disk_goes_and_what_is_erased_is_said(command: Command, here: Here) -> None:
    here(True)
    printed = command(*REPLACE)[1]
    assert "new disk 0: sdd" in printed and "disk of the array 1 (replaced): sdb" in printed
    assert "Everything on the new disk will be lost" in printed
    assert "will be lost" not in command("scrub", "md127")[1]
    printed = command(*GROW)[1]
    assert "new disk 0: sdd" in printed and "(replaced)" not in printed
    assert 'mdadm --grow "${array}" --raid-devices=4' in printed and "rotating disks" in printed
    assert "Everything on the new disk will be lost" in printed and "cannot be undone" in printed


@pytest.mark.parametrize("words", [("scrub", "md127"), REPLACE, GROW])
def test_a_wrong_code_is_refused(command: Command, here: Here, words: tuple[str, ...]) -> None:
    here(True)
    code, printed, err = command(*words, "--confirm", "00000000")
    assert (code, printed) == (3, "") and "is not this plan's" in err


@pytest.mark.parametrize("words", [("scrub", "md127"), REPLACE, GROW])
def test_of_an_array_that_no_run_keeps_nothing_is_carried_out(
    command: Command, here: Here, words: tuple[str, ...]
) -> None:
    here(False)
    code, printed, err = command(*words)
    assert (code, err) == (0, "") and printed.startswith("# no run of raidtui keeps md127: nothing is carried out.")
    assert "mdadm" in printed and json.loads(command(*words, "--json")[1])["lines"]
    assert command(*words, "--confirm", "00000000")[0] == 3


@pytest.mark.parametrize(
    "words, code, told",
    [
        (("scrub", "md127", "--at-most", "fast"), 2, "fast"),
        (("scrub", "md127", "--at-least", "9MB/s", "--at-most", "8MB/s"), 2, "is more than"),
        (("replace", "md127", "nobody", serial(DISKS, "sdd")), 2, "is no disk of md127"),
        (("replace", "md127", serial(DISKS, "sdb"), serial(DISKS, "sdc")), 3, "is a disk of md127"),
        (("replace", "md127", serial(DISKS, "sdb"), "nobody"), 3, "no disk nobody"),
        (("grow", "md127", serial(DISKS, "sdc")), 3, "is a disk of md127"),
        (("grow", "md127", "/dev/sdd"), 3, "names change: write wwn-"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    command: Command, here: Here, words: tuple[str, ...], code: int, told: str
) -> None:
    here(True)
    ended, printed, err = command(*words)
    assert (ended, printed) == (code, "") and told in err and err.count("\n") == 1


@pytest.mark.parametrize("kept", [True, False])
def test_to_take_the_members_own_room_is_explained_and_not_done(command: Command, here: Here, kept: bool) -> None:
    here(kept)
    code, printed, _ = command("grow", "md127")
    assert (
        code == 0
        and printed.startswith("# the room that the disks of md127 have is given by a person")
        and "--size=max" in printed
    )


def test_growing_by_hand_is_explained(command: Command, here: Here) -> None:
    here(False)
    printed = command(*GROW)[1]
    assert "# A reshape moves all data" in printed and "\nmdadm --grow /dev/md127 --raid-devices=4\n" in printed


@pytest.fixture
def checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The only run of this machine: a check that has ended; its id."""
    monkeypatch.setattr(directory, "runs_root", lambda: tmp_path)
    monkeypatch.setattr(directory, "roots", lambda: (tmp_path,))
    array, disks = cared_for(MACHINE)
    run_in(
        tmp_path,
        plans.check(array, disks, "machine", Limits()),
        "20260203T040506Z-cafe",
        started(pid=2**30),
        events.StepStarted(at_s=2.0, stage=0, what="Begin the check", line="mdadm --action=check /dev/md127"),
        events.StepEnded(at_s=3.0, what="Begin the check"),
        events.MismatchesCounted(at_s=8.0, sectors=0, final=True),
        events.RunEnded(at_s=9.0, outcome="finished"),
    )
    return "20260203T040506Z-cafe"


def test_a_check_that_has_ended_is_told_as_what_it_found(command: Command, checked: str) -> None:
    found = "/dev/md127 was read completely: no mismatches"
    code, printed, _ = command("runs")
    assert (code, printed) == (0, f"{checked}  finished  Check of /dev/md127\n    {found}\n")
    code, printed, _ = command("report", checked)
    assert code == 0 and printed.startswith(f"# Check of /dev/md127\n\n{found}.")
    assert "mdadm --action=check /dev/md127" in printed and "no signature" not in printed and "Recipe" not in printed
    assert json.loads(command("report", checked, "--json")[1]) == {
        "answer": {"sentences": [f"{found}."]},
        "measurements": [],
    }
    assert command("attach", checked)[:2] == (0, printed)  # lines, without a terminal
    assert command("report", checked, "--csv")[0] == 0
