"""Questions about series of tests: places on the disks, offered load, rounds until flash is steady, rebuilds."""

from collections.abc import Sequence
from itertools import chain
from statistics import median

from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.answer.sweeps import Part, kept, ranked
from raidtui.core.answer.values import (
    AnswerRow,
    AnswerTable,
    AxisChoice,
    Effect,
    LoadCurve,
    ParsedSetup,
    PlainFigure,
    Rank,
    RebuildPace,
    Rebuilds,
    Steadiness,
    Unit,
    cells_of,
    judged,
)
from raidtui.core.fio.job import Kind
from raidtui.core.plan.recipe import ROUNDS
from raidtui.core.results.figure import Figure, Latency
from raidtui.core.results.numerics import joined
from raidtui.core.results.rounds import Rounds, rounds
from raidtui.core.results.series import Loads, OfferedRate, RebuildRate, Zones, loads, place_words, rebuilds, zones
from raidtui.core.units import KIB

_UNITS: dict[Kind, Unit] = {"sequential": "bytes/s", "random": "IOPS"}
_SERVED = 0.95  # of the offered load: below it, it is named


def over_places(facts: AnswerFacts) -> Part:
    """Each test, the disks alone: every other place over the first."""
    tests = [test for test in zones(joined(facts.plan), facts.state) if test.over and test.over[0].share is not None]
    choices = [AxisChoice("offset", f"{test.title}, by place", _places(test)) for test in tests]
    rows = tuple(AnswerRow(test.title, _cells(found.effects)) for test, found in zip(tests, choices, strict=True))
    columns = tuple(dict.fromkeys(place_words(place) for test in tests for place in test.places))
    same = len({test.places for test in tests}) == 1
    return Part(choices, AnswerTable(tuple((name, "") for name in columns), rows, "Test") if same else None)


def _cells(effects: Sequence[Effect]) -> tuple[tuple[ParsedSetup, ...], ...]:
    """The figure of the first place, then of each other one over it."""
    first = PlainFigure(figure=effects[0].base_figure, unit=effects[0].unit)
    others = (
        Rank(figure=effect.figure, unit=effect.unit, base=effect.base, base_figure=effect.base_figure)
        for effect in effects
    )
    return ((first,), *((other,) for other in others))


def _places(test: Zones) -> tuple[Effect, ...]:
    values = [[figures[at].value for figures in test.alone.values()] for at in range(len(test.places))]
    medians = [median([value for value in of_place if value is not None] or [0.0]) for of_place in values]
    return tuple(
        Effect(
            subject=place_words(test.places[at]),
            label=test.places[at],
            base=place_words(test.places[0]),
            test=test.title,
            where="one disk" if len(test.alone) == 1 else f"median of {len(test.alone)} disks",
            figure=medians[at],
            base_figure=medians[0],
            unit=_UNITS[test.kind],
            runs=min(figures[at].runs for figures in test.alone.values()),
            **judged(over),
        )
        for at, over in enumerate(test.over, 1)
    )


def load(facts: AnswerFacts) -> Part:
    """Each test at peak, then the load up to which requests hardly wait; in one table of all."""
    tests = [test for test in loads(facts.plan, facts.state, facts.comparison) if test.flat_out.value is not None]
    several = len({test.setup for test in tests}) > 1
    rows = [row for test in tests for row in _load_rows(test, several)]
    columns: tuple[tuple[str, Unit], ...] = (("achieved", "IOPS"), ("p50", ""), ("p99", ""), ("max", ""))
    table = AnswerTable(columns, tuple(rows), "Offered load") if rows else None
    return Part([_load(test, several) for test in tests], table)


def _at_knee(test: Loads) -> list[OfferedRate]:
    """Of the lowest load, the highest that is held, and the next."""
    rates = test.knee.loads if test.knee else ()
    return [rate for at, rate in enumerate(rates) if rate and rate not in rates[:at]]


def _load(test: Loads, several: bool) -> LoadCurve:
    peak = PlainFigure(
        subject=test.setup if several else "",
        test=test.title,
        where="peak",
        figure=test.flat_out.value,
        unit="IOPS",
        runs=test.flat_out.runs,
    )
    knee = test.knee
    if knee is None:
        return LoadCurve(peak)
    highest = test.loads[-1]
    served, offered = highest.measured.value, highest.offered_iops
    share = served / offered if served is not None and offered else None
    is_short = share is not None and share < _SERVED
    p50, p99 = (
        tuple((rate.percent, ns) for rate in _at_knee(test) if (ns := rate.latency.percentiles_ns.get(point)))
        for point in ("50", "99")
    )
    by = "p50" if knee.by == "50" else "p99"
    return LoadCurve(peak, knee.held.percent, by, p50, p99, offered if is_short else None, share if is_short else None)


def _load_rows(test: Loads, several: bool) -> list[AnswerRow]:
    if test.knee is None:
        return []
    title = f"{test.title}{f', {test.setup}' if several else ''}"
    rows = [_load_row(f"{title}, {rate.percent} %", rate.measured, rate.latency) for rate in _at_knee(test)]
    return [*rows, _load_row(f"{title}, peak", test.flat_out, test.flat_out_latency)]


def _load_row(name: str, rate: Figure, latency: Latency) -> AnswerRow:
    ns = (latency.percentiles_ns.get("50"), latency.percentiles_ns.get("99"), latency.max_ns)
    return AnswerRow(name, (*cells_of("IOPS", rate.value), *cells_of("ns", *ns)))


def steady(facts: AnswerFacts) -> Part:
    """Whether it is steady, by the job that decides it; then every job's last rounds over its first, those
    that are not steady before others."""
    tests = [
        test for test in rounds(joined(facts.plan), facts.state) if any(value is not None for value in test.figures)
    ]
    found = [_steadiness(test, decides=at == 0) for at, test in enumerate(tests)]
    return Part([*found[:1], *sorted(found[1:], key=lambda one: one.steady is not False)])


def _steadiness(test: Rounds, decides: bool) -> Steadiness:
    values = [value for value in test.figures if value is not None]
    last = median(values[-ROUNDS:])
    rank = Rank(
        subject=test.setup,
        test=test.title,
        figure=last,
        unit=_UNITS[test.kind],
        base="round 1",
        base_figure=values[0],
        ratio=last / values[0] if values[0] else None,
        runs=min(len(values), ROUNDS),
    )
    judged_steady = test.steady
    return Steadiness(
        rank,
        judged_steady.holds if judged_steady else None,
        decides,
        len(test.figures),
        test.most_rounds,
        judged_steady.range if judged_steady else None,
        judged_steady.drift if judged_steady else None,
        values[-1] if len(values) > 1 and not (judged_steady and judged_steady.holds) else None,
    )


def rebuild(facts: AnswerFacts) -> Part:
    """What is left of each test under a rebuild, and the pace of a rebuild under load and by itself."""
    base = "Under a rebuild, % of the array without the disk and without a rebuild."
    found = kept(facts, "rebuild_min_kib_s", "not", base)
    if found is None:
        return ranked(facts)
    rates = [rate for rate in rebuilds(facts.plan, facts.state) if rate.rebuilt_bytes]
    alone = [rate for rate in rates if not rate.beside]
    stages = dict.fromkeys(rate.stage for rate in rates if rate.beside)
    ordered = [*alone, *chain(*([rate for rate in rates if rate.beside and rate.stage == stage] for stage in stages))]
    paces = Rebuilds(tuple(_pace(facts, rate) for rate in ordered)) if ordered else None
    return Part([paces, *found.findings], found.table, [_paces_table(facts, rates)])


def _pace(facts: AnswerFacts, rate: RebuildRate) -> RebuildPace:
    setup = facts.plan.stages[rate.stage].setup
    return RebuildPace(
        subject=facts.names.get(rate.stage) or rate.setup,
        test=rate.beside,
        figure=rate.bytes_per_s,
        unit="bytes/s",
        whole_s=rate.whole_s,
        little=not rate.scales,
        below_min=bool(rate.beside and setup and rate.bytes_per_s < KIB * setup.rebuild_min_kib_s),
        runs=rate.rebuilds,
    )


def _paces_table(facts: AnswerFacts, rates: list[RebuildRate]) -> AnswerTable | None:
    tests = list(dict.fromkeys(rate.beside for rate in sorted(rates, key=lambda rate: bool(rate.beside))))
    rows = [
        AnswerRow(
            facts.names.get(stage) or rates[0].setup,
            tuple(
                tuple(_pace(facts, rate) for rate in rates if (rate.stage, rate.beside) == (stage, test))
                for test in tests
            ),
        )
        for stage in dict.fromkeys(rate.stage for rate in rates)
    ]
    columns: tuple[tuple[str, Unit], ...] = tuple((test or "by itself", "") for test in tests)
    return AnswerTable(columns, tuple(rows), note="Rebuild pace, and the time for 1 TB at it.") if rates else None
