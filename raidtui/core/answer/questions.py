"""What recipes ask, and how each question is answered: a table."""

from collections.abc import Callable
from typing import Literal

import msgspec

from raidtui.core.answer import figures, series, sweeps
from raidtui.core.answer.choices import Part
from raidtui.core.answer.explanation import explanation
from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.plan.model import Plan
from raidtui.core.plan.recipe import Question
from raidtui.core.results.analysis import Comparison

AnswerKind = Question | Literal["explanation"]  # a recipe names its question; an explanation has one of its own


class QuestionRow(msgspec.Struct, frozen=True):
    """`axis`: the question needs it varied; `ranks`: it asks for a best setup; `figures`: it needs figures not
    excluded.
    """

    words: str
    answer: Callable[[AnswerFacts], Part]
    axis: str = ""
    ranks: bool = True
    figures: bool = True


QUESTIONS: dict[AnswerKind, QuestionRow] = {
    "gain": QuestionRow("Gain over one disk, and usable capacity", figures.gain),
    "layouts": QuestionRow("Separate disks or an array, file system, tail latency", sweeps.layouts),
    "levels": QuestionRow("Level that survives a failed disk", sweeps.levels),
    "alignment": QuestionRow("Partition start, by chunk", sweeps.alignment, "partition_start_sectors"),
    "chunk": QuestionRow("Chunk for small random I/O, and write penalty", sweeps.chunk, "chunk"),
    "disks": QuestionRow("Each disk alone and all at once", figures.disks),
    "queue": QuestionRow("Queue depth", figures.queue),
    "standing": QuestionRow("Performance as it is", figures.gain),
    "places": QuestionRow("Speed by place on the disk", series.over_places),
    "failed": QuestionRow("Performance when degraded", sweeps.failed, "failed", ranks=False),
    "rebuild": QuestionRow(
        "Performance under a rebuild, and its pace", series.rebuild, "rebuild_min_kib_s", ranks=False
    ),
    "load": QuestionRow("Latency by offered load", series.load),
    "steady": QuestionRow("Steady state of flash", series.steady),
    "settings": QuestionRow("md threads, stripe cache, chunk", sweeps.settings_and_best),
    "integrity": QuestionRow("Data read back as written", figures.integrity, figures=False),
    "proof": QuestionRow("Every block read back, in each state", figures.proof, ranks=False, figures=False),
    "explanation": QuestionRow("Limit of a test", explanation),
}


def question_of(plan: Plan, comparison: Comparison) -> AnswerKind:
    """An explanation's own; the recipe's, where the run varies what that asks about; else what one setup gains, or
    which of them is best."""
    if plan.answers.explain:
        return "explanation"
    setups = {row.stage: row.cell for row in comparison.rows if row.cell}
    question = plan.question
    if question and question != "gain":
        axis = QUESTIONS[question].axis
        if not axis or len({getattr(setup, axis) for setup in setups.values()}) > 1:
            return question
    if len(setups) > 1:
        return "levels"
    return "standing" if plan.existing else "gain"


def part_of(question: AnswerKind, facts: AnswerFacts) -> Part:
    """What answers the question; of a run whose figures do not fit it, what they tell all the same."""
    part = QUESTIONS[question].answer(facts)
    return part if any(part.findings) or part.table else figures.gain(facts)
