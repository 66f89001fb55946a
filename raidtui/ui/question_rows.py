"""The first step in lines: the questions with the time that each takes, and all of the one under the cursor. Pure."""

from collections.abc import Callable, Sequence

import msgspec
from rich.cells import cell_len

from raidtui.core.advice.wording import USES
from raidtui.core.plan import summary
from raidtui.core.plan.model import Plan
from raidtui.core.units import Units, format_bytes, format_duration
from raidtui.ui.draft import Builds, Draft, chunk_text
from raidtui.ui.questions import Purpose, Question
from raidtui.ui.render import words
from raidtui.ui.render.cells import Line, Row, Sheet, fit, wrap

_TIME, _BYTES = 13, 11
_INDENT = 2
ESTIMATED = "..."  # where a time will stand
_HEADINGS = {Purpose.BUILD: "Build an array to keep, tested by"}  # else what the purpose is called
_PURPOSES = {
    Purpose.AS_LAST_TIME: "What you chose last time, on the same disks, which are free and blank.",
    Purpose.BUILD: (
        "The array stays, synced and ready for use. It is tested first, so that you know what you have: the quick look"
        " is enough for most, the others take longer and tell more. Measure, the step before Review, asks whether it"
        " is to be mounted at each boot; else the report has the lines to type."
    ),
    Purpose.MEASURE: "How fast these disks are. Nothing of it stays on them.",
    Purpose.COMPARE: "Arrays are built one after the other, measured the same way, and cleared away again.",
    Purpose.DIAGNOSE: "Of a run that is over: what is it that costs its speed?",
}
_RESTS: dict[Builds, str] = {
    "chosen": "",
    "recipe": " The recipe decides the rest.",
    "usual": " The level of the array beside the disks goes by their number; e asks for each step.",
}
_EXPLAIN = (
    "A test that is off theory is measured again, unchanged and with one suspect changed at a time, in turns, so that"
    " the cause stands with its price and its interval, or is named as not explained.",
    "It begins with a run that has ended: enter opens the runs, enter opens one, and x on its results asks before"
    " anything is written. Of an array that is kept x says how, for it would have to be built anew.",
    "An array that is in use is measured as it stands, without erasing anything, from the command line: put the lines"
    ' recipe = "existing" and target = "/srv/data" (a folder on it) in a file a.toml; `raidtui plan a.toml` then prints'
    " what to type.",
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
    too_few_disks: str = ""
    on: str = ""
    open_steps: tuple[str, ...] = ()


def rows(questions: Sequence[Question], is_high: bool) -> tuple[Question | Purpose | None, ...]:
    """What stands on each line of the list: a purpose above its questions, None for an empty line."""
    laid: list[Question | Purpose | None] = []
    for question in questions:
        if question.purpose not in laid and not question.filled_in:
            laid += [None, question.purpose] if laid and is_high else [question.purpose]
        laid.append(question)
    return tuple(laid)


def question_sheet(
    laid: Sequence[Question | Purpose | None], asking: Callable[[Question], Asking], width: int, units: Units
) -> Sheet:
    """One line a question: its title, whole; the time it takes, and the bytes written, where there is room for them."""
    longest = max((cell_len(question.title) for question in laid if isinstance(question, Question)), default=0)
    bytes_wide = _BYTES if width >= _INDENT + longest + 1 + _TIME + _BYTES else 0
    return Sheet((), tuple(_row(row_question, asking, width, bytes_wide, units) for row_question in laid))


def _row(
    row_question: Question | Purpose | None,
    asking: Callable[[Question], Asking],
    width: int,
    bytes_wide: int,
    units: Units,
) -> Row:
    if not isinstance(row_question, Question):
        heading = f" {_HEADINGS.get(row_question, row_question.value)}" if row_question else ""
        return Row((((heading, "head"),),), is_heading=True)
    asking_known = asking(row_question)
    if row_question.recipe is None:
        return Row((((fit(" " * _INDENT + row_question.title, width), ""),),))
    cost = asking_known.cost if asking_known.cost and not asking_known.cost.problem else None
    took = format_duration(cost.time_s) if cost else ESTIMATED if asking_known.cost is None else ""
    wrote = fit(format_bytes(cost.written_bytes, units) if cost else "", bytes_wide, right=True)
    title = " " * _INDENT + row_question.title
    room = _room_for_time(row_question, width - bytes_wide)
    figures = fit(took if cell_len(took) < room else "", room, right=True) + wrote
    look = "dim" if asking_known.too_few_disks else ""
    return Row(
        (((fit(title, width - cell_len(figures)), look), (figures, look or "dim")),),
        not asking_known.too_few_disks,
    )


def _room_for_time(question: Question, width: int) -> int:
    return max(0, width - _INDENT - cell_len(question.title))


def question_lines(asking: Asking, width: int, list_width: int) -> list[Line]:
    """As `_lines`, a column further to the right: the space between is one of the text, not a run of its own."""
    lines = _lines(asking, width - 1, list_width)
    return [((" " + line[0][0], line[0][1]), *line[1:]) if line else line for line in lines]


def _lines(asking: Asking, width: int, list_width: int) -> list[Line]:
    """All of a question: what it is, what it asks next, what it costs, and what is done, step by step. First of all the
    time, where the list of so many cells had no room for it beside the title.
    """
    question = asking.question
    lines: list[Line] = _wrapped(_heading(question), width, "strong")
    if asking.cost and not asking.cost.problem:
        took = format_duration(asking.cost.time_s)
        if cell_len(took) >= _room_for_time(question, list_width):
            lines += _wrapped(f"It takes about {took}.", width)
    if question.recipe is None:
        for text in (_PURPOSES[question.purpose], *_EXPLAIN):
            lines += [(), *_wrapped(text, width)]
        return lines
    if question.filled_in:
        lines += _wrapped(f"Measured by: {question.recipe.title}.", width)
    lines += _wrapped(question.recipe.summary, width)
    lines += [(), *_wrapped(asking.too_few_disks, width, "warn")] if asking.too_few_disks else []
    facts = _chosen(question.filled_in) if question.filled_in else _answer_words(asking)
    facts += (("afterwards", words.AFTER_THE_TESTS[question.after]),)
    facts += (("the article", question.recipe.source),) if question.recipe.source else ()
    lines.append(())
    for name, text in facts:
        wrapped = wrap(text, width - 12)
        lines += [((fit("" if at else name, 12), "" if at else "dim"), (line, "")) for at, line in enumerate(wrapped)]
    lines += [(), *_costs(asking, width)]
    lines += [(), (("What it does", "head"),), *_wrapped(_PURPOSES[question.purpose], width)]
    for text in summary.doing(question.recipe):
        lines += _wrapped(text, width)
    return lines


def _heading(question: Question) -> str:
    if question.filled_in:
        return question.title
    asks = " " if question.purpose.value.endswith("?") else ": "
    return f"{question.purpose.value}{asks}{question.title}"


def _answer_words(asking: Asking) -> tuple[tuple[str, str], ...]:
    return (
        ("asks next", f"{', '.join(asking.open_steps)}.{_RESTS[asking.question.builds]}"),
        ("erases", "all disks that you choose next"),
    )


def _chosen(draft: Draft) -> tuple[tuple[str, str], ...]:
    """What was chosen, a line each."""
    chunk = chunk_text(draft.chunk_bytes) if draft.chunk_bytes and draft.builds != "recipe" else ""
    repeats = "" if draft.repeat is None else f"{draft.repeat} x"
    facts = (("for", USES[draft.use][0] if draft.use else ""), ("chunk", chunk), ("repeated", repeats))
    first = (("asks next", "Review, where all of it is looked at and asked for as ever."), ("erases", "the same disks"))
    return (*first, *((name, text) for name, text in facts if text))


def _costs(asking: Asking, width: int) -> list[Line]:
    lines: list[Line] = [((text, "head"),) for text in wrap(f"What it costs {asking.on}".rstrip(), width)]
    if asking.cost is None:
        return [*lines, (("Being reckoned…", "dim"),)]
    if asking.cost.problem:
        return [*lines, *_wrapped(asking.cost.problem, width, "warn")]
    for text in asking.cost.lines:
        lines += _wrapped(text[:1].upper() + text[1:], width)
    return lines


def _wrapped(text: str, width: int, look: str = "") -> list[Line]:
    """A text over as many lines as it takes; how far it is indented it stays."""
    indent = text[: len(text) - len(text.lstrip(" "))]
    return [((indent + line, look),) for line in wrap(text, max(20, width - len(indent)))]
