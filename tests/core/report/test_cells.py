"""Cells of a report: latencies, and the mark of what is not to be relied on, by latency or as more than disks do."""

import pytest

from raidtui.core.answer.ranking import Ranking
from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.report import setups
from raidtui.core.report.markdown import whole
from raidtui.core.report.setups import lacks_points, latency_cells, latency_heads
from raidtui.core.results.analysis import compare
from raidtui.core.results.figure import Latency
from raidtui.core.results.grid import grids
from raidtui.core.units import format_ms
from tests.builders import sweeps
from tests.builders.answers import alone
from tests.builders.tables import rows_of


def test_a_mean_above_p99_is_marked() -> None:
    assert latency_cells(Latency(5e6, {"99": 4e6}), [])[0] == "5.00 (above p99)"
    assert latency_cells(Latency(3e6, {"99": 4e6}), [])[0] == "3.00"


def test_the_top_of_the_histogram_is_at_least() -> None:
    assert format_ms(17_112_760_320) == "≥ 17112.8"
    assert format_ms(16_978_542_592) == "16978.5"


@pytest.mark.parametrize(
    "names, headers",
    [(("lat", "clat"), ["Mean (lat), ms", "p99 (clat), ms", "Max (lat), ms"]),
     (("lat", "lat"), ["Mean, ms", "p99, ms", "Max, ms"]), (("", ""), ["Mean, ms", "p99, ms", "Max, ms"])],
)  # fmt: skip
def test_fios_two_latencies_are_named_apart(names: tuple[str, str], headers: list[str]) -> None:
    assert latency_heads([Latency(1e6, {"99": 4e6}, 9e6, *names)]) == headers


def test_a_percentile_is_missing_where_another_has_it_and_something_was_measured() -> None:
    both, one = Latency(1e6, {"50": 1e6, "99": 4e6}), Latency(1e6, {"50": 1e6})
    assert lacks_points([both, one]) and not lacks_points([both, both]) and not lacks_points([one, one])
    assert not lacks_points([both, Latency()])


PLAN = sweeps.plan("jbod-vs-raid0", 4, flash=True)


def rate(stage: Stage, trial: Trial) -> float:
    """btrfs RAID 10 gives 40 % more than its disks do all at once, everything else half of that."""
    if stage.setup is None:
        return alone(trial, 1000.0)
    return 4000.0 * (1.4 if stage.setup.level == "btrfs-raid10" else 0.5)


STATE = sweeps.state(PLAN, rate)


def test_a_setup_that_gave_more_than_its_disks_do_is_marked_over_the_others() -> None:
    text = whole(PLAN, STATE)
    over = rows_of(text, "## Setup over setup: Random 4K, half reads (reads)")
    assert [row["Setup"].split(" ", 1)[1] for row in over if row["Setup"].endswith("!")] == ["btrfs RAID 10 !"]
    assert " ! marks a setup above what its disks do." in text


def test_what_a_choice_changes_is_marked_where_one_of_its_figures_is() -> None:
    """Two of four disks are left, and would have read more than two do."""
    axes = Axes(level=("6",), first_sync=("skip",), failed=(0, 1, 2))
    made = sweeps.plan("degraded", 4, axes=(axes,))

    def read_rate(stage: Stage, trial: Trial) -> float:
        if stage.setup is None:
            return alone(trial)
        return 240.0 if stage.setup.failed == 2 and trial.rw == "read" else 150.0

    changes = rows_of(whole(made, sweeps.state(made, read_rate)), "## What each choice changes")
    marked = {(row["Choice"], row["Test"]) for row in changes if row["Effect (95 % interval)"].endswith("!")}
    assert marked == {("degraded (2 disks) vs healthy", "Sequential read")}


def test_of_a_test_without_doubt_nothing_is_said() -> None:
    calm = sweeps.state(PLAN, lambda stage, trial: alone(trial, 1000.0) if stage.setup is None else 2000.0)
    comparison = compare(PLAN, calm)
    ranking = Ranking(PLAN, comparison)
    (grid, *_) = grids(comparison)
    assert setups.mark_words(grid, ranking) == ""
    assert {setups.mark(row, ranking) for row in grid.rows} == {""}
