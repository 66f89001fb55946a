"""Copies and parity that a proof claims: a power cut that one disk has lost, the disk rebuilt last, one wrong mirror,
and zeros on each member in turn in each state that claims it.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from raidtui.core.disks.disk import Disk
from raidtui.core.plan import slots
from raidtui.core.plan.answers import ProofAnswers
from raidtui.core.proof import pattern, witnessed
from raidtui.core.proof.pattern import REQUEST_BYTES
from raidtui.core.run.proof import cut_words, result
from raidtui.practice.rack import MIB
from raidtui.runs import directory, launch
from raidtui.runs.proof.witness import acknowledged
from raidtui.runs.removal.decision import Consent
from raidtui.system import md
from raidtui.system.block import read_bytes
from raidtui.system.claims import lock_nodes
from tests.runs.proof.claims import is_needed
from tests.torture import faults_boots, faults_cuts, faults_proof
from tests.torture.attempt import MOMENTS, Attempt, as_typed
from tests.torture.matrix import Row
from tests.torture.stand import Stand, command

_LINES = 20  # that the witness has before the cut
_Changes = Callable[[Attempt, Stand], None]
_STATES = [(number, role) for number in range(6) for role in ("check", "measure")]
for _verified, _role in ((4, "came-back"), *_STATES):
    MOMENTS[f"proof, {_verified} verified, {_role}"] = faults_proof.at(_verified, _role)


def overwrite(disk: Disk, pieces: Sequence[tuple[int, bytes]]) -> None:
    """Bytes by their offset behind the data offset, behind the array's back; udev looks the other way."""
    begin = faults_proof.offset_bytes(disk)
    with lock_nodes([disk.path]):
        descriptor = os.open(disk.path, os.O_RDWR | os.O_SYNC | os.O_CLOEXEC)
        try:
            for at, data in pieces:
                os.pwrite(descriptor, data, begin + at)
        finally:
            os.close(descriptor)


# Power cuts


def fall(level: str, disks: Sequence[int], stand: Stand) -> None:
    """Power is cut in the middle of acknowledged writes."""
    faults_cuts._listen()
    asked = ProofAnswers(cut="witness", witness=str(faults_cuts._PIPE))
    attempt = stand.start(faults_proof.plan_of(stand, level, disks, proof=asked))
    attempt.reach("power cut")
    faults_cuts._await_lines(attempt, _LINES)
    faults_boots.fall_of(attempt, "power cut")


def _acknowledged(attempt: Attempt) -> tuple[witnessed.AcknowledgedWrites, int]:
    power_cut, proof = attempt.look().cut, faults_proof.stage_of(attempt).proof
    assert power_cut and proof
    return witnessed.writes_of(proof, power_cut.tag), acknowledged(str(faults_cuts._LIST), power_cut.tag)


def _tags(attempt: Attempt) -> tuple[str, ...]:
    (proof,) = (stage.proof for stage in slots.filled(attempt.plan).stages if stage.proof)
    return proof.tags


def set_back(member: int, disks: int, attempt: Attempt, stand: Stand) -> None:
    """A disk has what it had before the cut, in place of each acknowledged write."""
    writes, number = _acknowledged(attempt)
    where, pieces = faults_proof.geography(attempt, disks), []
    step = where.chunk_bytes or REQUEST_BYTES
    for one in writes.due(number):
        request = writes.address(one)
        for address in range(request, request + REQUEST_BYTES, step):
            length = step - address % step
            before = pattern.content(_tags(attempt)[0], request, address - request, length)
            pieces += [(place.offset, before) for place in where.copies(address) if place.member == member]
    overwrite(stand.disk(member), pieces)


def parity_lost(member: int, disks: int, attempt: Attempt, stand: Stand) -> None:
    """A disk lacks the parity of one stripe in the middle of the acknowledged writes."""
    writes, _ = _acknowledged(attempt)
    where = faults_proof.geography(attempt, disks)
    for address in range(writes.address(5), writes.address(12), where.chunk_bytes):
        for place in where.stripe(address):
            if place.address is None and place.member == member:
                overwrite(stand.disk(member), [(place.offset, bytes(where.chunk_bytes))])
                return
    raise AssertionError("no parity there")


@contextmanager
def after(change: _Changes, member: int, stand: Stand) -> Iterator[Attempt]:
    """After the boot a member is changed, then the run is resumed with the witness' list."""
    with faults_boots.up_again(stand) as attempt:
        attempt.struck = stand.disk(member)
        change(attempt, stand)
        _, number = _acknowledged(attempt)
        launch.resume(attempt.path, Consent(acknowledged=number))
        attempt.another_worker()
        attempt.end()
        yield attempt
        if attempt.look().left:
            as_typed(partial(launch.clean, attempt.path))


def resynced(attempt: Attempt, stand: Stand) -> None:
    """Somebody made the array writable, and md's resync has begun."""
    (name,) = (path.name for path in Path("/sys/block").glob("md*"))
    command("mdadm", "--readwrite", f"/dev/{name}")


@contextmanager
def covered(change: _Changes | None, stand: Stand) -> Iterator[Attempt]:
    """After the boot the run is resumed to its end: all copies and parity were asked, unless md wrote before."""
    with faults_boots.up_again(stand) as attempt:
        if change:
            change(attempt, stand)
        _, number = _acknowledged(attempt)
        launch.resume(attempt.path, Consent(acknowledged=number))
        attempt.another_worker()
        found = result(attempt.plan, attempt.end())
        assert found and found.cut and found.cut.copies, attempt.state.reason
        expected = "copies not asked (md began its resync first)" if change else "parity of "
        assert expected in cut_words(found) and found.holds == (change is None), cut_words(found)
        attempt.before = {}
        yield attempt


# Zeros


@contextmanager
def zeroed(
    level: str, disks: Sequence[int], moment: str, member: int, change: _Changes, stand: Stand
) -> Iterator[Attempt]:
    attempt = stand.start(faults_proof.plan_of(stand, level, disks), stand.disk(member))
    attempt.reach(moment)
    attempt.signal(signal.SIGSTOP)
    change(attempt, stand)
    attempt.signal(signal.SIGCONT)
    yield attempt


def data_zeroed(member: int, attempt: Attempt, stand: Stand) -> None:
    """All that the array has on it."""
    array = faults_proof.stage_of(attempt).array
    assert array
    overwrite(stand.disk(member), [(at, bytes(MIB)) for at in range(0, array.capacity.member_used_bytes - MIB, MIB)])


def parity_zeroed(member: int, disks: int, attempt: Attempt, stand: Stand) -> None:
    array = faults_proof.stage_of(attempt).array
    assert array
    where = faults_proof.geography(attempt, disks)
    row_bytes = where.chunk_bytes * (disks - 1)
    places = (place for at in range(0, array.capacity.array_bytes, row_bytes) for place in where.stripe(at))
    lost = [place.offset for place in places if place.address is None and place.member == member]
    overwrite(stand.disk(member), [(at, bytes(where.chunk_bytes)) for at in lost])


def last_zeroed(member: int, attempt: Attempt, stand: Stand) -> None:
    """The last 12 MiB of the pattern."""
    array = faults_proof.stage_of(attempt).array
    assert array
    end = array.capacity.array_bytes - 2 * MIB
    overwrite(stand.disk(member), [(at, bytes(MIB)) for at in range(end - 12 * MIB, end, MIB)])


# Each state, each member


def _content(disk: Disk, places: Sequence[tuple[int, int]]) -> list[tuple[int, bytes]]:
    begin = faults_proof.offset_bytes(disk)
    return [(at, read_bytes(disk.path, begin + at, length)) for at, length in places]


def _claimed(attempt: Attempt, disks: int, member: int, out: tuple[int, ...]) -> list[tuple[int, int]]:
    """Offsets and lengths in the last part of the array, which no state writes again, that a state proves."""
    where, found = faults_proof.geography(attempt, disks), []
    array, step = faults_proof.stage_of(attempt).array, where.row_bytes or where.chunk_bytes or MIB
    assert array
    end = (array.capacity.array_bytes - 2 * MIB) // step * step
    for address in range(end - 8 * MIB // step * step, end, step):
        together = where.stripe(address) if where.row_bytes else where.copies(address)
        found += [
            (place.offset, where.chunk_bytes or MIB)
            for place in together
            if place.member == member and (not out or is_needed(place, together, out))
        ]
    return found


def _counted_anew(attempt: Attempt) -> None:
    """md counts none: a worker would find what it counted before, as of a check that nobody followed."""
    array = slots.filled(attempt.plan).stages[-1].array
    assert array
    for uuid in array.uuids[bool(array.groups) :]:
        node = f"/dev/{md.find(uuid)}"
        command("mdadm", "--wait", node, ok=False)  # for what runs still, if anything
        command("mdadm", "--action=check", node)
        command("mdadm", "--wait", node, ok=False)
        count = Path(f"/sys/block/{Path(node).name}/md/mismatch_cnt").read_text().strip()
        assert count == "0", count


@contextmanager
def in_turn(level: str, disks: int, numbers: Sequence[int], stand: Stand, groups: int = 1) -> Iterator[Attempt]:
    """Zeros on each member in each of these states that claims it: found, named; then all is as before, and the run is
    resumed.
    """
    attempt = stand.start(faults_proof.plan_of(stand, level, range(disks), groups=groups))
    proof = faults_proof.stage_of(attempt).proof
    assert proof
    for number in numbers:
        state = proof.states[number]
        moment = f"proof, {number} verified, {'check' if state.checked else 'measure'}"
        attempt.reach(moment)
        members = [member for member in range(disks) if member not in state.out]
        places = {member: claimed for member in members if (claimed := _claimed(attempt, disks, member, state.out))}
        for member, claimed in places.items():
            attempt.signal(signal.SIGSTOP)
            journal = (attempt.path / directory.JOURNAL).read_bytes()
            before = _content(stand.disk(member), claimed)
            overwrite(stand.disk(member), [(at, bytes(length)) for at, length in claimed])
            attempt.signal(signal.SIGCONT)
            attempt.end()
            event = attempt.state.differed[-1]
            told = attempt.state.outcome, event.state, event.blocks[0].member, bool(event.mismatches)
            if told != ("failed", state.words, stand.members[member], state.checked):
                raise AssertionError(f"{state.words}, member {member}: {told} {attempt.state.reason}")
            print(f"{level} | {state.words} | {member} | {'check' if event.mismatches else 'read'}", file=sys.stderr)
            overwrite(stand.disk(member), before)
            if state.checked:
                _counted_anew(attempt)
            (attempt.path / directory.JOURNAL).write_bytes(journal)
            attempt = Attempt(attempt.path)
            attempt.look()
            as_typed(partial(launch.resume, attempt.path))
            attempt.another_worker()
            attempt.reach(moment)
    attempt.end()
    yield faults_proof.whole(attempt)


def _cut_row(name: str, fault: str, level: str, disks: Sequence[int], change: _Changes, says: tuple[str, ...]) -> Row:
    return Row(
        name=f"cut-copies-{name}",
        fault=f"power is cut, {fault}",
        when="acknowledged writes of a proof",
        outcome="failed",
        says=says,
        act=partial(after, change, 1),
        lab="reboot",
        fall=partial(fall, level, disks),
    )


_LOST = ("power cut", "acknowledged write 1: an earlier write at array byte", "{disk}")
ROWS = (
    _cut_row("1", "the second mirror is as before it", "1", (0, 1), partial(set_back, 1, 2), _LOST),
    _cut_row("10", "a disk of RAID 10 is as before it", "10", (0, 1, 2, 3), partial(set_back, 1, 4), _LOST),
    _cut_row(
        "5", "a disk of RAID 5 lacks parity", "5", (0, 1, 2), partial(parity_lost, 1, 3),
        ("power cut", "parity", "{disk}"),
    ),
    Row(
        name="cut-copies-6",
        fault="power is cut, no disk of RAID 6 has lost anything",
        when="acknowledged writes of a proof",
        outcome="finished",
        act=partial(covered, None),
        lab="reboot",
        fall=partial(fall, "6", (0, 1, 2, 3)),
    ),
    Row(
        name="cut-resynced",
        fault="power is cut, and md has begun its resync before the run is resumed",
        when="acknowledged writes of a proof",
        outcome="finished",
        act=partial(covered, resynced),
        lab="reboot",
        fall=partial(fall, "1", (0, 1)),
    ),
    *(
        Row(
            name=f"proof-zeros-{level}{name}",
            fault=f"zeros on each member of RAID {level} in turn, each found and named; then all is as before",
            when=when,
            outcome="finished",
            act=partial(in_turn, level, disks, numbers),
        )
        for level, disks in (("1", 2), ("5", 3), ("10", 4))
        for name, when, numbers in (
            ("", "healthy, 1 disk out, rebuilt", (0, 1, 2)),
            ("-late", "1 other disk out, assembled again", (3, 4)),
        )
    ),
    Row(
        name="proof-last-1",
        fault="zeros over the disk rebuilt last, RAID 1",
        when="after its rebuild",
        outcome="failed",
        says=("assembled again: the check counted", "zeros at array byte", "{disk}"),
        act=partial(zeroed, "1", (0, 1), "proof, 4 verified, came-back", 1, partial(data_zeroed, 1)),
        then="clean",
    ),
    Row(
        name="proof-last-5",
        fault="zeros in place of the parity of the disk rebuilt last, RAID 5",
        when="after its rebuild",
        outcome="failed",
        says=("assembled again: the check counted", "{disk}"),
        act=partial(zeroed, "5", (0, 1, 2), "proof, 4 verified, came-back", 1, partial(parity_zeroed, 1, 3)),
        then="clean",
    ),
    Row(
        name="proof-mirror",
        fault="one of two mirrors has zeros",
        when="after the check of the healthy array",
        outcome="failed",
        says=("healthy", "zeros at array byte", "{disk}"),
        act=partial(zeroed, "1", (0, 1), "proof, 0 verified, measure", 0, partial(last_zeroed, 0)),
        then="clean",
    ),
)  # fmt: skip
