"""By which pass a sector was written, and what a journal explains of it."""

import pytest

from raidtui.core.proof import pattern
from raidtui.core.proof.pattern import NO_TAG, Passes, PatternSpan, ProofPlan, ProofState

MIB = 1 << 20
FIRST, SECOND, CUT = "0123456789abcdef", "fedcba9876543210", "00000000000000ff"
WHOLE = PatternSpan(0, MIB, 30 * MIB, 30 * MIB)
THIRD = (PatternSpan(1, MIB, 10 * MIB, 10 * MIB), PatternSpan(0, 11 * MIB, 20 * MIB, 20 * MIB))
PLAN = ProofPlan(
    "{array}", (FIRST, SECOND), (ProofState("a", (WHOLE,)), ProofState("b", THIRD, (0,)), ProofState("cut", ()))
)


def at(verified: int, *, filled: bool = True, writing: bool = False, cuts: tuple[str, ...] = ()) -> Passes:
    return pattern.at_rest(PLAN, verified, filled=filled, writing=writing, cuts=cuts)


def test_a_whole_request_has_one_tag_and_a_torn_one_both() -> None:
    old, new = (pattern.content(tag, 3 * MIB) for tag in (FIRST, SECOND))
    assert pattern.tags_in(3 * MIB, old) == {FIRST}
    assert pattern.tags_in(3 * MIB, new[:5120] + old[5120:]) == {FIRST, SECOND}
    assert pattern.tags_in(3 * MIB, old[:512] + bytes(512) + old[1024:]) == {FIRST, NO_TAG}


def test_the_pattern_of_another_place_is_none() -> None:
    assert pattern.tags_in(3 * MIB, pattern.content(FIRST, 4 * MIB)) == {NO_TAG}
    assert pattern.tags_in(3 * MIB, bytes(MIB)) == {NO_TAG}


@pytest.mark.parametrize(
    "passes_at, tag, may_be, later",
    [
        (at(0, filled=False), NO_TAG, True, False),  # not yet written to its end
        (at(0), NO_TAG, False, False),
        (at(0), FIRST, True, False),
        (at(0), SECOND, False, True),
        (at(1), SECOND, False, True),
        (at(1, writing=True), SECOND, True, False),
        (at(1, writing=True), FIRST, True, False),
        (at(2), SECOND, True, False),
        (at(2), FIRST, False, False),  # an earlier pass: a difference
        (at(2), "a" * 16, False, False),  # an earlier run's: the write was lost
        (at(0, filled=False), "a" * 16, True, False),
        (at(0, filled=False), SECOND, False, True),
        (at(3), SECOND, True, False),  # no pass of its own: the last one counts
        (at(3, cuts=(CUT,)), CUT, True, False),
        (at(3, cuts=(CUT,)), "0000000000000105", True, False),
        (at(3, cuts=(CUT,)), "00000000000000fe", False, False),
    ],
)
def test_what_the_journal_explains_of_the_first_third(passes_at: Passes, tag: str, may_be: bool, later: bool) -> None:
    assert (passes_at.may_be(tag, 2 * MIB), passes_at.is_later(tag)) == (may_be, later)


def test_the_sample_has_both_ends_of_each_span() -> None:
    assert list(pattern.sampled((WHOLE,))) == [
        1 * MIB,
        5 * MIB,
        9 * MIB,
        13 * MIB,
        18 * MIB,
        22 * MIB,
        26 * MIB,
        30 * MIB,
    ]
    assert list(pattern.sampled((PatternSpan(0, MIB, MIB, MIB),))) == [MIB]


def test_the_sample_of_zones_lies_in_them() -> None:
    first, *_ = pattern.parts(4000 * MIB, 0.25)
    sample = list(pattern.sampled((first,)))
    assert all(map(first.covers, sample)) and len(sample) == 8
    covered = [at for at in range(MIB, first.begin_bytes + first.size_bytes, MIB) if first.covers(at)]
    assert (sample[0], sample[-1]) == (covered[0], covered[-1])
