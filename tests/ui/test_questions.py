"""The questions that the wizard begins with: every recipe has its place, and what follows is what it leaves open."""

import msgspec
import pytest

from raidtui import recipes
from raidtui.core.disks.disk import Standing, Verdict
from raidtui.ui import questions
from raidtui.ui.draft import Draft, answers
from raidtui.ui.questions import EXPLAIN, Purpose, Question, with_question
from raidtui.ui.screens import steps
from tests.ui.machines import disk, rack

SHIPPED = tuple(recipes.library().recipes.items())
ALL = questions.questions(SHIPPED)


def of(name: str, after: str = "teardown") -> Question:
    return next(one for one in ALL if (one.name, one.after) == (name, after))


def test_every_recipe_that_builds_has_its_question_and_the_purposes_stand_in_order() -> None:
    assert {one.name for one in ALL} == {name for name, recipe in SHIPPED if not recipe.existing} | {""}
    order = [one.purpose for one in ALL]
    assert order == sorted(order, key=list(Purpose).index) and set(order) == set(Purpose)


@pytest.mark.parametrize(
    ("name", "purpose"),
    [
        ("quick", Purpose.MEASURE),
        ("burn-in", Purpose.MEASURE),
        ("disk-baseline", Purpose.MEASURE),
        ("zones", Purpose.MEASURE),
        ("flash-steady-state", Purpose.MEASURE),
        ("degraded", Purpose.COMPARE),
        ("qd-x-jobs", Purpose.MEASURE),
        ("raid0-gain", Purpose.COMPARE),
        ("levels-sequential", Purpose.COMPARE),
        ("alignment-proof", Purpose.COMPARE),
    ],
)
def test_where_a_recipe_that_is_torn_down_stands(name: str, purpose: Purpose) -> None:
    assert of(name).purpose is purpose


def test_only_what_builds_the_array_that_is_chosen_can_be_kept() -> None:
    kept = [one for one in ALL if one.purpose is Purpose.BUILD]
    assert {one.name for one in kept} == {"quick", "qd-x-jobs", "latency-at-load"}
    assert all(one.after == "keep" and one.recipe and not one.recipe.scratch for one in kept)


@pytest.mark.parametrize("question", [one for one in ALL if one is not EXPLAIN], ids=lambda one: one.title)
def test_steps_that_the_recipe_decides_are_not_open(question: Question) -> None:
    names = steps.open_names(with_question(Draft(disks=("a", "b", "c", "d")), question))
    decided = {"Level", "Layout", "File system"}
    assert question.recipe
    assert not decided & set(names) if question.recipe.sweeps else decided <= set(names)
    assert ("Use" in names) == (question.after == "keep")  # a purpose is asked of what stays


def test_another_question_opens_what_was_said_of_tests_and_the_same_one_changes_nothing() -> None:
    draft = with_question(Draft(disks=("a", "b"), level="1"), of("quick", "keep"))
    said = msgspec.structs.replace(draft, repeat=5, first_sync="wait", precondition="yes")
    assert with_question(said, of("quick", "keep")) is said
    other = with_question(said, of("quick"))
    assert (other.repeat, other.first_sync, other.after, other.level) == (None, "", "teardown", "1")
    assert other.precondition == "recipe"
    assert answers(with_question(said, of("levels-sequential"))).setup.level == ""


def test_costs_are_told_for_the_chosen_disks_else_the_free_ones_else_all_that_can_be_used() -> None:
    warned = disk("sdx", verdict=Verdict(Standing.WARN, "ext4"))
    refused = disk("sdy", verdict=Verdict(Standing.REFUSE, "mounted"))
    free = rack(3)
    every = (*free, warned, refused)
    assert questions.likely_disks(Draft(), every) == free
    assert questions.likely_disks(Draft(disks=(warned.id,)), every) == (warned,)
    assert questions.likely_disks(Draft(), (warned, refused)) == (warned,)


def test_too_few_disks_are_said_with_what_to_do() -> None:
    assert questions.too_few(of("raid5-many-readers"), rack(4)) == ""
    said = questions.too_few(of("raid5-many-readers"), rack(3))
    assert "needs 4 disks, and 3 can be used" in said and "press r" in said
    assert questions.too_few(EXPLAIN, ()) == ""
