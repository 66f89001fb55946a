"""Repetitions as blocks: every setup once in each, arrays together, another order each time, all of it built anew."""

from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui import recipes
from raidtui.core.plan import estimate, recipe, sweep
from raidtui.core.plan.answers import Axes, PlanRefused
from raidtui.core.plan.blocks import orders, usual
from raidtui.core.plan.model import Plan, Stage, confirmation_code, encode, goes_on, sections, steps_of
from raidtui.core.plan.retry import answers_of
from raidtui.core.plan.slots import count
from raidtui.core.plan.summary import cost
from raidtui.core.plan.validate import decode
from raidtui.core.script.render import script
from tests.builders import sweeps

AXES = Axes(level=("0", "10"), chunk=("64KiB", "512KiB"), filesystem=("xfs", "none"))


def plan(repeat: int = 3, name: str = "quick", **more: object) -> Plan:
    given: dict[str, object] = {"repeat": repeat, "axes": AXES} | more
    return sweeps.plan(name, 4, **given)  # type: ignore[arg-type]


def built(made: Plan, block: int) -> list[Stage]:
    return [stage for stage in made.stages if stage.block == block and stage.setup]


@pytest.mark.parametrize("setups, blocks", [(1, 1), (2, 5), (3, 4), (4, 3), (36, 3)])
def test_as_many_blocks_as_the_number_of_setups_is_worth(setups: int, blocks: int) -> None:
    assert usual(setups) == blocks
    assert recipe.repetitions(recipes.load("levels-random-4k"), "fair", setups) == blocks
    assert recipe.repetitions(recipes.load("levels-random-4k"), "as-published", setups) == 1
    assert recipe.repetitions(recipes.load("quick"), "", setups) == 1


@given(st.lists(st.integers(0, 3), min_size=1, max_size=8), st.integers(1, 4), st.text(max_size=3))
def test_a_block_has_every_arm_once_and_groups_together(groups: list[int], blocks: int, seed: str) -> None:
    arms = list(enumerate(groups))
    drawn = orders(arms, blocks, seed, lambda arm: arm[1])
    assert len(drawn) == blocks
    for order in drawn:
        assert sorted(order) == arms
        assert len(list(groupby(order, key=lambda arm: arm[1]))) == len(set(groups))
    assert orders(arms, blocks, seed, lambda arm: arm[1]) == drawn


def test_orders_are_drawn_evenly() -> None:
    """Of 600 blocks of three arms each of the six orders is 100 of them, give or take 4 standard deviations."""
    drawn = orders("abc", 600, "seed")
    counts = [drawn.count(one) for one in set(drawn)]
    assert len(counts) == 6 and all(64 <= number <= 136 for number in counts)


def test_each_block_begins_with_its_baseline_and_builds_every_setup_anew() -> None:
    made = plan()
    assert made.blocks == 3 and made.answers.repeat == 3
    for block in (1, 2, 3):
        own = [stage for stage in made.stages if stage.block == block]
        assert own[0].setup is None and {trial.block for stage in own for trial in stage.trials} == {block}
        assert {stage.setup for stage in own[1:]} == {stage.setup for stage in built(made, 1)} and len(own) == 9
        arrays = [sweep.array_of(stage.setup) for stage in own if stage.setup]
        assert len(list(groupby(arrays))) == 4
    assert len({tuple(stage.title for stage in built(made, block)) for block in (1, 2, 3)}) > 1
    uuids = [{stage.array.uuid for stage in built(made, block) if stage.array} for block in (1, 2, 3)]
    assert not uuids[0] & uuids[1] and not uuids[1] & uuids[2] and count(made) == 3 * (4 + 4)


def test_where_no_disk_is_measured_alone_a_block_does_not_go_on_with_the_array_of_the_last() -> None:
    made = plan(name="alignment-proof", axes=Axes(level=("0",), filesystem=("xfs", "none")))
    first = [number for number, stage in enumerate(made.stages) if stage.block != made.stages[number - 1].block]
    assert len(first) == 3 and not any(goes_on(made, number) for number in first)
    assert all(any("--create" in str(step) for step in steps_of(made, number)) for number in first)


def test_the_same_answers_give_the_same_orders_and_others_others() -> None:
    assert plan() == plan()
    titles = {
        tuple(stage.title for stage in plan(jobs=(job,)).stages) for job in ("seq_read", "seq_write", "rand_read")
    }
    assert len(titles) > 1


def test_one_block_is_what_it_was() -> None:
    """Its order is the recipe's, its trials are in no block, and a code given before there were blocks fits."""
    made = plan(repeat=1)
    assert not made.blocks and all(trial.block == 0 and trial.id.count(".") == 0 for trial in made.trials)
    plain = encode(made).replace(b'"block": 0,', b"")
    assert b'"block"' not in plain and confirmation_code(decode(plain)) == confirmation_code(made)


def test_the_last_of_several_blocks_alone_keeps_its_array() -> None:
    made = sweeps.plan("quick", 4, repeat=2, after="keep", axes=Axes(level=("5",), filesystem=("xfs",)))
    ends = [[getattr(step, "role", "") for step in stage.steps][-1] for stage in made.stages if stage.setup]
    assert ends[0] != "unmount" and ends[1] == "unmount"


def test_the_cost_tells_the_blocks_and_what_one_would_take() -> None:
    made, once = plan(), plan(repeat=1)
    assert any(line.startswith("3 passes of") for line in cost(made)) and "8 setups, built 12 times" in cost(made)[0]
    assert not any("passes" in line for line in cost(once))
    assert estimate.one_block_s(made) == pytest.approx(once.estimate_s, rel=0.01)
    assert made.estimate_s == pytest.approx(3 * once.estimate_s, rel=0.05)


def test_parts_and_the_script_name_their_blocks() -> None:
    made = sweeps.linked(plan())
    assert sum(part.title == "Pass 2 of 3: Baseline" for part in sections(made)) == 1
    text = script(made)
    assert all(f"# Pass {block} of 3: Baseline" in text for block in (1, 2, 3))


def test_a_trial_of_a_later_block_is_measured_again_by_itself() -> None:
    made = plan()
    trial = built(made, 2)[1].trials[0]
    again = answers_of(made, trial.id)
    assert again.repeat == 1 and again.jobs == (trial.job,)


def test_rounds_take_the_place_of_blocks() -> None:
    made = sweeps.plan("flash-steady-state", 4, repeat=None, axes=Axes(level=("0", "5")))
    assert (made.answers.repeat, made.blocks, len(made.stages)) == (1, 0, 2)
    assert {trial.rounds for trial in made.trials} == {25} and made.trials[-1].id.endswith(".25")
    with pytest.raises(PlanRefused, match="leave it out"):
        sweeps.plan("flash-steady-state", 4, repeat=3, axes=Axes(level=("0", "5")))
