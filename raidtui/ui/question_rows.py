"""The first step in lines: the questions with the time that each takes, and all of the one under the cursor. Pure."""

from collections.abc import Callable, Sequence

import msgspec
from rich.cells import cell_len

from raidtui.core.plan import summary
from raidtui.core.plan.model import Plan
from raidtui.core.units import Units, format_bytes, format_duration
from raidtui.ui.questions import Purpose, Question
from raidtui.ui.render import words
from raidtui.ui.render.cells import Line, Row, Sheet, fit, wrap

_TIME, _BYTES = 13, 11
_INDENT = 2
_PURPOSES = {
    Purpose.BUILD: "The array stays, empty and synced. It is tested first, so that you know what you have.",
    Purpose.MEASURE: "How fast the disks are, alone and together. Nothing stays on them.",
    Purpose.COMPARE: "Arrays are built one after the other, measured the same way, and taken apart again.",
    Purpose.DIAGNOSE: "Of a run that is over: what is it that costs its speed?",
}
_EXPLAIN = (
    "A test that is off theory is measured again, unchanged and with one suspect changed at a time, in turns, so that"
    " the cause stands with its price and its interval, or is named as not explained.",
    "It begins with a run that has ended: enter opens the runs, enter opens one, and x on its results asks before"
    " anything is written.",
    "An array that is in use is measured as it stands, without erasing anything, from the command line:"
    " `raidtui recipes show existing` says how.",
)


class QuestionCost(msgspec.Struct, frozen=True):
    """What a question costs on the likely disks; `problem` is one sentence where there is no plan for them."""

    time_s: float = 0.0
    written_bytes: int = 0
    lines: tuple[str, ...] = ()
    problem: str = ""


def cost_of(plan: Plan) -> QuestionCost:
    """The cost of a plan, of which the plan itself is not kept."""
    return QuestionCost(plan.estimate_s, plan.written_bytes, tuple(summary.cost(plan)))


class Asking(msgspec.Struct, frozen=True):
    """What is known when a question is shown. `cost` is None while it is being reckoned.

    `on` says which disks the cost is for; `open_steps` are the steps that the question leaves to be walked.
    """

    question: Question
    cost: QuestionCost | None
    too_few: str = ""
    on: str = ""
    open_steps: tuple[str, ...] = ()


def rows(questions: Sequence[Question], is_high: bool) -> tuple[Question | Purpose | None, ...]:
    """What stands on each line of the list: a purpose above its questions, None for an empty line."""
    sheet_rows: list[Question | Purpose | None] = []
    for question in questions:
        if question.purpose not in sheet_rows:
            sheet_rows += [None, question.purpose] if sheet_rows and is_high else [question.purpose]
        sheet_rows.append(question)
    return tuple(sheet_rows)


def question_sheet(
    sheet_rows: Sequence[Question | Purpose | None], asking: Callable[[Question], Asking], width: int, units: Units
) -> Sheet:
    """One line a question: its title, whole; the time it takes, and the bytes written, where there is room for them."""
    longest = max((cell_len(question.title) for question in sheet_rows if isinstance(question, Question)), default=0)
    bytes_wide = _BYTES if width >= _INDENT + longest + 1 + _TIME + _BYTES else 0
    return Sheet((), tuple(_row(row, asking, width, bytes_wide, units) for row in sheet_rows))


def _row(
    row: Question | Purpose | None, asking: Callable[[Question], Asking], width: int, bytes_wide: int, units: Units
) -> Row:
    if not isinstance(row, Question):
        return Row((((f" {row.value}" if row else "", "head"),),), is_heading=True)
    asking_here = asking(row)
    if row.recipe is None:
        return Row((((fit(" " * _INDENT + row.title, width), ""),),))
    cost = asking_here.cost if asking_here.cost and not asking_here.cost.problem else None
    time_text = format_duration(cost.time_s) if cost else ""
    wrote = fit(format_bytes(cost.written_bytes, units) if cost else "", bytes_wide, right=True)
    title = " " * _INDENT + row.title
    room = max(0, width - cell_len(title) - bytes_wide)
    figures = fit(time_text if cell_len(time_text) < room else "", room, right=True) + wrote
    look = "dim" if asking_here.too_few else ""
    return Row(
        (((fit(title, width - cell_len(figures)), look), (figures, "dim" if cost else look)),), not asking_here.too_few
    )


def question_lines(asked_question: Asking, width: int) -> list[Line]:
    """As `_lines`, a column further to the right: the space between is one of the text, not a run of its own."""
    return [((" " + line[0][0], line[0][1]), *line[1:]) if line else line for line in _lines(asked_question, width - 1)]


def _lines(asked_question: Asking, width: int) -> list[Line]:
    """All of a question: what it is, what it asks next, what it costs, and what is done, step by step."""
    question = asked_question.question
    asks = " " if question.purpose.value.endswith("?") else ": "
    lines: list[Line] = _told(f"{question.purpose.value}{asks}{question.title}", width, "strong")
    if question.recipe is None:
        for text in (_PURPOSES[question.purpose], *_EXPLAIN):
            lines += [(), *_told(text, width)]
        return lines
    lines += _told(question.recipe.summary, width)
    lines += [(), *_told(asked_question.too_few, width, "warn")] if asked_question.too_few else []
    rest_words = "" if question.builds == "chosen" else " The recipe decides the rest."
    facts = (
        ("asks next", f"{', '.join(asked_question.open_steps)}.{rest_words}"),
        ("erases", "all disks that you choose next"),
        ("afterwards", words.AFTER[question.after]),
    )
    lines.append(())
    for name, text in facts:
        wrapped = wrap(text, width - 12)
        lines += [
            ((fit("" if index else name, 12), "" if index else "dim"), (line, "")) for index, line in enumerate(wrapped)
        ]
    lines += [(), *_costs(asked_question, width)]
    lines += [(), (("What it does", "head"),), *_told(_PURPOSES[question.purpose], width)]
    for text in summary.doing(question.recipe):
        lines += _told(text, width)
    return lines


def _costs(asked_question: Asking, width: int) -> list[Line]:
    lines: list[Line] = [((text, "head"),) for text in wrap(f"What it costs {asked_question.on}", width)]
    if asked_question.cost is None:
        return [*lines, (("Being reckoned…", "dim"),)]
    if asked_question.cost.problem:
        return [*lines, *_told(asked_question.cost.problem, width, "warn")]
    for text in asked_question.cost.lines:
        lines += _told(text[:1].upper() + text[1:], width)
    return lines


def _told(text: str, width: int, look: str = "") -> list[Line]:
    """A text over as many lines as it takes; how far it is indented it stays."""
    before = text[: len(text) - len(text.lstrip(" "))]
    return [((before + line, look),) for line in wrap(text, max(20, width - len(before)))]
