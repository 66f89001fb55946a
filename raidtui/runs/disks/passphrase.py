"""Manual steps: cryptsetup in this terminal asks for the passphrase. It goes from the keyboard to cryptsetup: this
process has no pipe and reads nothing of it. Before, the array is found by UUID and checked as a worker does; meanwhile
it is held, and cryptsetup ends once the run no longer waits.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from raidtui.core.plan import slots, steps
from raidtui.core.plan.model import ArrayPlan, LayerPlan, Plan, carried_out
from raidtui.core.plan.roles import PersonRole
from raidtui.core.plan.steps import ManualStep
from raidtui.core.raid.containers import query_argv
from raidtui.core.run import progress
from raidtui.core.run.state import RunState
from raidtui.runs import directory, locks, mapping
from raidtui.runs.directory import NotDone
from raidtui.runs.disks import containers
from raidtui.runs.follow import Follower, View
from raidtui.runs.host import Host
from raidtui.runs.member_guard import Members, MembersError
from raidtui.runs.waiting import StepFailed

_POLL_S = 0.2
_MOVES_ON_S = 30.0  # for the worker to see what was done
# Runs a program in this terminal to its end, or until it is not wanted any more; its exit status.
Terminal = Callable[[Sequence[str], Callable[[], bool]], int]
Show = Callable[[str], None]


def carry_out(path: Path, host: Host, terminal: Terminal, show: Show) -> None:
    """The due step, and the next if manual. `say`: before. NotDone (`refused`: must not be); ValueError: none due."""
    plan = directory.read_plan(path)
    if why_unfit := slots.why_unfit(plan, host.machine_id()):
        raise NotDone(f"{path.name}: {why_unfit}; nothing was done", refused=True)
    plan = slots.filled(plan)
    waiting = _Waiting(path, plan)
    step = waiting.due()
    if step is None:
        raise ValueError(f"{path.name}: not waiting for a passphrase; `raidtui runs` shows its state")
    while step is not None:
        with locks.person_at(path):
            _run_step(path, plan, waiting, step, host, terminal, show)
        step = waiting.after(step)


class _Waiting:
    """`plan` is filled."""

    def __init__(self, path: Path, plan: Plan) -> None:
        self._follower, self._plan, self._run = Follower(path), plan, path.name
        self._view: View | None = None

    def due(self) -> ManualStep | None:
        """None if none is due, or the worker is dead."""
        self._view = self._follower.poll() or self._view
        view = self._view
        return progress.manual_step(self._plan, view.state) if view and view.alive and not view.state.ended else None

    @property
    def state(self) -> RunState:
        assert self._view
        return self._view.state

    def after(self, step: ManualStep) -> ManualStep | None:
        """Next manual step once `step` is done; None if another follows. NotDone if the worker died."""
        end_s = time.monotonic() + _MOVES_ON_S
        while (due := self.due()) and due.role == step.role and time.monotonic() < end_s:
            time.sleep(_POLL_S)
        while (due := self.due()) is None and self._is_between() and time.monotonic() < end_s:
            time.sleep(_POLL_S)
        if self._view and not (self._view.alive or self._view.state.ended):
            raise NotDone(f"the worker of {self._run} died meanwhile: `raidtui resume {self._run}` continues it")
        return due if due is None or due.role != step.role else None

    def _is_between(self) -> bool:
        return bool(self._view and self._view.alive and not self._view.state.ended and self._view.state.step is None)


def _run_step(
    path: Path,
    plan: Plan,
    waiting: _Waiting,
    step: ManualStep,
    host: Host,
    terminal: Terminal,
    show: Show,
) -> None:
    stage = carried_out(plan, waiting.state.stage)
    assert stage.array and stage.layer
    members = Members(plan, host, waiting.state.written)
    members.begin(stage)
    try:
        array = _own_array(host, members, stage.array)
        with host.lock_nodes([f"/dev/{array}"]):
            if host.find_array(stage.array.uuid) != array:
                raise NotDone(f"/dev/{array} is another array by now: nothing was done", refused=True)
            if not _LOOKS[step.role](host, stage.layer, array):
                return
            argv = tuple(steps.resolve(word, {"array": f"/dev/{array}"}.__getitem__) for word in step.argv)
            show(progress.MANUAL_STEP_NOTES[step.role])
            status = terminal(argv, lambda: _is_wanted(waiting, step))
    except (MembersError, StepFailed) as error:
        raise NotDone(str(error), refused=True) from error
    if not _is_wanted(waiting, step):
        raise NotDone(f"the run {path.name} does not wait for it any more")
    if status:
        raise NotDone(f"{step.argv[0]} ended with {status}; `raidtui passphrase {path.name}` asks again")


def _is_wanted(waiting: _Waiting, step: ManualStep) -> bool:
    due = waiting.due()
    return due is not None and due.role == step.role


def _own_array(host: Host, members: Members, planned: ArrayPlan) -> str:
    """NotDone if missing, or on a disk outside of the plan, as its groups may be."""
    array = host.find_array(planned.uuid)
    if array is None:
        raise NotDone("the run's array is not there any more", refused=True)
    groups = {name for group in planned.groups if (name := host.find_array(group.uuid))}
    if strangers := members.strangers({disk for name in (array, *groups) for disk in host.slaves(name)} - groups):
        raise NotDone(
            f"the array /dev/{array} is on {', '.join(strangers)}, which this run's plan does not name: it is left"
            " alone",
            refused=True,
        )
    for reason in host.not_free((f"/dev/{array}",)).values() if not host.mapped_on(array) else ():
        raise NotDone(f"the array /dev/{array} is in use: {reason}", refused=True)
    return array


def _may_encrypt(host: Host, layer: LayerPlan, array: str) -> bool:
    """The array is blank. False if the run's own header with a passphrase is there."""
    signatures = host.signatures_on((array,))[array].signatures
    if signatures is None:
        raise NotDone(f"/dev/{array} cannot be read, so that nobody knows what it holds", refused=True)
    others = [signature for signature in signatures if not containers.is_own(layer, signature)]
    if len(others) < len(signatures):
        header = containers.header_on(host, array)
        if header is None:
            asks = " ".join(query_argv(f"/dev/{array}"))
            raise NotDone(f"its LUKS header is there, and nothing is told of it: see `{asks}`", refused=True)
        if header.keys:
            return False  # one without was cut off in its making: nobody ever opened it
    if others:
        held = ", ".join(f"{signature.kind} {signature.uuid}".strip() for signature in others)
        raise NotDone(f"the array's /dev/{array} holds {held}, which this run did not make: left alone", refused=True)
    _refuse_mapped(host, array)
    return True


def _may_unlock(host: Host, layer: LayerPlan, array: str) -> bool:
    """The run's own container. False if open."""
    if mapping.on(host, layer, array):
        return False
    if not containers.has_header(host, layer, array):
        raise NotDone(f"/dev/{array} has no LUKS header of this run ({layer.uuid}): left alone", refused=True)
    _refuse_mapped(host, array)
    return True


def _refuse_mapped(host: Host, array: str) -> None:
    if mapped := sorted(host.mapped_on(array)):
        raise NotDone(
            f"the array /dev/{array} is under {', '.join(mapped)}, which this run did not make: it is left alone",
            refused=True,
        )


_LOOKS: dict[PersonRole, Callable[[Host, LayerPlan, str], bool]] = {
    "encrypt": _may_encrypt,
    "unlock": _may_unlock,
}
