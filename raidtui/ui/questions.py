"""What a person may want to do: the four questions that the wizard begins with, each with the recipes that answer it.

Pure. A recipe's place follows from what it builds and asks, so that one's own finds its place as well.
"""

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from raidtui.core.disks.disk import Disk, Standing
from raidtui.core.plan.answers import After
from raidtui.core.plan.recipe import Recipe
from raidtui.ui.draft import Builds, Draft

_OF_DISKS = ("disks", "integrity", "queue", "places")  # what a recipe asks of disks rather than of levels


class Purpose(StrEnum):
    """The four questions, as they are asked; the one with the most recipes last, so that all are seen at once."""

    BUILD = "Build an array to keep"
    MEASURE = "Measure these disks"
    DIAGNOSE = "What is wrong with this array?"
    COMPARE = "Compare levels"


class Question(msgspec.Struct, frozen=True):
    """One way to put a purpose into practice: a recipe, and what becomes of the array. None: it begins with a run."""

    purpose: Purpose
    title: str
    name: str = ""
    recipe: Recipe | None = None
    after: After = "teardown"

    @property
    def builds(self) -> Builds:
        return "recipe" if self.recipe and self.recipe.sweeps else "chosen"


EXPLAIN = Question(Purpose.DIAGNOSE, "Why is it slower than theory?")


def questions(recipes: Sequence[tuple[str, Recipe]]) -> tuple[Question, ...]:
    """All that can be done with these recipes, in the order of the purposes."""
    building = [(name, recipe) for name, recipe in recipes if not recipe.existing]
    every_question = [
        Question(Purpose.BUILD, recipe.title, name, recipe, "keep")
        for name, recipe in building
        if not recipe.sweeps and not recipe.scratch
    ]
    every_question += [Question(_purpose(recipe), recipe.title, name, recipe) for name, recipe in building]
    every_question.append(EXPLAIN)
    order = list(Purpose)
    return tuple(sorted(every_question, key=lambda question: order.index(question.purpose)))


def _purpose(recipe: Recipe) -> Purpose:
    about_disks = recipe.question in _OF_DISKS or not recipe.sweeps
    return Purpose.MEASURE if about_disks else Purpose.COMPARE


def with_question(draft: Draft, question: Question) -> Draft:
    """`draft` for this question; where it is another one, what was said of tests and first sync is open again."""
    answer = {"recipe": question.name, "after": question.after, "builds": question.builds, "given": None}
    if all(getattr(draft, field) == value for field, value in answer.items()):
        return draft
    return msgspec.structs.replace(draft, **answer, repeat=None, first_sync="", precondition="recipe", permanent="")


def likely_disks(draft: Draft, disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """The disks that a cost is told for: those chosen, else those that are free, else all that could be used."""
    if draft.disks:
        return tuple(disk for disk in disks if disk.id in draft.disks)
    free = tuple(disk for disk in disks if disk.verdict.standing is Standing.OK)
    return free or usable(disks)


def usable(disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """The disks that can be chosen."""
    return tuple(disk for disk in disks if disk.verdict.standing is not Standing.REFUSE)


def too_few(question: Question, disks: Sequence[Disk]) -> str:
    """Why these disks cannot answer it, in a sentence with what to do; "" where they can."""
    needed = question.recipe.min_disks if question.recipe else 0
    have = len(usable(disks))
    if have >= needed:
        return ""
    return f"It needs {needed} disks, and {have} can be used here: attach or free more, then press r."
