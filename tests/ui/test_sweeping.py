"""Boxes of a sweep: what a recipe fills in, what a tick writes, what each costs, and what cannot be ticked."""

import tomllib

import pytest
from msgspec.structs import replace

from raidtui import recipes
from raidtui.core.plan import planner
from raidtui.core.plan.answers import Axes, parse
from raidtui.core.plan.recipe import Recipe
from raidtui.core.units import KIB
from raidtui.ui.draft import Draft, answers
from raidtui.ui.sweeping import can_vary, costs, offered, ticked, toggled
from tests.ui.machines import rack

_DISKS = rack(4)
_IDS = tuple(disk.id for disk in _DISKS)
_SHORT = Draft(disks=_IDS, recipe="levels-in-short", builds="recipe")
VARIED = tuple(
    name for name in recipes.names() if can_vary(Draft(disks=_IDS, builds="recipe"), recipes.load(name))
)  # fmt: skip


def _recipe(draft: Draft) -> Recipe:
    return recipes.load(draft.recipe)


def _ticked_one_by_one(draft: Draft, *boxes: str | int) -> Draft:
    for box in boxes:
        draft = toggled(draft, _recipe(draft), box)
    return draft


def test_a_recipe_fills_the_boxes_in_and_one_array_is_one_level_and_chunk() -> None:
    assert ticked(_SHORT, _recipe(_SHORT)) == {"0", "10", "5", "6", 512 * KIB}
    random = replace(_SHORT, recipe="levels-random-4k")
    sizes = {4 * KIB << power for power in range(9)}
    assert ticked(random, _recipe(random)) == {"0", "10", "5", "6", *sizes}
    assert set(offered(random, _recipe(random))["chunks"]) == sizes | {2048 * KIB}
    one = Draft(disks=_IDS, level="6", chunk="64KiB")
    assert ticked(one, _recipe(one)) == {"6", 64 * KIB}
    assert ticked(replace(one, level="1", chunk=""), _recipe(one)) == {"1"}


def test_which_drafts_have_boxes() -> None:
    assert {"quick", "levels-in-short", "raid0-gain", "degraded"} <= set(VARIED)
    assert not {"existing", "burn-in", "disk-baseline", "zones", "proof", "latency-at-load"} & set(VARIED)
    assert not can_vary(Draft(disks=_IDS, after="keep"), recipes.load("quick"))
    unreadable = replace(_recipe(_SHORT), axes=Axes(level=("raid5",)))
    assert not can_vary(_SHORT, unreadable)


def test_a_tick_writes_what_an_answer_file_says_and_plans_the_same() -> None:
    draft = _ticked_one_by_one(_SHORT, "0", "10", "1", 64 * KIB)
    by_hand = f"""
        disks = {list(_IDS)}
        recipe = "levels-in-short"
        [[axes]]
        level = ["5", "6"]
        chunk = ["64KiB", "512KiB"]
        [[axes]]
        level = ["1"]
    """
    assert answers(draft) == parse(tomllib.loads(by_hand))
    codes = [
        planner.make(one, _recipe(draft), _DISKS, "machine").code
        for one in (answers(draft), parse(tomllib.loads(by_hand)))
    ]
    assert codes[0] == codes[1]
    setups = {stage.setup for stage in planner.make(answers(draft), _recipe(draft), _DISKS, "machine").stages}
    assert {(one.level, one.chunk) for one in setups if one} == {
        ("5", "64KiB"), ("5", "512KiB"), ("6", "64KiB"), ("6", "512KiB"), ("1", ""),
    }  # fmt: skip


def test_other_axes_of_the_recipe_stay_but_a_further_level_has_its_own_layout() -> None:
    random = replace(_SHORT, recipe="levels-random-4k")
    axes = _ticked_one_by_one(random, "1", *(4 * KIB << power for power in range(8))).axes
    assert [(one.level, one.layout, one.chunk, one.first_sync) for one in axes] == [
        (("0",), (), ("1MiB",), ()), (("10",), ("n2",), ("1MiB",), ("skip",)),
        (("5", "6"), (), ("1MiB",), ("skip",)), (("1",), (), (), ()),
    ]  # fmt: skip
    assert {one.filesystem for one in axes} == {("xfs",)}
    layouts = replace(_SHORT, recipe="raid10-layouts")
    assert [one.layout for one in toggled(layouts, _recipe(layouts), "5").axes] == [("n2", "o2", "f2"), ()]


def test_of_a_set_of_tests_without_a_sweep_its_file_system_stays() -> None:
    chosen = Draft(disks=_IDS, level="5", filesystem="xfs", chunk="64KiB", bitmap="none", first_sync="wait")
    swept = answers(toggled(chosen, _recipe(chosen), "6"))
    assert swept.axes == (Axes(level=("5", "6"), chunk=("64KiB",)),)
    assert (swept.setup.level, swept.setup.filesystem, swept.setup.bitmap) == ("", "xfs", "internal")


@pytest.mark.parametrize("name", VARIED)
def test_what_is_ticked_and_unticked_is_the_recipe_again(name: str) -> None:
    """And each single tick shows: a box that changes nothing is refused."""
    recipe = recipes.load(name)
    draft = replace(_SHORT, recipe=name, builds="recipe" if recipe.sweeps else "usual")
    before = ticked(draft, recipe)
    for box in sum(offered(draft, recipe).values(), ()):
        once = toggled(draft, recipe, box)
        if once == draft:
            assert {type(one) for one in before ^ {box}} != {str, int}  # no level would be left, or no chunk
            continue
        assert (box in ticked(once, recipe)) != (box in before), box
        assert toggled(once, recipe, box) == draft


def test_a_level_stays_and_a_chunk_where_one_is_needed() -> None:
    recipe = _recipe(_SHORT)
    assert toggled(_SHORT, recipe, 512 * KIB) == _SHORT
    single = _ticked_one_by_one(_SHORT, "0", "10", "6")
    assert ticked(single, recipe) == {"5", 512 * KIB} and toggled(single, recipe, "5") == single
    assert toggled(toggled(single, recipe, 64 * KIB), recipe, 512 * KIB).axes[0].chunk == ("64KiB",)
    short = _ticked_one_by_one(single, 64 * KIB, 512 * KIB)
    assert toggled(short, recipe, 64 * KIB) == short  # the usual chunk would come in its place
    one = Draft(disks=_IDS, level="1")
    assert toggled(one, _recipe(one), 64 * KIB) == one
    mirror = _ticked_one_by_one(single, "1", "5")
    assert ticked(mirror, recipe) == {"1"} and mirror.axes == (Axes(level=("1",)),)
    assert toggled(mirror, recipe, 64 * KIB) == mirror  # no ticked level has a chunk


def test_what_each_level_and_chunk_costs_adds_up_to_the_setups() -> None:
    draft = _ticked_one_by_one(_SHORT, "10", "6", 64 * KIB, "1")
    plan = planner.make(answers(draft), _recipe(draft), _DISKS, "machine")
    of, cells = costs(plan), [stage for stage in plan.stages if stage.setup]
    assert set(of) == {"0", "5", "1", 0, 64 * KIB, 512 * KIB}
    tests = {box: one.tests for box, one in of.items()}
    assert (tests["0"], tests["5"], tests["1"]) == (2 * tests["1"], 2 * tests["1"], tests[64 * KIB] // 2)
    assert sum(of[key].tests for key in "051") == sum(len(stage.trials) for stage in cells)
    assert sum(of[key].written_bytes for key in "051") == sum(
        trial.written_bytes for stage in cells for trial in stage.trials
    )
    assert of["0"].seconds + of["5"].seconds == pytest.approx(of[64 * KIB].seconds + of[512 * KIB].seconds)
    assert 0 < sum(of[key].seconds for key in "051") < plan.estimate_s
