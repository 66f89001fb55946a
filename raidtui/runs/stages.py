"""Order of a run: stages, undo, resumption. Steps are the executor's."""

import time
from collections.abc import Callable
from functools import partial

from raidtui.core.plan import member_steps
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan, carried_out, goes_on, stays, undo
from raidtui.core.plan.parsed_setup import lacks_parity
from raidtui.core.plan.roles import Role
from raidtui.core.plan.steps import Check, Command, Step, role_of
from raidtui.core.plan.trials import measured_again, tests_end
from raidtui.core.run import events
from raidtui.core.run.kept import keeping_due
from raidtui.core.run.proof import continued_at, differing
from raidtui.core.run.state import RunState
from raidtui.runs import continuing
from raidtui.runs.boot import is_in_place, takings
from raidtui.runs.care import following
from raidtui.runs.context import StageContext
from raidtui.runs.executor import Executor
from raidtui.runs.member_guard import MembersError
from raidtui.runs.proof import until_cut
from raidtui.runs.removal.free import array_is_free
from raidtui.runs.removal.intents import Intent, before_course
from raidtui.runs.waiting import Refused, StepFailed, Stopped

Outcome = tuple[str, str, list[str]]  # finished, stopped or failed; the reason; what could not be cleared away
Course = Callable[[Plan, Executor, RunState], Outcome]


def go(plan: Plan, executor: Executor, past: RunState) -> Outcome:
    """What `past` has not done; leftovers of an earlier worker are torn down first."""
    if past.differed:  # the array is the evidence
        executor.refused = True
        return "failed", f"{differing(past.differed[-1], plan)}; nothing is continued", left_behind(past)
    if (index := continued_at(plan, past)) is not None:
        return _through(plan, executor, past, index)
    if past.worker and not plan.care:  # what md has begun there is gone on with
        went = take_back(plan, executor, past)
        if went[0] != "finished":
            return went
    went = _through(plan, executor, past)
    while went[0] == "finished" and executor.repeats_block():
        went = _through(plan, executor, executor.state)
    return went


def _through(plan: Plan, executor: Executor, past: RunState, index: int = 0) -> Outcome:
    """`index`: of the step at which the first of these stages is continued."""
    trials_done = frozenset(trial.id for trial in plan.trials if past.is_final(trial.id))
    numbers = [number for number in range(len(plan.stages)) if not _is_done(plan, number, past, trials_done)]
    if index:  # its tests may have ended: what follows them has not
        numbers = sorted({*numbers, past.stage})
    reused = False  # is the array that of the stage before?
    for number in numbers:
        executor.begin(number, carried_out(plan, number))
        goes_on_next = number + 1 in numbers and goes_on(plan, number + 1)
        outcome, reason, leftovers = run_stage(
            plan,
            number,
            executor,
            reused=reused,
            goes_on_next=goes_on_next,
            trials_done=trials_done,
            past=past,
            index=index,
        )
        index = 0
        if outcome != "finished" or leftovers:
            return outcome, reason, leftovers
        executor.end(number, kept=stays(plan, number))
        reused = goes_on_next
    return "finished", "", []


def _is_done(plan: Plan, number: int, past: RunState, trials_done: frozenset[str]) -> bool:
    """All its trials are final (it need not have ended); a kept array must also exist."""
    stage = plan.stages[number]
    complete = past.kept if number == plan.kept_stage else number in past.stages_done or bool(stage.trials)
    return complete and all(trial.id in trials_done for trial in stage.trials)


def take_back(plan: Plan, executor: Executor, past: RunState) -> Outcome:
    """Tears down the last stage begun: earlier ones did so themselves. Permanence was undone before."""
    number = past.stage - plan.stages[past.stage].permanent
    stage = plan.stages[number]
    executor.begin(number, stage)
    if reason := _why_not(executor, partial(before_course, executor.context, Intent.REMOVE, past, executor.to_remove)):
        return "failed", reason, left_behind(past) or [reason]
    if leftovers := _undo(stage.steps, executor):
        return "failed", "; ".join(leftovers), leftovers
    return "finished", "", []


def settle(plan: Plan, executor: Executor, past: RunState) -> Outcome:
    """Completes the stage of the existing kept array, and makes it permanent; the array stays in any case."""
    if keeping_due(plan, past):
        if reason := _finish_keeping(plan, executor):
            return "failed", reason, []
        past = executor.state
    if plan.kept_stage not in past.stages_done:
        return "failed", "its worker died; the array was kept", []
    if (number := plan.permanence) is None or number in past.stages_done:
        return "finished", "", []
    executor.begin(number, carried_out(plan, number))
    went = run_stage(plan, number, executor)
    if went[0] == "finished":
        executor.end(number, kept=True)
    return went


def _finish_keeping(plan: Plan, executor: Executor) -> str:
    """Steps after a kept stage's tests, repeatable; the reason if impossible, else ""."""
    number = plan.kept_stage
    assert number is not None
    stage = plan.stages[number]
    executor.begin(number, stage)
    context = executor.context
    steps = [step for step in stage.steps if isinstance(step, Command) and step.role == "mount"]
    if all(context.host.is_mounted(context.path / step.folder) for step in steps):
        steps = []
    try:
        for step in (*steps, *stage.steps[tests_end(stage) :]):
            if not _is_added(context, step):
                executor.carry_out(step)
    except (StepFailed, MembersError, Stopped) as ended:
        executor.refused = isinstance(ended, Refused)
        return str(ended) or "stopped on request"
    executor.end(number, kept=True)
    return ""


def _is_added(context: StageContext, step: Step) -> bool:
    if not (isinstance(step, Command) and step.role == "add"):
        return False
    in_array = [name for part in context.parts() for name in context.host.slaves(part)]
    return all(context.node(index).removeprefix("/dev/") in in_array for index in step.members)


# Steps whose failure leaves no line in a file: the others are undone all the same
_UNDONE_WITHOUT: dict[Role, str] = {
    **dict.fromkeys(("assemble", "import-pool"), "the array is not assembled"),
    "udev-reload": "udev has the removed rules until it reads them again",
}


def undo_permanence(plan: Plan, executor: Executor, past: RunState) -> Outcome:
    """Removes the run's lines from boot files; the array stays. Refused, unchanged, if somebody edited them."""
    assert plan.permanence is not None
    executor.begin(plan.permanence, carried_out(plan, plan.permanence))
    try:
        for _ in takings(executor.context.path, past, executor.context.host):
            pass  # each can be told
        for step in undo(plan.stages[plan.permanence].steps):
            try:
                executor.carry_out(step, undoing=True)
            except StepFailed as failed:
                if (what := _UNDONE_WITHOUT.get(role_of(step))) is None:
                    raise
                executor.waiter.warn(f"{what}: {failed}")
    except (StepFailed, OSError) as failed:
        executor.refused = isinstance(failed, Refused)
        return "failed", str(failed), []
    return "finished", "", []


def keep_array(plan: Plan, executor: Executor, past: RunState) -> Outcome:
    """Unmounts and keeps the array; failed if degraded or in use."""
    if plan.care:
        return "failed", "its array was there before, and is not this run's to keep", []
    executor.begin(past.stage, plan.stages[past.stage])
    context = executor.context
    name = context.find_array()
    parts = context.parts()
    missing = len(parts) < len(context.groups) or any(map(context.host.lacking, parts))
    if name is None or context.host.is_dead(name) or missing:
        return "failed", "no complete array of this run; remove its leftovers instead", left_behind(past)
    is_free = partial(array_is_free, context, False)
    if reason := _why_not(executor, is_free) or _why_not_to_stay(plan.stages[past.stage].setup):
        return "failed", reason, left_behind(past)
    return "finished", "", []


def _why_not_to_stay(setup: Setup | None) -> str:
    """Setups that no plan keeps are not kept here: one failed disk would lose data."""
    if setup and setup.failed:
        return "disks of this array were failed on purpose; remove it instead"
    if setup and lacks_parity(setup):
        return "the initial resync was skipped, so this array's parity is not valid; remove it instead"
    return ""


def _why_not(executor: Executor, look: Callable[[], object]) -> str:
    """A sentence or "". Cared-for arrays may be in use."""
    if executor.context.plan.care:
        return ""
    try:
        look()
    except Stopped:
        return "stopped on request"
    except (StepFailed, MembersError, OSError) as failed:
        executor.refused = isinstance(failed, Refused) or (isinstance(failed, MembersError) and not failed.is_gone)
        return str(failed)
    return ""


def left_behind(past: RunState) -> list[str]:
    cut_off = past.worker is not None and (past.kept or not past.ended)
    return list(past.left) or (["its array was not removed"] if cut_off else [])


def run_stage(
    plan: Plan,
    number: int,
    executor: Executor,
    *,
    reused: bool = False,
    goes_on_next: bool = False,
    trials_done: frozenset[str] = frozenset(),
    past: RunState | None = None,
    index: int = 0,
) -> Outcome:
    """Runs a stage without `trials_done`, then undoes it in any case. `reused`: the array is the former stage's;
    `goes_on_next`: the next one reuses it. `index`: of the step at which a proof is continued, whose journal
    was `past` before.
    Permanence is undone as a whole, an earlier worker's part too, unless that mounted the file system.
    """
    stage = plan.stages[number]
    try:
        in_use = stage.permanent and is_in_place(executor.context)
    except (StepFailed, MembersError, OSError) as failed:  # whose it is that stands there is not known
        executor.refused = isinstance(failed, Refused)
        return "failed", str(failed), []
    build, measuring = stage.steps[: stage.build], stage.steps[stage.build :]
    steps = (*(step for step in build if isinstance(step, Check) and step.question == "array-built"), *measuring)
    executor.begun = [step for step in build if isinstance(step, Command)] if reused else []
    for step in executor.begun:
        executor.context.absent = member_steps.absent_after(executor.context.absent, step)
    if past and index and (why_not := _why_not(executor, partial(continuing.begin_at, executor, past, index))):
        return "failed", why_not, left_behind(executor.state)
    outcome, reason = "finished", ""
    trials_done = frozenset() if stage.proof else trials_done  # of an array that is there no more
    first_after = next(iter(stage.steps[tests_end(stage) :]), None)
    try:
        for step in steps if reused else stage.steps[index:]:
            if number == plan.kept_stage and step is first_after:
                executor.context.journal.add(events.ArrayKept(at_s=time.time(), stage=number))
            if isinstance(step, Command) and (step.trial in trials_done or step.trial in executor.state.passed_over):
                continue
            executor.carry_out(step)
            if isinstance(step, Command) and step.trial and executor.repeats_stalled(step.trial):
                for step_again in measured_again(stage, step.trial):
                    executor.carry_out(step_again)
    except Stopped:
        outcome, reason = "stopped", "stopped on request"
    except StepFailed as failed:
        if isinstance(failed, until_cut.NotCut):
            executor.release()
            run = executor.context.path.name
            left = f"its array waits for a power cut; `raidtui resume {run}` writes again, `--no-cut` does without"
            return "stopped" if failed.stopped else "failed", str(failed), [left]
        outcome, reason, executor.refused = "failed", str(failed), isinstance(failed, Refused)
    except Exception as error:  # whatever it was: the array must not be left behind
        outcome, reason = "failed", f"{type(error).__name__}: {error}"
    if stage.proof:
        following.journal_differing(executor.context)  # of a check that was not followed to its end
    if stage.proof and executor.state.differed:  # evidence, whatever came after it: a person removes it
        executor.release()
        what = "array" if stage.array else "file"
        left = f"its {what} is left as it is; `raidtui clean {executor.context.path.name}`"
        return "failed", differing(executor.state.differed[-1], plan), [left]
    if outcome == "finished" and stays(plan, number):
        return outcome, reason, []
    kept = build if outcome == "finished" and goes_on_next else ()
    begun = stage.steps if stage.permanent else tuple(step for step in executor.begun if step not in kept)
    begun = () if in_use else begun
    leftovers = _undo(begun, executor)
    executor.remember()
    if leftovers and outcome == "finished":
        outcome, reason = "failed", f"not everything could be removed: {leftovers[0]}"
    return outcome, reason, leftovers


def _undo(begun: tuple[Step, ...], executor: Executor) -> list[str]:
    leftovers = []
    for step in undo(begun):
        try:
            executor.carry_out(step, undoing=True)
        except Exception as error:
            leftovers.append(str(error))
            executor.refused = executor.refused or isinstance(error, Refused)
    executor.release()
    return list(dict.fromkeys(leftovers))
