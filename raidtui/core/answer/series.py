"""Answers of series of tests: places on the disks, offered rates, rounds until flash is steady."""

from statistics import median

from raidtui.core.answer import cells, wording
from raidtui.core.answer.conclusions import Conclusion, Unit, of_difference
from raidtui.core.answer.facts import AnswerFacts, AnswerPart, Table
from raidtui.core.fio.job import Kind
from raidtui.core.plan.recipe import ROUNDS
from raidtui.core.results.figure import Latency
from raidtui.core.results.joined import joined
from raidtui.core.results.series.loads import Loads, OfferedRate, loads
from raidtui.core.results.series.rounds import Rounds, rounds
from raidtui.core.results.series.zones import Zones, place_words, zones

_UNITS: dict[Kind, Unit] = {"sequential": "bytes/s", "random": "IOPS"}
_SERVED = 0.95  # of what was offered: below it is said


def over_places(facts: AnswerFacts) -> list[AnswerPart]:
    """Each test, the disks alone: every other place over the first."""
    return [
        _places(zone) for zone in zones(joined(facts.plan), facts.state) if zone.over and zone.over[0].share is not None
    ]


def _places(test: Zones) -> AnswerPart:
    values = [[figures[at].value for figures in test.alone.values()] for at in range(len(test.places))]
    medians = [median([value for value in place_values if value is not None] or [0.0]) for place_values in values]
    place_effects = [
        of_difference(
            over,
            kind="effect",
            subject=place_words(test.places[at]),
            base=place_words(test.places[0]),
            test=test.title,
            where="the disks alone",
            figure=medians[at],
            base_figure=medians[0],
            unit=_UNITS[test.kind],
            runs=min(figures[at].runs for figures in test.alone.values()),
        )
        for at, over in enumerate(test.over, 1)
    ]
    title, first = wording.lower(test.title), wording.figure(medians[0], _UNITS[test.kind])
    disks = f"the median of {len(test.alone)} disks" if len(test.alone) > 1 else "one disk"
    if all(effect.verdict == "equal" for effect in place_effects):
        everywhere = wording.listed([place_words(place) for place in test.places], len(test.places))
        return AnswerPart(f"no: {title} {first} ({disks}), {everywhere} equal within 3 %", tuple(place_effects))
    other_places = ", ".join(f"{effect.subject} {wording.difference(effect)}" for effect in place_effects)
    slower = [effect for effect in place_effects if effect.verdict == "different" and (effect.share or 1.0) < 1]
    yes = "yes: " if slower else ""
    return AnswerPart(f"{yes}{title} {first} {place_effects[0].base} ({disks}); {other_places}", tuple(place_effects))


def load(facts: AnswerFacts) -> list[AnswerPart]:
    """Each test flat out, then how much of that may be asked before requests wait."""
    tests = [test for test in loads(facts.plan, facts.state, facts.comparison) if test.flat_out.value is not None]
    several = len({test.setup for test in tests}) > 1
    return [_load(test, several) for test in tests]


def _load(test: Loads, several: bool) -> AnswerPart:
    where = f" on {test.setup}" if several else ""
    title = f"{wording.lower(test.title)}{where}"
    words = f"{title}: {wording.figure(test.flat_out.value, 'IOPS')} flat out"
    knee = test.knee
    if knee is None:
        return AnswerPart(f"{words}; of latencies at lower rates too little is known", (_flat_out(test),))
    knee_loads = [load for at, load in enumerate(knee.loads) if load and load not in knee.loads[:at]]
    point, name = ("50", "the median wait") if knee.by == "50" else ("99", "p99")
    waits = [f"{wording.figure(ns, 'ns')} at {load.percent} %" for load in knee_loads
             if (ns := load.latency.percentiles_ns.get(point))]  # fmt: skip
    up_to = f"up to {knee.held.percent} % of that {name} hardly rises: {wording.listed(waits)}"
    tail = [f"{wording.figure(ns, 'ns')} at {load.percent} %" for load in knee_loads
            if (ns := load.latency.percentiles_ns.get("99"))]  # fmt: skip
    up_to += f"; p99 is {wording.listed(tail)}" if tail and knee.by == "50" else ""
    up_to += _not_served(test)
    lates = [
        _late(test, knee.rest, load, of, ns, base)
        for load in knee_loads[1:]
        for of in ("50", "99")
        if (ns := load.latency.percentiles_ns.get(of)) and (base := knee.rest.latency.percentiles_ns.get(of))
    ]
    lines = [_waits(f"{load.percent} %", load.measured.value, load.latency) for load in knee_loads]
    lines.append(_waits("flat out", test.flat_out.value, test.flat_out_latency))
    headers = ("Offered", "IOPS", "Median", "p99", "Longest")
    table = Table(f"{wording.sentence(title)[:-1]}: what is offered, of what it does flat out.", headers, tuple(lines))
    return AnswerPart(f"{words}; {up_to}", (_flat_out(test), *lates), table)


def _not_served(test: Loads) -> str:
    """Of the highest rate that was offered, where not all of it was done."""
    load = test.loads[-1]
    served, offered = load.measured.value, load.offered_iops
    if served is None or offered is None or served >= _SERVED * offered:
        return ""
    return (
        f"; of {wording.figure(offered, 'IOPS')}, the most that was offered, {100 * served / offered:.0f} % were done"
    )


def _waits(offered: str, iops: float | None, of: Latency) -> tuple[str, ...]:
    waits = (of.percentiles_ns.get("50"), of.percentiles_ns.get("99"), of.max_ns)
    return offered, cells.number(iops, "IOPS"), *(wording.figure(ns, "ns") if ns else "" for ns in waits)


def _late(test: Loads, base_load: OfferedRate, load: OfferedRate, point: str, ns: float, base: float) -> Conclusion:
    return Conclusion(
        kind="tail",
        subject=f"{load.percent} %",
        test=test.title,
        where=f"{test.setup}, p{point}".removeprefix(", "),
        figure=ns,
        unit="ns",
        base=f"{base_load.percent} %",
        base_figure=base,
        ratio=ns / base,
        certainty="single run" if load.measured.runs == 1 else "interval",
        runs=load.measured.runs,
    )


def _flat_out(test: Loads) -> Conclusion:
    return Conclusion(
        kind="figure",
        subject=test.setup,
        test=test.title,
        where="flat out",
        figure=test.flat_out.value,
        unit="IOPS",
        certainty="single run" if test.flat_out.runs == 1 else "interval",
        runs=test.flat_out.runs,
    )


def steady(facts: AnswerFacts) -> list[AnswerPart]:
    """Whether it is steady, by the job that decides it; what every job gives then, gave at first, or whether not."""
    tests = [
        test for test in rounds(joined(facts.plan), facts.state) if any(value is not None for value in test.figures)
    ]
    if not tests:
        return []
    given = [_for_good(test, decides=at == 0) for at, test in enumerate(tests)]
    figures = tuple(conclusion for part in given for conclusion in part.conclusions)
    return [_ended(tests[0]), AnswerPart("; ".join(part.sentence for part in given), figures)]


def _ended(test: Rounds) -> AnswerPart:
    round_count = f"{len(test.figures)} of at most {test.most_rounds} rounds"
    holds = test.steady is not None and test.steady.holds
    ended = Conclusion(
        kind="steady",
        subject="steady" if holds else "not steady",
        test=test.title,
        where=test.setup,
        figure=len(test.figures),
        unit="rounds",
        base="at most",
        base_figure=test.most_rounds,
    )
    if test.steady is None:
        return AnswerPart(f"after {round_count} nobody can tell whether it is steady", (ended,))
    words = test.steady.words.replace("repetitions", "rounds")
    return AnswerPart(f"after {round_count} {wording.lower(test.title)} is {words}", (ended,))


def _for_good(test: Rounds, decides: bool) -> AnswerPart:
    values = [value for value in test.figures if value is not None]
    last, unit = median(values[-ROUNDS:]), _UNITS[test.kind]
    first = f", {100 * last / values[0]:.0f} % of its first round" if len(values) >= ROUNDS and values[0] else ""
    holds = bool(test.steady and test.steady.holds)
    period = "for good" if holds else "in the last rounds"
    steady_figure = Conclusion(
        kind="figure",
        subject=test.setup,
        test=test.title,
        where=period,
        figure=last,
        unit=unit,
        base="the first round",
        base_figure=values[0],
        ratio=last / values[0] if values[0] else None,
        runs=min(len(values), ROUNDS),
    )
    unsteady = "" if decides or test.steady is None or holds else f", not steady: {test.steady.deviations}"
    if not holds and len(values) > 1:
        first = f" (their median; {wording.figure(values[-1], unit)} in the very last)"
    words = f"{wording.lower(test.title)} gives {wording.figure(last, unit)} {period}{first}{unsteady}"
    return AnswerPart(words.replace("repetitions", "rounds"), (steady_figure,))
