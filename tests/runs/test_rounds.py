"""Rounds end where they are steady, in a run: five, the rest passed over and journalled, none measured on a resume."""

from pathlib import Path

import msgspec

from raidtui import recipes
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import planner
from raidtui.core.plan.answers import Answers, Setup
from tests.runs.rig import SEEN, Rig


def rig(folder: Path) -> Rig:
    """Every test gives the same figure, that of a recording."""
    disks = disks_of(SEEN)
    answers = Answers(disks=tuple(disk.id for disk in disks), setup=Setup(level="0"), recipe="flash-steady-state")
    chosen = msgspec.structs.replace(recipes.load("flash-steady-state"), steady="rand_read")
    made = Rig(folder, planner.make(answers, chosen, disks, "machine"))
    made.build()
    made.measure()
    return made


def measured(made: Rig) -> list[str]:
    return [trial.trial for trial in made.journal.state.trials]


def test_the_rounds_that_are_left_are_passed_over(tmp_path: Path) -> None:
    made = rig(tmp_path)
    assert made.go()[:2] == ("finished", "")
    assert len(measured(made)) == 5 * 3 and len(made.journal.state.passed_over) == 20 * 3
    assert "in steady state" in made.journal.state.passed_over["s1-rand_write.6"]
    assert all(made.journal.state.is_final(trial.id) for trial in made.plan.trials)


def test_a_resumed_run_does_not_go_back_to_them(tmp_path: Path) -> None:
    made = rig(tmp_path)
    made.go()
    before = measured(made)
    made.open()
    assert made.go()[0] == "finished" and measured(made) == before
