"""What recipes ask, in words, and how each question is answered: a table."""

from collections.abc import Callable
from typing import Literal

import msgspec

from raidtui.core.answer.alignment import alignment
from raidtui.core.answer.axis import axes, settings
from raidtui.core.answer.best import best, one_a_level, setup_orders
from raidtui.core.answer.chunk import chunk
from raidtui.core.answer.explanation import explanation
from raidtui.core.answer.facts import AnswerFacts, AnswerPart
from raidtui.core.answer.failures import failed, rebuild
from raidtui.core.answer.figures import disks, gain, integrity, queue, standing
from raidtui.core.answer.layouts import layouts
from raidtui.core.answer.lead import lead
from raidtui.core.answer.penalty import penalties
from raidtui.core.answer.series import load, over_places, steady
from raidtui.core.plan.model import Plan
from raidtui.core.plan.recipe import Question
from raidtui.core.results.analysis import Comparison

AnswerKind = Question | Literal["explanation"]  # a recipe names its question; an explanation has one of its own
_NOT_MEASURED = "small random requests were not measured"
_SETTINGS = ("wbt_lat_usec", "group_thread_cnt", "stripe_cache_size", "chunk")


class QuestionRow(msgspec.Struct, frozen=True):
    """A question in words, how it is answered, and the axis without which it cannot be; `ranks`: a best setup of all
    is something that it asks for; `figures`: it is of figures, and nothing where none can be relied on."""

    words: str
    answer: Callable[[AnswerFacts], list[AnswerPart]]
    axis: str = ""
    ranks: bool = True
    figures: bool = True


def levels(facts: AnswerFacts) -> list[AnswerPart]:
    """Of what survives a failed disk the best of each level, over what survives nothing; then what settings change."""
    safe = [ranked for ranked in facts.ranked if ranked.survives]
    bare = [ranked for ranked in facts.ranked if not ranked.survives]
    parts = best(facts, safe, "survives a failed disk", bare) if safe else best(facts, facts.ranked)
    if parts and all(grid.kind == "sequential" for grid in facts.ranking.tests):
        parts[0] = msgspec.structs.replace(parts[0], sentence=f"{parts[0].sentence}; {_NOT_MEASURED}")
    if parts and safe:
        setups = one_a_level(facts, safe, next(iter(bare), None))
        parts[0] = lead(facts, setup_orders(facts, setups), setups, parts[0])
    return [*parts, *axes(facts, _SETTINGS), *penalties(facts)]


QUESTIONS: dict[AnswerKind, QuestionRow] = {
    "gain": QuestionRow("What does the array give over one disk, and where do the bytes go?", gain),
    "layouts": QuestionRow("Separate disks or an array, with which file system, and what of the tail?", layouts),
    "levels": QuestionRow("Which level, if a disk may fail?", levels),
    "alignment": QuestionRow(
        "Does it matter where the partition starts, by chunk?", alignment, "partition_start_sectors"
    ),
    "chunk": QuestionRow(
        "Does the chunk matter for small random operations, and what does a write cost?", chunk, "chunk"
    ),
    "disks": QuestionRow("What does every disk do, alone and all at once, and is one slow?", disks),
    "queue": QuestionRow("How long must the queue be?", queue),
    "standing": QuestionRow("What does it do as it stands?", standing),
    "places": QuestionRow("Is a disk slower towards its end, and by how much?", over_places),
    "failed": QuestionRow("What is left of an array's speed without a disk, or two?", failed, "failed", ranks=False),
    "rebuild": QuestionRow(
        "What do users get while a new disk is built in, and how long does that take?",
        rebuild,
        "rebuild_min_kib_s",
        ranks=False,
    ),
    "load": QuestionRow("How much can be asked of it before requests wait?", load),
    "steady": QuestionRow("What does flash give for good?", steady),
    "settings": QuestionRow("What do md's threads, its stripe cache and the chunk give?", settings),
    "integrity": QuestionRow("Does every disk give back what was written to it?", integrity, figures=False),
    "explanation": QuestionRow("What holds this test back?", explanation),
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


def main_parts(question: AnswerKind, facts: AnswerFacts) -> list[AnswerPart]:
    """The sentences that answer the question; of a run whose figures do not fit it, what they tell all the same."""
    return QUESTIONS[question].answer(facts) or standing(facts)
