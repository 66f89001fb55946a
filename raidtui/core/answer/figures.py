"""Questions about one setup, or none: gains, the disks, the queue depth, whether data came back."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from raidtui.core.answer.beyond_disks import of_all_at_once, rows_of_disks
from raidtui.core.answer.capacities import usable
from raidtui.core.answer.effects import unit_of
from raidtui.core.answer.expected import expected_of
from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.answer.sweeps import Part
from raidtui.core.answer.values import (
    AnswerRow,
    AnswerTable,
    DisksJudged,
    Finding,
    Gain,
    Gains,
    Limited,
    ParsedSetup,
    PlainFigure,
    Proved,
    Queues,
    Usable,
    Verified,
    cells_of,
    judged,
)
from raidtui.core.plan.model import Plan, Trial
from raidtui.core.raid.purposes import COUNTS, Measure
from raidtui.core.results.analysis import ResultRow, test_title
from raidtui.core.results.causes import of_cpu
from raidtui.core.results.differences import of_sum
from raidtui.core.run.proof import cut_words, differing, result

_NEXT_TO_NOTHING = 0.03
_FLUSH_POINTS = ("50", "99", "99.9")
_FIRST = {Measure.LONG_READS: ("sequential", "read"), Measure.SMALL_WRITES: ("random", "write")}


def gain(facts: AnswerFacts) -> Part:
    """Test by test the figure, over one disk, and over the model's; what counts for the purpose first."""
    use = facts.plan.answers.use
    counts = COUNTS[use] if use else None
    first = _FIRST.get(counts.measure) if counts else None
    rows = sorted(facts.rows, key=lambda row: ((row.kind, row.direction) != first, row.kind == "random"))
    capacity = usable(facts.plan)
    space: list[Finding] = [Usable(capacity)] if capacity else []
    if not rows:
        return Part()
    gains = [Gains(tuple(_gain(row) for row in rows))]
    is_of_first = counts and (
        capacity if counts.measure is Measure.SPACE else (rows[0].kind, rows[0].direction) == first
    )
    note = f"{counts.words.capitalize()}." if counts and is_of_first else ""
    ordered = [*space, *gains] if counts and counts.measure is Measure.SPACE else [*gains, *space]
    synced = [row for row in rows if row.flushes]
    own = [_sync_writes(synced)] if synced else []
    return Part(ordered, own[0], ()) if len(synced) == len(rows) else Part(ordered, _over_one_disk(rows, note), own)


def _sync_writes(rows: Sequence[ResultRow]) -> AnswerTable:
    """IOPS, and how long a flush took, of one disk and of the array, as far as there are enough of them."""
    lines = []
    for row in rows:
        ns = [flushes.get(point) for point in _FLUSH_POINTS for flushes in (row.flushes_alone, row.flushes)]
        cells = (*cells_of(unit_of(row), row.single.value, row.array.value), *cells_of("ns", *ns))
        lines.append(AnswerRow(test_title(row), cells))
    names = ["", *(f"flush p{point}, " for point in _FLUSH_POINTS)]
    return _used_columns([f"{name}{of}" for name in names for of in ("one disk", "array")], lines)


def _used_columns(names: Sequence[str], lines: Sequence[AnswerRow], note: str = "") -> AnswerTable:
    """Without columns that no row has a value of."""
    used = [at for at in range(len(names)) if any(line.cells[at] for line in lines)]
    shown = tuple(AnswerRow(line.name, tuple(line.cells[at] for at in used)) for line in lines)
    return AnswerTable(tuple((names[at], "") for at in used), shown, "Test", note)


def _over_one_disk(rows: Sequence[ResultRow], note: str) -> AnswerTable:
    model = {(off.subject, off.test): off for off in expected_of(rows)}
    lines = []
    for row in rows:
        unit, own, off = unit_of(row), _gain(row), model.get((row.setup, test_title(row)))
        cells: tuple[tuple[ParsedSetup, ...], ...] = (
            *cells_of(unit, row.single.value),
            (PlainFigure(figure=own.figure, unit=unit),),
            (own,) if isinstance(own, Gain) else (),
            (Gain(figure=off.base_figure, base_figure=row.single.value),) if off and row.single.value else (),
            (off,) if off else (),
        )
        lines.append(AnswerRow(test_title(row), cells))
    names = ("one disk", "as it is" if rows[0].stood else "array", "gain", "expected", "vs expected")
    return _used_columns(names, lines, note)


def _gain(row: ResultRow) -> Gain | PlainFigure:
    """A test's figure over one disk's; where no disk was measured alone, the figure."""
    about: dict[str, Any] = {
        "subject": row.setup,
        "test": test_title(row),
        "figure": row.array.value,
        "unit": unit_of(row),
    }
    if row.gain is None:
        return PlainFigure(**about, runs=row.array.runs)
    return Gain(
        **about,
        runs=row.array.runs,
        base="one disk",
        base_figure=row.single.value,
        ratio=row.gain,
        published=row.published / row.published_single if row.published and row.published_single else None,
        single_run=row.array.runs == 1,
    )


def disks(facts: AnswerFacts) -> Part:
    """The disks each and all at once; where these do less than so many times one, whether a CPU was the limit."""
    count, all_at_once, lines = len(facts.plan.disks), [], []
    short: list[tuple[Gain, ResultRow]] = []
    for row in rows_of_disks(facts.comparison):
        if row.single.value is None or row.all_at_once.value is None:
            continue
        unit, title = unit_of(row), test_title(row)
        over = judged(of_sum(row.all_at_once, (row.single,), count))
        base = row.single.value * count
        fields = over | {"base_figure": base, "ratio": row.all_at_once.value / base}
        together = Gain(
            subject="all at once",
            test=title,
            figure=row.all_at_once.value,
            unit=unit,
            base=f"{count} times one disk",
            runs=row.all_at_once.runs,
            **fields,
        )
        all_at_once.append(together)
        if (
            row.kind == "sequential"
            and together.verdict == "different"
            and (together.ratio or 0) < 1 - _NEXT_TO_NOTHING
        ):
            short.append((together, row))
        single, at_once = (PlainFigure(figure=value, unit=unit) for value in (row.single.value, together.figure))
        lines.append(AnswerRow(title, ((single,), (at_once,))))
    if not all_at_once:
        return Part()
    findings: list[Finding] = [Gains(tuple(all_at_once), together=True)]
    if short:
        worst, row = min(short, key=lambda pair: pair[0].ratio or 1.0)
        findings = [Limited(worst, of_cpu(of_all_at_once(facts.plan, facts.state, row), worst.ratio or 1.0)), *findings]
    return Part(findings, AnswerTable((("one disk", ""), (f"all {count} at once", "")), tuple(lines), "Test"))


def queue(facts: AnswerFacts) -> Part:
    """From which queue depth on more of it gives next to nothing."""
    findings = []
    for job, direction in dict.fromkeys((row.family or row.job, row.direction) for row in facts.rows):
        rows = [row for row in facts.rows if (row.family or row.job, row.direction) == (job, direction)]
        fastest = max(rows, key=lambda row: row.array.value or 0.0)
        near = [
            row for row in rows if (row.array.value or 0.0) >= (fastest.array.value or 0.0) / (1 + _NEXT_TO_NOTHING)
        ]
        enough = min(near, key=lambda row: (row.iodepth or 1) * (row.numjobs or 1))
        title = f"{fastest.title.partition(',')[0]} ({direction}s)"
        findings.append(Queues(title, _at_queue(fastest), _at_queue(enough)))
    return Part(findings)


def _at_queue(row: ResultRow) -> PlainFigure:
    return PlainFigure(
        subject=row.setup,
        test=test_title(row),
        where=f"iodepth {row.iodepth or 1}, numjobs {row.numjobs or 1}",
        figure=row.array.value,
        unit=unit_of(row),
        queue=(row.iodepth or 1) * (row.numjobs or 1),
        latency_ns=row.latency.mean_ns,
        runs=row.array.runs,
    )


def integrity(facts: AnswerFacts) -> Part:
    """Verdicts of the disks; how many passes gave back what was written, of what, and how much of it at least."""
    judged = [found] if (found := _disks_judged(facts)) else []
    trials = facts.plan.trials
    passed, shares = 0, []
    for trial in trials:
        measurement = facts.state.complete(trial.id)
        if measurement and measurement.read and measurement.read.io_bytes:
            passed += 1
            shares.append(measurement.read.io_bytes / max(1, _room_bytes(facts.plan, trial)))
    if passed < len(trials) or not trials:
        return Part([*judged, Verified(passed, len(trials))])
    subject, whole = _verified(facts.plan)
    return Part([*judged, Verified(passed, len(trials), subject, whole, min(shares))])


def _disks_judged(facts: AnswerFacts) -> DisksJudged | None:
    if not (found := facts.disk_verdicts):
        return None
    failed = {one.member.serial or one.member.id: one.failed for one in found if one.failed}
    return DisksJudged(len(found), dict(Counter(one.verdict for one in found)), failed)


def proof(facts: AnswerFacts) -> Part:
    """States in which the array gave back what was written."""
    found = result(facts.plan, facts.state)
    if found is None:
        return Part([])
    differs = differing(found.differed[-1], facts.plan) if found.differed else ""
    words = tuple(state.words for state in found.verified)
    cut = (found.cut.found if found.cut else 0) if found.plan.witness else None
    of = len(found.plan.states) - found.uncut
    return Part([Proved(found.plan.written_bytes, words, of, found.plan.share, differs, cut, cut_words(found))])


def _room_bytes(plan: Plan, trial: Trial) -> int:
    """All that is on what a trial verifies: of the disks by themselves, the array, or what stands."""
    stage = next(stage for stage in plan.stages if trial in stage.trials)
    if stage.existing:
        return stage.existing.size_bytes or trial.span_bytes
    if stage.array and trial.target not in ("member", "members"):
        return stage.array.capacity.array_bytes
    members = plan.members if trial.member is None else (plan.members[trial.member],)
    return sum(member.size_bytes for member in members)


def _verified(plan: Plan) -> tuple[str, str]:
    stages = [stage for stage in plan.stages if stage.trials]
    whole = "the array" if any(stage.array for stage in stages) else "each disk"
    if any(stage.filesystem for stage in stages):
        return "each test file", whole
    if any(stage.existing for stage in stages):
        return "the target", "the target"
    return ("the array" if whole == "the array" else "every disk"), whole
