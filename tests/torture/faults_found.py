"""A proof that found a difference, and never came to say so: killed, stopped, or without a second look.

The worker is halted (SIGSTOP) while fio goes on: what comes after fio's words meets a worker that has not read them.
"""

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from raidtui.core.disks.disk import Disk
from raidtui.core.plan.model import Plan
from raidtui.core.plan.steps import printed_file
from raidtui.core.proof import addresses
from raidtui.practice.rack import MIB
from raidtui.runs import launch
from raidtui.system import block, md
from tests.torture import faults_proof, mapped
from tests.torture.attempt import MOMENTS, Attempt, Missed, as_typed
from tests.torture.matrix import Row, Then
from tests.torture.stand import Stand

_WITHIN_S = 60.0
_LEVELS: dict[str, tuple[tuple[int, ...], int]] = {"1": ((0, 1), 1), "5": ((0, 1, 2), 2), "10": ((0, 1, 2, 3), 1)}
MOMENTS["last part, degraded"] = lambda plan, state: bool(state.trial and state.trial.trial == _trial(plan))


def _trial(plan: Plan) -> str:
    """The last test with one disk out."""
    return [trial.id for trial in plan.trials if trial.state == 2][-1]


def _place(attempt: Attempt, member: int, disk: Disk) -> int:
    """A byte of the disk that holds data of the last part of the array."""
    stage = next(stage for stage in attempt.plan.stages if stage.proof)
    array, proof = stage.array, stage.proof
    assert array and proof and stage.setup
    count = stage.setup.disks or len(attempt.plan.members)
    used = array.capacity.member_used_bytes
    where = addresses.geography(array.level, array.layout, [used] * count, array.chunk_bytes, used)
    assert where
    (name,) = (path.name for path in Path("/sys/block").glob("md*"))
    last = proof.states[1].spans[-1]
    end = last.begin_bytes + last.size_bytes
    places = (place for address in range(end - 4 * MIB, end, 64 << 10) for place in where.copies(address))
    return md.data_offset_bytes(name, disk.name) + next(place.offset for place in places if place.member == member)


def _changed(attempt: Attempt, member: int, disk: Disk) -> None:
    at = _place(attempt, member, disk) + 4000
    faults_proof.raw(disk, lambda descriptor: faults_proof.flip(descriptor, at))


def _children(pid: int) -> set[str]:
    """Their programs."""
    numbers = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return {block.text(f"/proc/{number}/comm") for number in numbers}


def _until(holds: Callable[[], bool], why_not: str) -> None:
    end_s = time.monotonic() + _WITHIN_S
    while not holds():
        if time.monotonic() > end_s:
            raise Missed(why_not)
        time.sleep(0.01)


def _found(attempt: Attempt, member: int, disk: Disk) -> None:
    """fio has found the change, and its worker stands still."""
    attempt.reach("proof, 1 verified, fill")
    _changed(attempt, member, disk)
    attempt.reach("last part, degraded")
    _until(lambda: "fio" in _children(attempt.pid), "fio was not started")
    attempt.signal(signal.SIGSTOP)
    file = attempt.path / printed_file(_trial(attempt.plan))
    _until(lambda: "verify failed at file" in file.read_text(errors="replace"), "fio found nothing")


def _killed(attempt: Attempt) -> None:
    """The next worker finds it out, and goes on with nothing."""
    attempt.signal(signal.SIGKILL)
    attempt.end()
    assert attempt.state.differed == ()
    as_typed(partial(launch.resume, attempt.path))
    attempt.another_worker()


def _stopped(attempt: Attempt) -> None:
    attempt.signal(signal.SIGTERM)
    attempt.signal(signal.SIGCONT)


@contextmanager
def met(level: str, then: Callable[[Attempt], None], stand: Stand) -> Iterator[Attempt]:
    disks, member = _LEVELS[level]
    disk = stand.disk(member)
    attempt = stand.start(faults_proof.plan_of(stand, level, disks), disk)
    _found(attempt, member, disk)
    then(attempt)
    yield attempt


def _failing(loop: str) -> str:
    return f"0 {mapped.SECTORS} error"


@contextmanager
def without_look(stand: Stand) -> Iterator[Attempt]:
    """The disk that gave back something else answers no more when it is read again."""
    with mapped.disk(stand, "fails") as (disk, reload):
        attempt = stand.start(faults_proof.plan_of(stand, "1", (0,), further=(disk.id,)), disk)
        _found(attempt, 1, disk)  # of a mirror: parity arrays have the block in memory
        reload(_failing)
        attempt.signal(signal.SIGCONT)
        yield attempt
        reload(mapped.kept)
        as_typed(partial(launch.clean, attempt.path))


def _row(name: str, fault: str, says: Sequence[str], act: Callable[[Stand], object], then: Then = "clean") -> Row:
    return Row(
        name=f"found-{name}",
        fault=f"a bit of a member flips, fio finds it, {fault}",
        when="before the worker has read it",
        outcome="failed",
        says=tuple(says),
        act=act,  # type: ignore[arg-type]
        then=then,
    )


_NOT_LOOKED = ("1 disk out: the block of byte", "differed; not read again")
ROWS = (
    *(
        _row(
            f"killed-{level}",
            f"SIGKILL; RAID {level}, resumed",
            (*_NOT_LOOKED, "nothing is continued"),
            partial(met, level, _killed),
        )
        for level in _LEVELS
    ),
    *(
        _row(
            f"stopped-{level}",
            f"stop; RAID {level}",
            ("1 disk out: 1 bit flipped at array byte", "{disk}"),
            partial(met, level, _stopped),
        )
        for level in _LEVELS
    ),
    _row("look-fails", "EIO when it is read again", _NOT_LOOKED, without_look, ""),
)
