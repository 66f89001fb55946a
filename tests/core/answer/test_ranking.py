"""Ranks by the geometric mean of all tests, each setup against the best, with what it survives and holds."""

from raidtui.core.answer.ranking import Ranking
from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.results.analysis import compare
from tests.builders import sweeps
from tests.builders.answers import alone, repeated


def test_best_first_with_what_it_survives() -> None:
    made = sweeps.plan("levels-random-4k", 6, repeat=3, axes=Axes(chunk=("64KiB",)))
    rate = {"0": 600.0, "10": 300.0, "5": 150.0, "6": 100.0}
    state = sweeps.state(
        made, repeated(lambda stage, trial: rate[stage.setup.level] if stage.setup else alone(trial, disks=6))
    )
    ranked = Ranking(made, compare(made, state)).ranked
    places = [(one.setup.level, one.place, one.survives) for one in ranked]
    assert places == [("0", 1, 0), ("10", 2, 1), ("5", 3, 1), ("6", 4, 2)]
    assert [round(one.usable or 0.0, 2) for one in ranked] == [1.0, 0.5, 0.83, 0.67]
    assert ranked[1].of_best.conclusion == "different"


def test_an_array_without_two_disks_survives_two_fewer() -> None:
    made = sweeps.plan("degraded", 4, axes=(Axes(level=("6",), first_sync=("skip",), failed=(0, 1, 2)),))
    state = sweeps.state(made)
    ranked = Ranking(made, compare(made, state)).ranked
    assert {one.setup.failed: one.survives for one in ranked} == {0: 2, 1: 1, 2: 0}


def test_setups_stand_in_the_order_of_the_column_that_is_shown() -> None:
    """By the medians that stand against the best, where a mean would order two close setups otherwise."""
    made = sweeps.plan("levels-random-4k", 6, repeat=3, axes=Axes(level=("0", "6", "5"), chunk=("64KiB",)))
    rate = {"0": (100.0, 100.0, 100.0), "6": (60.0, 61.0, 68.0), "5": (61.5, 61.5, 61.6)}

    def rated(stage: Stage, trial: Trial) -> float:
        return rate[stage.setup.level][trial.block - 1] if stage.setup else alone(trial, disks=6)

    ranked = Ranking(made, compare(made, sweeps.state(made, rated))).ranked
    shares = [one.of_best.share or 0.0 for one in ranked]
    assert [one.setup.level for one in ranked] == ["0", "5", "6"] and shares == sorted(shares, reverse=True)
