"""Recipes in lines: each with its time and bytes, and all of the one under the cursor. Pure."""

from collections.abc import Callable, Sequence
from math import log

import msgspec
from rich.cells import cell_len

from raidtui.core.plan import summary
from raidtui.core.plan.model import Plan
from raidtui.core.units import Units, format_bytes, format_duration
from raidtui.ui.draft import Builds
from raidtui.ui.questions import Purpose, Question
from raidtui.ui.render import parts, words
from raidtui.ui.render.cells import Line, Row, Sheet, fit, wrap
from raidtui.ui.render.glyphs import of_terminal

_TIME, _BYTES, _LEAST_BAR, _MOST_BAR = 13, 10, 8, 40
_INDENT = 2
_SHORTEST_S = 60.0  # a bar begins there
RUNNING = "…"  # in place of a time that is being estimated
_RESTS: dict[Builds, str] = {
    "chosen": "",
    "recipe": " The recipe sets the rest.",
    "usual": " The level follows from the number of disks (e: choose it).",
}


class QuestionCost(msgspec.Struct, frozen=True):
    """What a question costs on the likely disks; `problem` is one sentence where there is no plan for them."""

    time_s: float = 0.0
    written_bytes: int = 0
    lines: tuple[str, ...] = ()
    problem: str = ""
    sync_s: float = 0.0


def cost_of(plan: Plan) -> QuestionCost:
    """The cost of a plan, of which the plan itself is not kept."""
    sync_s = plan.estimated_s.get("sync", 0.0)
    return QuestionCost(plan.estimate_s, plan.written_bytes, tuple(summary.cost(plan)), sync_s=sync_s)


class Asking(msgspec.Struct, frozen=True):
    """What is known when a question is shown. `cost` is None while it is being estimated.

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
        if question.purpose not in laid:
            laid += [None, question.purpose] if laid and is_high else [question.purpose]
        laid.append(question)
    return tuple(laid)


def question_sheet(
    laid: Sequence[Question | Purpose | None], asking: Callable[[Question], Asking], width: int, units: Units
) -> Sheet:
    """One line a question: its title, whole, a bar of the logarithm of its time, time, and bytes written."""
    asked = {at: asking(question) for at, question in enumerate(laid) if isinstance(question, Question)}
    longest = max((cell_len(each.question.title) for each in asked.values()), default=0)
    bar = min(_MOST_BAR, width - _INDENT - longest - 2 - _TIME - _BYTES)
    most_s = max((each.cost.time_s for each in asked.values() if each.cost), default=0.0)
    return Sheet(
        (),
        tuple(
            _row(asked[at], width, bar if bar >= _LEAST_BAR else 0, most_s, units)
            if at in asked
            else Row((((f" {heading.value}" if isinstance(heading, Purpose) else "", "head"),),), is_heading=True)
            for at, heading in enumerate(laid)
        ),
    )


def _row(asking: Asking, width: int, bar: int, most_s: float, units: Units) -> Row:
    cost = asking.cost if asking.cost and not asking.cost.problem else None
    took = format_duration(cost.time_s) if cost else RUNNING if asking.cost is None else ""
    wrote = format_bytes(cost.written_bytes, units) if cost and cost.written_bytes else "0" if cost else ""
    share = (
        log(max(_SHORTEST_S, cost.time_s) / _SHORTEST_S) / log(most_s / _SHORTEST_S) if cost and most_s > 60 else 0.0
    )
    drawn = parts.bar(max(share, 0.02), bar, "r4", of_terminal()) if bar and cost else ((" " * bar, ""),)
    title = width - bar - _TIME - _BYTES
    look = "dim" if asking.too_few_disks else ""
    figures = ((fit(took, _TIME, right=True), look), (fit(wrote, _BYTES, right=True), "dim"))
    return Row(
        (((fit(" " * _INDENT + asking.question.title, title), look), *drawn, *figures),), not asking.too_few_disks
    )


def question_lines(asking: Asking, width: int) -> list[Line]:
    """All of a question: what it is, what it asks next, what it costs, and what is done, test by test."""
    question = asking.question
    assert question.recipe is not None
    lines = _wrapped(question.title, width, "*strong")
    lines += _wrapped(question.recipe.summary, width)
    lines += [(), *_wrapped(asking.too_few_disks, width, "warn")] if asking.too_few_disks else []
    lines.append(())
    facts = [
        ("asks", f"{', '.join(asking.open_steps)}.{_RESTS[question.builds]}", ""),
        ("erases", "the disks you select", "warn"),
        ("result", words.AFTER_THE_TESTS[question.after], ""),
        *([("published", question.recipe.source, "")] if question.recipe.source else []),
    ]
    for name, text, look in facts:
        wrapped = wrap(text, width - 10)
        lines += [((fit("" if at else name, 10), "dim"), (line, look)) for at, line in enumerate(wrapped)]
    lines += [(), *_costs(asking, width), (), (("Tests", "head"),)]
    for text in summary.doing(question.recipe):
        lines += _wrapped(text, width)
    return lines


def _costs(asking: Asking, width: int) -> list[Line]:
    lines: list[Line] = [((text, "head"),) for text in wrap(f"Estimate: {asking.on}".rstrip(": "), width)]
    if asking.cost is None:
        return [*lines, (("estimating…", "dim"),)]
    if asking.cost.problem:
        return [*lines, *_wrapped(asking.cost.problem, width, "warn")]
    for text in asking.cost.lines:
        lines += _wrapped(text[:1].upper() + text[1:], width)
    return lines


def _wrapped(text: str, width: int, look: str = "") -> list[Line]:
    """A text over as many lines as it takes; how far it is indented it stays."""
    indent = text[: len(text) - len(text.lstrip(" "))]
    return [((indent + line, look),) for line in wrap(text, max(20, width - len(indent)))]
