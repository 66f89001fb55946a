"""Faults of a run, its disks and single figures, the worst first; and how often and how long it measured.

Faults in lines: a run's, a disk's or a figure's, one row a fault; a burn-in's verdicts.
"""

from collections.abc import Callable, Iterator, Sequence
from math import log
from statistics import median

import msgspec

from raidtui.core.answer.beyond_disks import less_than_one
from raidtui.core.answer.effects import unit_of
from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.answer.mark import SLOWER, glance
from raidtui.core.answer.numbers import DASH, TIMES, brief, figure, lower, pair, percent
from raidtui.core.answer.values import DisksJudged, Effect, Fault, FaultName, Method, Over, Rank
from raidtui.core.plan.trials import options_of
from raidtui.core.results.analysis import ResultRow, test_title
from raidtui.core.results.deviation import SlowedByDisk
from raidtui.core.results.differences import OF_ONE_RUN, drift, of_figures
from raidtui.core.results.expectation import LITTLE_DIFFERS
from raidtui.core.results.figure import Figure
from raidtui.core.results.series import measured_of
from raidtui.core.run import kernel
from raidtui.core.run.disk_changes import Count, worsened
from raidtui.core.units import format_iops, format_latency

_EQUAL_SIZES = 0.98


def faults(facts: AnswerFacts) -> list[Fault]:
    beyond = sorted(facts.ranking.beyond_disks.values(), key=lambda fault: (fault.of or 0.0) / (fault.figure or 1.0))
    return [*_of_run(facts), *_of_disks(facts), *beyond, *facts.ranking.refuted.values(), *_of_figures(facts)]


def _of_run(facts: AnswerFacts) -> Iterator[Fault]:
    plan, state = facts.plan, facts.state
    trials = [(trial, state.measured(trial.id)) for trial in plan.trials]
    failed = [(trial, measurement) for trial, measurement in trials if measurement and measurement.status == "failed"]
    if not state.ended or state.outcome != "finished":
        yield Fault(
            name="not whole",
            subject=state.outcome or "running or interrupted",
            figure=sum(measurement is not None and measurement.status == "ok" for _, measurement in trials),
            unit="trials",
            of=len(trials),
            evidence=(state.reason,) if state.reason else (),
        )
    if failed:
        first = failed[0][0]
        errors = tuple(dict.fromkeys(measurement.error or "" for _, measurement in failed))
        yield Fault(
            name="failed",
            subject=first.id,
            test=first.title,
            figure=len(failed),
            unit="trials",
            of=len(trials),
            evidence=errors,
        )
    if errors := _errors(facts):
        yield Fault(name="errors", evidence=errors)
    if state.damaged:
        yield Fault(name="damaged", subject="journal", figure=state.damaged)
    if state.worker and plan.boot_id and state.worker.boot_id != plan.boot_id:
        yield Fault(name="resumed")


def _of_disks(facts: AnswerFacts) -> list[Fault]:
    plan, comparison = facts.plan, facts.comparison
    disturbed = next((row for row in comparison.rows if row.disturbed), None)
    found = [_disturbed(disturbed)] if disturbed else []
    found += less_than_one(plan, facts.state, comparison)[:1]
    found += [_slow_disk(facts, member) for member in dict.fromkeys(slow.member for slow in comparison.slow_members)]
    return found + [Fault(name="unsure disk", subject=serial) for _, serial in comparison.unsure]


def _slow_disk(facts: AnswerFacts, index: int) -> Fault:
    """With what it costs the array in the test that lost most; where that is not known, its own rate."""
    member = facts.plan.disks[index]
    rates = [slow for slow in facts.comparison.slow_members if slow.member == index]
    worst = min(rates, key=lambda rate: rate.bytes_per_s / rate.median_bytes_per_s)
    fault = Fault(
        name="slow disk",
        subject=member.serial or member.id,
        where=", ".join(filter(None, (member.name, f"slot {member.slot}" if member.slot else ""))),
        test=worst.job,
        figure=worst.bytes_per_s,
        unit="bytes/s",
        base="median disk",
        of=worst.median_bytes_per_s,
        evidence=tuple(rate.job for rate in rates),
    )
    held_back = [
        row
        for row in facts.rows
        if row.expected.slowest
        and row.expected.slowest.index == index
        and any(isinstance(cause, SlowedByDisk) for cause in row.causes.evident)
    ]
    if not held_back:
        return fault
    row = min(held_back, key=lambda row: row.deviation or 0.0)
    return msgspec.structs.replace(
        fault, test=test_title(row), figure=row.array.value, unit=unit_of(row), base="expected", of=row.predicted
    )


def _disturbed(row: ResultRow) -> Fault:
    single, together = row.single.value, row.all_at_once.value
    return Fault(
        name="disturbed", test=test_title(row), figure=single, of=together, unit=unit_of(row), evidence=(row.disturbed,)
    )


def _errors(facts: AnswerFacts) -> tuple[str, ...]:
    """Signs that a disk, or its link, fails: the disks' own tests, their counts (unless each has a verdict), the
    kernel's messages.
    """
    state = facts.state
    tests = state.self_tests.disks if state.self_tests else {}
    members = () if facts.disk_verdicts else facts.plan.members
    names = {member.id: member.serial or member.id for member in members}
    errors = [
        f"disk {name} failed its self-test"
        for member, name in names.items()
        if (test := tests.get(member)) and test.passed is False
    ]
    for member, name in names.items():
        errors += [
            f"disk {name}: {count} {_count(before)} before, {_count(after)} after"
            for count, (before, after) in worsened(state, member).items()
        ]
    messages = [message for of_trial in state.kernel.values() for message in of_trial if message.kind != "throttling"]
    return (*errors, *((kernel.words(dict.fromkeys(messages)),) if messages else ()))


def _count(count: Count) -> str:
    return count if isinstance(count, str) else f"{count:g}"


def _of_figures(facts: AnswerFacts) -> Iterator[Fault]:
    """Rate and latency that contradict each other, drift, unequal disks, the page cache."""
    if off := [row for row in facts.ranking.contradicted if row.tested not in facts.ranking.beyond_disks]:
        with_latency = [row for row in facts.comparison.rows if row.little_ns and row.array.value and not row.share_of]
        yield Fault(
            name="contradicted",
            subject=facts.names.get(off[0].stage, ""),
            test=test_title(off[0]),
            evidence=_by_littles_law(off[0]),
            figure=len(off),
            of=len(with_latency),
        )
    yield from _two_rates(facts)
    for row in {test_title(row): row for row in facts.rows}.values():
        if rise := drift(of_figures(row.beside)):
            yield Fault(name="drift", test=test_title(row), figure=1 + rise.share, runs=rise.blocks)
    yield from _slower(facts)
    stages = [stage for stage in facts.plan.stages if stage.array and stage.trials]
    if not stages or not facts.rows:
        return
    sizes = [disk.size_bytes for disk in facts.plan.disks]
    if min(sizes) < _EQUAL_SIZES * max(sizes):
        yield Fault(name="unequal", figure=min(sizes), of=max(sizes), unit="bytes")
    if all(options_of(stage, trial.id).get("direct", "0") == "0" for stage in stages for trial in stage.trials):
        yield Fault(name="buffered")


def _two_rates(facts: AnswerFacts) -> list[Fault]:
    """Of fio and of the kernel, where they differ and the result is off expected: that which is furthest."""
    off = [row for row in facts.rows if row.counted and row.causes.deviation is not None]
    worst = max(off, key=lambda row: abs(log(row.counted or 1.0)), default=None)
    if worst is None:
        return []
    return [_of_row(facts, worst, "two rates", len(off), (worst.array.value or 0.0) * (worst.counted or 1.0))]


def _slower(facts: AnswerFacts) -> list[Fault]:
    """Setups of several that give less than one disk where the model has more: the furthest."""
    rows = [row for row in facts.rows if glance(row) == SLOWER] if len(facts.names) > 1 else []
    worst = min(rows, key=lambda row: (row.array.value or 0.0) / (row.single.value or 1.0), default=None)
    return [_of_row(facts, worst, "slower", len(rows), worst.single.value)] if worst else []


def _of_row(facts: AnswerFacts, row: ResultRow, name: FaultName, count: int, of: float | None) -> Fault:
    return Fault(
        name=name,
        subject=facts.names.get(row.stage, "") if len(facts.names) > 1 else "",
        test=test_title(row),
        figure=row.array.value,
        of=of,
        unit=unit_of(row),
        runs=count,
    )


def _by_littles_law(row: ResultRow) -> tuple[str, ...]:
    """Latency by queue depth and rate beside the measured one; tables tell a mix's by direction alone."""
    if row.mixed or not row.queue or not row.little_ns or not row.latency.mean_ns:
        return ()
    rate = format_iops(row.queue / row.little_ns * 1e9)
    expected, measured = format_latency(row.little_ns), format_latency(row.latency.mean_ns)
    return (f"QD{row.queue} / {rate} IOPS = {expected}, measured {measured}",)


def method(facts: AnswerFacts, values: list[Over]) -> Method | None:
    """How often and for how long each test ran; spreads of a run by test, pooled over its setups."""
    rows = [row for row in facts.comparison.rows if row.array.value is not None]
    seconds = [
        (measurement.runtime_ms or 0) / 1000
        for row in rows
        for measurement in measured_of(facts.plan, facts.state, row)
    ]
    if not seconds:
        return None
    tests = dict.fromkeys(row.beside or (row.array,) for row in rows)
    spreads = [spread for figures in tests if (spread := _spread(figures)) is not None]
    queues = {row.iodepth * row.numjobs for row in facts.rows if row.iodepth and row.numjobs}
    runs = min(row.array.runs for row in rows)
    compared = [over for over in values if isinstance(over, Rank | Effect) and over.verdict]
    by_disks = runs == 1 and bool(compared) and not any(over.single_run for over in compared)
    return Method(
        runs=runs,
        seconds=median(seconds),
        queue=(min(queues), max(queues)) if queues else None,
        spread=(min(spreads), max(spreads)) if spreads else None,
        single=None if runs > 1 or by_disks else _of_one_run(compared),
        by_disks=by_disks,
    )


def _of_one_run(compared: list[Rank | Effect]) -> float:
    """How much more a single figure may be by chance: where setups are compared, by the widest interval."""
    widths = [
        over.high / over.ratio - 1
        for over in compared
        if over.single_run and over.high and over.ratio and not (isinstance(over, Effect) and over.by_latency)
    ]
    return max(widths, default=OF_ONE_RUN)


def _spread(figures: tuple[Figure, ...]) -> float | None:
    """What no setup and no block explains, as in the tables; of one setup how its repetitions differ."""
    return figures[0].deviation if len(figures) == 1 else of_figures(figures).spread


_MOST_DISKS = 6  # in lines of their own; the report has all
_MOST_NAMED = 3  # of what failed
_ORDER = ("passed", "failed", "no self-test", "not checked")


def _of(fault: Fault) -> str:
    return f"{fault.figure:.0f} of {fault.of:.0f}"


def _own(fault: Fault) -> str:
    return figure(fault.figure, fault.unit)


def _base(fault: Fault) -> str:
    return figure(fault.of, fault.unit)


def _slow(fault: Fault) -> str:
    if fault.base == "expected":
        return f"array {_own(fault)} of about {_base(fault)}"
    return f"{_own(fault)} vs median {_base(fault)}"


def _limit(fault: Fault) -> str:
    shown = (*((brief(fault.cause),) if fault.cause else ()), *fault.evidence)
    return (
        f"All disks at once slower than one: {_own(fault)} vs {_base(fault)}, {lower(fault.test)} ({'; '.join(shown)})"
    )


def _beyond(fault: Fault) -> str:
    where = f"{fault.subject or 'array'}, {lower(fault.test)}"
    return f"Implausible: {where}: {_own(fault)}, above {fault.base} ({_base(fault)})"


def _of_several(fault: Fault) -> str:
    """`RAID 5, random 4K write, 41 vs 53 IOPS (2 results)`, of `runs` results."""
    figures = pair(fault.figure or 0.0, fault.of or 0.0, fault.unit)
    count = f" ({fault.runs} results)" if fault.runs > 1 else ""
    return f"{', '.join(filter(None, (fault.subject, lower(fault.test), figures)))}{count}"


_WORDS: dict[FaultName, Callable[[Fault], str]] = {
    "not whole": lambda fault: f"Run {fault.subject}: {_of(fault)} tests have a result",
    "failed": lambda fault: f"Failed: {_of(fault)} tests ({fault.subject}{'' if fault.figure == 1 else ', …'})",
    "errors": lambda fault: f"Disk errors: {'; '.join(fault.evidence)}",
    "damaged": lambda fault: f"Journal damaged: {fault.figure:.0f} lines unreadable",
    "resumed": lambda fault: "Resumed after a reboot: results are from two boots",
    "disturbed": lambda fault: f"Disturbed baseline, {lower(fault.test)}: one disk {_own(fault)}, all {_base(fault)}",
    "limit": _limit,
    "slow disk": lambda fault: f"Slow disk {fault.where} ({fault.subject}): {_slow(fault)}, {lower(fault.test)}",
    "unsure disk": lambda fault: f"Disk {fault.subject}: possibly slow (n.s.)",
    "beyond": _beyond,
    "yardstick": lambda fault: (
        f"Implausible: {fault.subject}, {lower(fault.test)} ({_own(fault)}), {fault.evidence[0]}"
    ),
    "two rates": lambda fault: f"fio vs kernel: {_of_several(fault)}",
    "slower": lambda fault: f"Slower than one disk: {_of_several(fault)}",
    "contradicted": lambda fault: f"Not ranked (!): {_of(fault)} results; {LITTLE_DIFFERS}",
    "drift": lambda fault: f"Drift {percent(fault.figure or 1.0)} over {fault.runs} passes, {lower(fault.test)}",
    "unequal": lambda fault: f"Unequal disks ({_own(fault)} to {_base(fault)}): RAID 0 uses the ends of larger ones",
    "buffered": lambda fault: "Buffered I/O: results include the page cache",
}
_DETAIL: dict[FaultName, Callable[[Fault], str]] = {
    "beyond": lambda fault: "; ".join(filter(None, (fault.where, *fault.evidence))),
    "contradicted": lambda fault: ", ".join(filter(None, (lower(fault.test), fault.subject, *fault.evidence))),
    "disturbed": lambda fault: "; ".join(fault.evidence),
    "slow disk": lambda fault: f"Slow in {', '.join(fault.evidence)}",
}


def lines(faults: Sequence[Fault]) -> list[str]:
    """A line each, the worst first, and what proves it."""
    texts = []
    for fault in faults:
        detail = _DETAIL[fault.name](fault) if fault.name in _DETAIL else ""
        texts += [_WORDS[fault.name](fault), *([detail] if detail else [])]
    return texts


def headline(faults: Sequence[Fault]) -> str:
    """The slow disk, which says more than what it makes of each figure."""
    return next((_WORDS[fault.name](fault) for fault in faults if fault.name == "slow disk"), "")


def caveat(faults: Sequence[Fault]) -> str:
    """The worst that is no headline in one line, and how many more."""
    told = [fault for fault in faults if fault.name != "slow disk"]
    if not told:
        return ""
    more = f" (+{len(told) - 1} more)" if len(told) > 1 else ""
    return f"{_WORDS[told[0].name](told[0])}{more}"


def method_line(how: Method) -> str:
    low, high = how.queue or (0, 0)
    queue = f", QD{low}" + (f"{DASH}{high}" if high != low else "") if how.queue else ""
    if how.runs > 1:
        spread = tuple(f"{100 * share:.1f}" for share in how.spread) if how.spread else ()
        deviation = f", run-to-run SD {spread[0] if spread[0] == spread[1] else DASH.join(spread)} %" if spread else ""
        return f"Median of {how.runs} {TIMES} {how.seconds:.0f} s{queue}{deviation}"
    chance = "spread between disks judges differences" if how.by_disks else f"±{100 * (how.single or 0):.0f} %"
    return f"Single run, {how.seconds:.0f} s{queue}: {chance}{'' if how.by_disks else ' (SD 5 % assumed)'}"


def of_disks(found: DisksJudged) -> list[str]:
    counts = ", ".join(f"{found.verdicts[name]} {name}" for name in _ORDER if found.verdicts.get(name))
    texts = [f"FAILED, {serial}: {_what_failed(what)}" for serial, what in found.failed.items()]
    more = [f"{len(texts) - _MOST_DISKS} more disks failed (report)"] if len(texts) > _MOST_DISKS else []
    return [f"Disks: {counts} (of {found.disks})", *texts[:_MOST_DISKS], *more]


def _what_failed(what: tuple[str, ...]) -> str:
    more = f" and {len(what) - _MOST_NAMED} more" if len(what) > _MOST_NAMED else ""
    return f"{', '.join(what[:_MOST_NAMED])}{more}"
