"""Sequential tests of the bare array before mkfs: where they are, what they are called, who gets none."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from raidtui import recipes
from raidtui.core.plan import recipe, validate
from raidtui.core.plan.answers import Axes, Setup
from raidtui.core.plan.model import Plan, Stage, Trial
from raidtui.core.plan.planner import make
from raidtui.core.plan.retry import answers_of, explaining
from raidtui.core.plan.steps import Command, role_of
from raidtui.core.plan.target import Seen
from raidtui.core.plan.trials import options_of
from raidtui.core.results import ablation
from raidtui.core.units import MIB
from tests.builders import sweeps, targets
from tests.builders.plans import of_role
from tests.builders.racks import QUICK, RACK, answers, plan

RAID5 = Setup(level="5", chunk="512K", filesystem="xfs")
STRIPE = 5 * 512 * 1024


def quick(flash: bool = False, **more: object) -> Plan:
    return sweeps.plan("quick", 6, flash, **{"setup": RAID5, "after": "keep", **more})  # type: ignore[arg-type]


def bare(made: Plan) -> list[Trial]:
    return [trial for trial in made.trials if trial.bare]


def offset(stage: Stage, trial: Trial) -> int:
    return int(options_of(stage, trial.id)["offset"])


def test_rotating_disks_are_measured_at_both_ends_before_mkfs_and_the_file_keeps_its_test() -> None:
    stage = quick(size=999_123_456_512).stages[-1]  # of whose stripes nine tenths are no whole ones
    assert stage.array
    size = stage.array.capacity.array_bytes
    assert [(trial.id, trial.title, trial.target, trial.recipe_job, trial.baseline_job) for trial in stage.trials] == [
        ("s2-seq_write-bare", "Sequential write (outer)", "array", "seq_write", "seq_write"),
        ("s2-seq_read-bare", "Sequential read (outer)", "array", "seq_read", "seq_read"),
        ("s2-seq_write-inner", "Sequential write (inner)", "array", "seq_write", "seq_write-inner"),
        ("s2-seq_read-inner", "Sequential read (inner)", "array", "seq_read", "seq_read-inner"),
        ("s2-rand_write", "Random 4K write", "array", "rand_write", "rand_write"),
        ("s2-rand_read", "Random 4K read", "array", "rand_read", "rand_read"),
        ("s2-seq_write", "Sequential write (file)", "filesystem", "seq_write", "seq_write"),
        ("s2-seq_read", "Sequential read (file)", "filesystem", "seq_read", "seq_read"),
    ]
    outer, inner = stage.trials[0], stage.trials[2]
    assert offset(stage, outer) == STRIPE and outer.span_bytes == size - STRIPE
    assert offset(stage, inner) % STRIPE == 0 and 0 <= 0.9 * size - offset(stage, inner) < STRIPE
    assert offset(stage, inner) + inner.span_bytes == size
    made = next(at for at, step in enumerate(stage.steps) if role_of(step) == "mkfs")
    late = {step.trial for step in stage.steps[made:] if isinstance(step, Command) and step.trial}
    assert late == {"s2-seq_write", "s2-seq_read"}


def test_flash_has_no_tracks() -> None:
    assert [(trial.job, trial.title) for trial in bare(quick(flash=True))] == [
        ("seq_write-bare", "Sequential write (bare)"),
        ("seq_read-bare", "Sequential read (bare)"),
    ]


def test_their_time_and_bytes_are_in_the_plans() -> None:
    made, alone = quick(), quick(jobs=("rand_read", "rand_write"))
    tests = [trial for trial in made.stages[-1].trials if trial.recipe_job.startswith("seq_")]
    assert sum(trial.expected_s for trial in bare(made)) == pytest.approx(24, rel=0.01)
    assert bare(made)[0].written_bytes > 0 and bare(made)[2].written_bytes > 0 == bare(made)[1].written_bytes
    more = made.stages[-1].written_bytes - alone.stages[-1].written_bytes
    assert more > sum(trial.written_bytes for trial in tests)  # the test file is filled, too


@pytest.mark.parametrize("jobs", [("seq_read",), ("rand_read",), ("seq_write", "rand_read")])
def test_chosen_jobs_have_theirs_and_no_others(jobs: tuple[str, ...]) -> None:
    made = quick(jobs=jobs)
    assert {trial.recipe_job for trial in made.trials} == set(jobs)
    sequential = [job for job in jobs if job.startswith("seq")]
    assert [trial.job for trial in bare(made)] == [f"{job}-{end}" for end in ("bare", "inner") for job in sequential]


@pytest.mark.parametrize(
    "more",
    [
        {"axes": Axes(level=("5", "6"))},  # a sweep would take longer for each of its setups
        {"axes": Axes(filesystem=("xfs",))},  # file systems are compared
        {"setup": Setup(level="5", filesystem="none"), "after": "teardown"},
        {"setup": Setup(level="jbod", filesystem="xfs"), "after": "teardown"},
        {"jobs": ("seq_write",), "explain": ("bitmap",), "after": "teardown"},
        {"job": {"seq_read": {"direct": False}, "seq_write": {"direct": False}}},
        {"job": {"seq_read": {"time_based": False}, "seq_write": {"time_based": False}}},
        {"job": {name: {"numjobs": 4, "offset_increment": "25%"} for name in ("seq_read", "seq_write")}},
    ],
)
def test_what_is_no_single_array_with_a_file_system_or_no_timed_direct_test_has_none(more: dict[str, Any]) -> None:
    if "axes" in more:
        more = {"after": "teardown", "repeat": 1, **more}
        more.setdefault("setup", Setup(level="5", filesystem="xfs"))
    assert not bare(quick(**more)) and quick(**more).trials


@pytest.mark.parametrize("changed", [{"source": "an article"}, {"rounds": 5, "steady": "rand_write", "repeat": 1}])
def test_published_figures_and_rounds_have_none(changed: dict[str, object]) -> None:
    given = answers(filesystem="xfs", repeat=1)
    assert not bare(make(given, replace(QUICK, **changed), RACK, "here"))


@pytest.mark.parametrize("seen", [targets.device(), targets.folder("/srv")])
def test_what_exists_has_none(seen: Seen) -> None:
    assert targets.plan(seen).trials and not bare(targets.plan(seen))


def test_a_proof_has_none() -> None:
    made = sweeps.plan("proof", 6, setup=RAID5, after="keep")
    assert made.trials and not bare(made)


def test_a_recipes_own_job_keeps_its_name() -> None:
    jobs = (*QUICK.job, replace(QUICK.job[1], name="seq_read-bare"))
    made = make(answers(filesystem="xfs"), replace(QUICK, job=jobs), RACK, "here")
    assert "seq_read" not in {trial.of_job for trial in made.trials}
    assert len({trial.id for trial in made.trials}) == len(made.trials)


@pytest.mark.parametrize(
    "setup, device", [({"partition_start_sectors": 2048}, "{array:1}"), ({"between": "lvm"}, "{volume}")]
)
def test_they_are_on_the_device_that_gets_the_file_system(setup: dict[str, Any], device: str) -> None:
    after = "keep" if "between" in setup else "teardown"
    made = plan(answers(filesystem="xfs", **setup, after=after))
    stage = made.stages[-1]
    names = {options_of(stage, trial.id)["filename"] for trial in bare(made)}
    assert len(bare(made)) == 4 and names == {device}
    assert all(offset(stage, trial) >= MIB for trial in bare(made))


def test_the_device_is_filled_once_where_the_state_of_disks_is_prepared() -> None:
    made = plan(answers(filesystem="xfs", precondition=True))
    filled = [step.argv for step in of_role(made.stages[-1].steps, "fill")]
    assert ["--filename={array}" in argv for argv in filled] == [True, False]


def test_each_block_of_a_repeated_setup_has_them() -> None:
    made = quick(repeat=2, after="teardown")
    assert [trial.id for trial in bare(made) if trial.of_job == "seq_read" and trial.bare == "start"] == [
        "s2-seq_read-bare",
        "s4-seq_read-bare.2",
    ]


def test_no_step_of_theirs_is_allowed_once_the_file_system_is_there() -> None:
    made = quick()
    stage = made.stages[-1]
    test = next(step for step in stage.steps if isinstance(step, Command) and step.trial == "s2-seq_write-bare")
    steps = (*(step for step in stage.steps if step is not test), test)
    changed = replace(stage, steps=steps)
    with pytest.raises(ValueError, match=r"mkfs|file system"):
        validate.check(replace(made, stages=(*made.stages[:-1], changed)))


def test_a_bare_test_is_explained_on_the_bare_array_and_inner_tracks_are_not() -> None:
    made = quick(after="teardown")
    asked = explaining(made, "s2-seq_read-bare", ("queue",))
    assert asked.jobs == ("seq_read",) and asked.setup.filesystem == "none"
    with pytest.raises(ablation.NothingToExplain, match="inner tracks"):
        ablation.answers_of(made, sweeps.state(made), "s2-seq_read-inner")
    assert answers_of(made, "s2-seq_read-inner").jobs == ("seq_read",)


def test_a_recipe_may_expect_something_of_them() -> None:
    document = msgspec.to_builtins(recipes.load("quick"))
    for name in ("seq_read-bare", "seq_read-inner"):
        document["expect"] = [{"fail_if": f"{name}.mbps < 1"}]
        assert recipe.parse(document, "x").expect
    document["expect"] = [{"fail_if": "seq_read-outer.mbps < 1"}]
    with pytest.raises(recipe.RecipeError):
        recipe.parse(document, "x")
