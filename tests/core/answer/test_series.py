"""Answers of series, as values: places over the first, offered load, what rounds came to, the pace of rebuilds."""

import pytest
from msgspec.structs import replace

from raidtui.core.answer.answer import Answer, answer
from raidtui.core.answer.values import AxisChoice, LoadCurve, RebuildPace, Rebuilds, Steadiness
from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.results.analysis import compare
from raidtui.core.run.events import RebuildProgress
from raidtui.core.run.state import RunState
from raidtui.core.units import GB, MB
from tests.builders import rebuilding, sweeps
from tests.builders.answers import answered, of, repeated
from tests.core.answer import golden
from tests.core.answer.golden import answer_of, measured, of_kind

LOAD = sweeps.plan("latency-at-load", 4, level="10", first_sync="skip")


@pytest.mark.parametrize("inner, verdict", [(0.5, "different"), (2.0, "different"), (1.0, "equal")])
def test_every_other_place_is_over_the_first(inner: float, verdict: str) -> None:
    def rate(_: Stage, trial: Trial) -> float:
        noise = 1 + 0.002 * ((7 * (trial.member or 0) + 3 * len(trial.id)) % 3 - 1)
        return 100.0 * (inner if trial.varied["offset"] == "90%" else 1.0) * noise

    found = of(sweeps.plan("zones", 4), rate)
    assert found.kind == "places" and found.method and found.method.by_disks and found.method.single is None
    assert len(of_kind(found, AxisChoice)) == 2
    for choice in of_kind(found, AxisChoice):
        middle, last = choice.effects
        assert (middle.label, last.label, last.base) == ("45%", "90%", "outer (from 0%)")
        assert last.where == "median of 4 disks"
        assert (middle.verdict, last.verdict) == ("equal", verdict) and last.share == pytest.approx(inner, rel=0.01)
    assert found.table and len(found.table.columns) == 3 and len(found.table.rows) == 2


def at_load(p99_ms: dict[int, float]) -> list[LoadCurve]:
    """Of a run whose p99 at each share of 4000 IOPS is this; at others 1 ms, at the peak 30 ms."""
    shares = {one.id: int(str(one.varied.get("rate_iops", "0")).removesuffix("%")) for one in LOAD.trials}
    state = sweeps.state(LOAD, lambda _, trial: 40.0 * (shares[trial.id] or 100))

    def late(trial: str, taken: Measurement) -> dict[str, object]:
        p99 = {"99": (p99_ms.get(shares[trial], 1.0) if shares[trial] else 30.0) * 1e6}
        ways = {"read": taken.read, "write": taken.write}
        return {name: way and replace(way, lat_percentiles_ns=p99) for name, way in ways.items()}

    return of_kind(answer_of((LOAD, measured(state, late))), LoadCurve)


@pytest.mark.parametrize(
    "p99_ms, held, points",
    [
        ({70: 5.0, 80: 8.0, 90: 8.5, 100: 9.0}, 60, ((10, 1e6), (60, 1e6), (70, 5e6))),
        ({}, 100, ((10, 1e6), (100, 1e6))),
    ],
)
def test_the_load_up_to_which_latency_is_flat(
    p99_ms: dict[int, float], held: int, points: tuple[tuple[int, float], ...]
) -> None:
    reads, writes = at_load(p99_ms)
    assert (reads.peak.test, writes.peak.test) == ("Random 4K read", "Random 4K write")
    assert (reads.held, reads.by, reads.p50) == (held, "p99", ()) and reads.peak.figure == pytest.approx(4000)
    assert reads.p99 == points and reads.served is None


@pytest.mark.parametrize("rising, steady", [(0.0, True), (500.0, False)])
def test_what_is_steady_after_its_rounds(rising: float, steady: bool) -> None:
    made = sweeps.plan("flash-steady-state", 4, flash=True, level="0")
    decides, *others = of_kind(of(made, lambda _, trial: 1000.0 + rising * trial.repetition), Steadiness)
    assert decides.decides and not any(other.decides for other in others) and others
    assert (decides.steady, decides.rounds, decides.most) == (steady, 25, 25)
    assert decides.last.test == "Random 4K write" and decides.last.base == "round 1"
    assert decides.last.figure == pytest.approx(1000 + rising * 23) and decides.last.runs == 5
    assert (decides.very_last is None) is steady and (decides.range == 0.0) is steady


def test_of_too_few_rounds_the_last_is_told_and_no_more() -> None:
    made = sweeps.plan("flash-steady-state", 4, flash=True, level="0")
    state = sweeps.state(made, lambda _, trial: 1000.0 * trial.repetition)
    begun = {trial.id for trial in made.trials if trial.repetition <= 3}
    state = replace(state, trials=tuple(one for one in state.trials if one.trial in begun))
    decides = of_kind(answer_of((made, state)), Steadiness)[0]
    assert (decides.steady, decides.rounds, decides.very_last) == (None, 3, 3000.0)


def test_nothing_is_told_of_a_run_without_figures() -> None:
    empty = answer(LOAD, RunState(), compare(LOAD, RunState()))
    assert (empty.findings, empty.table, empty.method) == ((), None, None) and empty.lines
    assert answered("zones", 1, lambda stage, trial: 100.0).findings


REBUILDS = Axes(level=("5",), first_sync=("skip",), failed=(1,), rebuild_min_kib_s=(0, 1000, 1_000_000))


def rebuilt(alone_s: float | None, beside_s: float) -> Answer:
    """A gigabyte of a terabyte by itself and under each test, which gives a half where md does not give way."""
    made = sweeps.plan("rebuild", 4, axes=(REBUILDS,))

    def rate(stage: Stage, trial: Trial) -> float:
        return 50.0 if stage.setup and stage.setup.rebuild_min_kib_s == 1_000_000 else 100.0

    told = [
        RebuildProgress(at_s=at_s, stage=number, done_bytes=done, total_bytes=1000 * GB)
        for number, stage in enumerate(made.stages)
        if stage.setup and stage.setup.rebuild_min_kib_s and alone_s
        for at_s, done in ((0, 0), (alone_s, GB))
    ]
    state = rebuilding.beside(made, sweeps.state(made, repeated(rate)), GB / beside_s if alone_s else None)
    return answer_of((made, replace(state, rebuilds=tuple(told))))


@pytest.mark.parametrize(
    "alone_s, beside_s, little, below",
    [(10, 40, True, (False, True)), (10, 4000, True, (True, True)), (10, 0.5, False, (False, False))],
)
def test_a_rebuild_has_its_pace_by_itself_and_under_each_test(
    alone_s: float, beside_s: float, little: bool, below: tuple[bool, bool]
) -> None:
    found = rebuilt(alone_s, beside_s)
    (told,) = of_kind(found, Rebuilds)
    alone, beside = told.paces[:2], told.paces[2:]
    assert [(pace.test, round(pace.figure or 0), pace.below_min) for pace in alone] == [("", 100 * MB, False)] * 2
    assert len(beside) == 6 and all(pace.test and pace.little is little for pace in beside)
    assert all(pace.figure == pytest.approx(GB / beside_s) for pace in beside)
    assert [pace.below_min for pace in beside] == [below[0]] * 3 + [below[1]] * 3
    (table,) = (table for table in found.details if table)
    assert [type(cell) for row in table.rows for cells in row.cells for cell in cells] == [RebuildPace] * 8
    (kept,) = of_kind(found, AxisChoice)
    shares = {(effect.label, effect.test): effect.share for effect in kept.effects}
    assert kept.kept and {effect.base for effect in kept.effects} == {"no rebuild"} and len(shares) == 6
    left = [round(share or 0.0, 1) for (label, _), share in shares.items() if label == "1000000 KiB/s"]
    assert left == [0.5] * 3 and sum(share or 0.0 for share in shares.values()) == pytest.approx(4.5, rel=0.02)


def test_without_a_look_at_the_rebuild_no_pace_is_told() -> None:
    found = rebuilt(None, 1.0)
    assert not of_kind(found, Rebuilds) and of_kind(found, AxisChoice)


def test_the_slow_end_of_a_rebuild_is_told_with_the_fast_one() -> None:
    """It was seen over less of the disk for being slow: left out, all rebuilds would be fast ones."""
    (told,) = of_kind(golden.answers()["rebuild"], Rebuilds)
    paces: dict[str, list[float]] = {}
    for pace in told.paces:
        if pace.test and "RAID 5" in pace.subject:
            paces.setdefault(pace.subject.split()[-1], []).append(round((pace.figure or 0.0) / 1e6, 2))
    ends = {minimum: (min(rates), max(rates)) for minimum, rates in paces.items()}
    assert ends == {"1000K/s": (1.17, 1.78), "1000000K/s": (7.44, 9.52)}
