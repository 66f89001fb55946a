"""The worker: the process that carries out one run. It outlives terminals; SIGTERM asks it to stop and clear away.

`python -m raidtui.runs.worker RUN_DIRECTORY`. One thread, no event loop: it waits for its child until the next
tick, takes a sample, goes on.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from raidtui.core import events
from raidtui.core.plan import Plan, Stage, confirmation_code, undo
from raidtui.core.steps import Step
from raidtui.runs import directory, launch, locks
from raidtui.runs.executor import Executor, StepFailed, Stopped
from raidtui.runs.journal import Journal
from raidtui.runs.sampler import Sampler
from raidtui.system import block, versions
from raidtui.system.doctor import missing_for_run


def carry_out(path: Path) -> str:
    """Carry out the plan in the run directory `path`; the outcome: finished, stopped or failed."""
    with _opened(path) as (plan, journal, executor):
        journal.add(_started(path.name, executor))
        outcome, reason, left = _guarded(plan, executor, _run)
        executor.restore_settings()
        kept = outcome == "finished" and plan.answers.after == "keep"
        _end(
            path,
            plan,
            journal,
            events.RunEnded(at_s=time.time(), outcome=outcome, reason=reason, kept=kept, left=tuple(left)),
        )
        return outcome


def clear_away(path: Path) -> None:
    """Clear away what an ended or killed run kept or left. StepFailed if it is in use, or is not ours."""
    with _opened(path) as (plan, journal, executor):
        before = journal.state
        if launch.alive(before) and not before.ended:
            raise StepFailed(f"the run {path.name} is going on; stop it first: `raidtui stop {path.name}`")
        if before.ended and not before.kept and not before.left:
            raise StepFailed(f"the run {path.name} left nothing to clear away")
        if newer := _newer(path, plan):
            raise StepFailed(f"the newer run {newer} carried out the same plan; what stands is its: clean that one")
        journal.add(_started(path.name, executor))
        outcome, reason, left = _guarded(plan, executor, _take_back)
        executor.restore_settings()
        _end(
            path,
            plan,
            journal,
            events.RunEnded(
                at_s=time.time(),
                outcome=before.outcome or "failed",
                reason=before.reason or ("" if before.outcome else "its worker died; cleared away later"),
                kept=before.kept and outcome != "finished",
                left=tuple(left),
            ),
        )
        if outcome != "finished":
            raise StepFailed(reason)


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Plan, Journal, Executor]]:
    """The run directory as the working directory, its files open, signals turned into a wish to stop."""
    os.umask(0o077)
    os.chdir(path)
    plan = directory.read_plan(path)
    journal = Journal(path / directory.JOURNAL)
    sampler = Sampler(path / directory.SAMPLES, tuple(member.id for member in plan.members))
    wakeup, signalled = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    executor = Executor(path, plan, journal, sampler, wakeup)

    def ask_to_stop(number: int, frame: object) -> None:
        executor.stop_asked = True

    signal.set_wakeup_fd(signalled)
    signal.signal(signal.SIGTERM, ask_to_stop)
    signal.signal(signal.SIGINT, ask_to_stop)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        yield plan, journal, executor
    finally:
        sampler.close()
        journal.close()


def _end(path: Path, plan: Plan, journal: Journal, end: events.RunEnded) -> None:
    from raidtui.core.report import markdown  # late: a worker that measures for days needs no report's memory

    journal.add(end)
    try:
        (path / directory.REPORT).write_text(markdown(plan, journal.state))
    except OSError as error:
        print(f"no report written: {error}", file=sys.stderr, flush=True)


def _newer(path: Path, plan: Plan) -> str | None:
    """A later run with an array of the same UUID: the same answers on the same disks give the same plan."""
    uuids = {stage.array.uuid for stage in plan.stages if stage.array}
    for other in directory.list_runs(path.parent):
        if other.name > path.name:
            stages = directory.read_plan(other).stages
            if uuids & {stage.array.uuid for stage in stages if stage.array}:
                return other.name
    return None


def _started(run: str, executor: Executor) -> events.WorkerStarted:
    return events.WorkerStarted(
        at_s=time.time(),
        schema=events.SCHEMA,
        run=run,
        boot_id=block.boot_id(),
        pid=os.getpid(),
        start_ticks=block.start_ticks(os.getpid()) or 0,
        tools=versions.tools(),
        resolved=executor.look_for_members(),
    )


Outcome = tuple[str, str, list[str]]  # outcome, reason, what could not be cleared away


def _guarded(plan: Plan, executor: Executor, work: Callable[[Plan, Executor], Outcome]) -> Outcome:
    """`work` with all that it needs here, and with the locks of all members held."""
    if missing := missing_for_run():
        return "failed", missing, []
    try:
        held = locks.take(member.id for member in plan.members)
    except (locks.Taken, OSError) as error:
        return "failed", str(error), []
    try:
        return work(plan, executor)
    finally:
        executor.release()
        for descriptor in held:
            os.close(descriptor)


def _run(plan: Plan, executor: Executor) -> Outcome:
    if confirmation_code(plan) != plan.code:
        return "failed", "the plan is not the one that was confirmed: its code does not fit", []
    for number, stage in enumerate(plan.stages):
        executor.begin(number, stage)
        keep = plan.answers.after == "keep" and stage is plan.stages[-1]
        outcome, reason, left = _stage(stage, executor, keep)
        if outcome != "finished" or left:
            return outcome, reason, left
    return "finished", "", []


def _take_back(plan: Plan, executor: Executor) -> Outcome:
    for number, stage in reversed(tuple(enumerate(plan.stages))):
        executor.begin(number, stage)
        try:
            executor.look_whether_ours_is_free()
        except StepFailed as failed:
            return "failed", str(failed), []
        if left := _undo(stage.steps, executor):
            return "failed", "; ".join(left), left
    return "finished", "", []


def _stage(stage: Stage, executor: Executor, keep: bool) -> Outcome:
    """Carry out a stage, then take back what was begun of it, whatever happened."""
    outcome, reason = "finished", ""
    try:
        for step in stage.steps:
            executor.carry_out(step)
    except Stopped:
        outcome, reason = "stopped", "stopped on request"
    except StepFailed as failed:
        outcome, reason = "failed", str(failed)
    except Exception as error:  # whatever it was: the array must not be left behind
        outcome, reason = "failed", f"{type(error).__name__}: {error}"
    if keep and outcome == "finished":
        return outcome, reason, []
    left = _undo(tuple(executor.begun), executor)
    if left and outcome == "finished":
        outcome, reason = "failed", "not everything could be cleared away"
    return outcome, reason, left


def _undo(begun: tuple[Step, ...], executor: Executor) -> list[str]:
    """Take back the steps that were begun, last first, as far as it can be done; what could not."""
    left = []
    for step in undo(begun):
        try:
            executor.carry_out(step, undoing=True)
        except Exception as error:
            left.append(str(error))
    executor.release()
    return left


def main() -> None:
    """Entry of the process. What it prints goes to worker.log in the run directory."""
    match sys.argv[1:]:
        case ["--clean", path]:
            try:
                clear_away(Path(path).resolve())
            except StepFailed as failed:
                sys.exit(str(failed))
        case [path]:
            sys.exit({"finished": 0, "stopped": 130}.get(carry_out(Path(path).resolve()), 1))
        case _:
            sys.exit("usage: python -m raidtui.runs.worker [--clean] RUN_DIRECTORY")


if __name__ == "__main__":
    main()
