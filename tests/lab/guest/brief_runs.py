"""Runs by the commands, as short as can be: each test takes a second."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import tomli_w

from raidtui.core.disks.disk import Usability
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import slots
from raidtui.core.run.state import RunState
from raidtui.runs import directory, journal, planning
from raidtui.runs.journal import read_state
from raidtui.system import md
from raidtui.system.discovery import read_machine
from tests.lab.guest.disk_states import until
from tests.lab.guest.in_place import carried_out

RAIDTUI = (sys.executable, "-m", "raidtui")
RAID5 = {"level": "5", "filesystem": "xfs", "first_sync": "skip"}
# At a rate that takes little of a processor: what comes of it does not matter here.
_FIO = {"ioengine": "libaio", "direct": True, "bs": "1m", "iodepth": 8, "time_based": True, "runtime": "1s"}
_FIO |= {"rate": "32m"}
_AGAIN_S = 2.0
WRITE: Mapping[str, Any] = {"name": "write", "fio": {**_FIO, "rw": "write", "size": "64m"}}
READ: Mapping[str, Any] = {"name": "read", "fio": {**_FIO, "rw": "read", "size": "64m"}}


def raidtui(*arguments: str, status: int = 0, typed: str = "") -> str:
    """What the command prints, or of one that shall end with another status what it says on stderr."""
    done = carried_out(*arguments, typed=typed)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout if status == 0 else done.stderr


def write_recipe(config: Path, *jobs: Mapping[str, Any], baseline: str = "first-member") -> str:
    """A recipe of the user's own, below the folder that is XDG_CONFIG_HOME; its name."""
    path = config / "raidtui/recipes/brief.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    recipe = {"title": "Brief", "summary": "A second each.", "baseline": baseline, "job": [dict(job) for job in jobs]}
    path.write_text(tomli_w.dumps(recipe))
    return path.stem


def write_answers(folder: Path, recipe: str, setup: Mapping[str, Any] = RAID5, **others: Any) -> Path:
    disks = [disk.id for disk in disks_of(read_machine()) if disk.verdict.standing is Usability.OK]
    path = folder / "answers.toml"
    path.write_text(tomli_w.dumps({"disks": disks, "recipe": recipe, "setup": dict(setup), **others}))
    return path


def code(answers: Path) -> str:
    """What `raidtui plan` ends with; a kernel takes seconds to start that."""
    return planning.plan_here(planning.read_answers(answers)).code


def start(answers: Path) -> Path:
    """The directory of a run that goes on by itself."""
    return directory.runs_root() / raidtui("run", str(answers), "--confirm", code(answers), "--detach").strip()


def typed(run: Path) -> str:
    """The plan's code, and the name of the array that the run keeps, a line each: what `clean` asks for."""
    plan = directory.read_plan(run)
    names = [stage.array.name for stage in slots.filled(plan).stages if stage.array]
    return "\n".join((plan.code, *names[-1:], ""))


def remove(run: Path) -> None:
    """What its owner, who used the array, does to be rid of it: no file system is left to be looked at."""
    stage = next(stage for stage in reversed(slots.filled(directory.read_plan(run)).stages) if stage.array)
    assert stage.array
    node = f"/dev/{stage.layer.node if stage.layer else md.find(stage.array.uuid)}"
    subprocess.run(["wipefs", "--all", "--quiet", node], check=False)  # it may be gone
    subprocess.run(["udevadm", "settle"], check=True)
    raidtui("clean", run.name, typed=typed(run))


def forget_runs() -> None:
    """What runs keep is removed, and they are known no more."""
    for run in directory.list_runs(directory.runs_root()):
        if read_state(run / directory.JOURNAL).kept:
            remove(run)
        (run / directory.PLAN).unlink()


def by_script(text: str, confirmed: str, folder: Path) -> Path:
    """Where the script of a plan with this code has run to its end: a folder of root's alone, in this one."""
    own = folder / "own"
    own.mkdir(mode=0o700)
    (own / "build.sh").write_text(text)
    argv = ["bash", "build.sh"]
    done = subprocess.run(argv, cwd=own, input=f"{confirmed}\n", text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return own


def newest() -> Path:
    return directory.list_runs(directory.runs_root())[-1]


def measured(name: str) -> list[dict[str, Any]]:
    """The measurements of a run's report."""
    return list(json.loads(raidtui("report", name, "--json"))["measurements"])


def wait_for(path: Path, holds: Callable[[RunState], object]) -> RunState:
    """The run's state once it is so. The journal is read where it has grown: a kernel takes its time for all of it.

    What had ended before may be taken up by another worker.
    """
    journal, size, state = path / directory.JOURNAL, -1, RunState()
    first = _size(journal)

    def so() -> object:
        nonlocal size, state
        if (grown := _size(journal)) != size:
            size, state = grown, read_state(journal)
        over = ended(state)  # asked first: it may be what is waited for, and become so between the two
        held = holds(state)
        assert held or size == first or not over, f"it ended before that: {state.outcome} {state.reason}"
        return held

    until(so, lambda: (size, state.outcome, state.reason, state.steps[-1:]))
    return state


def _size(journal: Path) -> int:
    """Nothing, until its worker has begun it."""
    return journal.stat().st_size if journal.exists() else 0


def ended(state: RunState) -> bool:
    """As the program tells it: its worker is gone, too, and the report is there."""
    return state.ended and not journal.alive(state)


def end_test(run: Path) -> None:
    """Of the test that goes on: fio writes its result, and ends before its time. One that has begun no job yet lets the
    signal pass.
    """
    now, due_s = read_state(run / directory.JOURNAL).trial, 0.0

    def is_over(state: RunState) -> bool:
        nonlocal due_s
        if state.trial == now and time.monotonic() >= due_s:
            due_s = time.monotonic() + _AGAIN_S
            subprocess.run(("pkill", "--signal", "INT", "--exact", "--oldest", "fio"), check=False)
        return state.trial != now

    wait_for(run, is_over)


def measuring(trial: str) -> Callable[[RunState], bool]:
    return lambda state: state.trial is not None and state.trial.trial == trial
