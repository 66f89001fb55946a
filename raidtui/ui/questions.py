"""What a person may want to do: build, as last time, or a recipe under the question that it answers. Pure."""

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
