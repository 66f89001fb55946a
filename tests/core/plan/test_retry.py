"""One trial of a run, again: the answers that build its one setup and measure its one job."""

from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.plan import retry
from raidtui.core.plan.answers import Axes, Setup, parse, to_document
from raidtui.core.plan.steps import Command
from tests.builders import sweeps

RAID0 = Setup(level="0", chunk="64KiB")


def test_again_is_one_setup_and_one_job() -> None:
    made = sweeps.plan("levels-random-4k", 6, job={"rand_read": {"runtime": "5s"}, "rand_write": {"runtime": "6s"}})
    stage = next(one for one in made.stages if one.setup and (one.setup.level, one.setup.chunk) == ("5", "64KiB"))
    given = retry.answers_of(made, stage.trials[0].id)
    assert isinstance(given.axes, tuple) and given.axes[0].level == ("5",) and given.axes[0].chunk == ("64KiB",)
    once = sweeps.plan("levels-random-4k", 6, **{k: getattr(given, k) for k in ("axes", "jobs", "job", "setup")})
    (built,) = [one for one in once.stages if one.setup]
    assert built.setup == stage.setup and [trial.job for trial in built.trials] == [stage.trials[0].job]

    def measuring(stage: Any) -> list[tuple[str, ...]]:
        return [step.argv[4:] for step in stage.steps if isinstance(step, Command) and step.trial]

    assert measuring(built)[0] == measuring(stage)[0]
    assert parse(to_document(given)) == given


def test_again_with_other_numbers_changes_only_these() -> None:
    made = sweeps.plan("quick", 4, level="5")
    trial = next(trial for trial in made.trials if trial.job == "rand_write" and trial.target == "array")
    answers = retry.answers_of(made, trial.id)
    longer = retry.changed(answers, trial.job, runtime_s=40, iodepth=64)
    assert longer.job[trial.job] == {**answers.job.get(trial.job, {}), "runtime": "40s", "iodepth": 64}
    assert replace(longer, job=answers.job) == answers
    often = retry.changed(made.answers, "", repeat=5)
    assert (often.repeat, replace(often, repeat=made.answers.repeat)) == (5, made.answers)
    with pytest.raises(ValueError, match="name it"):
        retry.changed(made.answers, "", iodepth=2)


def test_again_of_a_baseline_keeps_the_job_and_of_nothing_names_what_there_is() -> None:
    made = sweeps.plan("quick", 3, setup=RAID0)
    given = retry.answers_of(made, "s1-member0-seq_read")
    assert given.jobs == ("seq_read",) and given.axes == (Axes(level=("0",), chunk=("64KiB",)),)
    with pytest.raises(ValueError, match="its trials are s1-member0-seq_write"):
        retry.answers_of(made, "nothing")


def test_again_of_an_offered_rate_measures_flat_out_before_it_and_of_a_round_all_rounds() -> None:
    loads = sweeps.plan("latency-at-load", 4, level="0")
    again = retry.answers_of(loads, "s1-read_at_load-rate_iops30")
    assert again.jobs == ("read_flat_out", "read_at_load-rate_iops30")
    rounds = sweeps.plan("flash-steady-state", 4, flash=True, level="0")
    assert retry.answers_of(rounds, "s1-rand_read.3").jobs == ()


def test_again_of_an_array_with_a_journal_is_refused_unless_it_is_measured_where_it_stands() -> None:
    made = sweeps.plan("quick", 4, level="5", bitmap="journal", after="keep")
    with pytest.raises(ValueError, match="had a journal, which only kept arrays have"):
        retry.answers_of(made, made.trials[-1].id)
    given = retry.explaining(made, made.trials[-1].id, ["queue"], "/dev/md127")
    assert (given.target, given.setup, given.axes, given.after) == ("/dev/md127", Setup(), (), "teardown")
    assert parse(to_document(given)) == given


def test_again_of_an_array_with_a_spare_takes_its_disks_alone() -> None:
    made = sweeps.plan("quick", 4, level="5", spares=1, after="keep")
    given = retry.answers_of(made, made.trials[-1].id)
    assert given.disks == tuple(member.id for member in made.members[:3]) and given.after == "teardown"
    once = sweeps.plan("quick", 3, **{k: getattr(given, k) for k in ("axes", "jobs", "setup")})
    (built,) = [one for one in once.stages if one.setup]
    assert (built.spares, built.array and built.array.capacity) == (0, made.stages[-1].array.capacity)  # type: ignore[union-attr]


def test_of_what_went_through_luks_nothing_is_measured_again_without_it() -> None:
    made = sweeps.plan("quick", 4, level="5", filesystem="xfs", between="luks", after="keep")
    trial = made.trials[-1].id
    for refused in (retry.answers_of, lambda plan, name: retry.explaining(plan, name, ["wbt"])):
        with pytest.raises(ValueError, match="its results are of LUKS on a kept array"):
            refused(made, trial)
    assert retry.explaining(made, trial, ["wbt"], "/srv/array").target == "/srv/array"
