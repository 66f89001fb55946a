"""Starts workers that outlive the terminal, and stops them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from raidtui.core.plan.model import Plan
from raidtui.core.run.events import WorkerStarted
from raidtui.core.run.kept import may_go_on
from raidtui.runs import directory
from raidtui.runs.directory import NotDone
from raidtui.runs.journal import BEGIN_S, alive, going_on
from raidtui.runs.removal.decision import NOBODYS, Consent
from raidtui.system.process import environment
from raidtui.system.programs import which

_POLL_S = 0.1
REFUSED, NAME_NEEDED = 3, 4  # a worker's exit status where something must not be touched, or not before it is named
WORKER = (sys.executable, "-P", "-m", "raidtui.runs.worker")  # -P: nothing is imported from the current folder
# The last: whose folders may be measured, and whose configuration holds.
_INHERITED = ("PATH", "PYTHONPATH", "SUDO_UID", "SUDO_GID", "SUDO_USER", "XDG_CONFIG_HOME")
# exec: a worker that cannot be started (no interpreter, forbidden) is systemd-run's own error, and no silence
_UNIT_OPTIONS = ("Type=exec", "KillMode=mixed", "TimeoutStopSec=10min", "OOMPolicy=continue")


def start(plan: Plan, root: Path) -> Path:
    """As a process of its own; returns once it has begun. NotDone if it does not."""
    path = directory.create(plan, root)
    starting = _start("--start", path, Consent(code=plan.code))
    _await_worker(path, None, starting, f"the worker of {path.name} did not start")
    return path


def resume(path: Path, consent: Consent = NOBODYS, *, erases: bool = True) -> None:
    """Returns once a worker has begun. `erases`: a person agreed to writes; otherwise only a kept array is made
    permanent (if due) and the end written, other runs are refused. NotDone or ValueError, one sentence.
    """
    state = directory.read_state(path)
    if going_on(state):
        raise ValueError(f"{path.name} is running; `raidtui attach {path.name}` shows it")
    plan = directory.read_plan(path)
    if state.kept and state.ended and not may_go_on(plan, state):
        raise NotDone(f"the array of {path.name} is kept; `raidtui clean {path.name}` removes it", refused=True)
    if state.is_complete(trial.id for trial in plan.trials):
        raise ValueError(f"{path.name} is finished; `raidtui report {path.name}` shows its results")
    if not erases and not state.kept:
        raise NotDone(not_kept(path.name), refused=True)
    consent = msgspec.structs.replace(consent, code=consent.code or plan.code)
    _do("--look", path, consent)
    starting = _start("--resume" if erases else "--settle", path, consent)
    _await_worker(path, state.worker, starting, f"{path.name} was not resumed")


def _await_worker(path: Path, before: WorkerStarted | None, starting: Callable[[], bool], otherwise: str) -> None:
    """NotDone with `otherwise` if no new worker writes. `starting`: its process exists; ended, it writes nothing."""
    end_s = time.monotonic() + BEGIN_S
    while True:
        may_yet_begin = starting() and time.monotonic() < end_s
        if directory.read_state(path).worker != before:
            return
        if not may_yet_begin:
            raise NotDone(f"{otherwise}; see {path / directory.LOG}")
        time.sleep(_POLL_S)


def not_kept(run: str) -> str:
    return f"the array of {run} is not kept any more: `raidtui resume {run}` asks for its code"


def _start(mode: str, path: Path, consent: Consent) -> Callable[[], bool]:
    """Returns a check of whether its process exists, as far as known without systemd."""
    os.close(directory.opened(path))  # its log is opened before the worker looks
    worker = (*WORKER, mode, str(path), *consent.argv)
    if os.geteuid() == 0 and Path("/run/systemd/system").is_dir() and _as_unit(path, worker):
        return lambda: True
    process = _as_session(path, worker)
    return lambda: process.poll() is None


def _as_unit(path: Path, worker: tuple[str, ...]) -> bool:
    """A transient unit: logind kills leftovers of a login, not this."""
    if which("systemd-run") is None:
        return False
    options = [f"--property={option}" for option in (*_UNIT_OPTIONS, f"StandardOutput=append:{path / directory.LOG}")]
    options += [f"--setenv={name}={os.environ[name]}" for name in _INHERITED if name in os.environ]
    argv = ("systemd-run", f"--unit=raidtui-{path.name}", "--collect", "--quiet", *options, *worker)
    started = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, env=environment(), check=False)
    return started.returncode == 0


def _as_session(path: Path, worker: tuple[str, ...]) -> subprocess.Popen[bytes]:
    with (path / directory.LOG).open("ab") as log:
        return subprocess.Popen(
            worker, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=path, start_new_session=True
        )


def clean(path: Path, consent: Consent = NOBODYS) -> None:
    """Removes what the ended run kept or left. NotDone if impossible."""
    _do("--clean", path, consent)


def look_to_remove(path: Path) -> tuple[str, str]:
    """The name that its removal needs typed, and what was found there; "" where none. NotDone if impossible."""
    try:
        _do("--look-to-remove", path, NOBODYS)
    except NotDone as needed:
        if not needed.name:
            raise
        return needed.name, needed.found
    return "", ""


def undo(path: Path, consent: Consent = NOBODYS) -> None:
    """Removes permanence; the array stays. NotDone if impossible."""
    _do("--undo", path, consent)


def keep(path: Path) -> None:
    """Keeps the array of an interrupted run. NotDone if impossible."""
    _do("--keep", path, NOBODYS)


def _do(mode: str, path: Path, consent: Consent) -> None:
    consent = msgspec.structs.replace(consent, code=consent.code or directory.read_plan(path).code)
    worker = (*WORKER, mode, str(path), *consent.argv)
    ended = subprocess.run(  # in a session of its own: Ctrl-C here must not end it between two of its steps
        worker, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, start_new_session=True
    )
    if ended.returncode != 0:
        *others, sentence = ended.stderr.strip().splitlines() or ["it could not be done; see worker.log"]
        found, name = others[-2:] if ended.returncode == NAME_NEEDED and len(others) > 1 else ("", "")
        raise NotDone(sentence, refused=ended.returncode in (REFUSED, NAME_NEEDED), name=name, found=found)


def stop(path: Path) -> bool:
    """Asks the worker to stop and tear down; False if it is dead."""
    state = directory.read_state(path)
    if not alive(state) or state.worker is None:
        return False
    os.kill(state.worker.pid, signal.SIGTERM)
    return True
