"""Disks of a run as graphs, rows, half blocks, tiles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.units import Units
from raidtui.ui.render.axis import AxisPiece
from raidtui.ui.render.cells import MONO
from raidtui.ui.render.live_disks import (
    DiskTitle,
    Form,
    form_of,
    group_pieces,
    next_form,
    piece_lines,
    tile_lines,
    verdict_pieces,
)
from raidtui.ui.render.rates import AxisColumn, Track, Unlike
from tests.ui.glyphs import drawn_in
from tests.ui.pages import texts

ROWS = Form("rows", 1, 4, 4, 21, 12)
OVER = AxisPiece("t", "array", ("x",), 10.0, "read", began_s=1.0, ended_s=9.0)
COLUMNS = [AxisColumn((0, 0), ((100.0, 0.0), (60.0, 0.0), None, (0.0, 100.0)))] * 4


@pytest.mark.parametrize(
    "disks, room, kind, lines",
    [(1, 12, "graphs", 6), (4, 12, "graphs", 3), (4, 11, "rows", 1), (6, 12, "rows", 1), (12, 12, "rows", 1),
     (13, 12, "halves", 1), (24, 12, "halves", 1), (25, 5, "tiles", 2), (100, 24, "tiles", 3), (1000, 24, "tiles", 2)],
)  # fmt: skip
def test_the_form_that_shows_the_most_of_all_disks(disks: int, room: int, kind: str, lines: int) -> None:
    form = form_of(["sdaa"] * disks, 116, room)
    assert (form.kind, form.lines) == (kind, lines) and form.height <= room


@given(
    st.integers(1, 1200),
    st.integers(3, 60),
    st.sampled_from([76, 116, 140]),
    st.sampled_from([None, "rows", "graphs", "tiles"]),
)
def test_every_form_fits_and_shows_a_disk(disks: int, room: int, width: int, wanted: object) -> None:
    form = form_of(["nvme10n1"] * disks, width, room, wanted, width > 100)  # type: ignore[arg-type]
    assert form.shown >= 1 and form.height <= room and form.label + form.right < width
    assert next_form(form) != form.kind


def test_a_row_is_as_warm_as_its_disk_was_fast_and_its_ramp_is_the_direction() -> None:
    lines = piece_lines(ROWS, OVER, COLUMNS, (10, 5), 1, 0, 4)
    assert [line[1][1] if len(line) > 1 else "" for line in lines] == ["/r6", "/r4", "", "/w6"]
    assert all(sum(len(text) for text, _ in line) == 5 for line in lines)  # gap, four cells; a blank behind
    with drawn_in(MONO):
        lines = piece_lines(ROWS, OVER, COLUMNS, (10, 5), 1, 0, 4)
    assert [line.strip() for line in texts(lines)] == ["████", "▒▒▒▒", "", "████"]


def test_a_failed_test_is_hatched_not_blank() -> None:
    failed = AxisPiece("t", "array", ("x",), 10.0, "read", began_s=1.0, ended_s=9.0, fault="fio died")
    assert (
        texts(piece_lines(ROWS, failed, COLUMNS, (10, 5), 1, 0, 4))
        == [" " + "\N{BOX DRAWINGS LIGHT DIAGONAL UPPER RIGHT TO LOWER LEFT}" * 4] * 4
    )


def test_two_disks_a_row_are_half_blocks_or_where_there_are_none_halves_of_the_piece() -> None:
    halves = Form("halves", 1, 4, 2, 21, 14)
    first, second = piece_lines(halves, OVER, COLUMNS, (10, 5), 0, 0, 4)
    assert first == (("▀▀▀▀", "r6/r4"),) and second == (("▄▄▄▄", "w6"),)
    with drawn_in(MONO):
        assert texts(piece_lines(halves, OVER, COLUMNS, (10, 5), 0, 0, 4)) == ["██▒▒", "  ██"]


def test_a_tile_has_the_rate_now_and_a_mark_where_it_differs() -> None:
    titles = [DiskTitle("sda"), DiskTitle("sdb")]
    seen = Unlike((20e6, 12e6), 20e6, {1: -0.4}, True)
    lines = tile_lines(
        Form("tiles", 2, 8, 2, 21, 12, 4, 7), titles, 0, 14, seen, None, Track(("a", "b")), Units.DECIMAL, -1
    )
    assert texts(lines) == ["▏sda   ▏sdb   ", "▏   20 ▏▼  12 "]


@pytest.mark.parametrize(
    "seen, said",
    [
        (Unlike((19.9e6, 20e6), 20e6, {}, True), "2 disks   ✓ 2 alike now  19.9 to 20.0 MB/s"),
        (Unlike((19e6, 20e6, 0), 20e6, {}, True, frozenset({2})), "3 disks   ✓ 2 alike now, 1 out  19.0 to 20.0 MB/s"),
        (Unlike((20e6, 12e6), 20e6, {1: -0.4}, True), "2 disks   ▼ 1 differs from the median: sdb 12.0 MB/s, −40 %"),
        (Unlike((20e6, 30e6), 20e6, {1: 0.5}, True), "2 disks   ▲ 1 differs from the median: sdb 30.0 MB/s, +50 %"),
        (Unlike((20e6, 0.0), 10e6), "2 disks   1 of 2 active"),
    ],
)  # fmt: skip
def test_the_heading_tells_which_disks_differ(seen: Unlike, said: str) -> None:
    titles = [DiskTitle(f"sd{letter}") for letter, _ in zip("abc", seen.values, strict=False)]
    pieces = verdict_pieces(titles, "", seen, None, Units.DECIMAL, True)
    assert "".join(text for text, _ in pieces) == said


def test_groups_have_their_sums() -> None:
    seen = Unlike((10e6, 11e6, 20e6, None), 11e6)
    assert group_pieces((), seen, None, Units.DECIMAL) == []
    pieces = group_pieces(((0, 1), (2, 3)), seen, None, Units.DECIMAL)
    assert "".join(text for text, _ in pieces) == "g1 21.0 · g2 20.0 MB/s   "


def test_without_a_sample_no_disk_is_said_to_be_gone() -> None:
    titles = [DiskTitle("sda"), DiskTitle("sdb")]
    seen = Unlike((None, 20e6), absent="")
    form = Form("tiles", 2, 8, 2, 21, 12, 4, 7)
    lines = tile_lines(form, titles, 0, 14, seen, None, Track(("a", "b")), Units.DECIMAL, -1)
    assert texts(lines) == ["▏sda   ▏sdb   ", "▏      ▏   20 "]
