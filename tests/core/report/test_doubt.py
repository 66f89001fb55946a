"""What is not to be relied on has the mark in every table of setups: by its latency, or as more than its disks do."""

from raidtui.core.answer.ranking import Ranking
from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.report import cells
from raidtui.core.report.markdown import markdown
from raidtui.core.results.analysis import compare
from raidtui.core.results.grid import grids
from tests.builders import sweeps
from tests.builders.answers import alone
from tests.builders.tables import rows_of

PLAN = sweeps.plan("jbod-vs-raid0", 4, flash=True)


def rate(stage: Stage, trial: Trial) -> float:
    """btrfs RAID 10 gives 40 % more than its disks do all at once, everything else half of that."""
    if stage.setup is None:
        return alone(trial, 1000.0)
    return 4000.0 * (1.4 if stage.setup.level == "btrfs-raid10" else 0.5)


STATE = sweeps.state(PLAN, rate)


def test_a_setup_that_gave_more_than_its_disks_do_is_marked_over_the_others() -> None:
    text = markdown(PLAN, STATE)
    over = rows_of(text, "## Setup over setup: Random 4K, half reads (reads)")
    assert [row["Setup"].split(" ", 1)[1] for row in over if row["Setup"].endswith("!")] == ["btrfs RAID 10 !"]
    assert " ! marks a setup that gave more than its disks do." in text


def test_what_a_choice_changes_is_marked_where_one_of_its_figures_is() -> None:
    """Two of four disks are left, and would have read more than two do."""
    axes = Axes(level=("6",), first_sync=("skip",), failed=(0, 1, 2))
    made = sweeps.plan("degraded", 4, axes=(axes,))

    def read_rate(stage: Stage, trial: Trial) -> float:
        if stage.setup is None:
            return alone(trial)
        return 240.0 if stage.setup.failed == 2 and trial.rw == "read" else 150.0

    changes = rows_of(markdown(made, sweeps.state(made, read_rate)), "## What each choice changes")
    marked = {(row["Choice"], row["Test"]) for row in changes if row["Figure, %"].endswith("!")}
    assert marked == {("Failed disks: 2 over none", "Sequential read")}


def test_of_a_test_without_doubt_nothing_is_said() -> None:
    calm = sweeps.state(PLAN, lambda stage, trial: alone(trial, 1000.0) if stage.setup is None else 2000.0)
    comparison = compare(PLAN, calm)
    ranking = Ranking(PLAN, comparison)
    (grid, *_) = grids(comparison)
    assert cells.mark_words(grid, ranking) == ""
    assert {cells.mark(row, ranking) for row in grid.rows} == {""}
