"""The worker: the process that carries out one run. It outlives terminals; SIGTERM asks it to stop and clear away.

`python -m raidtui.runs.worker RUN_DIRECTORY`. One thread, no event loop: it waits for its child until the next
tick, takes a sample, goes on.
"""

import os
import signal
import sys
import time
from pathlib import Path

from raidtui.core import events
from raidtui.core.plan import Plan, Stage, undo
from raidtui.core.report import markdown
from raidtui.core.steps import Step
from raidtui.runs import directory, locks
from raidtui.runs.executor import Executor, StepFailed, Stopped
from raidtui.runs.journal import Journal
from raidtui.runs.sampler import Sampler
from raidtui.system import block, versions
from raidtui.system.doctor import missing_for_run


def carry_out(path: Path) -> str:
    """Carry out the plan in the run directory `path`; the outcome: finished, stopped or failed."""
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
    journal.add(_started(path.name))
    outcome, reason, left = _run(plan, executor)
    executor.restore_settings()
    kept = outcome == "finished" and plan.answers.after == "keep"
    journal.add(events.RunEnded(at_s=time.time(), outcome=outcome, reason=reason, kept=kept, left=tuple(left)))
    (path / directory.REPORT).write_text(markdown(plan, journal.state))
    sampler.close()
    journal.close()
    return outcome


def _started(run: str) -> events.WorkerStarted:
    return events.WorkerStarted(
        at_s=time.time(),
        schema=events.SCHEMA,
        run=run,
        boot_id=block.boot_id(),
        pid=os.getpid(),
        start_ticks=block.start_ticks(os.getpid()) or 0,
        tools=versions.tools(),
    )


def _run(plan: Plan, executor: Executor) -> tuple[str, str, list[str]]:
    """Outcome, reason, and what could not be cleared away."""
    if missing := missing_for_run():
        return "failed", missing, []
    try:
        held = locks.take(member.id for member in plan.members)
    except (locks.Taken, OSError) as error:
        return "failed", str(error), []
    try:
        for number, stage in enumerate(plan.stages):
            executor.begin(number, stage)
            keep = plan.answers.after == "keep" and stage is plan.stages[-1]
            outcome, reason, left = _stage(stage, executor, keep)
            if outcome != "finished" or left:
                return outcome, reason, left
        return "finished", "", []
    finally:
        executor.release()
        for descriptor in held:
            os.close(descriptor)


def _stage(stage: Stage, executor: Executor, keep: bool) -> tuple[str, str, list[str]]:
    """Carry out a stage, then take back what was begun of it, whatever happened."""
    begun: list[Step] = []
    outcome, reason = "finished", ""
    try:
        for step in stage.steps:
            begun.append(step)
            executor.carry_out(step)
    except Stopped:
        outcome, reason = "stopped", "stopped on request"
    except StepFailed as failed:
        outcome, reason = "failed", str(failed)
    except Exception as error:  # whatever it was: the array must not be left behind
        outcome, reason = "failed", f"{type(error).__name__}: {error}"
    if keep and outcome == "finished":
        return outcome, reason, []
    left = []
    for step in undo(tuple(begun)):
        try:
            executor.carry_out(step, undoing=True)
        except Exception as error:
            left.append(str(error))
    if left and outcome == "finished":
        outcome, reason = "failed", "not everything could be cleared away"
    return outcome, reason, left


def main() -> None:
    """Entry of the process. What it prints goes to worker.log in the run directory."""
    if len(sys.argv) != 2:
        sys.exit("usage: python -m raidtui.runs.worker RUN_DIRECTORY")
    sys.exit({"finished": 0, "stopped": 130}.get(carry_out(Path(sys.argv[1]).resolve()), 1))


if __name__ == "__main__":
    main()
