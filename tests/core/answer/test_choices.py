"""One axis at a time as a finding: which has the largest effect of all, its other values, its tables."""

import pytest

from raidtui.core.answer.answer import Answer
from raidtui.core.answer.answer_lines import lines
from raidtui.core.answer.effects import supported
from raidtui.core.answer.sweeps import versus
from raidtui.core.answer.values import AxisChoice, Effect
from raidtui.core.plan.answers import Axes, Setup
from raidtui.core.plan.model import Trial
from tests.builders.answers import answered
from tests.core.answer.golden import of_kind, setups


def choices(found: Answer) -> dict[str, AxisChoice]:
    return {choice.axis: choice for choice in of_kind(found, AxisChoice)}


def different(choice: AxisChoice) -> dict[tuple[str, str, str], float]:
    """What an axis changes: value, test and place, and the change in percent."""
    return {
        (effect.label, effect.test, effect.where): round(100 * ((effect.share or 1.0) - 1))
        for effect in choice.effects
        if effect.verdict == "different"
    }


def test_each_setting_is_told_by_the_setups_that_have_it() -> None:
    """Eight threads double random writes with parity; nothing else changes anything."""
    threaded = (8, "randwrite")
    rate = setups(lambda setup, one: 800.0 if (setup.group_thread_cnt, one.rw) == threaded else 400.0, 400.0)
    found = answered("nvme-array", 4, rate)
    told = choices(found)
    assert found.kind == "settings" and list(told) == ["group_thread_cnt", "stripe_cache_size", "chunk"]
    assert [(axis, choice.most) for axis, choice in told.items() if choice.most] == [("group_thread_cnt", True)]
    assert {(*key[:2], by) for key, by in different(told["group_thread_cnt"]).items()} == {
        ("8", "Random 4K write", 100)
    }
    assert {effect.verdict for effect in told["stripe_cache_size"].effects} == {"equal"}
    assert {effect.base for effect in told["group_thread_cnt"].effects} == {"0 threads"}
    over = told["group_thread_cnt"].others
    assert {(effect.base, effect.label) for effect in over} == {("8 threads", "4")}


def test_an_axis_that_does_another_thing_to_each_level_is_told_level_by_level() -> None:
    rate = {("10", 0): 268.0, ("10", 2000): 200.0, ("5", 0): 126.0, ("5", 2000): 100.0}
    throttled = setups(lambda setup, one: rate[setup.level, setup.wbt_lat_usec or 0] if "write" in one.rw else 300.0)
    axes = tuple(
        Axes(level=(level,), chunk=("64KiB",), first_sync=("skip",), wbt_lat_usec=(0, 2000)) for level in ("10", "5")
    )
    found = answered("levels-random-4k", 6, throttled, axes=axes)
    told = {where: (test, by) for (_, test, where), by in different(choices(found)["wbt_lat_usec"]).items()}
    assert told == {"RAID 10 n2": ("Random 4K write", -25), "RAID 5": ("Random 4K write", -21)}
    table = next(table for table in found.details if "wbt" in table.note)
    assert [row.name for row in table.rows if any(row.cells)][:2] == ["RAID 10 n2", "RAID 5"]


def settings(threads: float, cache: float, of_sequential: float = 1.0) -> dict[str, AxisChoice]:
    """Random writes by this much more with threads, and by this with a longer stripe cache, which has another of
    sequential ones.
    """

    def rate(setup: Setup, trial: Trial) -> float:
        long = setup.stripe_cache_size > 256
        if trial.rw != "randwrite":
            return 400.0 * (of_sequential if long and trial.rw == "write" else 1.0)
        return 400.0 * (threads if setup.group_thread_cnt else 1.0) * (cache if long else 1.0)

    axes = Axes(level=("5",), chunk=("64KiB",), group_thread_cnt=(0, 8), stripe_cache_size=(256, 4096))
    return choices(answered("nvme-array", 4, setups(rate, 400.0), axes=(axes,)))


@pytest.mark.parametrize(
    "threads, cache, most",
    [(2.0, 1.3, "group_thread_cnt"), (1.3, 2.0, "stripe_cache_size"), (2.0, 1.04, "group_thread_cnt"), (1.0, 1.0, "")],
)
def test_only_the_largest_effect_of_all_is_the_largest(threads: float, cache: float, most: str) -> None:
    told = settings(threads, cache)
    assert [axis for axis, choice in told.items() if choice.most] == ([most] if most else [])
    for axis, by in (("group_thread_cnt", threads), ("stripe_cache_size", cache)):
        assert set(different(told[axis]).values()) == ({round(100 * (by - 1))} if by > 1 else set())


def test_an_axis_is_told_in_every_test_that_it_changes() -> None:
    told = different(settings(1.0, 2.0, of_sequential=1.3)["stripe_cache_size"])
    assert {test: by for (_, test, _), by in told.items()} == {"Random 4K write": 100, "Sequential write": 30}


@pytest.mark.parametrize(
    "threaded, plain, threads, cache, chunk",
    [(130.0, 400.0, 0, 0, 0), (130.0, 260.0, 0, 2, 2)],  # one odd setup supports nothing, two support each other
)
def test_of_single_runs_two_have_to_bear_a_difference_out(
    threaded: float, plain: float, threads: int, cache: int, chunk: int
) -> None:
    """Sequential writes of eight setups, measured once: slow with a chunk of 512 KiB and a short cache."""

    def rate(setup: Setup, trial: Trial) -> float:
        if trial.rw == "write" and (setup.chunk, setup.stripe_cache_size) == ("512KiB", 256):
            return threaded if setup.group_thread_cnt else plain
        return 400.0

    axes = Axes(level=("5",), chunk=("64KiB", "512KiB"), group_thread_cnt=(0, 4), stripe_cache_size=(256, 4096))
    told = choices(answered("nvme-array", 4, setups(rate, 400.0), 1, axes=(axes,)))
    found = {axis: supported(choice.effects) for axis, choice in told.items()}
    assert [len(found[axis]) for axis in ("group_thread_cnt", "stripe_cache_size", "chunk")] == [threads, cache, chunk]
    assert any(effect.verdict == "different" for effect in told["group_thread_cnt"].effects)
    assert all(effect.single_run and not choice.most for choice in told.values() for effect in choice.effects)


def test_words_that_two_values_share_are_said_once_up_to_a_number() -> None:
    said = {
        ("allocation unit 64KiB", "allocation unit 4KiB"): "allocation unit 64KiB vs 4KiB",
        ("wbt 2 ms", "wbt off"): "wbt 2 ms vs wbt off",
        ("4 threads", "0 threads"): "4 threads vs 0 threads",
        ("RAID 10 n2", "RAID 0"): "RAID 10 n2 vs RAID 0",
    }
    assert {pair: versus(Effect(subject=pair[0], base=pair[1])) for pair in said} == said


@pytest.mark.parametrize("tests, single_run, told", [(1, False, True), (1, True, False), (2, True, True)])
def test_latencies_of_one_pair_measured_once_are_not_told(tests: int, single_run: bool, told: bool) -> None:
    effects = tuple(
        Effect(
            subject="cache 4096", test=title, figure=2.0, base="cache 256", base_figure=1.0, verdict="different",
            single_run=single_run, tail=(("p99", 3e6, 1e6),),
        )
        for title in ("Random 4K write", "Random 4K read")[:tests]
    )  # fmt: skip
    said = [*lines(AxisChoice(axis="stripe_cache_size", name="Stripe cache", effects=effects))]
    assert said[1:] == (["Latency: p99 3.00 vs 1.00 ms"] if told else [])
