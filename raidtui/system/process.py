"""One short program: argv, no shell, C locale, time limit. Long ones are the worker's."""

import os
import subprocess
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from threading import Thread
from typing import TypeVar

import msgspec

from raidtui.system.programs import search_path

_Thing = TypeVar("_Thing")
_Answer = TypeVar("_Answer")
_PASSED_ON = ("HOME", "TERM", "TZ")
_DYING_S = 10.0  # for a program that was killed to be gone; one that waits for the kernel is left


class Done(msgspec.Struct, frozen=True):
    """Undecodable bytes are replaced."""

    returncode: int
    stdout: str
    stderr: str


class ProcessError(OSError):
    """One sentence: not installed, not allowed, or timed out."""


def environment(**variables: str) -> dict[str, str]:
    """Minimal environment, sbin in PATH, C locale. Inherited variables (LOCK_BLOCK_DEVICE, MDADM_*, MKE2FS_CONFIG,
    LD_PRELOAD) could silently change what is done to a disk.
    """
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {**passed_on, "PATH": search_path(), "LANG": "C", "LC_ALL": "C", **variables}


def run(argv: Sequence[str], timeout_s: float, folder: str | None = None) -> Done:
    """Empty stdin. Any exit code is an answer; ProcessError without one."""
    try:
        process = subprocess.Popen(
            list(argv),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=environment(SYSTEMD_PAGER="cat"),
        )
    except FileNotFoundError:
        raise ProcessError(f"{argv[0]} is not installed (`raidtui doctor` names the package).") from None
    except OSError as error:
        raise ProcessError(f"{argv[0]} could not be started: {error.strerror}.") from error
    try:
        stdout, stderr = process.communicate(timeout=timeout_s)
    except BaseException as error:
        process.kill()
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=_DYING_S)
        if isinstance(error, subprocess.TimeoutExpired):
            raise ProcessError(f"{' '.join(argv)} did not answer within {timeout_s:g} s.") from None
        raise
    return Done(
        returncode=process.returncode, stdout=stdout.decode(errors="replace"), stderr=stderr.decode(errors="replace")
    )


def side_by_side(work: Callable[[_Thing], _Answer], things: Iterable[_Thing], at_once: int = 8) -> list[_Answer]:
    """In order, in threads; raises the first error. (`concurrent.futures` takes 0.5 MB more in the worker.)"""
    numbered = list(enumerate(things))
    waiting = iter(numbered)
    answers = {}
    errors = []

    def answer_some() -> None:
        try:
            for number, thing in waiting:
                answers[number] = work(thing)
        except BaseException as error:
            errors.append(error)

    threads = [Thread(target=answer_some) for _ in numbered[1:at_once]]
    for thread in threads:
        thread.start()
    answer_some()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return [answers[number] for number, _ in numbered]
