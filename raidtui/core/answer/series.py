"""Answers of series of tests: places on the disks, offered rates, rounds until flash is steady."""

from statistics import median

from raidtui.core.answer import cells, wording
from raidtui.core.answer.conclusions import Conclusion, Unit, of_difference
from raidtui.core.answer.facts import Known, Part, Table
from raidtui.core.fio.job import Kind
from raidtui.core.plan.recipe import ROUNDS
from raidtui.core.results.figure import Latency
from raidtui.core.results.joined import joined
from raidtui.core.results.series.loads import Loads, OfferedRate, loads
from raidtui.core.results.series.rounds import Rounds, rounds
from raidtui.core.results.series.zones import Zones, place_words, zones

_UNITS: dict[Kind, Unit] = {"sequential": "bytes/s", "random": "IOPS"}


def over_places(facts: Known) -> list[Part]:
    """Each test, the disks alone: every other place over the first."""
    return [
        _places(zone) for zone in zones(joined(facts.plan), facts.state) if zone.over and zone.over[0].share is not None
    ]


def _places(test: Zones) -> Part:
    values = [[figures[at].value for figures in test.alone.values()] for at in range(len(test.places))]
    middles = [median([one for one in found if one is not None] or [0.0]) for found in values]
    told = [
        of_difference(
            over,
            kind="effect",
            subject=place_words(test.places[at]),
            base=place_words(test.places[0]),
            test=test.title,
            where="the disks alone",
            figure=middles[at],
            base_figure=middles[0],
            unit=_UNITS[test.kind],
            runs=min(figures[at].runs for figures in test.alone.values()),
        )
        for at, over in enumerate(test.over, 1)
    ]
    first = f"{wording.lower(test.title)} {wording.figure(middles[0], _UNITS[test.kind])} {told[0].base}"
    others = ", ".join(f"{conclusion.subject} {wording.difference(conclusion)}" for conclusion in told)
    disks = f"the median of {len(test.alone)} disks" if len(test.alone) > 1 else "one disk"
    return Part(f"{first} ({disks}); {others}", tuple(told))


def load(facts: Known) -> list[Part]:
    """Each test flat out, then how much of that may be asked before requests wait."""
    found = [one for one in loads(facts.plan, facts.state, facts.comparison) if one.flat_out.value is not None]
    several = len({one.setup for one in found}) > 1
    return [_load(one, several) for one in found]


def _load(test: Loads, several: bool) -> Part:
    where = f" on {test.setup}" if several else ""
    title = f"{wording.lower(test.title)}{where}"
    said = f"{title}: {wording.figure(test.flat_out.value, 'IOPS')} flat out"
    knee = test.knee
    if knee is None:
        return Part(f"{said}; of latencies at lower rates too little is known", (_flat_out(test),))
    shown = [load for at, load in enumerate(knee.loads) if load and load not in knee.loads[:at]]
    point, name = ("50", "the median wait") if knee.by == "50" else ("99", "p99")
    waits = [f"{wording.figure(ns, 'ns')} at {load.percent} %" for load in shown
             if (ns := load.latency.percentiles_ns.get(point))]  # fmt: skip
    held = f"up to {knee.held.percent} % of that {name} hardly rises: {wording.listed(waits)}"
    told = [
        _late(test, knee.rest, load, of, ns, base)
        for load in shown[1:]
        for of in ("50", "99")
        if (ns := load.latency.percentiles_ns.get(of)) and (base := knee.rest.latency.percentiles_ns.get(of))
    ]
    lines = [_waits(f"{load.percent} %", load.measured.value, load.latency) for load in shown]
    lines.append(_waits("flat out", test.flat_out.value, test.flat_out_latency))
    headers = ("Offered", "IOPS", "Median", "p99", "Longest")
    table = Table(f"{wording.sentence(title)[:-1]}: what is offered, of what it does flat out.", headers, tuple(lines))
    return Part(f"{said}; {held}", (_flat_out(test), *told), table)


def _waits(offered: str, iops: float | None, of: Latency) -> tuple[str, ...]:
    waits = (of.percentiles_ns.get("50"), of.percentiles_ns.get("99"), of.max_ns)
    return offered, cells.number(iops, "IOPS"), *(wording.figure(ns, "ns") if ns else "" for ns in waits)


def _late(test: Loads, rest: OfferedRate, load: OfferedRate, point: str, ns: float, base: float) -> Conclusion:
    return Conclusion(
        kind="tail",
        subject=f"{load.percent} %",
        test=test.title,
        where=f"{test.setup}, p{point}".removeprefix(", "),
        figure=ns,
        unit="ns",
        base=f"{rest.percent} %",
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


def steady(facts: Known) -> list[Part]:
    """Whether it is steady, by the job that decides it; what every job gives then, and gave at first."""
    found = [one for one in rounds(joined(facts.plan), facts.state) if any(value is not None for value in one.figures)]
    return [_ended(one) for one in found[:1]] + [_for_good(one) for one in found]


def _ended(one: Rounds) -> Part:
    many = f"{len(one.figures)} of at most {one.most} rounds"
    holds = one.steady is not None and one.steady.holds
    told = Conclusion(
        kind="steady",
        subject="steady" if holds else "not steady",
        test=one.title,
        where=one.setup,
        figure=len(one.figures),
        unit="rounds",
        base="at most",
        base_figure=one.most,
    )
    if one.steady is None:
        return Part(f"after {many} nobody can tell whether it is steady", (told,))
    words = one.steady.words.replace("repetitions", "rounds")
    return Part(f"after {many} {wording.lower(one.title)} is {words}", (told,))


def _for_good(one: Rounds) -> Part:
    values = [value for value in one.figures if value is not None]
    last, unit = median(values[-ROUNDS:]), _UNITS[one.kind]
    first = f", {100 * last / values[0]:.0f} % of its first round" if len(values) >= ROUNDS and values[0] else ""
    what = "for good" if one.steady and one.steady.holds else "in the last rounds"
    told = Conclusion(
        kind="figure",
        subject=one.setup,
        test=one.title,
        where=what,
        figure=last,
        unit=unit,
        base="the first round",
        base_figure=values[0],
        ratio=last / values[0] if values[0] else None,
        runs=min(len(values), ROUNDS),
    )
    return Part(f"{wording.lower(one.title)} gives {wording.figure(last, unit)} {what}{first}", (told,))
