"""Power cuts that a proof is for: disks whose write cache is lost, a witness that outlives the kernel, and a disk that
does nothing at a flush. Each row has two boots.
"""

import mmap
import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from raidtui.core.disks.disk import Disk
from raidtui.core.plan.answers import ProofAnswers
from raidtui.core.proof.witnessed import writes_of
from raidtui.core.run.proof import result
from raidtui.practice.rack import MIB
from raidtui.runs import launch
from raidtui.runs.directory import NotDone
from raidtui.runs.proof import witness
from raidtui.runs.removal.decision import Consent
from raidtui.system.block import read_bytes
from tests.torture import faults_boots, faults_proof, forgetful
from tests.torture.attempt import MOMENTS, Attempt, as_typed
from tests.torture.matrix import Row
from tests.torture.stand import Stand

_PIPE, _LIST = Path("/run/witness"), Path("/var/lib/raidtui/witness.list")
_FLUSHED, _NOT_FLUSHED = 8 * MIB, 16 * MIB  # bytes of the control disk
_CONTENT = b"there" * (MIB // 5) + b"."
_BEFORE, _AFTER, _TWICE = 5, 40, 130  # lines until a disk drops its flushes, then a cut; over all of the array again
MOMENTS["power cut"] = lambda plan, state: state.cut is not None and state.cut.writing


def _listen() -> None:
    """The list is on the host, line by line."""
    _PIPE.unlink(missing_ok=True)
    os.mkfifo(_PIPE)

    def copy() -> None:
        with _PIPE.open("rb", buffering=0) as pipe, _LIST.open("wb", buffering=0) as file:
            while piece := pipe.read(4096):
                file.write(piece)

    threading.Thread(target=copy, daemon=True).start()


def _await_lines(attempt: Attempt, count: int) -> None:
    while not _LIST.exists() or _LIST.read_bytes().count(b"\n") < count:
        attempt.look()
        attempt.refuse_silence()
        time.sleep(0.02)


def _write(disk: Disk, at: int, *, flush: bool) -> None:
    descriptor = os.open(disk.path, os.O_WRONLY | os.O_DIRECT | os.O_CLOEXEC)
    with mmap.mmap(-1, MIB) as page:
        page[:] = _CONTENT
        os.pwrite(descriptor, page, at)
    if flush:
        os.fdatasync(descriptor)
    os.close(descriptor)


def fall(drops: bool, stand: Stand) -> None:
    """Power is cut in the middle of acknowledged writes. To another disk some bytes were written and not flushed."""
    with forgetful.disks(stand, 4) as made:
        *members, (control, _) = made
        _listen()
        asked = ProofAnswers(cut="witness", witness=str(_PIPE))
        ids = [disk.id for disk, _ in members]
        attempt = stand.start(faults_proof.plan_of(stand, "5", (), further=ids, proof=asked))
        attempt.reach("power cut")
        _await_lines(attempt, _BEFORE)
        if drops:
            members[-1][1].send_signal(signal.SIGUSR1)
        _write(control, _FLUSHED, flush=True)
        _write(control, _NOT_FLUSHED, flush=False)
        _await_lines(attempt, _BEFORE + _AFTER if drops else _TWICE)
        _lose_caches(attempt, [server.pid for _, server in made])
        faults_boots.fall_of(attempt, "power cut")


def _lose_caches(attempt: Attempt, servers: Sequence[int]) -> None:
    """All at once: a kernel that halts flushes its disks, and md notes a failed disk on the others."""
    attempt.signal(signal.SIGSTOP)
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in servers:
            os.kill(pid, number)


@contextmanager
def after(stand: Stand) -> Iterator[Attempt]:
    """The witness' list is given; without it nothing is continued."""
    with forgetful.disks(stand, 4) as made:
        flushed, not_flushed = (read_bytes(made[-1][0].path, at, MIB) for at in (_FLUSHED, _NOT_FLUSHED))
        if flushed != _CONTENT or not_flushed.strip(b"\0"):
            raise AssertionError("the disks do not lose what no flush wrote, or lose more")
        with faults_boots.up_again(stand) as attempt:
            attempt.struck = made[2][0]
            power_cut = attempt.look().cut
            assert power_cut
            try:
                launch.resume(attempt.path)
            except NotDone as refused:
                assert refused.refused and "--acknowledged" in str(refused), refused
            else:
                raise AssertionError("continued without the witness")
            number = witness.acknowledged(str(_LIST), power_cut.tag)
            assert number > _AFTER, number
            launch.resume(attempt.path, Consent(acknowledged=number))
            attempt.another_worker()
            attempt.end()
            yield attempt
            if attempt.look().left:
                as_typed(partial(launch.clean, attempt.path))
                return
            found = result(attempt.plan, attempt.state)
            due = writes_of(found.plan, power_cut.tag).due(number) if found else range(0)
            assert found and found.holds and found.cut and found.cut.found == len(due), found


@contextmanager
def uncut(stand: Stand) -> Iterator[Attempt]:
    """Its worker is killed while it writes, the next one stopped; then a person goes on without a power cut."""
    _listen()
    asked = ProofAnswers(cut="witness", witness=str(_PIPE))
    attempt = stand.start(faults_proof.plan_of(stand, "1", (0, 1), proof=asked))
    tags = []
    for number in (signal.SIGKILL, signal.SIGTERM):
        attempt.reach("power cut")
        _await_lines(attempt, _BEFORE)
        assert attempt.look().cut
        tags.append(attempt.state.cut.tag if attempt.state.cut else "")
        attempt.signal(number)
        attempt.end()
        if number == signal.SIGKILL:
            _LIST.unlink()
            _listen()
            as_typed(partial(launch.resume, attempt.path))
            attempt.another_worker()
    if attempt.state.outcome != "stopped" or len(set(tags)) != 2:
        raise AssertionError(f"not stopped, or one tag twice: {attempt.state.outcome} {tags}")
    launch.resume(attempt.path, Consent(acknowledged=0))
    attempt.another_worker()
    found = result(attempt.plan, attempt.end())
    assert found and found.uncut and len(found.verified) == len(found.plan.states) - 1, found
    attempt.before = {}
    yield attempt


def _row(name: str, fault: str, *, drops: bool) -> Row:
    return Row(
        name=name,
        fault=f"power is cut, {fault}",
        when="acknowledged writes of a proof",
        outcome="failed" if drops else "finished",
        says=("power cut", "acknowledged write", "at array byte", "{disk}") if drops else (),
        act=after,
        lab="reboot",
        fall=partial(fall, drops),
    )


ROWS = (
    _row("cut-proof", "the disks' caches are lost", drops=False),
    Row(
        name="cut-none",
        fault="SIGKILL of the worker, then SIGTERM of the next one; power is not cut",
        when="acknowledged writes of a proof",
        outcome="finished",
        act=uncut,
    ),
    _row("cut-proof-drops", "the disks' caches are lost, and one did nothing at a flush", drops=True),
)
