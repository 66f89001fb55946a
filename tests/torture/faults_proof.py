"""Arrays that are proved: killed in every state and continued, and faults of a member that no other test would show."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from raidtui import recipes
from raidtui.core.disks.disk import Disk
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan.answers import Answers, Between, ProofAnswers, Setup
from raidtui.core.plan.model import Plan, Stage
from raidtui.core.plan.planner import make
from raidtui.core.plan.steps import Command
from raidtui.core.proof import addresses
from raidtui.core.proof.addresses import Geography
from raidtui.core.run.proof import result
from raidtui.core.run.state import RunState
from raidtui.practice.rack import MIB
from raidtui.runs import launch
from raidtui.system import md, versions
from raidtui.system.claims import lock_nodes
from raidtui.system.discovery import read_machine
from tests.torture import faults_boots, mapped, passphrase
from tests.torture.attempt import MOMENTS, Attempt, as_typed
from tests.torture.matrix import Lab, Row, Then
from tests.torture.stand import Stand

_Moments = Sequence[tuple[int, str]]
_FLIPPED = 4  # of a byte: one bit
# When it is killed: states verified by then, and what it does.
_MOMENTS = (
    (0, "fill"), (0, "measure"), (1, "fill"), (1, "measure"), (2, "add"), (2, "sync-finished"), (2, "check-ended"),
    (2, "measure"), (3, "measure"), (4, "sync-finished"), (4, "settled"), (4, "measure"),
)  # fmt: skip
OF_TWO = ((2, "fill"), (2, "measure"), (3, "sync-finished"), (5, "measure"))  # of levels that survive two


def plan_of(
    stand: Stand,
    level: str,
    disks: Sequence[int] = (0, 1, 2),
    *,
    layout: str = "",
    between: Between = "",
    further: Sequence[str] = (),
    proof: ProofAnswers | None = None,
    keeps: bool = False,
    groups: int = 1,
) -> Plan:
    machine = read_machine()
    keeps = keeps or bool(between)
    filesystem = "ext4" if keeps else "none"
    setup = Setup(level=level, layout=layout, between=between, filesystem=filesystem, groups=groups)
    answers = Answers(
        disks=(*(stand.members[index] for index in disks), *further),
        setup=setup,
        recipe="proof",
        proof=proof or ProofAnswers(),
        after="keep" if keeps else "teardown",
    )
    return make(answers, recipes.load("proof"), disks_of(machine), machine.machine_id, mdadm=versions.mdadm())


def stage_of(attempt: Attempt) -> Stage:
    return next(stage for stage in attempt.plan.stages if stage.proof)


def at(verified: int, role: str) -> Callable[[Plan, RunState], bool]:
    def holds(plan: Plan, state: RunState) -> bool:
        found = result(plan, state)
        is_at = state.step is not None and state.step.role == role and not state.step.undoing
        is_at &= role != "measure" or state.trial is not None  # a test that has ended has verified its state
        return is_at and found is not None and len(found.verified) == verified

    return holds


for _verified, _role in (*_MOMENTS, *OF_TWO, (3, "check-ended"), (5, "wipe"), (5, "mkfs")):
    MOMENTS[f"proof, {_verified} verified, {_role}"] = at(_verified, _role)


@contextmanager
def killed_in_each(plan: Callable[[Stand], Plan], moments: _Moments, stand: Stand) -> Iterator[Attempt]:
    """Its worker is killed at each of these moments, and the run resumed."""
    attempt = stand.start(plan(stand))
    for verified, role in moments:
        attempt.reach(f"proof, {verified} verified, {role}")
        attempt.signal(signal.SIGKILL)
        attempt.end()
        as_typed(partial(launch.resume, attempt.path))
        attempt.another_worker()
    state = attempt.end()
    creates = [step for step in stage_of(attempt).steps if isinstance(step, Command) and step.role == "create"]
    if len([step for step in state.steps if step.role == "create"]) != len(creates):
        raise AssertionError("the array was built again")
    yield whole(attempt)


def whole(attempt: Attempt) -> Attempt:
    """StepFailed unless every state is verified."""
    found = result(attempt.plan, attempt.look())
    if found is None or not found.holds:
        raise AssertionError(f"not proved: {found}, {attempt.state.reason}")
    attempt.before = {}  # a state is measured anew where it was cut off
    return attempt


@contextmanager
def through_luks(stand: Stand) -> Iterator[Attempt]:
    """A person types the passphrase: twice for a new one, once to open it, and once more to open it in the end."""
    with passphrase.light():
        attempt = stand.start(plan_of(stand, "5", between="luks"))
        passphrase.make(attempt)
        attempt.reach("proof, 4 verified, settled")
        passphrase.enter(attempt)
        attempt.end()
        yield whole(attempt)


def geography(attempt: Attempt, disks: int) -> Geography:
    array = stage_of(attempt).array
    assert array
    used = array.capacity.member_used_bytes
    found = addresses.geography(
        array.level, array.layout, [used] * disks, array.chunk_bytes, used, array.capacity.outer
    )
    assert found
    return found


def offset_bytes(disk: Disk) -> int:
    """Of the data, in the one array that has this disk."""
    (name,) = (path.name for path in Path(f"/sys/block/{disk.name}/holders").glob("md*"))
    return md.data_offset_bytes(name, disk.name)


def _places(attempt: Attempt, member: int, disk: Disk) -> Iterator[int]:
    """Bytes of a disk that hold data of the last part of the array, chunk by chunk."""
    array, proof = stage_of(attempt).array, stage_of(attempt).proof
    assert array and array.chunk_bytes and proof
    offset = offset_bytes(disk)
    where = geography(attempt, sum(len(group.members) for group in array.groups) or 3)
    last = proof.states[1].spans[-1]
    for address in range(
        last.begin_bytes + last.size_bytes - 8 * MIB, last.begin_bytes + last.size_bytes, array.chunk_bytes
    ):
        (place,) = where.copies(address)
        if place.member == member:
            yield offset + place.offset


def raw(disk: Disk, change: Callable[[int], None]) -> None:
    """Behind the array's back; udev looks the other way."""
    with lock_nodes([disk.path]):
        descriptor = os.open(disk.path, os.O_RDWR | os.O_SYNC | os.O_CLOEXEC)
        try:
            change(descriptor)
        finally:
            os.close(descriptor)


def flip(descriptor: int, at: int) -> None:
    (byte,) = os.pread(descriptor, 1, at)
    os.pwrite(descriptor, bytes((byte ^ _FLIPPED,)), at)


def flip_bit(attempt: Attempt, disk: Disk, member: int = 2) -> None:
    at = next(_places(attempt, member, disk)) + 4000
    raw(disk, lambda descriptor: flip(descriptor, at))


def _move(attempt: Attempt, disk: Disk) -> None:
    first, second, *_ = _places(attempt, 2, disk)

    def move(descriptor: int) -> None:
        os.pwrite(descriptor, os.pread(descriptor, 4096, first), second)

    raw(disk, move)


@contextmanager
def changed(verified: int, role: str, change: Callable[[Attempt, Disk], None], stand: Stand) -> Iterator[Attempt]:
    """A member is changed behind the array's back."""
    disk = stand.disk(2)
    attempt = stand.start(plan_of(stand, "5"), disk)
    attempt.reach(f"proof, {verified} verified, {role}")
    change(attempt, disk)
    yield attempt


@contextmanager
def dropping(stand: Stand) -> Iterator[Attempt]:
    """A member drops all writes from the first one of the second pattern on, and says it has written."""
    with mapped.disk(stand, "forgets") as (disk, reload):
        attempt = stand.start(plan_of(stand, "5", (0, 1), further=(disk.id,)), disk)
        attempt.reach("proof, 1 verified, fill")
        reload(mapped.dropping)
        yield attempt
        reload(mapped.kept)
        as_typed(partial(launch.clean, attempt.path))


def fall(stand: Stand) -> None:
    """In a rebuild the power fails."""
    faults_boots.fall_of(stand.start(plan_of(stand, "5")), "proof, 2 verified, sync-finished")


def killed(
    name: str, words: str, plan: Callable[[Stand], Plan], moments: _Moments, then: Then, lab: Lab = "plain"
) -> Row:
    return Row(
        name=f"proof-{name}",
        fault=f"SIGKILL of the worker {len(moments)} times while {words} is proved, each time resumed",
        when="every state",
        outcome="finished",
        act=partial(killed_in_each, plan, moments),
        then=then,
        lab=lab,
    )


_MIRRORED = tuple(moment for moment in _MOMENTS if moment[1] != "settled")
_IN_MKFS = ((0, "fill"), (5, "wipe"), (5, "mkfs"))
_TWICE = (*_MOMENTS[:4], *OF_TWO)

ROWS = (
    killed("5", "RAID 5", lambda stand: plan_of(stand, "5"), _MOMENTS, ""),
    killed("1", "RAID 1", lambda stand: plan_of(stand, "1", (0, 1)), _MIRRORED, ""),
    killed("6", "RAID 6", lambda stand: plan_of(stand, "6", (0, 1, 2, 3)), _TWICE, ""),
    killed("10-n2", "RAID 10 n2", lambda stand: plan_of(stand, "10", (0, 1, 2, 3)), _MIRRORED, ""),
    killed("10-f2", "RAID 10 f2", lambda stand: plan_of(stand, "10", (0, 1, 2, 3), layout="f2"), _MIRRORED, ""),
    killed("lvm", "LVM on RAID 5", lambda stand: plan_of(stand, "5", between="lvm"), _MOMENTS, "clean"),
    killed("mkfs", "RAID 1", lambda stand: plan_of(stand, "1", (0, 1), keeps=True), _IN_MKFS, "clean"),
    Row(
        name="proof-luks",
        fault="none: LUKS on RAID 5 is proved",
        when="to its end",
        outcome="finished",
        act=through_luks,
        then="clean",
    ),
    Row(
        name="proof-flips",
        fault="a bit of a member flips while the array is healthy",
        when="before the first disk is out",
        outcome="failed",
        says=("1 disk out: 1 bit flipped at array byte", "{disk}"),
        act=partial(changed, 1, "fill", flip_bit),
        then="clean",
    ),
    Row(
        name="proof-flips-rebuilt",
        fault="a bit of a member flips after the rebuild",
        when="before the check",
        outcome="failed",
        says=(
            "rebuilt: the check counted 8 sectors whose copies or parity disagree, the first: 1 bit flipped",
            "{disk}",
        ),
        act=partial(changed, 2, "check-ended", flip_bit),
        then="clean",
    ),
    Row(
        name="proof-moves",
        fault="a member has a block of another place",
        when="before the first disk is out",
        outcome="failed",
        says=("1 disk out: the block of byte", "{disk}"),
        act=partial(changed, 1, "fill", _move),
        then="clean",
    ),
    Row(
        name="proof-drops",
        fault="a member drops what is written (dm-flakey)",
        when="one disk is out",
        outcome="failed",
        says=("1 disk out", "an earlier write at array byte", "{disk}"),
        act=dropping,
    ),
    Row(
        name="reboot-proof",
        fault="the power fails, the machine boots again",
        when="a proof's rebuild",
        outcome="interrupted",
        act=faults_boots.up_again,
        then="resume",
        lab="reboot",
        fall=fall,
    ),
)
