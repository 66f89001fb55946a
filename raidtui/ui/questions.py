"""What a person may want to do: the questions that the wizard begins with, each with the recipes that answer it.

Pure. A recipe's place follows from what it builds and asks, so that one's own finds its place as well.
"""

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from raidtui.core.disks.disk import Disk, Usability
from raidtui.core.plan.answers import After
from raidtui.core.plan.recipe import Recipe
from raidtui.ui import last_time
from raidtui.ui.draft import Builds, Draft, with_proposal
from raidtui.ui.services import Scan

_OF_DISKS = ("disks", "integrity", "queue", "places", "gain")  # what a recipe asks of disks rather than of levels


class Purpose(StrEnum):
    """The questions, as they are asked; the one with the most recipes last, so that all are seen at once."""

    AS_LAST_TIME = "As last time"
    BUILD = "Build an array to keep"
    MEASURE = "Measure these disks"
    DIAGNOSE = "What is wrong with this array?"
    COMPARE = "Compare levels"


class Question(msgspec.Struct, frozen=True):
    """One way to put a purpose into practice: a recipe, and what becomes of the array. None: it begins with a run.

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
        of_disks = self.purpose is Purpose.MEASURE and self.recipe and self.recipe.baseline != "none"
        return "usual" if of_disks and not self.every_step else "chosen"


EXPLAIN = Question(Purpose.DIAGNOSE, "Why is it slower than expected?")


def as_last_time(scan: Scan, recipes: Sequence[tuple[str, Recipe]]) -> tuple[Question, ...]:
    """What was chosen last time, where that can be again; else nothing."""
    last = scan.last
    if last is None or not last_time.can_be_again(last, scan.disks, recipes):
        return ()
    recipe = dict(recipes)[last.recipe]
    return (
        Question(Purpose.AS_LAST_TIME, f"As last time: {last_time.brief(last)}", last.recipe, recipe, last.after, last),
    )


def questions(recipes: Sequence[tuple[str, Recipe]], every_step: bool = False) -> tuple[Question, ...]:
    """All that can be done with these recipes, in the order of the purposes; `every_step` as in Question."""
    building = [(name, recipe) for name, recipe in recipes if not recipe.existing]
    questions_all = [
        Question(Purpose.BUILD, recipe.title, name, recipe, "keep")
        for name, recipe in building
        if not recipe.sweeps and not recipe.scratch
    ]
    questions_all += [
        Question(_purpose(recipe), recipe.title, name, recipe, every_step=every_step) for name, recipe in building
    ]
    questions_all.append(EXPLAIN)
    order = list(Purpose)
    return tuple(sorted(questions_all, key=lambda question: order.index(question.purpose)))


def _purpose(recipe: Recipe) -> Purpose:
    about_disks = recipe.question in _OF_DISKS or not recipe.sweeps
    return Purpose.MEASURE if about_disks else Purpose.COMPARE


def asked(draft: Draft, question: Question) -> Draft:
    """`draft` for this question; where it is another one, what was said of tests and first sync is open again."""
    if question.filled_in:
        return question.filled_in
    answer = {"recipe": question.name, "after": question.after, "builds": question.builds, "given": None}
    if all(getattr(draft, field) == value for field, value in answer.items()):
        return draft
    if question.builds == "usual":
        draft = with_proposal(draft, None)
    return msgspec.structs.replace(
        draft, **answer, repeat=None, first_sync="", precondition="recipe", members="disks", permanent=""
    )


def likely_disks(draft: Draft, disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """The disks that a cost is told for: those chosen, else those that are free, else all that could be used."""
    if draft.disks:
        return tuple(disk for disk in disks if disk.id in draft.disks)
    free = tuple(disk for disk in disks if disk.verdict.standing is Usability.OK)
    return free or usable(disks)


def usable(disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """The disks that can be chosen."""
    return tuple(disk for disk in disks if disk.verdict.standing is not Usability.REFUSE)


def too_few_disks(question: Question, scan: Scan) -> str:
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
