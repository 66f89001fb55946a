"""The program's commands without a new Python for each: in a kernel its start and imports take seconds, and a fork of
it as long as the command itself, as each page that is touched afterwards is a fault that two of the host's processes
handle.

test_refusals and test_run start the program itself, and so does what needs a terminal; tests/torture starts nothing
else.
"""

import gc
import importlib
import os
import pkgutil
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any, NoReturn

import raidtui as raidtui_package
from raidtui.cli.app import main
from raidtui.runs import child, launch, worker
from raidtui.system import process, signatures

_LEFT_OUT = ("raidtui.ui", "raidtui.practice", "raidtui.demo")
_LATE = ("psutil", "pyudev")
_HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_INHERITED: list[object] = []
FORKED: set[str] = set()  # programs that a worker of a test forks for, as the product does
# One disk after the other: a thread's start takes longer than what it reads.
process.side_by_side.__defaults__, signatures._AT_ONCE = (1,), 1


def carried_out(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    """The command in this process. As at a process's end no file of it stays open."""
    _import_all()
    with (
        tempfile.TemporaryFile("w+") as stdin,
        tempfile.TemporaryFile("w+") as out,
        tempfile.TemporaryFile("w+") as err,
    ):
        stdin.write(typed)
        stdin.seek(0)
        before = _open_files()
        with _in_place(stdin.fileno(), out.fileno(), err.fileno()):
            status = _status(main, "raidtui", *arguments)
        left = _open_files() - before
        out.seek(0)
        err.seek(0)
        done = subprocess.CompletedProcess(arguments, status, out.read(), err.read())
    assert "Traceback" not in done.stderr, done.stderr
    assert not left, f"{arguments} left files open, and perhaps locks: {left}"
    return done


@cache
def _import_all() -> None:
    """What a command imports only where it is carried out: once here, not in every worker."""
    for module in pkgutil.walk_packages(raidtui_package.__path__, "raidtui."):
        if not module.name.startswith(_LEFT_OUT) and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for late in _LATE:
        importlib.import_module(late)


@contextmanager
def _in_place(*files: int) -> Iterator[None]:
    """These are the standard streams; afterwards all is as it was."""
    streams, argv, folder = (sys.stdin, sys.stdout, sys.stderr), sys.argv, Path.cwd()
    handlers = {number: signal.getsignal(number) for number in _HANDLED}
    own = [os.dup(number) for number in range(len(files))]
    _stand(files)
    sys.stdin, sys.stdout, sys.stderr = (open(n, m, closefd=False) for n, m in enumerate("rww"))  # noqa: SIM115
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        (sys.stdin, sys.stdout, sys.stderr), sys.argv = streams, argv
        _stand(own)
        for number in own:
            os.close(number)
        os.chdir(folder)
        for signum, handler in handlers.items():
            if signal.getsignal(signum) != handler:
                signal.signal(signum, handler)


def _stand(files: Sequence[int]) -> None:
    for number, file in enumerate(files):
        os.dup2(file, number)


def _open_files() -> set[str]:
    """What of files is open here, as the kernel names it."""
    return {str(path.readlink()) for path in Path("/proc/self/fd").iterdir() if path.is_symlink()}


def become(arguments: Sequence[str]) -> NoReturn:
    """The program, in a child, with its standard streams; pytest's capture stays with the parent."""
    gc.disable()  # looking through what was inherited would copy all of it
    _carry_on(main, "raidtui", *arguments)


class _ForksWorkers(subprocess.Popen[Any]):
    """A worker of raidtui goes on from this process, in its own session and with its own files, instead of a new
    Python; everything else is started."""

    def __init__(self, argv: tuple[str, ...], **options: Any) -> None:
        width = len(launch.WORKER)
        if tuple(argv[:width]) == launch.WORKER:
            _import_all()
            options["preexec_fn"] = partial(_become_worker, *argv[width:])
        super().__init__(argv, **options)


class _ToldBefore(subprocess.Popen[Any]):
    """A worker's program gets its signal for the worker's death from `setpriv`: no fork of this Python is needed, after
    which each page that both touch is a fault. Not those that are FORKED: test_ends kills workers while fio goes on."""

    def __init__(self, argv: Sequence[str], **options: Any) -> None:
        told = options.get("preexec_fn")
        if isinstance(told, partial) and told.func is child.obey and _is_told_before(argv[0], options["env"]["PATH"]):
            argv = ("setpriv", "--pdeathsig", signal.Signals(told.args[0]).name, "--", *argv)
            del options["preexec_fn"]
        super().__init__(argv, **options)


def _is_told_before(program: str, path: str) -> bool:
    return program not in FORKED and shutil.which(program, path=path) is not None


def _become_worker(*arguments: str) -> NoReturn:
    """In the child, in the place of its exec; that the rest of its files is closed tells the parent that it began."""
    gc.freeze()  # looking through what was inherited would copy all of it
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    subprocess.Popen = _ToldBefore  # type: ignore[misc, assignment]
    _carry_on(worker.main, "raidtui.runs.worker", *arguments)


def _carry_on(program: Callable[[], None], *argv: str) -> NoReturn:
    """As this program, to its end; what the standard streams of before have not written yet is their parent's."""
    _INHERITED.append((sys.stdin, sys.stdout, sys.stderr))
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115 - they end with the process
    status = 1
    try:
        status = _status(program, *argv)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _status(program: Callable[[], None], *argv: str) -> int:
    """Exit status of the program, which writes to the standard streams."""
    sys.argv = [*argv]
    try:
        program()
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


subprocess.Popen = _ForksWorkers  # type: ignore[misc, assignment]
