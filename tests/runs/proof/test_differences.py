"""Blocks that came back otherwise than written: what is there, and on which member."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan.steps import Check
from raidtui.core.proof import pattern
from raidtui.core.proof.addresses import Geography, MemberByte
from raidtui.core.proof.pattern import BlockDiffers
from raidtui.core.run import events
from raidtui.core.run.proof import differing, result
from raidtui.runs.proof import differences
from raidtui.runs.proof.differences import NAMED, _Look
from raidtui.runs.waiting import Ended, StepFailed
from tests.runs.proof.members import MemberRig, plan_of, seen_of
from tests.runs.proof.proving import ProofRig, plan
from tests.runs.rig import Argv

MIB = 1 << 20
WORDS = "pattern: verify failed at file /dev/md127 offset {at}, length 1 (requested block: offset={at}, length=1048576)"


class Platter(ProofRig):
    """Members that hold what the array writes; `planted`: (member, array address) -> a byte that is there instead."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, plan("keep", "ext4"))
        self.planted: dict[tuple[int, int], int] = {}
        array = self.plan.stages[-1].array
        assert array and array.chunk_bytes
        self.where = Geography("5", "left-symmetric", 3, array.chunk_bytes, array.capacity.member_used_bytes)
        self.trial = ""

    def _done(self, argv: Argv) -> Ended:
        ended = super()._done(argv)
        output = next((word for word in argv if word.startswith("--output=")), "")
        if self.trial and output.endswith(f"{self.trial}.json"):
            at = min(address for _, address in self.planted) // MIB * MIB
            return Ended(1, WORDS.format(at=at))
        return ended

    def text(self, path: str | Path) -> str:
        parts = Path(path).parts
        if parts[-1] == "slot" and parts[-2].startswith("dev-sd"):
            name = parts[-2].removeprefix("dev-")
            return str("abc".index(name[-1])) if name in self.slaves("md127") else ""
        return super().text(path)

    def data_offset_bytes(self, array: str, member: str) -> int:
        return 8 * MIB

    def read_bytes(self, node: str, offset: int, size_bytes: int) -> bytes:
        proof = self.plan.stages[-1].proof
        assert proof and not (offset % 4096 or size_bytes % 4096)  # disks with sectors of 4 KiB take nothing else
        state = proof.states[0 if self.trial.endswith("1") else 1]
        if node == "/dev/md127":
            return b"".join(self._page(state, offset + at) for at in range(0, size_bytes, 4096))
        member = "abc".index(node[-1])
        address = self._address(member, offset - 8 * MIB)
        if address is None:
            return bytes(size_bytes)
        return self._page(state, address - address % 4096)[address % 4096 :][:size_bytes]

    def _page(self, state: pattern.ProofState, page: int) -> bytes:
        span = next(span for span in state.spans if span.contains(page))
        proof = self.plan.stages[-1].proof
        assert proof
        request = pattern.request_of(span, page)
        whole = bytearray(pattern.content(proof.tags[span.tag], request, page - request, 4096))
        for (_, address), byte in self.planted.items():
            if page <= address < page + 4096:
                whole[address - page] ^= byte
        return bytes(whole)

    def _address(self, member: int, offset: int) -> int | None:
        """Array address of the data at this offset of a member; None for parity."""
        row, within = divmod(offset, self.where.chunk_bytes)
        chunks = (2 * row + number for number in range(2))
        addresses = (chunk * self.where.chunk_bytes for chunk in chunks)
        return next((at + within for at in addresses if self.where.copies(at)[0].member == member), None)


def differs(rig: Platter) -> BlockDiffers:
    outcome, reason, left = rig.go()
    (event,) = rig.journal.state.differed
    assert (outcome, reason) == ("failed", differing(event, rig.plan)) and left
    assert rig.array == "md127" and not any(argv[0].startswith("mkfs") for argv in rig.given)
    (block,) = event.blocks
    return block


@pytest.mark.parametrize("address", [5 * MIB + 100, 17 * MIB + 70000, 100 * MIB + 3])
def test_a_flipped_bit_is_named_with_its_disk(tmp_path: Path, address: int) -> None:
    rig = Platter(tmp_path)
    (place,) = rig.where.copies(address)
    rig.planted, rig.trial = {(place.member, address): 4}, "s1-verify-1"
    block = differs(rig)
    assert (block.kind, block.bits, block.count_bytes, block.array_bytes) == ("single bits differ", 1, 1, address)
    assert block.member == rig.plan.members[place.member].id
    assert block.member_bytes == 8 * MIB + place.offset
    assert int(block.expected, 16) ^ int(block.found, 16) == 4


class Mirrors(MemberRig):
    """RAID 1: fio reads one copy, whoever looks again the other one. Zeros come to it after the check."""

    wrong = (1, 5 * MIB)

    def _fio(self, options: dict[str, str]) -> Ended:
        member, offset = self.wrong
        if options["rw"] == "read":
            self.members[member][offset : offset + 4096] = bytes(4096)
        self.prefers = 1
        ended = super()._fio(options)
        self.prefers = 0
        return ended


def test_one_wrong_mirror_is_named_though_the_second_look_gets_the_other(tmp_path: Path) -> None:
    seen = seen_of(2, 16 * MIB)
    rig = Mirrors(tmp_path, plan_of(seen, "1"), seen)
    outcome, reason, _ = rig.go()
    member = rig.plan.members[1]
    assert outcome == "failed"
    assert reason.startswith(f"healthy: zeros at array byte {5 * MIB}, {member.model} {member.serial} byte {13 * MIB}")


class Flickers(MemberRig):
    """Levels without copies: a block that is wrong once."""

    def _fio(self, options: dict[str, str]) -> Ended:
        if options["rw"] == "read":
            return Ended(1, WORDS.format(at=5 * MIB))
        return super()._fio(options)


def test_a_block_that_reads_right_the_second_time_is_a_difference_all_the_same(tmp_path: Path) -> None:
    seen = seen_of(3, 16 * MIB)
    rig = Flickers(tmp_path, plan_of(seen, "5"), seen)
    assert rig.go()[0] == "failed"
    (block,) = rig.journal.state.differed[-1].blocks
    assert (block.again, block.request_bytes, block.member) == (False, 5 * MIB, "")


def test_a_test_that_read_less_than_all_verifies_nothing(tmp_path: Path) -> None:
    rig = ProofRig(tmp_path, plan("keep", "ext4"))
    rig.short_bytes = 1
    outcome, reason, _ = rig.go()
    assert (outcome, reason) == ("failed", "Verify: healthy: fio read less than all")
    proved = result(rig.plan, rig.journal.state)
    assert proved and proved.verified == ()


def test_what_fio_could_not_read_is_no_difference(tmp_path: Path) -> None:
    rig = ProofRig(tmp_path, plan("keep", "ext4"))
    answer: Callable[[Argv], Ended] = rig.answer
    rig.answer = lambda argv: (
        Ended(1, "Input/output error")
        if any(word == "--output=fio/s1-verify-1.json" for word in argv)
        else answer(argv)
    )
    outcome, reason, _ = rig.go()
    assert outcome == "failed" and "Input/output error" in reason
    assert rig.journal.state.differed == ()


CHECK = Check(what="", question="copies-agree")


class Where(msgspec.Struct):
    of_copies: tuple[MemberByte, ...]
    of_stripe: tuple[MemberByte, ...] = ()

    def copies(self, address: int) -> tuple[MemberByte, ...]:
        return self.of_copies

    def stripe(self, address: int) -> tuple[MemberByte, ...]:
        return self.of_stripe


class Written:
    """What members of an array hold: slots that are `there`, places that are `wrong`; asked for both."""

    def __init__(
        self, where: Where | None, there: str, wrong: Sequence[MemberByte] = (), encrypted: bool = False
    ) -> None:
        self.geography, self.is_encrypted, self.wrong = where, encrypted, wrong
        self.slots = {slot: slot + 10 for slot in range(4) if str(slot) in there}
        self.asked: list[MemberByte] = []

    def is_there(self, place: MemberByte) -> bool:
        return place.member in self.slots

    def at(self, place: MemberByte) -> int:
        return place.offset + 8 * MIB

    def differs(self, place: MemberByte) -> bool:
        assert self.is_there(place) and place.address is not None
        self.asked.append(place)
        return place in self.wrong


FIRST, SECOND = (MemberByte(slot, 100 + slot, 1000 + slot) for slot in range(2))
P, Q = MemberByte(2, 102), MemberByte(3, 103)
MIRROR, RAID5, RAID6 = (
    Where((FIRST, SECOND)),
    Where((FIRST,), (FIRST, SECOND, P)),
    Where((FIRST,), (FIRST, SECOND, P, Q)),
)


@pytest.mark.parametrize(
    "written, place, asked",
    [
        (Written(None, "012"), None, 0),
        (Written(MIRROR, "01", [FIRST]), FIRST, 2),
        (Written(MIRROR, "01", [SECOND]), SECOND, 2),
        (Written(MIRROR, "01", [FIRST, SECOND]), FIRST, 2),
        (Written(MIRROR, "01"), None, 2),
        (Written(MIRROR, "1", [FIRST]), None, 1),  # its disk is out
        (Written(RAID5, "012", [FIRST]), FIRST, 2),
        (Written(RAID5, "012", [SECOND]), SECOND, 2),
        (Written(RAID5, "12", [SECOND]), SECOND, 1),  # computed from it
        (Written(RAID5, "12"), P, 1),  # all data is right: the parity it was computed with is not
        (Written(RAID5, "01"), None, 2),
        (Written(RAID6, "0123"), None, 2),  # one of both
        (Written(RAID6, "013"), Q, 2),
        (Written(RAID6, "0123", [SECOND]), SECOND, 2),
        (Written(MIRROR, "01", [FIRST], True), None, 0),  # ciphertext: nothing to compare with
        (Written(MIRROR, "1", [FIRST], True), SECOND, 0),
        (Written(MIRROR, "2", [FIRST], True), None, 0),
        (Written(RAID5, "012", [SECOND], True), FIRST, 0),
    ],
)
def test_the_member_is_the_one_that_is_there_and_wrong(written: Written, place: MemberByte | None, asked: int) -> None:
    look = _Look.__new__(_Look)
    look._contents = look._members = written  # type: ignore[assignment]
    expected = (place.member + 10, place.offset + 8 * MIB) if place else (None, None)
    assert look._member(1000) == expected and len(written.asked) == asked == len({*written.asked})


def entered(folder: Path) -> ProofRig:
    rig = ProofRig(folder, plan("keep", "ext4"))
    rig.enter_last()
    return rig


@pytest.mark.parametrize(
    "error, why",
    [(None, ""), (OSError(5, "Input/output error"), "[Errno 5] Input/output error"), (KeyError(), "KeyError")],
)
def test_what_a_second_look_saw_until_it_failed_is_journalled_with_the_reason(
    tmp_path: Path, error: Exception | None, why: str
) -> None:
    rig = entered(tmp_path)
    seen = BlockDiffers(request_bytes=5 * MIB, offset_bytes=7, count_bytes=1)
    differences.journal(rig.executor.context, "healthy", [at * MIB for at in range(20)])
    first = rig.journal.state.differed[-1]
    assert (first.named, first.count, first.state, first.stage) == (
        tuple(at * MIB for at in range(NAMED)), 20, "healthy", len(rig.plan.stages) - 1
    )  # fmt: skip

    def look() -> Iterator[BlockDiffers]:
        yield seen
        if error:
            raise error

    words = differences.looked_at(rig.executor.context, look())
    event = rig.journal.state.differed[-1]
    assert (event.blocks, event.why_not, event.named, event.count) == ((seen,), why, first.named, 20)
    assert words == differing(event, rig.plan) and len(rig.journal.state.differed) == 1


@pytest.mark.parametrize(
    "told, says",
    [
        ((), "the check of the array has no result"),
        ((events.MismatchesCounted(at_s=1, sectors=0),), "the check of the array has no result"),
        (
            (events.MismatchesCounted(at_s=1, sectors=0, final=True), events.MismatchesCounted(at_s=2, sectors=0)),
            "the check of the array has no result",
        ),
        ((events.MismatchesCounted(at_s=1, sectors=8), events.MismatchesCounted(at_s=2, sectors=0, final=True)), ""),
    ],
)
def test_a_check_counts_by_its_own_last_figure(tmp_path: Path, told: tuple[events.AnyEvent, ...], says: str) -> None:
    rig = entered(tmp_path)
    for event in told:
        rig.journal.add(event)
    if not says:
        differences.copies_agree(rig.executor.context, CHECK)
        return
    with pytest.raises(StepFailed) as failed:
        differences.copies_agree(rig.executor.context, CHECK)
    assert str(failed.value) == says and not isinstance(failed.value, differences.BlocksDiffer)


def test_a_test_is_equal_by_its_end_alone(tmp_path: Path) -> None:
    trial = next(trial for stage in entered(tmp_path).plan.stages for trial in stage.trials if trial.state)
    for measurement, says in (
        (Measurement(name="x", status="interrupted"), ""),
        (Measurement(name="x", status="failed", error="verify failed"), f"{trial.title}: verify failed"),
        (Measurement(name="x", status="ok"), f"{trial.title}: fio read less than all"),
    ):
        if not says:
            differences.need_equal(trial, measurement)
            continue
        with pytest.raises(StepFailed) as failed:
            differences.need_equal(trial, measurement)
        assert str(failed.value) == says
        differences.need_equal(msgspec.structs.replace(trial, state=0), measurement)
