"""Answers of one setup, or of none: what it gives over one disk, what the disks do, how long a queue must be."""

from collections.abc import Sequence

from raidtui.core.answer import conclusions, wording
from raidtui.core.answer.conclusions import Conclusion, of_difference, unit_of
from raidtui.core.answer.facts import Known, Part
from raidtui.core.results.analysis import ResultRow, test_title
from raidtui.core.results.differences import of_sum

_MOST_TESTS = 4
_NEXT_TO_NOTHING = 0.03


def gain(facts: Known) -> list[Part]:
    parts = standing(facts)
    stages = [stage for stage in facts.plan.stages if stage.setup is not None]
    held = conclusions.capacity(stages[0]) if len(stages) == 1 else None
    if held and held.ratio:
        rest = f"; the rest is {wording.listed(held.evidence)}" if held.evidence else ""
        size = f"{wording.figure(held.figure, 'bytes')} of {wording.figure(held.base_figure, 'bytes')}"
        parts.append(Part(f"{size} are usable ({100 * held.ratio:.0f} %){rest}", (held,)))
    return parts


def figures(rows: Sequence[ResultRow]) -> Part:
    """Test by test: the figure, over one disk, and against theory."""
    shown = rows[:_MOST_TESTS]
    conclusions_of = [*conclusions.gains(shown), *conclusions.theories(shown)]
    words = []
    for row in shown:
        mine = {conclusion.kind: conclusion for conclusion in conclusions_of if conclusion.test == test_title(row)}
        of = mine.get("gain") or mine["figure"]
        row_words = [f"{wording.lower(of.test)} {wording.figure(of.figure, of.unit)}"]
        if of.ratio is not None:
            row_words.append(wording.over_one_disk(of.ratio))
        if "theory" in mine:
            row_words.append(wording.against_theory(mine["theory"]))
        words.append(", ".join(row_words))
    more = f"; and {len(rows) - len(shown)} tests more" if len(rows) > len(shown) else ""
    return Part("; ".join(words) + more, tuple(conclusions_of))


def standing(facts: Known) -> list[Part]:
    return [figures(rows) for kind in ("sequential", "random") if (rows := [r for r in facts.rows if r.kind == kind])]


def disks(facts: Known) -> list[Part]:
    """What the disks do each and all at once."""
    parts: list[Part] = []
    rows = {(row.job, row.direction): row for row in facts.comparison.rows}.values()
    words, together = [], []
    short: list[Conclusion] = []
    for row in rows:
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
        together.append(conclusion)
        if row.kind == "sequential" and conclusion.verdict == "different" and share < 1 - _NEXT_TO_NOTHING:
            short.append(conclusion)
        words.append(f"{wording.lower(test_title(row))} {wording.figure(row.single.value, unit_of(row))}")
    if words:
        parts.append(Part(f"one disk does {wording.listed(words, _MOST_TESTS)}", tuple(together)))
    if short:
        worst = min(short, key=lambda conclusion: conclusion.ratio or 1.0)
        parts.append(
            Part(
                f"all at once they reach {100 * (worst.ratio or 0.0):.0f} % of so many times one disk in"
                f" {wording.lower(worst.test)}: something that they share is the limit"
            )
        )
    elif together:
        parts.append(Part("all at once they do what each does alone, as far as these runs can tell"))
    return parts


def queue(facts: Known) -> list[Part]:
    """From which queue on more of it gives next to nothing."""
    parts = []
    for job, direction in dict.fromkeys((row.family or row.job, row.direction) for row in facts.rows):
        rows = [row for row in facts.rows if (row.family or row.job, row.direction) == (job, direction)]
        most = max(rows, key=lambda row: row.array.value or 0.0)
        near = [row for row in rows if (row.array.value or 0.0) >= (most.array.value or 0.0) / (1 + _NEXT_TO_NOTHING)]
        enough = min(near, key=lambda row: (row.iodepth or 1) * (row.numjobs or 1))
        ends = [
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
            for row in (most, enough)
        ]
        late = f", {wording.figure(enough.latency.mean_ns, 'ns')} each" if enough.latency.mean_ns else ""
        parts.append(
            Part(
                f"{wording.lower(most.title.partition(',')[0])} ({direction}s): at most"
                f" {wording.figure(most.array.value, unit_of(most))}, with {ends[0].subject}; within 3 % of it from a"
                f" queue of {ends[1].base_figure:.0f} on ({ends[1].subject}{late})",
                tuple(ends),
            )
        )
    return parts


def integrity(facts: Known) -> list[Part]:
    trials = facts.plan.trials
    results = [facts.state.measured(trial.id) for trial in trials]
    done = sum(measurement is not None and measurement.status == "ok" for measurement in results)
    passes = Conclusion(kind="figure", subject="passes", figure=done, unit="trials", base_figure=len(trials))
    if done == len(trials):
        return [Part(f"every disk gave back what was written to it, in {done} of {len(trials)} passes", (passes,))]
    return [Part(f"{done} of {len(trials)} passes ended with every block as it was written", (passes,))]
