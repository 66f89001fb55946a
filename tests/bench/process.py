"""A program from its start to its end: how long, how much CPU, how large; or measured in a process of its own kind."""

import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec


class Used(msgspec.Struct, frozen=True):
    """Of the program and the processes that it waited for; `resident_bytes` of the largest of them."""

    wall_s: float
    cpu_s: float
    resident_bytes: int


class NotMeasured(Exception):
    """The last line of what a program said that was to measure elsewhere."""


def used(argv: Sequence[str | Path], ok: Sequence[int] = (0,)) -> Used:
    """What it took; RuntimeError with what it said where it ends with another status."""
    began_s = time.perf_counter()
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr
    with process.stderr as pipe:
        said = pipe.read()
    _, status, rusage = os.wait4(process.pid, 0)
    took_s = time.perf_counter() - began_s
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in ok:
        raise RuntimeError(f"{argv[0]}: exit status {process.returncode}: {said.decode(errors='replace')[-400:]}")
    return Used(took_s, rusage.ru_utime + rusage.ru_stime, rusage.ru_maxrss * 1024)


def measured(argv: Sequence[str]) -> str:
    """What a program prints that measures where this one cannot: in a namespace, in a practice kernel."""
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotMeasured((done.stderr.strip().splitlines() or ["it said nothing"])[-1])
    return done.stdout
