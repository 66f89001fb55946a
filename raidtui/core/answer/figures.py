"""Answers of one setup, or of none: what it gives over one disk, what the disks do, how long a queue must be."""

import math
from collections.abc import Sequence

import msgspec

from raidtui.core.answer import cause_words, conclusions, wording
from raidtui.core.answer.conclusions import Conclusion, of_difference, unit_of
from raidtui.core.answer.facts import AnswerFacts, AnswerPart
from raidtui.core.answer.together import of_all_at_once, rows_of_disks
from raidtui.core.plan.model import Plan, Trial
from raidtui.core.raid.purposes import COUNTS, Measure
from raidtui.core.results.analysis import ResultRow, test_title
from raidtui.core.results.causes import of_cpu
from raidtui.core.results.differences import of_sum

_MOST_TESTS = 4
_NEXT_TO_NOTHING = 0.03
_FIRST = {Measure.LONG_READS: ("sequential", "read"), Measure.SMALL_WRITES: ("random", "write")}


def gain(facts: AnswerFacts) -> list[AnswerPart]:
    """What the array gives; where its purpose was said, what counts then comes first, and says so."""
    use = facts.plan.answers.use
    counts = COUNTS[use] if use else None
    parts = _by_kind(facts, _FIRST.get(counts.measure) if counts else None)
    stages = [stage for stage in facts.plan.stages if stage.setup is not None]
    capacity = conclusions.capacity(stages[0]) if len({stage.setup for stage in stages}) == 1 else None
    if capacity and capacity.ratio:
        lost_words = f"; the rest is {wording.listed(capacity.evidence)}" if capacity.evidence else ""
        size = f"{wording.figure(capacity.figure, 'bytes')} of {wording.figure(capacity.base_figure, 'bytes')}"
        bytes_part = AnswerPart(f"{size} are usable ({100 * capacity.ratio:.0f} %){lost_words}", (capacity,))
        parts.insert(0 if counts and counts.measure is Measure.SPACE else len(parts), bytes_part)
    if counts and parts and (capacity if counts.measure is Measure.SPACE else _has(facts, _FIRST[counts.measure])):
        parts[0] = msgspec.structs.replace(parts[0], sentence=f"{counts.words}: {parts[0].sentence}")
    return parts


def figures(rows: Sequence[ResultRow]) -> AnswerPart:
    """Test by test: the figure, over one disk, and against theory."""
    shown_rows = rows[:_MOST_TESTS]
    conclusions_of = [*conclusions.gains(shown_rows), *conclusions.theories(shown_rows)]
    words = []
    for row in shown_rows:
        by_kind = {conclusion.kind: conclusion for conclusion in conclusions_of if conclusion.test == test_title(row)}
        gained = by_kind.get("gain") or by_kind["figure"]
        row_words = [f"{wording.lower(gained.test)} {wording.figure(gained.figure, gained.unit)}"]
        if gained.ratio is not None:
            row_words.append(wording.over_one_disk(gained.ratio))
        if "theory" in by_kind:
            row_words.append(wording.against_theory(by_kind["theory"], gained.ratio))
        words.append(", ".join(row_words))
    further_tests = f"; and {len(rows) - len(shown_rows)} tests more" if len(rows) > len(shown_rows) else ""
    return AnswerPart("; ".join(words) + further_tests, tuple(conclusions_of))


def standing(facts: AnswerFacts) -> list[AnswerPart]:
    return _by_kind(facts, None)


def _has(facts: AnswerFacts, counted: tuple[str, str]) -> bool:
    """Is there a figure of this kind and direction that nothing stands against?"""
    return any((row.kind, row.direction) == counted for row in facts.rows)


def _by_kind(facts: AnswerFacts, first: tuple[str, str] | None) -> list[AnswerPart]:
    """A part for sequential and one for random tests; of `first`, a kind and a direction, before all else."""
    kinds = sorted(("sequential", "random"), key=lambda kind: first is not None and kind != first[0])
    rows = sorted(facts.rows, key=lambda row: first is not None and row.direction != first[1])
    return [figures(of_kind) for kind in kinds if (of_kind := [row for row in rows if row.kind == kind])]


def disks(facts: AnswerFacts) -> list[AnswerPart]:
    """What the disks do each and all at once."""
    parts: list[AnswerPart] = []
    words, all_at_once = [], []
    short: list[tuple[Conclusion, ResultRow]] = []
    for row in rows_of_disks(facts.comparison):
        if row.single.value is None or row.all_at_once.value is None:
            continue
        share = row.all_at_once.value / (row.single.value * len(facts.plan.disks))
        difference = of_sum(row.all_at_once, (row.single,), len(facts.plan.disks))
        conclusion = of_difference(
            difference,
            kind="together",
            subject="all at once",
            test=test_title(row),
            figure=row.all_at_once.value,
            unit=unit_of(row),
            base="so many times one disk",
            base_figure=row.single.value * len(facts.plan.disks),
            ratio=share,
            runs=row.all_at_once.runs,
        )
        all_at_once.append(conclusion)
        if row.kind == "sequential" and conclusion.verdict == "different" and share < 1 - _NEXT_TO_NOTHING:
            short.append((conclusion, row))
        words.append(f"{wording.lower(test_title(row))} {wording.figure(row.single.value, unit_of(row))}")
    if words:
        parts.append(AnswerPart(f"one disk does {wording.listed(words, _MOST_TESTS)}", tuple(all_at_once)))
    if short:
        worst, row = min(short, key=lambda of_row: of_row[0].ratio or 1.0)
        cpu = of_cpu(of_all_at_once(facts.plan, facts.state, row), worst.ratio or 1.0)
        seen = f" ({cause_words.words(cpu)})" if cpu else ""
        parts.append(
            AnswerPart(
                f"all at once they reach {100 * (worst.ratio or 0.0):.0f} % of so many times one disk in"
                f" {wording.lower(worst.test)}: something that they share is the limit{seen}"
            )
        )
    elif all_at_once:
        parts.append(AnswerPart("all at once they do what each does alone, as far as these runs can tell"))
    return parts


def queue(facts: AnswerFacts) -> list[AnswerPart]:
    """From which queue on more of it gives next to nothing."""
    parts = []
    for job, direction in dict.fromkeys((row.family or row.job, row.direction) for row in facts.rows):
        rows = [row for row in facts.rows if (row.family or row.job, row.direction) == (job, direction)]
        fastest = max(rows, key=lambda row: row.array.value or 0.0)
        near = [
            row for row in rows if (row.array.value or 0.0) >= (fastest.array.value or 0.0) / (1 + _NEXT_TO_NOTHING)
        ]
        enough = min(near, key=lambda row: (row.iodepth or 1) * (row.numjobs or 1))
        limits = [
            Conclusion(
                kind="figure",
                subject=f"depth {row.iodepth or 1}, {row.numjobs or 1} jobs",
                test=test_title(row),
                figure=row.array.value,
                unit=unit_of(row),
                base="queue",
                base_figure=float((row.iodepth or 1) * (row.numjobs or 1)),
                runs=row.array.runs,
                certainty="single run" if row.array.runs == 1 else "interval",
            )
            for row in (fastest, enough)
        ]
        latency_words = f", {wording.figure(enough.latency.mean_ns, 'ns')} each" if enough.latency.mean_ns else ""
        parts.append(
            AnswerPart(
                f"{wording.lower(fastest.title.partition(',')[0])} ({direction}s): at most"
                f" {wording.figure(fastest.array.value, unit_of(fastest))}, with {limits[0].subject};"
                f" within 3 % of it from a queue of {limits[1].base_figure:.0f} on"
                f" ({limits[1].subject}{latency_words})",
                tuple(limits),
            )
        )
    return parts


def integrity(facts: AnswerFacts) -> list[AnswerPart]:
    """How many passes gave back what was written, of what, and how much of it was read back at least."""
    trials = facts.plan.trials
    passed, shares = 0, []
    for trial in trials:
        measurement = facts.state.measured(trial.id)
        if measurement is not None and measurement.status == "ok" and measurement.read and measurement.read.io_bytes:
            passed += 1
            shares.append(measurement.read.io_bytes / max(1, _room_bytes(facts.plan, trial)))
    passes = Conclusion(kind="figure", subject="passes", figure=passed, unit="trials", base_figure=len(trials))
    if passed < len(trials) or not trials:
        return [AnswerPart(f"{passed} of {len(trials)} passes ended with every block as it was written", (passes,))]
    subject, whole = _verified(facts.plan)
    share = Conclusion(kind="figure", subject=whole, figure=min(shares), unit="share")
    words = (
        f"{subject} gave back what was written to it: {passed} of {len(trials)} passes,"
        f" {_floored(min(shares))} of {whole} verified"
    )
    return [AnswerPart(words, (passes, share))]


def _floored(share: float) -> str:
    """A share in percent that is not more than what was found: of nearly all of a disk "99.9 %"."""
    percent = min(100.0, 100 * share)
    return f"{math.floor(10 * percent) / 10:g} %" if percent >= 1 else f"{percent:.1g} %"


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
    """What gave back what was written to it, and of what the share is."""
    stages = [stage for stage in plan.stages if stage.trials]
    whole = "the array" if any(stage.array for stage in stages) else "each disk"
    if any(stage.filesystem for stage in stages):
        return "each test file", whole
    if any(stage.existing for stage in stages):
        return "the target", "the target"
    return ("the array" if whole == "the array" else "every disk"), whole
