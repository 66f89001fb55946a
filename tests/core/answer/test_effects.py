"""The engine: pairs that differ in one axis alone, their groups, claims and verdicts, with their latencies and work."""

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from raidtui.core.answer.effects import distance, effects, supported
from raidtui.core.answer.values import Effect, Verdict
from raidtui.core.plan.answers import Setup
from raidtui.core.results.analysis import ResultRow, compare
from raidtui.core.results.disk_operations import DiskOperations
from raidtui.core.results.figure import NOT_RUN, Figure, Latency
from raidtui.core.results.grid import SetupGrid
from tests.builders import sweeps

SPREAD = (1.0, 1.004, 0.996, 1.002, 0.998)  # repetitions of one setup
LEVELS, CHUNKS, CACHES = ("5", "6"), ("64KiB", "128KiB", "512KiB"), (256, 4096)
Rate = Callable[[Setup], float]


def _row() -> ResultRow:
    made = sweeps.plan("levels-random-4k", 6)
    return compare(made, sweeps.state(made)).rows[0]


ROW = _row()


def grid(rates: Mapping[tuple[str, str, int], float], spread: float = 1.0, runs: int = 3) -> SetupGrid:
    """A test of level, chunk and stripe cache; a rate of None or 0 was not measured."""
    rows = []
    for at, ((level, chunk, cache), rate) in enumerate(rates.items()):
        values = tuple(rate * (1 + spread * (SPREAD[(at + n) % len(SPREAD)] - 1)) for n in range(runs))
        blocks, middle = tuple(range(1, runs + 1)), sorted(values)[runs // 2]
        figure = Figure(standing="ok", value=middle, values=values, runs=runs, blocks=blocks) if rate else NOT_RUN
        setup = Setup(level=level, chunk=chunk, stripe_cache_size=cache)
        rows.append(replace(ROW, cell=setup, stage=at + 1, array=figure, beside=()))
    labels = tuple((f"RAID {level}", chunk, str(cache)) for level, chunk, cache in rates)
    return SetupGrid("Random 4K write", "random", ("level", "chunk", "stripe_cache_size"), labels, tuple(rows))


def of(rate: Rate) -> dict[tuple[str, str, int], float]:
    """All setups of the axes, with a rate each."""
    fields = ("level", "chunk", "stripe_cache_size")
    return {key: rate(Setup(**dict(zip(fields, key, strict=True)))) for key in product(LEVELS, CHUNKS, CACHES)}  # type: ignore[arg-type]


def seen(found: list[Effect]) -> list[tuple[str, str, str, str]]:
    return [(effect.label, effect.base, effect.where, effect.verdict) for effect in found]


def test_each_value_is_over_the_first_in_all_setups_that_differ_in_it_alone() -> None:
    found = effects(grid(of(lambda setup: 300.0 if setup.chunk == "512KiB" else 200.0)), "chunk")
    assert seen(found) == [
        ("128KiB", "chunk 64KiB", "mean of 4 setups", "equal"),
        ("512KiB", "chunk 64KiB", "mean of 4 setups", "different"),
    ]
    (_, large) = found
    assert (large.subject, large.test, large.unit, large.runs) == ("chunk 512KiB", "Random 4K write", "IOPS", 3)
    assert large.figure == pytest.approx(300.0, rel=0.01) and large.base_figure == pytest.approx(200.0, rel=0.01)
    assert large.ratio == pytest.approx(1.5, rel=0.02) and large.share == pytest.approx(1.5, rel=0.02)
    assert large.low and large.high and 1.4 < large.low < 1.5 < large.high < 1.6
    assert not large.single_run and large.repetitions is None and large.by_latency is None


def test_values_a_base_and_groups_may_be_asked_for() -> None:
    made = grid(of(lambda setup: 200.0 if setup.chunk == "64KiB" else 100.0))
    found = effects(made, "chunk", values=("64KiB",), base="512KiB", by=("level", "no such column"))
    assert [(*row, effect.group) for row, effect in zip(seen(found), found, strict=True)] == [
        ("64KiB", "chunk 512KiB", "RAID 5", "different", "RAID 5"),
        ("64KiB", "chunk 512KiB", "RAID 6", "different", "RAID 6"),
    ]
    assert effects(made, "chunk", base="1MiB") == effects(made, "filesystem") == []


def test_what_is_not_measured_or_has_no_pair_is_left_out() -> None:
    rates = of(lambda setup: 100.0)
    alone = {key: rate for key, rate in rates.items() if key[0] == "5" or key[1] == "64KiB"}
    holed = {key: 0.0 if key == ("5", "512KiB", 256) else rate for key, rate in alone.items()}
    (small, large) = effects(grid(holed), "chunk")
    assert (small.where, large.where) == ("mean of 2 setups", "RAID 5 cache 4096")


def test_pairs_that_tell_different_things_are_effects_of_their_own() -> None:
    """A longer cache doubles RAID 5 alone: one mean of both levels would be true of neither."""
    rates = of(lambda setup: 200.0 if (setup.level, setup.stripe_cache_size) == ("5", 4096) else 100.0)
    found = effects(grid(rates), "stripe_cache_size")
    told = {effect.where: effect.verdict for effect in found}
    assert [told[f"RAID 5 {chunk}"] for chunk in ("64K", "128K", "512K")] == ["different"] * 3
    assert [told[f"RAID 6 {chunk}"] for chunk in ("64K", "128K", "512K")] == ["equal"] * 3 and len(told) == 6
    by_level = effects(grid(rates), "stripe_cache_size", by=("level",))
    assert [(effect.where, effect.verdict) for effect in by_level] == [("RAID 5", "different"), ("RAID 6", "equal")]


def test_more_claims_widen_the_interval_of_each() -> None:
    made = grid(of(lambda setup: 104.0 if setup.chunk == "512KiB" else 100.0), 5.0)
    claims = [effects(made, "chunk", values=("512KiB",)), effects(made, "chunk"), effects(made, "chunk", by=("level",))]
    ends = [next((one.low, one.high) for one in found if one.label == "512KiB") for found in claims]
    widths = [high - low for low, high in ends if high and low]
    assert [len(found) for found in claims] == [1, 2, 4] and widths[0] < widths[1] < widths[2]


def test_one_pair_differs_only_where_it_does_among_all_pairs_of_the_test() -> None:
    """By itself the pair differs; among all pairs of so many setups the same distance is chance."""

    def of_twelve(odd: float) -> SetupGrid:
        return grid({("5", f"{1 << at}KiB", 256): (odd if at == 1 else 100.0) for at in range(12)}, 2.0)

    made = of_twelve(101.6)
    assert made.judged.over_all([(1, 2)]).conclusion == "different" != made.judged.over(1, 2).conclusion
    table = ((100.8, "equal", "n.s."), (101.6, "n.s.", "n.s."), (102.3, "different", "different"))
    for odd, asked_for, chosen in table:
        (asked,) = effects(of_twelve(odd), "chunk", values=("2KiB",), base="4KiB")
        (extreme,) = effects(of_twelve(odd), "chunk", extremes=True)
        assert (asked.verdict, extreme.verdict, extreme.label) == (asked_for, chosen, "2KiB")


@pytest.mark.parametrize(
    "ratio, verdict", [(1.0, "n.s."), (1.02, "n.s."), (1.14, "n.s."), (1.2, "different"), (0.8, "different")]
)
def test_single_runs_are_never_equal_and_differ_from_15_percent_on(ratio: float, verdict: str) -> None:
    rates = {("5", "64KiB", 256): 100.0, ("5", "512KiB", 256): 100.0 * ratio}
    (effect,) = effects(grid(rates, 0.0, 1), "chunk")
    assert (effect.verdict, effect.single_run, effect.runs) == (verdict, True, 1)


@given(st.lists(st.sampled_from([100.0, 101.0, 110.0, 150.0]), min_size=12, max_size=12), st.sampled_from([1, 3]))
def test_a_verdict_fits_its_interval_and_the_figures_its_share(rates: list[float], runs: int) -> None:
    made = grid(dict(zip(of(lambda setup: 0.0), rates, strict=True)), runs=runs)
    assert made.columns
    for axis in made.columns:
        found = effects(made, axis, by=("level",)) + effects(made, axis, extremes=True)
        assert found
        for effect in found:
            assert effect.low is not None and effect.high is not None and effect.share
            assert effect.low <= effect.share * 1.001 and effect.share <= effect.high * 1.001
            assert effect.verdict != "different" or not effect.low < 1 < effect.high
            assert effect.verdict != "equal" or abs(effect.share - 1) <= 0.031


def of_pair(mine: Any, base: Any, ratio: float = 1.0, **how: Any) -> Effect:
    """The effect of two setups whose rows differ by more than their figures."""
    made = grid({("5", "64KiB", 256): 100.0, ("5", "512KiB", 256): 100.0 * ratio})
    rows = tuple(replace(row, **of) for row, of in zip(made.rows, (base, mine), strict=True))
    (effect,) = effects(replace(made, rows=rows), "chunk", **how)
    return effect


@pytest.mark.parametrize(
    "ratio, mine, base, verdict, by_latency",
    [
        (0.8, 1.0, 1.0, "different", None),
        (0.8, 0.95, 1.05, "different", None),  # neither is in doubt
        (0.8, 1.0, 0.81, "n.s.", 0.8 / 0.81),  # by its latency the interval reaches the base
        (0.8, 1.0, 1.3, "different", 0.8 / 1.3),
        (1.0, 1.0, 0.85, "n.s.", 1 / 0.85),
        (1.0, 1.0, 1.0, "equal", None),
    ],
)
def test_only_what_holds_by_rates_and_latencies_is_different(
    ratio: float, mine: float, base: float, verdict: str, by_latency: float | None
) -> None:
    own, other = ({"by_latency": of_row, "little_off": abs(1 / of_row - 1) > 0.1} for of_row in (mine, base))
    effect = of_pair(own, other, ratio)
    assert effect.verdict == verdict and effect.repetitions is None
    assert effect.by_latency == (None if by_latency is None else pytest.approx(by_latency, rel=0.01))
    assert effect.low is not None and effect.low <= (effect.by_latency or 1.0) * 1.001


@pytest.mark.parametrize(
    "mine, base, work",
    [(4.0, 9.0, (4.0, 9.0)), (5.0, 4.0, (5.0, 4.0)), (4.5, 4.0, None), (4.0, None, None), (None, None, None)],
)
def test_work_is_told_where_the_disks_did_another_number_of_it(
    mine: float | None, base: float | None, work: tuple[float, float] | None
) -> None:
    own, other = ({"operations": DiskOperations(0.0, total) if total else None} for total in (mine, base))
    assert of_pair(own, other).work == work


@pytest.mark.parametrize("mine, base, told", [(3e7, 1e7, True), (5e6, 1e7, True), (14e6, 1e7, False), (0, 1e7, False)])
def test_a_tail_is_told_where_p99_becomes_another(mine: float, base: float, told: bool) -> None:
    points = [{"50": 2e6} | ({"99": ns} if ns else {}) for ns in (mine, base)]
    own, other = ({"latency": Latency(percentiles_ns=of_row, max_ns=9e7)} for of_row in points)
    effect = of_pair(own, other)
    assert effect.tail == ((("p50", 2e6, 2e6), ("p99", mine, base), ("max", 9e7, 9e7)) if told else ())


def test_the_source_is_asked_for_each_pair_with_the_base_second() -> None:
    effect = of_pair({"stage": 7}, {"stage": 3}, published=lambda row, base: row.stage / base.stage)
    assert effect.published == 7 / 3


def single(ratio: float, test: str = "a", subject: str = "x", once: bool = True) -> Effect:
    verdict: Verdict = "different" if abs(ratio - 1) > 0.15 else "n.s."
    return Effect(subject=subject, test=test, ratio=ratio, verdict=verdict, single_run=once)


@pytest.mark.parametrize(
    "of_axis, count",
    [
        ([single(1.5)], 1),  # all that was asked for
        ([single(1.5), single(1.0)], 0),  # one odd measurement
        ([single(1.5), single(0.5)], 0),
        ([single(1.5), single(1.6), single(1.0)], 2),
        ([single(1.5), single(1.0, test="b")], 1),
        ([single(1.5), single(1.0, subject="y")], 1),
        ([single(1.5, once=False), single(1.0, once=False)], 1),
    ],
)
def test_one_single_run_of_several_supports_no_effect(of_axis: list[Effect], count: int) -> None:
    assert len(supported(of_axis)) == count


def test_a_half_is_as_far_as_the_double() -> None:
    assert distance(single(0.5)) == pytest.approx(distance(single(2.0)))
    assert distance(single(0.5)) > distance(single(1.9))
