"""What a proof writes, and what is found in its place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.proof.pattern import (
    LEFT_OUT_BYTES,
    PARTS,
    REQUEST_BYTES,
    Found,
    PatternSpan,
    compare,
    content,
    joined,
    option,
    parts,
    request_of,
)

MIB = 1 << 20
TAGS = ("1122334455667788", "5566778811223344")


def test_the_pattern_is_what_fio_3_33_writes() -> None:
    """Read from a file that `--verify_pattern=0x1122334455667788%o0x5a` filled, at 1 MiB and 21 MiB."""
    assert option(TAGS[0]) == "0x1122334455667788%o0x5a"
    assert content(TAGS[0], MIB, 0, 20).hex() == "112233445566778800001000000000005a112233"
    assert content(TAGS[0], 21 * MIB, 17 * 5, 17).hex() == "112233445566778800005001000000005a"


@given(st.integers(5 * MIB, 200 << 40), st.sampled_from((0.001, 0.05, 0.3, 0.9, 1.0)))
def test_parts_cover_all_but_both_ends(size_bytes: int, share: float) -> None:
    spans = parts(size_bytes, share)
    assert len(spans) == PARTS and spans[0].begin_bytes == LEFT_OUT_BYTES
    ends = [span.begin_bytes + span.size_bytes for span in spans]
    assert [span.begin_bytes for span in spans[1:]] == ends[:-1]
    assert size_bytes - LEFT_OUT_BYTES - REQUEST_BYTES < ends[-1] <= size_bytes - LEFT_OUT_BYTES
    for span in spans:
        assert span.size_bytes % REQUEST_BYTES == span.written_bytes % REQUEST_BYTES == 0
        assert 0 < span.written_bytes <= span.size_bytes
        if not span.zone_bytes:
            assert span.written_bytes == span.size_bytes
            continue
        zones, rest = divmod(span.written_bytes, span.zone_bytes)
        last = (zones - 1) * (span.zone_bytes + span.skip_bytes)
        assert rest == 0 and last + span.zone_bytes <= span.size_bytes
        assert span.covers(span.begin_bytes) and span.covers(span.begin_bytes + last)
        assert not span.covers(span.begin_bytes + span.zone_bytes)


def test_a_share_is_spread_from_start_to_end() -> None:
    spans = parts(1 << 40, 0.05)
    written_bytes = sum(span.written_bytes for span in spans)
    assert written_bytes / (1 << 40) == pytest.approx(0.05, rel=0.01)
    for span in spans:
        zones = span.written_bytes // span.zone_bytes
        end = (zones - 1) * (span.zone_bytes + span.skip_bytes) + span.zone_bytes
        assert span.size_bytes - end < zones * MIB


def test_a_device_of_less_than_three_requests_is_refused() -> None:
    with pytest.raises(ValueError, match="a proof needs 5 MiB or more"):
        parts(5 * MIB - 1)


def test_neighbours_of_one_tag_are_one_pass() -> None:
    first, second, third = parts(32 * MIB)
    assert joined((first, second, third)) == (PatternSpan(0, MIB, 30 * MIB, 30 * MIB),)
    assert joined((first.with_tag(1), second, third)) == (
        first.with_tag(1),
        PatternSpan(0, second.begin_bytes, 20 * MIB, 20 * MIB),
    )


SPAN = PatternSpan(0, MIB, 30 * MIB, 30 * MIB)
SECOND = SPAN.with_tag(1)


def planted(span: PatternSpan, request: int, at: int, there: bytes) -> bytes:
    whole = bytearray(content(TAGS[span.tag], request))
    whole[at : at + len(there)] = there
    return bytes(whole)


@pytest.mark.parametrize(
    "span, there, kind, from_bytes",
    [
        (SPAN, bytes(4096), Found.ZEROS, None),
        (SECOND, content(TAGS[0], 3 * MIB, 8192, 4096), Found.EARLIER, None),
        (SPAN, content(TAGS[0], 9 * MIB, 0, 4096), Found.ELSEWHERE, 9 * MIB),
        (SPAN, bytes(range(256)) * 16, Found.OTHER, None),
    ],
)
def test_what_is_there_is_named(span: PatternSpan, there: bytes, kind: Found, from_bytes: int | None) -> None:
    found = compare(TAGS, span, 3 * MIB, planted(span, 3 * MIB, 8192, there))
    assert found and (found.kind, found.from_bytes) == (kind, from_bytes)
    assert 8192 <= found.offset < 8192 + 17 and found.offset + found.count <= 8192 + 4096


def test_stale_blocks_before_others_are_named_as_such() -> None:
    stale = content(TAGS[0], 3 * MIB, 8192, 8192) + bytes(range(256)) * 16
    found = compare(TAGS, SECOND, 3 * MIB, planted(SECOND, 3 * MIB, 8192, stale))
    assert found and found.kind == Found.EARLIER and found.count > 8192


def test_what_only_looks_like_a_pattern_has_no_place() -> None:
    there = bytes.fromhex(TAGS[0]) + b"\xff" * 8 + b"\x5a" + bytes.fromhex(TAGS[0]) + bytes(range(256)) * 15
    found = compare(TAGS, SPAN, 3 * MIB, planted(SPAN, 3 * MIB, 8192, there))
    assert found and (found.kind, found.from_bytes) == (Found.OTHER, None)


@given(st.integers(0, REQUEST_BYTES - 1), st.integers(0, 7))
def test_a_flipped_bit_is_found_where_it_is(at: int, bit: int) -> None:
    whole = bytearray(content(TAGS[0], 5 * MIB))
    whole[at] ^= 1 << bit
    found = compare(TAGS, SPAN, 5 * MIB, bytes(whole))
    assert found and (found.offset, found.count, found.kind, found.bits) == (at, 1, Found.FLIPPED, 1)


def test_nothing_differs_in_what_was_written() -> None:
    assert compare(TAGS, SPAN, 5 * MIB, content(TAGS[0], 5 * MIB)) is None
    assert request_of(SPAN, 5 * MIB + 77) == 5 * MIB
