"""The questions that the wizard begins with: every recipe has its place, and what follows is what it leaves open."""

from pathlib import Path

import msgspec
import pytest

from raidtui import recipes
from raidtui.core.disks.disk import Usability, Verdict
from raidtui.core.plan.answers import Answers, Axes, Setup
from raidtui.ui import questions
from raidtui.ui.draft import Draft, answers
from raidtui.ui.questions import LISTED, Purpose, Question, asked
from raidtui.ui.screens import steps
from raidtui.ui.services import Scan
from tests.ui.machines import disk, rack

SHIPPED = tuple(recipes.library().recipes.items())
ALL = questions.questions(SHIPPED)


BUILD = questions.build(SHIPPED)


def of(name: str) -> Question:
    return next(one for one in ALL if one.name == name)


def test_every_recipe_that_builds_has_its_question_and_the_purposes_stand_in_order() -> None:
    assert [one.name for one in ALL] and {one.name for one in ALL} == {
        name for name, recipe in SHIPPED if not recipe.existing
    }
    order = [one.purpose for one in ALL]
    assert order == sorted(order, key=LISTED.index) and set(order) == set(LISTED)


@pytest.mark.parametrize(
    "name, purpose",
    [
        ("quick", Purpose.SPEED),
        ("latency-at-load", Purpose.SPEED),
        ("disk-baseline", Purpose.SPEED),
        ("zones", Purpose.SPEED),
        ("qd-x-jobs", Purpose.SPEED),
        ("raid0-gain", Purpose.SPEED),
        ("burn-in", Purpose.HEALTH),
        ("proof", Purpose.HEALTH),
        ("flash-steady-state", Purpose.HEALTH),
        ("levels-sequential", Purpose.LEVEL),
        ("jbod-vs-raid0", Purpose.LEVEL),
        ("degraded", Purpose.WHAT_IF),
        ("alignment-proof", Purpose.WHAT_IF),
    ],
)
def test_where_a_recipe_stands(name: str, purpose: Purpose) -> None:
    assert of(name).purpose is purpose


def test_what_is_built_to_be_kept_has_a_quick_look_first() -> None:
    assert (BUILD.name, BUILD.after, BUILD.builds) == ("quick", "keep", "chosen") and BUILD not in ALL


def test_what_is_kept_is_mounted_at_boot_under_its_name_unless_a_person_takes_that_back() -> None:
    kept = asked(Draft(disks=("a", "b")), BUILD, "store2")
    assert (kept.permanent, kept.array_name, kept.mount_point) == ("yes", "store2", "/srv/store2")
    given = answers(kept)
    assert (given.permanent, given.array_name, given.mount_point) == (True, "store2", "/srv/store2")
    own = msgspec.structs.replace(kept, array_name="vms", mount_point="/vms", permanent="")
    assert asked(own, BUILD) is own
    assert not answers(asked(kept, of("quick"))).permanent and not answers(Draft(after="keep")).permanent


@pytest.mark.parametrize("question", [*ALL, BUILD], ids=lambda one: one.title)
def test_steps_that_the_recipe_decides_are_not_open(question: Question) -> None:
    names = steps.open_names(asked(Draft(disks=("a", "b", "c", "d")), question))
    decided = {"Level", "Chunk", "File system"}
    assert question.recipe
    assert decided <= set(names) if question.builds == "chosen" else not decided & set(names)


def test_answers_that_are_whole_leave_their_review_alone() -> None:
    whole = Draft(disks=("a", "b", "c", "d"), given=Answers(disks=("a", "b", "c", "d"), setup=Setup()))
    assert steps.open_names(whole) == ("Start", "Review", "Live", "Results")


def test_of_disks_that_are_measured_the_array_is_the_usual_one_unless_every_step_is_asked_for() -> None:
    assert of("quick").builds == "usual" and of("levels-sequential").builds == "recipe"
    assert of("qd-x-jobs").builds == "chosen"  # of the array alone, which is then for a person to say
    assert all(one.builds != "usual" for one in questions.questions(SHIPPED, every_step=True))
    draft = asked(Draft(disks=("a", "b", "c"), level="10", layout="f2", filesystem="xfs"), of("quick"))
    assert (draft.level_or_suggested, draft.layout, draft.filesystem_or_default) == ("5", "", "none")
    assert answers(draft).setup.level == "5"


def test_another_question_opens_what_was_said_of_tests_and_the_same_one_changes_nothing() -> None:
    draft = asked(Draft(disks=("a", "b"), level="1"), BUILD)
    said = msgspec.structs.replace(draft, repeat=5, first_sync="wait", precondition="yes", axes=(Axes(level=("6",)),))
    assert asked(said, BUILD) is said
    other = asked(said, of("quick"))
    assert (other.repeat, other.first_sync, other.after, other.level, other.axes) == (None, "", "teardown", "", ())
    assert asked(said, of("qd-x-jobs")).level == "1"
    assert other.precondition == "recipe"
    assert answers(asked(said, of("levels-sequential"))).setup.level == ""


def test_costs_are_told_for_the_chosen_disks_else_the_free_ones_else_all_that_can_be_used() -> None:
    warned = disk("sdx", verdict=Verdict(Usability.WARN, "ext4"))
    refused = disk("sdy", verdict=Verdict(Usability.REFUSE, "mounted"))
    free = rack(3)
    every = (*free, warned, refused)
    assert questions.likely_disks(Draft(), every) == free
    assert questions.likely_disks(Draft(disks=(warned.id,)), every) == (warned,)
    assert questions.likely_disks(Draft(), (warned, refused)) == (warned,)


def test_too_few_disks_are_said_with_what_to_do() -> None:
    assert questions.short_of_disks(of("raid5-many-readers"), Scan(rack(4))) == ""
    said = questions.short_of_disks(of("raid5-many-readers"), Scan(rack(3)))
    assert "Needs 4 disks, 3 usable" in said and "press r" in said


def test_disks_that_a_run_has_now_are_said_to_be_its() -> None:
    verdict, run = Verdict(Usability.REFUSE, "in use by the run"), "20260101T000000Z-beef"
    in_use = tuple(disk(name, verdict=verdict, run=run) for name in ("sdy", "sdz"))
    said = questions.short_of_disks(of("quick"), Scan(in_use))
    assert said.startswith(f"Needs 1 disk, none usable here: 2 are in use by the run {run}. Wait for its end (R: runs)")


def test_disks_in_ones_own_kept_array_are_said_to_be_in_it() -> None:
    in_use = disk("sdy", verdict=Verdict(Usability.REFUSE, "in an array"))
    said = questions.short_of_disks(of("quick"), Scan((in_use,), kept={in_use.id: Path("/runs/20260101T000000Z-beef")}))
    assert said.startswith("Needs 1 disk, none usable here: 1 is in the array that run")
    assert "20260101T000000Z-beef keeps" in said and "R: runs, then D" in said


@pytest.mark.parametrize(
    "wished, name",
    [
        ("", "quick"),
        ("proof", "proof"),
        ("sync-writes", "sync-writes"),
        ("nosuch", "quick"),
        ("burn-in", "quick"),
        ("levels-in-short", "quick"),
    ],
)
def test_an_array_to_keep_is_measured_by_the_recipe_of_config_toml(wished: str, name: str) -> None:
    built = questions.build(SHIPPED, wished)
    assert (built.name, built.recipe, built.after) == (name, dict(SHIPPED)[name], "keep")
