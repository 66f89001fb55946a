"""What a person may want to do: build, as last time, or a recipe under the question that it answers. Pure.

Recipes in lines: each with its time and bytes, and all of the one under the cursor. Pure.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from math import log

import msgspec
from rich.cells import cell_len

from raidtui.core.boot.entries import MOUNTED_BELOW, NAME
from raidtui.core.disks.disk import Disk, Usability
from raidtui.core.plan import summary
from raidtui.core.plan.answers import After
from raidtui.core.plan.model import Plan
from raidtui.core.plan.recipe import Recipe
from raidtui.core.units import Units, format_bytes, format_duration
from raidtui.ui import last_time
from raidtui.ui.draft import Builds, Draft, with_proposal
from raidtui.ui.render import parts, words
from raidtui.ui.render.cells import Line, Row, Sheet, capital, fit, fit_right, named_lines, reflowed, wrapped
from raidtui.ui.services import Scan

_OF_DISKS = ("disks", "integrity", "queue", "places", "gain")  # what a recipe asks of disks rather than of levels


class Purpose(StrEnum):
    """What recipes are listed under, in this order; `BUILD` and `AS_LAST_TIME` are choices of their own."""

    AS_LAST_TIME = "As last time"
    BUILD = "Build an array"
    SPEED = "How fast are these disks?"
    HEALTH = "Are these disks healthy?"
    LEVEL = "Which level?"
    WHAT_IF = "What if …?"


LISTED = (Purpose.SPEED, Purpose.HEALTH, Purpose.LEVEL, Purpose.WHAT_IF)
_PURPOSES: dict[str | None, Purpose] = {  # of a recipe's question
    **dict.fromkeys(("disks", "queue", "places", "gain", "load"), Purpose.SPEED),
    **dict.fromkeys(("integrity", "proof", "steady"), Purpose.HEALTH),
    **dict.fromkeys(("levels", "chunk", "layouts"), Purpose.LEVEL),
}


class Question(msgspec.Struct, frozen=True):
    """One way to put a purpose into practice: a recipe, and what becomes of the array.

    `filled_in` is all that was chosen last time: nothing is asked before Review. `every_step`: what is built is asked
    for, also where the disks are what is measured and the array beside them could be the usual one.
    """

    purpose: Purpose
    title: str
    name: str = ""
    recipe: Recipe | None = None
    after: After = "teardown"
    filled_in: Draft | None = None
    every_step: bool = False

    @property
    def builds(self) -> Builds:
        if self.filled_in:
            return self.filled_in.builds
        if self.recipe and self.recipe.sweeps:
            return "recipe"
        about_disks = self.recipe and (self.recipe.question in _OF_DISKS or not self.recipe.sweeps)
        of_disks = self.after == "teardown" and about_disks and self.recipe and self.recipe.baseline != "none"
        return "usual" if of_disks and not self.every_step else "chosen"


def as_last_time(scan: Scan, recipes: Sequence[tuple[str, Recipe]]) -> Question | None:
    """What was chosen last time, where that can be again."""
    last = scan.last
    if last is None or not last_time.can_be_again(last, scan.disks, recipes):
        return None
    recipe = dict(recipes)[last.recipe]
    return Question(Purpose.AS_LAST_TIME, last_time.brief(last), last.recipe, recipe, last.after, last)


def build(recipes: Sequence[tuple[str, Recipe]], wished: str = "") -> Question:
    """An array to keep, measured first: by the recipe of config.toml if it can keep one array, else a quick look."""
    by_name = dict(recipes)
    recipe = by_name.get(wished)
    keeps = recipe and not (recipe.sweeps or recipe.scratch or recipe.existing or recipe.question == "integrity")
    name = wished if keeps else "quick"
    return Question(Purpose.BUILD, Purpose.BUILD.value, name, by_name[name], "keep")


def questions(recipes: Sequence[tuple[str, Recipe]], every_step: bool = False) -> tuple[Question, ...]:
    """All that can be measured with these recipes, in the order of the purposes; `every_step` as in Question."""
    asked_by = [
        Question(_PURPOSES.get(recipe.question, Purpose.WHAT_IF), recipe.title, name, recipe, every_step=every_step)
        for name, recipe in recipes
        if not recipe.existing
    ]
    return tuple(sorted(asked_by, key=lambda question: LISTED.index(question.purpose)))


def asked(draft: Draft, question: Question, name: str = NAME) -> Draft:
    """`draft` for this question; where it is another one, what was said of tests and initial resync is open again.
    An array that is kept is mounted at boot, unless a person takes that back; `name`: of it and of its folder.
    """
    if question.filled_in:
        return question.filled_in
    answer = {"recipe": question.name, "after": question.after, "builds": question.builds, "given": None}
    if all(getattr(draft, field) == value for field, value in answer.items()):
        return draft
    if question.builds == "usual":
        draft = with_proposal(draft, None)
    draft = draft.having(
        **answer, axes=(), repeat=None, first_sync="", precondition="recipe", members="disks", permanent=""
    )
    if question.after == "teardown":
        return draft
    folder = draft.mount_point or f"{MOUNTED_BELOW}/{name}"
    return draft.having(permanent="yes", array_name=draft.array_name or name, mount_point=folder)


def likely_disks(draft: Draft, disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """The disks that a cost is told for: those chosen, else those that are free, else all that could be used."""
    if draft.disks:
        return tuple(disk for disk in disks if disk.id in draft.disks)
    free = tuple(disk for disk in disks if disk.verdict.standing is Usability.OK)
    return free or usable(disks)


def usable(disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """The disks that can be chosen."""
    return tuple(disk for disk in disks if disk.verdict.standing is not Usability.REFUSE)


def short_of_disks(question: Question, scan: Scan) -> str:
    """Why its disks cannot answer it, in a sentence with what to do; "" where they can."""
    disks_needed = question.recipe.min_disks if question.recipe else 0
    have = len(usable(scan.disks))
    if have >= disks_needed:
        return ""
    needs = f"Needs {disks_needed} disk{'' if disks_needed == 1 else 's'}, {have or 'none'} usable here"
    at_work = [disk.run for disk in scan.disks if disk.run]
    if at_work:
        runs = dict.fromkeys(at_work)
        return (
            f"{needs}: {_are(len(at_work))} in use by the run{'s' if len(runs) > 1 else ''} {', '.join(runs)}."
            " Wait for its end (R: runs), or attach more and press r."
        )
    if not scan.kept:
        return f"{needs}: attach or free more, then press r."
    keepers = dict.fromkeys(run.name for run in scan.kept.values())
    return (
        f"{needs}: {_are(len(scan.kept))} in the array that run {', '.join(keepers)} keeps."
        " Remove it (R: runs, then D), or attach more and press r."
    )


def _are(count: int) -> str:
    return f"{count} {'is' if count == 1 else 'are'}"


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
    drawn = parts.bar(max(share, 0.02), bar, "r4") if bar and cost else ((" " * bar, ""),)
    title = width - bar - _TIME - _BYTES
    look = "dim" if asking.too_few_disks else ""
    figures = ((fit_right(took, _TIME), look), (fit_right(wrote, _BYTES), "dim"))
    return Row(
        (((fit(" " * _INDENT + asking.question.title, title), look), *drawn, *figures),), not asking.too_few_disks
    )


def question_lines(asking: Asking, width: int) -> list[Line]:
    """All of a question: what it is, what it asks next, what it costs, and what is done, test by test."""
    question = asking.question
    assert question.recipe is not None
    lines = reflowed(question.title, width, "*strong") + reflowed(question.recipe.summary, width)
    lines += [(), *reflowed(asking.too_few_disks, width, "warn")] if asking.too_few_disks else []
    lines.append(())
    facts = [
        ("asks", f"{', '.join(asking.open_steps)}.{_RESTS[question.builds]}", ""),
        ("erases", "the disks you select", "warn"),
        ("result", words.AFTER_THE_TESTS[question.after], ""),
        *([("published", question.recipe.source, "")] if question.recipe.source else []),
    ]
    lines += named_lines(facts, 10, width)
    lines += [(), *_costs(asking, width), (), (("Tests", "head"),)]
    for text in summary.doing(question.recipe):
        lines += reflowed(text, width)
    return lines


def _costs(asking: Asking, width: int) -> list[Line]:
    lines = wrapped(f"Estimate: {asking.on}".rstrip(": "), width, "head")
    if asking.cost is None:
        return [*lines, (("estimating…", "dim"),)]
    if asking.cost.problem:
        return [*lines, *reflowed(asking.cost.problem, width, "warn")]
    for text in asking.cost.lines:
        lines += reflowed(capital(text), width)
    return lines
