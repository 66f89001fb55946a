"""The ends of a device that is proved: where they begin, and whether the mark is there."""

from raidtui.core.proof import pattern
from raidtui.core.proof.pattern import ProofPlan

MIB = 1 << 20
MARK = b"raidtui run 1\n"
MARKED = bytes(MIB // 2) + MARK + bytes(MIB // 2 - len(MARK))


def test_an_end_is_where_the_plan_zeroed_it_and_else_the_device_ends() -> None:
    plan = ProofPlan("{array}", ("", ""), (), room_bytes=8 * MIB)
    assert pattern.begins(plan, 9 * MIB) == (0, 7 * MIB)
    assert pattern.begins(ProofPlan("{array}", ("", ""), ()), 9 * MIB) == (0, 8 * MIB)


def test_one_other_byte_is_no_mark() -> None:
    assert pattern.is_marked(MARKED, MARK)
    assert not pattern.is_marked(bytes(MIB), MARK) and not pattern.is_marked(MARKED, b"raidtui run 2\n")
    for at in (0, 1080, MIB // 2 - 1, MIB // 2 + len(MARK), MIB - 1):
        assert not pattern.is_marked(MARKED[:at] + b"x" + MARKED[at + 1 :], MARK), at
