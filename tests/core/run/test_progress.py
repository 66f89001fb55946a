"""Where a run's time goes: the estimate by parts, what was taken, what is left and how that is corrected on the way."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from raidtui.core.plan import estimate
from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Plan, Stage, goes_on
from raidtui.core.plan.roles import Role
from raidtui.core.run import events, progress
from raidtui.core.run.state import RunState, fold_all
from tests.builders import handmade, sweeps
from tests.builders.journals import started

PLAN = sweeps.plan("levels-random-4k", 6, axes=Axes(chunk=("64KiB", "512KiB")))
STAGES = estimate.stages(PLAN)
BEGUN = started("r")


def measured_stages(count: int, slower: float) -> RunState:
    """A run that has ended so many stages, each part of them taking `slower` times what was expected."""
    told: list[events.AnyEvent] = [BEGUN]
    at_s = 1.0
    for number, times in enumerate(STAGES[:count]):
        told.append(events.StageStarted(at_s=at_s, stage=number))
        for trial in PLAN.stages[number].trials:
            told.append(events.TrialStarted(at_s=at_s, trial=trial.id, expected_s=trial.expected_s))
            at_s += slower * times["trial"] / len(PLAN.stages[number].trials)
            told.append(events.TrialEnded(at_s=at_s, trial=trial.id, measurement=handmade.measurement(trial, 1.0)))
        told.append(events.StageEnded(at_s=at_s, stage=number))
    told.append(events.StageStarted(at_s=at_s, stage=count))
    return fold_all(told)


def test_the_estimate_is_the_sum_of_its_parts() -> None:
    whole = estimate.whole(PLAN)
    assert PLAN.estimate_s == pytest.approx(sum(whole.values())) == pytest.approx(sum(sum(s.values()) for s in STAGES))
    assert whole["trial"] > sum(trial.expected_s for trial in PLAN.trials)
    assert min(whole[part] for part in ("build", "filesystem", "mount", "look", "fill", "setting", "teardown")) > 0


def test_the_code_that_confirms_a_plan_does_not_hang_on_how_fast_the_machine_was_just_then() -> None:
    fast, slow = (sweeps.plan("levels-random-4k", 6, command_s=seconds) for seconds in (0.01, 1.0))
    assert slow.estimate_s > 1.2 * fast.estimate_s
    assert fast.code == slow.code


def test_before_anything_is_measured_the_estimate_is_what_is_left() -> None:
    begun = fold_all([BEGUN, events.StageStarted(at_s=1.0, stage=0)])
    assert progress.left_s(PLAN, STAGES, begun, 1.0) == pytest.approx(PLAN.estimate_s)


def test_trials_that_take_longer_than_expected_correct_those_to_come() -> None:
    as_expected, slower = (progress.left_s(PLAN, STAGES, measured_stages(2, factor), 0.0) for factor in (1.0, 2.0))
    rest_s = sum(sum(times.values()) for times in STAGES[2:])
    trials_s = sum(times["trial"] for times in STAGES[2:])
    assert as_expected == pytest.approx(rest_s, rel=0.01)
    assert trials_s / 2 < slower - as_expected < trials_s  # by some seconds the estimate is still believed


def test_what_runs_now_is_counted_down_and_never_below_nothing() -> None:
    state = fold_all(
        [
            BEGUN,
            events.StageStarted(at_s=0.0, stage=1),
            events.StepStarted(
                at_s=10.0,
                stage=1,
                what="Wait for the initial resync",
                line="mdadm --wait",
                role="sync-finished",
                estimate_s=60,
            ),
        ]
    )
    left = [progress.left_s(PLAN, STAGES, state, now_s) for now_s in (10.0, 40.0, 9e9)]
    assert left[0] - left[1] == pytest.approx(30)
    assert left[2] >= left[0] - 62


def test_time_without_a_worker_is_none_of_the_runs() -> None:
    died: list[events.AnyEvent] = [
        BEGUN,
        events.StepStarted(at_s=5.0, stage=0, what="Create the array", line="mdadm --create x", role="create"),
        replace(BEGUN, at_s=5000.0),
        events.StepStarted(at_s=5000.0, stage=0, what="Create the array", line="mdadm --create x", role="create"),
        events.StepEnded(at_s=5003.0, what="Create the array", written_bytes=7),
        events.StepStarted(
            at_s=5003.0, stage=0, what="Stop the array", line="mdadm --stop x", role="stop", undoing=True
        ),
        events.StepEnded(at_s=5004.0, what="Stop the array", written_bytes=4),
    ]
    state = fold_all(died)
    assert progress.active_s(state) == 4 + 4
    assert progress.seconds_taken(state) == {"build": 3, "teardown": 1, "trial": 0}
    assert state.written_bytes == 11


@pytest.mark.parametrize("same_job", [True, False])
def test_bytes_to_come_follow_what_the_first_test_of_a_job_wrote_or_of_one_like_it(same_job: bool) -> None:
    plan = PLAN
    first = next(trial for trial in plan.trials if trial.written_bytes)
    if not same_job:
        renamed = [trial if trial is first else replace(trial, job="another") for trial in plan.stages[0].trials]
        stages = [replace(plan.stages[0], trials=tuple(renamed))]
        stages += [
            replace(stage, trials=tuple(replace(trial, job="another") for trial in stage.trials))
            for stage in plan.stages[1:]
        ]
        plan = replace(plan, stages=tuple(stages))
    before = progress.writing(plan, fold_all([BEGUN]))
    assert before == (plan.written_bytes, True)
    rest = sum(trial.written_bytes for trial in plan.trials if trial is not first)
    assert rest and all(trial.rw.startswith("rand") for trial in plan.trials if trial.written_bytes)
    measured = fold_all(
        [
            BEGUN,
            events.StepStarted(at_s=2.0, stage=0, what="Tests", line="fio", role="measure"),
            events.TrialStarted(at_s=3.0, trial=first.id, expected_s=6.0),
            events.TrialEnded(at_s=9.0, trial=first.id, measurement=handmade.measurement(first, 1.0)),
            events.StepEnded(at_s=9.0, what="Tests", written_bytes=first.written_bytes // 10),
        ]
    )
    assert measured.trials[-1].written_bytes == first.written_bytes // 10
    saved = first.written_bytes + rest - (first.written_bytes + rest) // 10
    assert progress.writing(plan, measured).whole_bytes == pytest.approx(plan.written_bytes - saved, rel=1e-6)
    assert not progress.writing(plan, measured).is_assumed


def synced() -> Plan:
    """RAID 6 twice, the second time on the array of the first, with a sync of 50 GB and what is filled before tests."""
    of_six = PLAN.stages[7]
    first = replace(of_six, sync_bytes=_SYNC, written_bytes=of_six.written_bytes + _SYNC)
    renamed = tuple(replace(trial, id=f"{trial.id}-again") for trial in first.trials)
    plan = replace(PLAN, stages=(first, replace(first, trials=renamed)))
    assert goes_on(plan, 1)
    return plan


_SYNC = 50 * 10**9


def building_of(stage: Stage) -> int:
    return stage.written_bytes - sum(trial.written_bytes for trial in stage.trials)


def made(number: int, stage: Stage, at_s: float, *, synced: bool = True) -> list[events.AnyEvent]:
    """A stage's array is synced, if at all, and filled: 6 s."""
    told: list[events.AnyEvent] = [events.StageStarted(at_s=at_s, stage=number)]
    for role, count in (("sync", _SYNC), ("fill", building_of(stage) - _SYNC))[not synced :]:
        told.append(events.StepStarted(at_s=at_s + 1, stage=number, what=role, line="x", role=role))
        at_s += 3
        told.append(events.StepEnded(at_s=at_s, what=role, written_bytes=count))
    return told


def measuring(number: int, stage: Stage, at_s: float) -> list[events.AnyEvent]:
    """All tests of a stage, each as it was reckoned, then its end: 3 s each and 1."""
    told: list[events.AnyEvent] = []
    for trial in stage.trials:
        told += [
            events.StepStarted(at_s=at_s, stage=number, what="Tests", line="fio", role="measure"),
            events.TrialStarted(at_s=at_s + 1, trial=trial.id, expected_s=1.0),
            events.TrialEnded(at_s=at_s + 2, trial=trial.id, measurement=handmade.measurement(trial, 1.0)),
            events.StepEnded(at_s=at_s + 3, what="Tests", written_bytes=trial.written_bytes),
        ]
        at_s += 3
    return [*told, events.StageEnded(at_s=at_s + 1, stage=number)]


def wholes(plan: Plan, journal: Sequence[events.AnyEvent], state: RunState) -> set[int]:
    """What is told after each of these events."""
    told = set()
    for event in journal:
        state = fold_all([event], state)
        told.add(progress.writing(plan, state).whole_bytes)
    return told


def test_bytes_to_come_do_not_change_while_what_was_reckoned_is_written() -> None:
    plan = synced()
    first, second = plan.stages
    journal = [*made(0, first, 2.0), *measuring(0, first, 10.0)]
    journal += [*made(1, second, 40.0, synced=False), *measuring(1, second, 50.0)]
    whole = first.written_bytes + second.written_bytes - _SYNC
    assert building_of(first) > _SYNC and wholes(plan, journal, fold_all([BEGUN])) == {whole}


def test_another_worker_builds_anew_what_its_next_tests_need() -> None:
    plan = synced()
    first, second = plan.stages
    over = fold_all([BEGUN, *made(0, first, 2.0), *measuring(0, first, 10.0), *made(1, second, 40.0, synced=False)])
    again = replace(BEGUN, at_s=100.0)
    whole = over.written_bytes + second.written_bytes
    assert wholes(plan, [again, *made(1, second, 101.0), *measuring(1, second, 110.0)], over) == {whole}


def test_a_worker_that_died_in_a_test_left_nothing_that_the_next_one_uses() -> None:
    plan = synced()
    first, second = plan.stages
    begun = fold_all([BEGUN, *made(0, first, 2.0), *measuring(0, first, 10.0)[:2]])
    again = replace(BEGUN, at_s=100.0)
    whole = begun.written_bytes + first.written_bytes + second.written_bytes - _SYNC
    assert wholes(plan, [again, *made(0, first, 101.0)], begun) == {whole}


def test_what_is_measured_again_by_the_same_worker_is_built_again() -> None:
    plan = synced()
    plan = replace(plan, stages=plan.stages[:1])
    (stage,) = plan.stages
    once = fold_all([BEGUN, *made(0, stage, 2.0), *measuring(0, stage, 10.0)])
    asked = [events.TrialsRepeated(at_s=50.0, trials=tuple(trial.id for trial in stage.trials), why="baseline")]
    begun = fold_all([*asked, events.StageStarted(at_s=51.0, stage=0)], once)
    assert wholes(plan, made(0, stage, 51.0), begun) == {2 * stage.written_bytes}


@pytest.mark.parametrize(
    "seconds_into_it, measured, words",
    [(3.0, 0, "assumed"), (3.0, 1, "measured"), (300.0, 0, "at least"), (300.0, 1, "at least")],
)
def test_the_time_left_says_what_it_rests_on(seconds_into_it: float, measured: int, words: str) -> None:
    begun = measured_stages(measured, 1.0)
    trial = PLAN.stages[measured].trials[0]
    running = fold_all(
        [
            events.StepStarted(at_s=begun.now_s, stage=measured, what="Tests", line="fio", role="measure"),
            events.TrialStarted(at_s=begun.now_s, trial=trial.id, expected_s=trial.expected_s),
        ],
        begun,
    )
    assert progress.basis(PLAN, running, running.now_s + seconds_into_it) == words


def test_that_the_end_moves_is_said_with_its_part_before_the_estimated_time_is_over() -> None:
    def moved(pace: float) -> tuple[float, str] | None:
        state = measured_stages(2, pace)
        assert state.now_s < PLAN.estimate_s
        return progress.moved(PLAN, state, progress.left_s(PLAN, STAGES, state, state.now_s), state.now_s)

    slow, fast = moved(2.0), moved(0.5)
    assert moved(1.0) is None and slow and fast
    assert (slow[0] > 0, fast[0] < 0, slow[1], fast[1]) == (True, True, "trial", "trial")


@pytest.mark.parametrize("role, part", [("sync-finished", "sync"), ("mkfs", "build")])
def test_a_step_that_lasts_longer_than_estimated_moves_the_end(role: Role, part: str) -> None:
    state = fold_all(
        [events.StepStarted(at_s=0.0, stage=0, what="It", line="it", role=role, estimate_s=1.0)],
        measured_stages(0, 1.0),
    )
    found = progress.moved(PLAN, state, PLAN.estimate_s, 9_000.0)
    assert found and found[0] > 0 and found[1] == part
