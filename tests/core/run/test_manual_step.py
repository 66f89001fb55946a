"""What a run waits for a person to do, as its journal tells it."""

from raidtui.core.plan.steps import ManualStep
from raidtui.core.run import progress
from raidtui.core.run.events import AnyEvent, StepEnded, StepStarted, StopAsked
from raidtui.core.run.progress import moved, waited_s
from raidtui.core.run.state import RunState, fold_all
from tests.builders.layered import LUKS, filled, made

PLAN = filled(made(LUKS))
NUMBER = len(PLAN.stages) - 1


def begun(role: str = "encrypt", *, undoing: bool = False, at_s: float = 100.0) -> StepStarted:
    return StepStarted(at_s=at_s, stage=NUMBER, what="", line="", role=role, undoing=undoing)


def test_the_step_that_waits_is_the_one_that_was_begun_and_is_a_persons() -> None:
    state = fold_all([begun()])
    step = progress.manual_step(PLAN, state)
    assert isinstance(step, ManualStep) and (step.role, "luksFormat" in step.argv) == ("encrypt", True)
    assert (due := progress.manual_step(PLAN, fold_all([begun("unlock")]))) and due.role == "unlock"
    assert progress.manual_step(PLAN, RunState()) is None


def test_nobody_is_waited_for_once_it_is_done_stopped_or_taken_back() -> None:
    told: tuple[list[AnyEvent], ...] = (
        [begun(), StepEnded(at_s=101.0, what="")],
        [begun(), StopAsked(at_s=101.0)],
        [begun("mkfs")],
        [begun("unlock", undoing=True)],
    )
    for others in told:
        assert progress.manual_step(PLAN, fold_all(others)) is None


def test_what_was_waited_is_no_part_of_the_runs_pace() -> None:
    hours: list[AnyEvent] = [begun(), StepEnded(at_s=100.0 + 7200, what=""), begun("unlock", at_s=100.0 + 7200)]
    state = fold_all(hours, RunState(started_at_s=100.0))
    now_s = 100.0 + 7260
    assert waited_s(state, now_s) == 7260 and moved(PLAN, state, PLAN.estimate_s, now_s) == (7260, "person")
    slow = fold_all([begun("mkfs")], RunState(started_at_s=100.0))
    assert moved(PLAN, slow, PLAN.estimate_s, now_s) == (7260, "build")
