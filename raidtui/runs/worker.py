"""The worker process of a run. It outlives terminals; SIGTERM: stop and tear down. `python -m raidtui.runs.worker WAY
RUN_DIRECTORY CODE …` (WAY: see `main`; CODE and the rest: a Consent). Runs a plan only if CODE is its hash, and a run
only if `directory.own` finds it. One thread, no event loop.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import msgspec

from raidtui.core.disks.machine import sysfs_name
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import slots, steps
from raidtui.core.plan.model import Plan, carried_out
from raidtui.core.run import events
from raidtui.core.run.kept import is_to_undo, may_go_on
from raidtui.core.run.proof import continued_at, differing, why_not_resumed
from raidtui.core.run.state import RunState
from raidtui.runs import after, directory, journal, launch, locks, stages
from raidtui.runs.executor import Executor
from raidtui.runs.host import Host
from raidtui.runs.journal import Journal, why_lost
from raidtui.runs.local import LocalHost
from raidtui.runs.member_guard import MembersError
from raidtui.runs.proof import differences
from raidtui.runs.removal import decision
from raidtui.runs.removal.decision import NOBODYS, Consent, of_words
from raidtui.runs.removal.intents import Intent, before_course
from raidtui.runs.sampler import Sampler
from raidtui.runs.stages import Course, Outcome
from raidtui.runs.waiting import Refused, StepFailed, Waiter


class Opened(msgspec.Struct, frozen=True):
    """A run directory with open files. `past`: journal before this worker. `unfit`: why the plan must not be carried
    out by anyone; slots are unfilled then. `differs`: what a killed worker's test had found, and nobody knew until now.
    """

    path: Path
    plan: Plan
    journal: Journal
    executor: Executor
    past: RunState
    host: Host
    unfit: str = ""
    differs: str = ""


def carry_out(path: Path, host: Host, consent: Consent = NOBODYS) -> str:
    """Outcome: finished, stopped, failed, or refused if the plan must not be carried out."""
    plan = directory.read_plan(path)
    with ExitStack() as held_locks:
        reason_taken, refused = "", False
        try:
            held_locks.enter_context(host.lock_run(path, (disk.id for disk in plan.disks)))
        except (locks.DiskLocked, OSError) as error:
            reason_taken, refused = str(error), isinstance(error, locks.DiskLocked)
        run = held_locks.enter_context(_opened(path, plan, host, consent))
        run.executor.refused = refused or bool(run.unfit)
        run.journal.add(_started(run))
        if run.unfit:
            _end_run(run, "failed", run.unfit, left=stages.left_behind(run.past))
            return "refused"
        return _end_run(run, "failed", reason_taken) if reason_taken else _go(run, stages.go)


def resume(path: Path, host: Host, consent: Consent = NOBODYS) -> str:
    """The outcome. StepFailed if it cannot be continued."""
    with _resumable(path, host, consent) as run:
        run.journal.add(_started(run))
        if consent.acknowledged is not None:
            run.journal.add(events.PowerCutAnswered(at_s=time.time(), acknowledged=consent.acknowledged))
        return _go(run, stages.settle if run.past.kept else stages.go)


def settle(path: Path, host: Host, consent: Consent = NOBODYS) -> None:
    """Makes a kept array permanent if due, writes the end, never to members. Refused if it is not kept."""
    with _resumable(path, host, consent) as run:
        if not run.past.kept:
            raise Refused(launch.not_kept(path.name))
        run.journal.add(_started(run))
        _go(run, stages.settle)


def look_at(path: Path, host: Host, consent: Consent = NOBODYS) -> None:
    """`resume`'s checks before it writes, for the process that starts it."""
    with _resumable(path, host, consent):
        pass


@contextmanager
def _resumable(path: Path, host: Host, consent: Consent) -> Iterator[Opened]:
    if lost := why_lost(path / directory.JOURNAL):  # before it is opened, which cuts off a line without its end
        raise Refused(f"{path.name}: {lost}; `raidtui clean {path.name}` removes its array")
    with _at_rest(path, host, consent) as run:
        if run.past.is_complete(trial.id for trial in run.plan.trials):
            raise StepFailed(f"{path.name} is finished; nothing to resume")
        if run.past.kept and run.past.ended and not may_go_on(run.plan, run.past):
            raise Refused(f"the array of {path.name} is kept; `raidtui clean {path.name}` removes it")
        given = consent.acknowledged
        if reason := why_not_resumed(run.plan, run.past, host.boot_id(), given, again=consent.cut_again):
            raise Refused(f"{path.name}: {reason}")
        if not run.past.kept:
            _check_existing(run, consent)
        yield run


def look_to_remove(path: Path, host: Host, consent: Consent = NOBODYS) -> None:
    """`clear_away`'s checks, for whoever asks a person for it."""
    with _removable(path, host, consent):
        pass


@contextmanager
def _removable(path: Path, host: Host, consent: Consent) -> Iterator[Opened]:
    with _at_rest(path, host, consent) as run:
        past = run.past
        if past.is_at_boot:
            raise Refused(f"the array of {path.name} is in mdadm.conf/fstab; run `raidtui undo {path.name}` first")
        if past.ended and not past.kept and not past.left and not past.settings:
            raise StepFailed(f"{path.name} left nothing to remove")
        if run.differs:  # who asked for the removal could not know
            raise Refused(f"{run.differs}; the array stays as evidence; `raidtui clean {path.name}` again removes it")
        _check_existing(run, consent, goes_on=False)
        yield run


def clear_away(path: Path, host: Host, consent: Consent = NOBODYS) -> None:
    """Removes what a run kept or left. StepFailed if in use or foreign; NameNeeded if its name must be typed."""
    with _removable(path, host, consent) as run:
        past = run.past
        run.journal.add(_started(run))
        outcome, reason, leftovers = _worked(run, stages.take_back)
        ended, why = (
            past.outcome or "failed",
            past.reason or ("" if past.ended else "its worker died; removed later"),
        )
        _end_run(run, ended, why, kept=run.journal.state.kept and outcome != "finished", left=leftovers)
        if outcome != "finished":
            raise (Refused if run.executor.refused else StepFailed)(reason)


def undo(path: Path, host: Host, consent: Consent = NOBODYS) -> None:
    """Undoes permanence; the array stays. StepFailed if impossible, Refused if somebody edited the lines."""
    with _at_rest(path, host, consent) as run:
        past = run.past
        if not is_to_undo(past) or run.plan.permanence is None:
            raise StepFailed(f"{path.name} has no entries in mdadm.conf or fstab")
        run.journal.add(_started(run))
        outcome, reason, leftovers = _worked(run, stages.undo_permanence)
        ended = past.outcome or "failed"
        why = past.reason or ("" if past.ended else "its worker died; boot entries not added")
        _end_run(run, ended, why, kept=run.journal.state.kept, left=leftovers)
        if outcome != "finished":
            raise (Refused if run.executor.refused else StepFailed)(reason)


def keep(path: Path, host: Host, consent: Consent = NOBODYS) -> None:
    """Unmounts and keeps a killed run's array. StepFailed if missing or degraded."""
    with _at_rest(path, host, consent) as run:
        if run.past.ended:
            raise StepFailed(f"{path.name} has ended; its leftovers can only be removed")
        run.journal.add(_started(run))
        if run.past.kept:
            _go(run, stages.settle)
            return
        outcome, reason, leftovers = _worked(run, stages.keep_array)
        why = reason or "its worker died; the array was kept"
        _end_run(run, "failed", why, kept=outcome == "finished", left=leftovers)
        if outcome != "finished":
            raise (Refused if run.executor.refused else StepFailed)(reason)


def _go(run: Opened, course: Course) -> str:
    outcome, reason, leftovers = _worked(run, course)
    return _end_run(run, outcome, reason, kept=run.journal.state.kept, left=leftovers)


def _worked(run: Opened, course: Course) -> Outcome:
    """Runs `course`; changed settings are restored before (if needed) and after."""
    if missing := run.host.missing_for_run():
        return "failed", missing, stages.left_behind(run.past)
    if run.past.worker:
        run.executor.context.stage = carried_out(run.plan, run.past.stage)  # whose array the settings are of
    run.executor.restore_settings()
    if foreign := put_back(run.path, run.plan, run.host, run.executor.waiter.warn):
        return "failed", foreign, stages.left_behind(run.past)
    went = course(run.plan, run.executor, run.past)
    run.executor.restore_settings()
    return went


@contextmanager
def _at_rest(path: Path, host: Host, consent: Consent) -> Iterator[Opened]:
    """Disks locked before anything is read; StepFailed if it is running, or a later run has the disks."""
    plan = directory.read_plan(path)
    with ExitStack() as held_locks:
        _refuse_going_on(path)
        try:
            held_locks.enter_context(host.lock_run(path, (disk.id for disk in plan.disks)))
        except locks.DiskLocked as error:
            raise Refused(str(error)) from error
        except OSError as error:
            raise StepFailed(str(error)) from error
        run = held_locks.enter_context(_opened(path, plan, host, consent))
        if run.unfit:
            raise Refused(run.unfit)
        if (copied := run.past.run) not in ("", path.name):
            raise Refused(f"{path.name} is a copy of the run {copied}: it can be read, not carried out")
        if newer := _newer(run):
            raise Refused(f"run {newer} carried out the same plan later, and owns the array; use that run")
        yield run


def _refuse_going_on(path: Path) -> None:
    if journal.going_on(directory.read_state(path)):
        raise StepFailed(f"{path.name} is running; stop it first: `raidtui stop {path.name}`")


@contextmanager
def _opened(path: Path, plan: Plan, host: Host, consent: Consent) -> Iterator[Opened]:
    _refuse_going_on(path)
    os.umask(0o077)
    os.chdir(path)
    why_unfit = slots.why_unfit(plan, host.machine_id(), consent.code)
    if not why_unfit:
        plan = slots.filled(plan)
    directory.reserve_room(path)
    journal = Journal(path / directory.JOURNAL, path / directory.RESERVE)
    if journal.state.stage >= len(plan.stages):
        raise StepFailed(f"the journal of {path.name} is not of its plan, which has no part {journal.state.stage}")
    sampler = Sampler(path / directory.SAMPLES, tuple(disk.id for disk in plan.disks), host)
    wakeup, signalled = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    executor = Executor(path, plan, journal, sampler, Waiter(path, journal, sampler, wakeup), host)
    executor.to_remove = consent.arrays
    event = None if why_unfit else differences.recalled(path, plan, journal)

    def ask_to_stop(number: int, frame: object) -> None:
        executor.waiter.stop_asked = True

    signal.set_wakeup_fd(signalled)
    signal.signal(signal.SIGTERM, ask_to_stop)
    signal.signal(signal.SIGINT, ask_to_stop)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        differs = differing(event, plan) if event else ""
        yield Opened(path, plan, journal, executor, journal.state, host, why_unfit, differs)
    finally:
        executor.release()
        sampler.close()
        journal.close()


def _started(run: Opened) -> events.WorkerStarted:
    return events.WorkerStarted(
        at_s=time.time(),
        schema=events.SCHEMA,
        run=run.path.name,
        boot_id=run.host.boot_id(),
        pid=os.getpid(),
        start_ticks=run.host.process_started(os.getpid()),
        tools=run.host.tools({stage.filesystem.kind for stage in run.plan.stages if stage.filesystem}),
        resolved=run.executor.context.look_for_members(),
        host=run.host.host_name(),
    )


def _end_run(run: Opened, outcome: str, reason: str, *, kept: bool = False, left: Sequence[str] = ()) -> str:
    refused = outcome == "failed" and run.executor.refused
    run.journal.add(
        events.RunEnded(at_s=time.time(), outcome=outcome, reason=reason, refused=refused, kept=kept, left=tuple(left))
    )
    for name, write in (("report", _write_report), ("hand-over", _hand_over)):
        try:
            write(run)
        except Exception as error:  # it can be written again at any time: all of it is in the journal
            with suppress(OSError):  # the log lies on the same disk
                print(f"no {name} written: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
    return outcome


def _write_report(run: Opened) -> None:
    after.write_report(run.path, run.plan, run.journal.state)


def _hand_over(run: Opened) -> None:
    after.write_documents(run.path, run.journal.state)


def _newer(run: Opened) -> str | None:
    """Another run with these UUIDs whose array may exist (a copy of the folder, or from before UUIDs were drawn): began
    later and wrote, or keeps its array at any clock. StepFailed if a run is unreadable.
    """
    for other_run in directory.list_runs(run.path.parent):
        if other_run.name == run.path.name or not (other_run / directory.JOURNAL).exists():  # no worker ever came to it
            continue
        try:
            other_uuids = slots.made_by(slots.filled(directory.read_plan(other_run)).stages)
            state = directory.read_state(other_run)
        except (ValueError, OSError) as error:
            raise Refused(
                f"run {other_run.name} cannot be read, so the array may be its own ({error}): repair that run first, or"
                " move its folder away"
            ) from error
        if (
            slots.made_by(run.plan.stages) & other_uuids
            and state.written
            and (other_run.name > run.path.name or state.kept)
        ):
            return other_run.name
    return None


def _check_existing(run: Opened, consent: Consent, *, goes_on: bool = True) -> None:
    """Refused if the last stage's result must stay, NameNeeded without its typed name. If the journal does not show
    that the run made it, the code must be typed too. `goes_on`: a proof is continued on it.
    """
    number, context = run.past.stage - run.plan.stages[run.past.stage].permanent, run.executor.context
    context.enter(number, run.plan.stages[number])
    array = run.plan.stages[number].array
    if array and array.uuid not in run.past.created and not consent.typed and decision.carriers(context):
        raise Refused(
            f"the journal of {run.path.name} does not tell that it made the array that is there:"
            f" `raidtui clean {run.path.name}` asks for its code"
        )
    index = continued_at(run.plan, run.past) if goes_on else None
    try:
        intent = Intent.REMOVE if index is None else Intent.OVERWRITE
        before_course(context, intent, run.past, consent.arrays, index=index or 0)
    except MembersError as error:
        raise (StepFailed if error.is_gone else Refused)(str(error)) from error


_STATUS = {"finished": 0, "stopped": 130, "refused": launch.REFUSED}


def put_back(path: Path, plan: Plan, host: Host, warn: Callable[[str], None]) -> str:
    """Settings of resting runs on the plan's disks, or machine-wide. A sentence if impossible, else "". Restored ones
    are warned of; settings changed by others since stay. A killed worker restores nothing, and the next run would
    measure with its settings.
    """
    own_disks = {disk.id for disk in plan.disks}
    for other_run in directory.list_runs(path.parent):
        if other_run.name == path.name:
            continue
        state = directory.read_state(other_run)
        if not state.settings or journal.going_on(state):
            continue
        try:
            if settled := _settle(other_run, state, own_disks, host):
                warn(
                    f"run {other_run.name} was interrupted with settings changed; restored first: {', '.join(settled)}"
                )
        except (OSError, ValueError) as error:
            return (
                f"run {other_run.name} was interrupted and left changed settings on these disks, which cannot be"
                f" restored ({error}): `raidtui clean {other_run.name}`, or set them by hand"
            )
    return ""


def _settle(other_run: Path, state: RunState, own_disks: set[str], host: Host) -> list[str]:
    settled = []
    other_disks = directory.read_plan(other_run).disks
    names = {disk.id: disk.name for disk in disks_of(host.read_machine())}
    newest = {change.path: change.new for change in state.changes}

    def device_of(placeholder: str) -> str:
        return sysfs_name(names[other_disks[int(placeholder.partition(":")[2])].id])

    with ExitStack() as stack:
        stack.enter_context(host.lock_run(other_run, ()))
        journal = Journal(other_run / directory.JOURNAL)
        stack.callback(journal.close)
        for path, old in reversed(tuple(state.settings.items())):
            placeholders = [
                name for name in steps.PLACEHOLDER.findall(path) if name.startswith(("member:", "beneath:"))
            ]
            disks = {other_disks[int(name.partition(":")[2])].id for name in placeholders}
            if "{array" in path or not disks <= own_disks or not disks <= names.keys():
                continue  # gone with its array, another disk's, or of a disk that is not here
            if not steps.is_setting(path):
                raise ValueError(f"{path} is no setting of the kernel")
            for setting in host.settings_at(steps.resolve(path, device_of))[:1]:
                if steps.chosen(setting.read()) == newest.get(path):
                    setting.write(old)
                    if (now_value := steps.chosen(setting.read())) != old:
                        raise ValueError(f"{setting} says {now_value or 'nothing'!r} after {old!r} was written")
                    settled.append(f"{setting} to {old}")
            journal.add(events.SettingRestored(at_s=time.time(), path=path, value=old))
    return settled


def main() -> None:
    """Process entry. Prints to worker.log in the run directory."""
    modes = {
        "--start": carry_out,
        "--resume": resume,
        "--settle": settle,
        "--look": look_at,
        "--look-to-remove": look_to_remove,
        "--clean": clear_away,
        "--keep": keep,
        "--undo": undo,
    }
    match sys.argv[1:]:
        case [option, path, *words] if option in modes and words:
            try:
                entered = directory.enter(Path(path))
                outcome = modes[option](entered, LocalHost(), of_words(words))
            except directory.NoSuchRun as untrusted:
                sys.stderr.write(f"{untrusted}\n")
                sys.exit(launch.REFUSED)
            except decision.NameNeeded as needed:
                print(f"{needed.found}\n{needed.name}\n{needed}", file=sys.stderr)
                sys.exit(launch.NAME_NEEDED)
            except StepFailed as failed:
                print(failed, file=sys.stderr)
                sys.exit(launch.REFUSED if isinstance(failed, Refused) else 1)
            if outcome is not None:  # its locks are given back, so that nobody waits for what is told
                after.notify(entered)
            sys.exit(0 if outcome is None else _STATUS.get(outcome, 1))
        case _:
            sys.exit(f"usage: python -m raidtui.runs.worker {' | '.join(modes)} RUN_DIRECTORY CODE …")


if __name__ == "__main__":
    main()
