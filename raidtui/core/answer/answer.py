"""The answer to a run's question, as values and lines: at most 90 words and one table. Makes no figure of its own."""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import msgspec

from raidtui.core.answer import answer_lines, figures, series, sweeps
from raidtui.core.answer import faults as fault_lines
from raidtui.core.answer.expected import model, source
from raidtui.core.answer.explanation import explanation
from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.answer.faults import faults, method
from raidtui.core.answer.mark import AtAGlance
from raidtui.core.answer.mark import mark as run_mark
from raidtui.core.answer.next_step import next_step
from raidtui.core.answer.sweeps import Part
from raidtui.core.answer.values import (
    AnswerTable,
    AnswerValue,
    AxisChoice,
    Best,
    Explained,
    Fault,
    Finding,
    Gains,
    Limited,
    Method,
    Next,
    Over,
    Queues,
    Rebuilds,
    Remark,
    Tails,
)
from raidtui.core.plan import slots
from raidtui.core.plan.model import Plan
from raidtui.core.plan.recipe import Question
from raidtui.core.results.analysis import Comparison, compare
from raidtui.core.run import kept
from raidtui.core.run.state import RunState

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


MOST_WORDS = 78  # of the lines; with its title an answer has about 90
FURTHER = "Further findings"  # the section of a report with `more` and `details`


class Answer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`title` and `lines` are read first: result, caveat, method, the next step last. `more`: lines that have no room,
    `details`: their tables. `emulated`: what emulates the disks, "" of real ones; `flushes`: of a run that
    waits for flushes, what they are there; `mark`: of the run, as everywhere.
    """

    kind: AnswerKind
    question: str
    title: str
    lines: tuple[str, ...]
    more: tuple[str, ...] = ()
    emulated: str = ""
    flushes: str = ""
    findings: tuple[Finding, ...] = ()
    table: AnswerTable | None = None
    details: tuple[AnswerTable, ...] = ()
    faults: tuple[Fault, ...] = ()
    method: Method | None = None
    next: Next
    mark: AtAGlance

    @property
    def badge(self) -> str:
        """In the title of what is no real disk's."""
        about = ": ".join(filter(None, (self.emulated, self.flushes)))
        return f"EMULATED ({about})" if self.emulated else ""


def of_run(plan: Plan, state: RunState) -> Answer | dict[str, tuple[str, ...]]:
    """What a program is told of a run: its answer; of the care of an array the sentences of what came of it."""
    sentences, plan = kept.sentences(plan, state), slots.as_made(plan)
    return {"sentences": sentences} if sentences else answer(plan, state, compare(plan, state))


def answer(plan: Plan, state: RunState, comparison: Comparison) -> Answer:
    return from_facts(AnswerFacts(plan, state, comparison))


def from_facts(facts: AnswerFacts) -> Answer:
    """The same, of facts that others use, too."""
    plan = facts.plan
    question = question_of(plan, facts.comparison)
    part = part_of(question, facts) if facts.rows or not QUESTIONS[question].figures else None
    own = [found for found in part.findings if found] if part else []
    table = part.table if part else None
    rows = table.rows if table else ()
    over_model = model(facts)
    values = list(dict.fromkeys((*_values(own), *(value for row in rows for cell in row.cells for value in cell))))
    overs = [value for value in values if isinstance(value, Over)]
    of_source = source(plan, overs)
    found = (*own, *([of_source] if of_source else []), *([over_model] if over_model else []))
    against = faults(facts)
    how = method(facts, overs)
    step = next_step(facts, against, found, values)
    emulated = next((disk.emulator for disk in plan.disks if disk.emulator), "")
    flushes = _flush_words(facts) if emulated else ""
    shown, more = _lines(found if own else (Remark(_no_figure(facts)), *found), against, how, step)
    answered = Answer(
        kind=question,
        question=QUESTIONS[question].words,
        title=plan.title,
        lines=shown,
        more=more,
        emulated=emulated,
        flushes=flushes,
        findings=found,
        table=table,
        details=tuple(filter(None, part.details)) if part else (),
        faults=tuple(against),
        method=how,
        next=step,
        mark=run_mark(facts, against),
    )
    return msgspec.structs.replace(answered, title=" · ".join(filter(None, (plan.title, answered.badge))))


def _flush_words(facts: AnswerFacts) -> str:
    """scsi_debug waits 50 ms of its own, a file's cache may take none: no disk's time."""
    return "flush times too" if any(row.flushes for row in facts.comparison.rows) else ""


def _lines(
    found: Sequence[Finding], against: Sequence[Fault], how: Method | None, step: Next
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is shown, and what has no room: first lines of findings in their order go before their other lines."""
    head, last = fault_lines.headline(against), words_of(step)
    caveat = fault_lines.caveat(against)
    ends = [text for text in (caveat, fault_lines.method_line(how) if how else "", last) if text]
    by_finding = [[*answer_lines.lines(finding)] for finding in found]
    room = MOST_WORDS - sum(map(_words, (head, *ends)))
    first, *others = [[(at, nth) for nth in range(len(texts))] for at, texts in enumerate(by_finding)] or [[]]
    ordered = [*first[:2], *(places[0] for places in others if places), *first[2:]]
    ordered += [place for places in others for place in places[1:]]
    fitting: set[tuple[int, int]] = set()
    for at, nth in ordered:
        words = _words(by_finding[at][nth])
        if (words <= room and (not nth or (at, nth - 1) in fitting)) or not fitting:
            fitting.add((at, nth))
            room -= words
    everything = [((at, nth), text) for at, texts in enumerate(by_finding) for nth, text in enumerate(texts)]
    shown = [text for place, text in everything if place in fitting]
    left = [text for place, text in everything if place not in fitting]
    further = [text for text in fault_lines.lines(against) if text not in (head, caveat)]
    return (*filter(None, (head,)), *shown, *ends), (*left, *further)


def _words(text: str) -> int:
    return len(text.split())


def words_of(step: Next) -> str:
    return f"Next: {f'`{step.command}` to ' if step.command else ''}{step.why}"


def _values(found: Sequence[Finding]) -> Iterator[AnswerValue]:
    for finding in found:
        match finding:
            case AxisChoice(effects=effects) | Explained(effects=effects):
                yield from effects
            case Best(orders=orders):
                for order in orders:
                    yield from order
            case Gains(gains=values) | Rebuilds(paces=values) | Tails(longest=values):
                yield from values
            case Queues(fastest=fastest, enough=enough):
                yield from (fastest, enough)
            case Limited(gain=gain):
                yield gain


def _no_figure(facts: AnswerFacts) -> str:
    """Why nothing can be answered; what was measured is not denied."""
    if facts.ranking.doubted:
        return "Every result is implausible"
    targets = {trial.target for trial in facts.plan.trials if facts.state.complete(trial.id)}
    if not targets:
        return "No test has a result"
    if not targets <= {"member", "members"}:
        return "No result fits"
    is_cut_off = facts.state.outcome != "finished" and any(stage.array for stage in facts.plan.stages)
    return "Ended before its array was measured" if is_cut_off else "Only single disks were measured, no array"
