"""A command in a practice kernel, started from the host's tests as a process of its own.

There is no limit to how long it takes, only to how long it may say nothing: a busy machine is no failure.
"""

import os
import selectors
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

from tests.lab.guest_signs import BEGINS

REPOSITORY = Path(__file__).parents[2]
SILENCE_S = 300.0
_COVERAGE, _COVERAGE_FILE = "COVERAGE_PROCESS_START", "COVERAGE_FILE"  # set by `make coverage`, read by coverage


@dataclass(frozen=True)
class Rack:
    """The disks of a kernel; 0 MB/s: as fast as they are. `size_mib` as text: that of each, with commas between."""

    disks: int = 3
    size_mib: int | str = 256
    mbps: float = 0


@dataclass(frozen=True)
class Booted:
    """What a command in the kernel printed, and how long it took: until its first test began, and from then on.

    `cpu_s`: of a processor's time, in all. `fell_silent_in`: the test that was going on when it was ended for its
    silence.
    """

    output: str
    boot_s: float
    tests_s: float
    fell_silent_in: str | None = None
    cpu_s: float = 0.0


def boot(
    command: list[str], rack: Rack, out_dir: Path, *, kernel: Path | None = None, silence_s: float = SILENCE_S
) -> Booted:
    """Run `command`, which tells signs as guest_signs does, in a kernel of its own; `out_dir` is /var/lib/raidtui.

    `kernel`: the folder of another than the one that is installed.
    """
    before_s = _of_children_s()
    options = f"-n {rack.disks} -s {rack.size_mib} -b {rack.mbps}".split() + (["-k", str(kernel)] if kernel else [])
    with subprocess.Popen(
        [
            *_on_one_processor(),
            sys.executable,
            "-m",
            "raidtui.practice",
            *options,
            "-o",
            str(out_dir),
            "--",
            *_measured(command),
        ],
        cwd=REPOSITORY,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        booted = listen(process, silence_s)
    _bring_out_coverage(out_dir)
    return replace(booted, cpu_s=_of_children_s() - before_s)


def _on_one_processor() -> tuple[str, ...]:
    """A kernel and its programs take turns, at each system call and page fault: a seventh of their time went into
    waking another processor.
    """
    processors = sorted(os.sched_getaffinity(0))
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    return "taskset", "--cpu-list", str(processors[number % len(processors)])


def _of_children_s() -> float:
    """The processor's time of all processes of this one's that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def listen(process: subprocess.Popen[bytes], silence_s: float) -> Booted:
    """All that it prints until both its pipes end. What falls silent is asked to end, then killed."""
    stdout, stderr = process.stdout, process.stderr
    assert stdout and stderr
    began_s = time.monotonic()
    up_s = None
    texts: dict[int, bytes] = {stdout.fileno(): b"", stderr.fileno(): b""}
    fell_silent_in = None
    with selectors.DefaultSelector() as selector:
        for descriptor in texts:
            selector.register(descriptor, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(silence_s)
            if not ready and fell_silent_in is None:
                fell_silent_in = _last_test(texts[stderr.fileno()])
                process.terminate()
            elif not ready:
                process.kill()
            for key, _ in ready:
                data = os.read(key.fd, 1 << 16)
                texts[key.fd] += data
                if not data:
                    selector.unregister(key.fd)
            if up_s is None and BEGINS.encode() in texts[stderr.fileno()]:
                up_s = time.monotonic()
    ended_s = time.monotonic()
    up_s = up_s or ended_s
    output = "\n".join(text.decode(errors="replace") for text in texts.values()).strip()
    return Booted(output, up_s - began_s, ended_s - up_s, fell_silent_in)


def _last_test(signs: bytes) -> str:
    begun = [line for line in signs.decode(errors="replace").splitlines() if line.startswith(BEGINS)]
    return begun[-1].removeprefix(BEGINS) if begun else "no test yet"


def _measured(command: list[str]) -> list[str]:
    """With coverage where the host's tests have it: each process in the guest leaves a file in the out folder."""
    if _COVERAGE not in os.environ:
        return command
    return ["env", f"{_COVERAGE}={os.environ[_COVERAGE]}", f"{_COVERAGE_FILE}=/var/lib/raidtui/.coverage", *command]


def _bring_out_coverage(out_dir: Path) -> None:
    if _COVERAGE in os.environ:
        for file in out_dir.glob(".coverage.*"):
            shutil.move(file, Path(os.environ[_COVERAGE_FILE]).parent)
