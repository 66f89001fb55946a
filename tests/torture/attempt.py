"""A run under way in the lab: followed to a moment by its journal, struck there, and awaited."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from raidtui.core.disks.disk import Disk
from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan.model import Plan
from raidtui.core.run import progress
from raidtui.core.run.state import RunState
from raidtui.runs import directory, journal
from raidtui.runs.directory import NotDone
from raidtui.runs.follow import Follower
from raidtui.runs.removal.decision import Consent

SILENCE_S = 300.0  # for which a run may leave nothing in its journal: a busy machine is no failure
_POLL_S = 0.02

Moment = Callable[[Plan, RunState], bool]


def _target(plan: Plan, state: RunState) -> str:
    trial = plan.trial(state.trial.trial) if state.trial else None
    return trial.target if trial else ""


def _is_bare(plan: Plan, state: RunState) -> bool:
    trial = plan.trial(state.trial.trial) if state.trial else None
    return bool(trial and trial.bare)


def _step(words: str, *, undoing: bool = False) -> Moment:
    return lambda plan, state: bool(state.step and state.step.undoing == undoing and state.step.line.startswith(words))


MOMENTS: dict[str, Moment] = {
    "baseline": lambda plan, state: _target(plan, state) == "member" and any(t.measurement for t in state.trials),
    "bare disk": lambda plan, state: _target(plan, state) == "member",
    "create": _step("mdadm --create"),
    "initial resync": lambda plan, state: state.sync is not None,
    "mkfs": _step("mkfs"),
    "fill": lambda plan, state: bool(state.step and state.step.what.startswith("Fill")),
    "measuring": lambda plan, state: (
        _target(plan, state) == ("filesystem" if plan.stages[state.stage].filesystem else "array")
        and any(t.measurement for t in state.trials)
    ),
    "bare array": lambda plan, state: _is_bare(plan, state) and any(t.measurement for t in state.trials),
    "whole device": lambda plan, state: _target(plan, state) == "array" and not _is_bare(plan, state),
    "before mkfs": _step("dd if=/dev/zero"),
    "teardown": _step("mdadm --zero-superblock", undoing=True),
    "erase": _step("wipefs --all --backup"),
    "second cell": lambda plan, state: state.trial is not None and state.trial.trial == plan.stages[1].trials[0].id,
    "first steps": lambda plan, state: bool(state.steps),
    "wipefs": _step("wipefs --all /dev/md"),
    "passphrase": lambda plan, state: progress.manual_step(plan, state) is not None,
    "keeping": lambda plan, state: state.tests_done is not None,
    "clearing": lambda plan, state: bool(state.step and state.step.undoing),
}


def as_typed(act: Callable[[Consent], None]) -> str:
    """Act; where an array has to be named for it, name it, as a person does; and that it was, in words."""
    try:
        act(Consent())
    except NotDone as needed:
        if not needed.name:
            raise
        act(Consent(arrays=(needed.name,)))
        return ", its name typed"
    return ""


class Answer(msgspec.Struct, frozen=True):
    """What was said where no run began: one sentence and an exit status."""

    said: str
    status: int


class Missed(Exception):
    """The moment did not come."""


class Attempt:
    """The run in `path`. `struck`: the disk that the fault hits. `before`: what had been measured by then."""

    def __init__(self, path: Path, struck: Disk | None = None) -> None:
        self.path = path
        self.struck = struck
        self.before: dict[str, Measurement] = {}
        self._follower = Follower(path)
        self.plan = self._follower.plan
        self.state = RunState()
        self._journal = path / directory.JOURNAL
        self._seen_bytes = -1
        self._grown_s = time.monotonic()  # when its journal was last seen to grow

    def look(self) -> RunState:
        """The run now. Asked often: it is folded only where its journal has grown, or its worker is gone.

        The run's end is in the journal before its worker ends, and is an end only then.
        """
        size = self._journal.stat().st_size if self._journal.exists() else 0
        if size == self._seen_bytes and (self.state.ended or journal.alive(self.state)):
            return self.state
        if size != self._seen_bytes:
            self._grown_s = time.monotonic()
        self._seen_bytes = size
        if (view := self._follower.poll()) is not None:
            self.state = view.state
        return self.state

    def refuse_silence(self) -> None:
        """Missed once the run has left nothing for SILENCE_S."""
        if time.monotonic() - self._grown_s > SILENCE_S:
            raise Missed(f"the run fell silent: {self.state.step or 'no worker has begun'}")

    def reach(self, moment: "str | Moment") -> RunState:
        """The state at this moment; Missed if the run ends before it."""
        self._grown_s = time.monotonic()
        comes = MOMENTS[moment] if isinstance(moment, str) else moment
        while not comes(self.plan, self.look()):
            if self.state.ended or (self.state.worker is not None and not journal.alive(self.state)):
                raise Missed(f"{moment} did not come: {self.state.outcome} {self.state.reason} {self.state.step}")
            self.refuse_silence()
            time.sleep(_POLL_S)
        self.before = {trial.trial: trial.measurement for trial in self.state.trials if trial.measurement}
        return self.state

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    @property
    def pid(self) -> int:
        assert self.state.worker
        return self.state.worker.pid

    def another_worker(self) -> None:
        """Wait until a worker other than the last one has begun."""
        last, self._grown_s = self.state.worker, time.monotonic()
        while self.look().worker == last:
            self.refuse_silence()
            time.sleep(_POLL_S)

    def end(self) -> RunState:
        """The state once the worker has gone, its run ended or not; Missed once it falls silent."""
        self._grown_s = time.monotonic()
        while True:
            self.look()
            if self.state.worker and not journal.alive(self.state):
                self._seen_bytes = -1  # the end was held back while its worker wrote the report: no byte comes after it
                return self.look()
            self.refuse_silence()
            time.sleep(_POLL_S)
