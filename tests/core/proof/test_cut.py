"""Acknowledged writes: which block has which number, what must be there after a power cut, lines of the witness."""

import pytest

from raidtui.core.proof import pattern
from raidtui.core.proof.pattern import Found, ProofPlan, ProofState
from raidtui.core.proof.witnessed import AcknowledgedWrites, acknowledged, is_line, why_not_witness, writes_of

MIB = 1 << 20
TAG, FIRST = "00000000000000ff", "1122334455667788"
WRITES = AcknowledgedWrites(TAG, 3 * MIB, 10)


@pytest.mark.parametrize(
    "witness, fits",
    [
        ("/dev/ttyS0", True), ("/run/pipe", True), ("logger.example.org:9000", True), ("10.0.0.7:1", True),
        ("[fe80::1]:9000", True), ("", False), ("ttyS0", False), ("logger", False), ("logger:", False),
        ("logger:0", False), ("logger:65536", False), ("a b:1", False), ("/dev/tty\n", False),
    ],
)  # fmt: skip
def test_a_witness_is_a_device_or_a_port(witness: str, fits: bool) -> None:
    assert bool(why_not_witness(witness)) is not fits


def test_blocks_are_written_in_order_and_again_with_another_tag() -> None:
    assert [WRITES.address(number) for number in (1, 2, 10, 11, 25)] == [3 * MIB, 4 * MIB, 12 * MIB, 3 * MIB, 7 * MIB]
    tags = [WRITES.tag_of(number) for number in (1, 10, 11, 21)]
    assert tags == [TAG, TAG, "0000000000000100", "0000000000000101"]
    assert AcknowledgedWrites("f" * 16, 0, 1).tag_of(2) == "0" * 16


@pytest.mark.parametrize("number, due", [(0, []), (3, [1, 2, 3]), (10, [*range(1, 11)]), (14, [*range(5, 15)])])
def test_of_each_place_the_last_acknowledged_write_is_due(number: int, due: list[int]) -> None:
    assert [*WRITES.due(number)] == due
    assert len({WRITES.address(one) for one in due}) == len(due)


def written(number: int) -> bytes:
    return pattern.content(WRITES.tag_of(number), WRITES.address(number))


def test_a_later_write_may_be_there_in_part_and_an_earlier_one_not() -> None:
    assert WRITES.compare((FIRST,), 14, written(14)) is None
    assert WRITES.compare((FIRST,), 14, written(24)) is None
    assert WRITES.compare((FIRST,), 14, written(24)[: MIB // 2] + written(14)[MIB // 2 :]) is None
    torn = written(24)[:100] + written(14)[100:]  # a sector is written in one piece
    assert WRITES.compare((FIRST,), 14, torn) is not None
    for there, kind in (
        (bytes(MIB), Found.ZEROS),
        (pattern.content(FIRST, WRITES.address(14)), Found.EARLIER),
        (written(14)[:-4096] + bytes(4096), Found.ZEROS),
        (written(15), Found.ELSEWHERE),
    ):
        mismatch = WRITES.compare((FIRST,), 14, there)
        assert mismatch and mismatch.kind is kind
    mismatch = WRITES.compare((FIRST, WRITES.tag_of(4)), 14, written(4))
    assert mismatch and mismatch.kind is Found.EARLIER
    assert WRITES.compare((FIRST,), 14, written(14)[:512]) is None  # what is compared is what was read


def test_the_lines_of_a_witness() -> None:
    lines = ["BIOS 1.0\r\n", WRITES.line(9), WRITES.line(11).replace("\n", "\r\n"), "0000aaaa 99\n", "00000000 12x\n"]
    assert WRITES.line(9) == "00000000 9\n" and is_line("00000000 9") and not is_line("list.txt")
    assert acknowledged(lines, TAG) == 11
    assert acknowledged(lines, "ffff" + TAG) == acknowledged([], TAG) == 0


def test_they_lie_over_all_parts_of_the_proof() -> None:
    spans = pattern.parts(100 * MIB + 5)
    writes = writes_of(ProofPlan("{array}", (FIRST,), (ProofState("healthy", spans),)), TAG)
    assert (writes.begin_bytes, writes.requests) == (MIB, 98)
