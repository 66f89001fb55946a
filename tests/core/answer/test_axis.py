"""One axis at a time: over all pairs that differ in nothing else, and only of setups that have it."""

from collections.abc import Callable

import msgspec

from raidtui.core.answer.answer import answer
from raidtui.core.answer.axis import of_pairs
from raidtui.core.plan.answers import Axes, Setup
from raidtui.core.plan.model import Plan, Stage, Trial
from raidtui.core.results.analysis import compare
from raidtui.core.results.differences import of_figures
from raidtui.core.results.figure import Figure
from raidtui.core.results.grid import SetupGrid
from raidtui.core.run.state import RunState
from tests.builders import sweeps
from tests.builders.answers import alone, answered
from tests.recordings.reports import kept


def threaded(stage: Stage, trial: Trial) -> float:
    """Eight threads double random writes with parity; nothing else changes anything."""
    if stage.setup is None:
        return alone(trial, 400.0)
    return 400.0 * (2.0 if stage.setup.group_thread_cnt == 8 and trial.rw == "randwrite" else 1.0)


def test_each_setting_is_told_by_the_setups_that_have_it() -> None:
    found = answered("nvme-array", 4, threaded)
    assert found.question == "What do md's threads, its stripe cache and the chunk give?"
    told = " ".join(found.sentences)
    assert "Md's threads matter most: 8 threads instead of 0 threads gives +100 % in random 4K write" in told
    assert "The stripe cache: no matter, every setup is equal within 3 %." in told
    assert {one.base for one in found.conclusions if one.kind == "effect"} >= {"0 threads", "stripe cache 256"}


def test_an_axis_that_does_another_thing_to_each_level_is_told_level_by_level() -> None:
    rate = {("10", 0): 268.0, ("10", 2000): 200.0, ("5", 0): 126.0, ("5", 2000): 100.0}

    def throttled(stage: Stage, trial: Trial) -> float:
        setup = stage.setup
        return rate[setup.level, setup.wbt_lat_usec] if setup and trial.rw == "randwrite" else 300.0  # type: ignore[index]

    axes = tuple(
        Axes(level=(level,), chunk=("64KiB",), first_sync=("skip",), wbt_lat_usec=(0, 2000)) for level in ("10", "5")
    )
    found = answered("levels-random-4k", 6, throttled, axes=axes)
    assert any(
        one.startswith(
            "Write throttling (wbt) matters: wbt 2 ms instead of wbt off gives -25 to -21 % in random 4K write on 2 of"
        )
        for one in found.sentences
    )
    table = next(one for one in found.tables if one.title.startswith("Wbt 2 ms instead of wbt off. "))
    assert table.lines == (("RAID 10 n2", "200 instead of 268 (-25 %)"), ("RAID 5", "100 instead of 126 (-21 %)"))


def two_settings(threads: float, cache: float) -> str:
    """Random writes by this much more with threads, and by this with a longer stripe cache."""

    def rate(stage: Stage, trial: Trial) -> float:
        if stage.setup is None or trial.rw != "randwrite":
            return alone(trial, 400.0)
        setup = stage.setup
        return 400.0 * (threads if setup.group_thread_cnt else 1.0) * (cache if setup.stripe_cache_size > 256 else 1.0)

    axes = Axes(level=("5",), chunk=("64KiB",), group_thread_cnt=(0, 8), stripe_cache_size=(256, 4096))
    return " ".join(answered("nvme-array", 4, rate, axes=(axes,)).sentences)


def test_only_the_largest_effect_of_all_matters_most() -> None:
    first = two_settings(2.0, 1.3)
    assert "Md's threads matter most: " in first and "The stripe cache matters, too: " in first
    second = two_settings(1.3, 2.0)
    assert "Md's threads matter: " in second and "The stripe cache matters most: " in second


def test_an_axis_is_told_in_every_test_that_it_changes() -> None:
    """A longer cache gives most in random writes, and something in sequential ones."""

    def rate(stage: Stage, trial: Trial) -> float:
        if stage.setup is None or stage.setup.stripe_cache_size == 256:
            return alone(trial, 400.0) if stage.setup is None else 400.0
        return 400.0 * {"randwrite": 2.0, "write": 1.3}.get(trial.rw, 1.0)

    axes = Axes(level=("5",), chunk=("64KiB",), stripe_cache_size=(256, 4096))
    (said,) = [one for one in answered("nvme-array", 4, rate, axes=(axes,)).sentences if "stripe cache matters" in one]
    assert "stripe cache 4096 instead of 256 gives +100 % in random 4K write, 800 instead of 400 IOPS" in said
    assert "and +30 % in sequential write, 520 instead of 400 MB/s" in said


def test_a_few_percent_hardly_matter() -> None:
    assert "The stripe cache hardly matters: " in two_settings(2.0, 1.04)


def once(rates: Callable[[Setup], float]) -> tuple[str, ...]:
    """Sequential writes of four setups, each measured once, and by rates that only they have."""
    axes = Axes(level=("5",), chunk=("64KiB", "512KiB"), group_thread_cnt=(0, 4), stripe_cache_size=(256, 4096))

    def rate(stage: Stage, trial: Trial) -> float:
        return rates(stage.setup) if stage.setup and trial.rw == "write" else alone(trial, 400.0)

    return answered("nvme-array", 4, rate, 1, axes=(axes,)).sentences


def test_one_odd_measurement_makes_no_sentence() -> None:
    """One of eight setups writes at a third, measured once: of no axis do two pairs tell the same."""

    def odd(setup: Setup) -> float:
        return 130.0 if (setup.chunk, setup.group_thread_cnt, setup.stripe_cache_size) == ("512KiB", 4, 256) else 400.0

    threads, cache, chunk, *_ = once(odd)
    assert threads == (
        "Md's threads: no difference that more than one measurement bears out (the largest: 130 instead of 400 MB/s in"
        " sequential write with chunk 512KiB stripe cache 256; told in 1 of 4 pairs, each measured once)."
    )
    assert cache.startswith(
        "The stripe cache: no difference that more than one measurement bears out (the largest: 402"
    )
    assert chunk.startswith("The chunk: no difference that more than one measurement bears out (the largest: 130")


def test_of_single_runs_the_least_that_two_bear_out_is_said_and_where() -> None:
    def small_cache(setup: Setup) -> float:
        if (setup.chunk, setup.stripe_cache_size) != ("512KiB", 256):
            return 400.0
        return 130.0 if setup.group_thread_cnt else 260.0

    threads, cache, chunk, *_ = once(small_cache)
    assert threads.startswith("Md's threads: no difference that more than one measurement bears out (")
    assert cache == (
        "The stripe cache matters: stripe cache 4096 instead of 256 gives +54 % or more in sequential write with chunk"
        " 512KiB."
    )
    assert chunk == (
        "The chunk matters, too: chunk 512KiB instead of 64KiB gives -35 % or more in sequential write with stripe"
        " cache 256."
    )


def test_a_value_that_cannot_be_told_from_the_one_that_is_said_is_named() -> None:
    """An allocation unit of 8 KiB is as good as one of 64."""
    plan, state = kept.load("stripe-x-allocation-unit-x-offset")
    (said,) = [one for one in answer(plan, state, compare(plan, state)).sentences if "allocation unit matters" in one]
    assert said.endswith("; 8KiB cannot be told from 64KiB in 15 of 16 pairs.")


def test_one_pair_differs_only_where_the_tables_say_so_of_it() -> None:
    """By itself the pair differs; among all pairs of so many setups the same distance is chance."""
    figures = tuple(
        Figure(value=base, values=(base * 1.01, base, base * 0.99), runs=3, standing="ok")
        for base in (100.0, 102.3, *([100.0] * 10))
    )
    judged = of_figures(figures)
    alone, among = judged.over_all([(1, 0)]).conclusion, judged.over(1, 0).conclusion
    assert (alone, among) == ("different", "cannot tell")
    row = next(iter(compare(*_run()).rows))
    grid = SetupGrid(
        "Reads", "random", (), tuple(() for _ in figures), tuple(msgspec.structs.replace(row, array=f) for f in figures)
    )
    assert of_pairs(grid, judged, [(1, 0)], claims=1).verdict == "cannot tell"


def _run() -> tuple[Plan, RunState]:
    made = sweeps.plan("levels-random-4k", 6)
    return made, sweeps.state(made, lambda stage, trial: 100.0)
