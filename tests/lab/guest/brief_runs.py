"""Runs by the commands, as short as can be: each test takes a second."""

import gc
import importlib
import json
import os
import pkgutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NoReturn

import tomli_w

import raidtui as raidtui_package
from raidtui.cli.app import main
from raidtui.core.disks.disk import Usability
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import slots
from raidtui.core.run.state import RunState
from raidtui.runs import directory, journal, launch, planning, worker
from raidtui.runs.journal import read_state
from raidtui.system import md
from raidtui.system.discovery import read_machine
from tests.lab.guest.disk_states import until

RAIDTUI = (sys.executable, "-m", "raidtui")
RAID5 = {"level": "5", "filesystem": "xfs", "first_sync": "skip"}
_Started = subprocess.Popen
_INHERITED: list[object] = []
# At a rate that takes little of a processor: what comes of it does not matter here.
_FIO = {"ioengine": "libaio", "direct": True, "bs": "1m", "iodepth": 8, "time_based": True, "runtime": "1s"}
_FIO |= {"rate": "32m"}
WRITE: Mapping[str, Any] = {"name": "write", "fio": {**_FIO, "rw": "write", "size": "64m"}}
READ: Mapping[str, Any] = {"name": "read", "fio": {**_FIO, "rw": "read", "size": "64m"}}


def raidtui(*arguments: str, status: int = 0, typed: str = "") -> str:
    """What the command prints, or of one that shall end with another status what it says on stderr."""
    done = carried_out(*arguments, typed=typed)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout if status == 0 else done.stderr


def carried_out(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, forked from this one, its worker from that: in a kernel the imports alone
    take seconds.

    test_refusals and test_run start the program itself, and so does what needs a terminal.
    """
    _import_all()
    with (
        tempfile.TemporaryFile("w+") as stdin,
        tempfile.TemporaryFile("w+") as out,
        tempfile.TemporaryFile("w+") as err,
    ):
        stdin.write(typed)
        stdin.seek(0)
        child = os.fork()
        if child == 0:
            become(arguments, stdin.fileno(), out.fileno(), err.fileno())
        _, ended = os.waitpid(child, 0)
        out.seek(0)
        err.seek(0)
        done = subprocess.CompletedProcess(arguments, os.waitstatus_to_exitcode(ended), out.read(), err.read())
    assert "Traceback" not in done.stderr, done.stderr
    return done


@cache
def _import_all() -> None:
    """What a command imports only where it is carried out: once here, not in every child."""
    for module in pkgutil.walk_packages(raidtui_package.__path__, "raidtui."):
        if not module.name.startswith(("raidtui.ui", "raidtui.practice")) and not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def become(arguments: Sequence[str], *files: int) -> NoReturn:
    """The program, in a child, with these as its standard streams, or with its own; pytest's capture stays with the
    parent."""
    gc.disable()  # looking through what was inherited would copy all of it
    for number, file in enumerate(files):
        os.dup2(file, number)
    subprocess.Popen = _ForksWorkers  # type: ignore[misc, assignment]
    _carry_on(main, "raidtui", *arguments)


class _ForksWorkers(subprocess.Popen[Any]):
    """A worker of raidtui goes on from its parent, in its own session and with its own files, instead of a new Python;
    everything else is started."""

    def __init__(self, argv: tuple[str, ...], **options: Any) -> None:
        width = len(launch.WORKER)
        if tuple(argv[:width]) == launch.WORKER:
            options["preexec_fn"] = partial(_become_worker, *argv[width:])
        super().__init__(argv, **options)


def _become_worker(*arguments: str) -> NoReturn:
    """In the child, in the place of its exec; that the rest of its files is closed tells the parent that it began."""
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    subprocess.Popen = _Started  # type: ignore[misc]
    _carry_on(worker.main, "raidtui.runs.worker", *arguments)


def _carry_on(program: Callable[[], None], *argv: str) -> NoReturn:
    """As this program, to its end; what the standard streams of before have not written yet is their parent's."""
    _INHERITED.append((sys.stdin, sys.stdout, sys.stderr))
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115 - they end with the process
    sys.argv = [*argv]
    status: int | str | None = 1
    try:
        program()
        status = 0
    except SystemExit as end:
        status = end.code
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status if isinstance(status, int) else int(status is not None))


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
    """Of the test that goes on: fio writes its result, and ends before its time."""
    now = read_state(run / directory.JOURNAL).trial
    subprocess.run(("pkill", "--signal", "INT", "--exact", "--oldest", "fio"), check=True)
    wait_for(run, lambda state: state.trial != now)


def measuring(trial: str) -> Callable[[RunState], bool]:
    return lambda state: state.trial is not None and state.trial.trial == trial
