"""Chunk sizes: the disks that a request uses are md's, the rates are the model's, and no column touches the next."""

import re

import pytest
from msgspec.structs import replace

from raidtui.core.advice.preview import LevelPreview, preview_level
from raidtui.core.raid.placement import Kind, block
from raidtui.core.units import KIB, MIB, Units
from raidtui.ui.render.walk.chunk_rows import (
    ChunkRow,
    chunk_legend,
    chunk_row,
    chunk_sheet,
    chunk_verdict,
    stripe_line,
    why_chunk,
)
from tests.ui.machines import rack
from tests.ui.pages import first_lines, texts

SIZES = tuple(KIB * 16 * 2**step for step in range(8))


def view(key: str, disks: int, layout: str | None = None, chunk_bytes: int = 512 * KIB) -> LevelPreview:
    return preview_level(key, layout, chunk_bytes, rack(disks))


def rows(found: LevelPreview) -> tuple[ChunkRow, ...]:
    return tuple(chunk_row(found, size) for size in SIZES)


def lines(found: LevelPreview, width: int = 77) -> list[str]:
    sheet = chunk_sheet(rows(found), found, 512 * KIB, width)
    return first_lines(sheet)


def test_raid_10_of_8_as_drawn() -> None:
    found = [" ".join(line.split()) for line in lines(view("10", 8, "n2"))]
    assert found[0] == "chunk stripe 4K 64K 1M 64K read write"
    assert found[1] == "16 KiB 64 KiB ■······· 1 ■·■·■·■· 4 ■·■·■·■· 4 300 150"
    assert found[6] == "▸◆ 512 KiB 2 MiB ■······· 1 ■······· 1 ■·■····· 2 1200 600"


@pytest.mark.parametrize("key, layout", [("0", None), ("5", "left-symmetric"), ("6", "right-asymmetric"), ("10", "n2")])
@pytest.mark.parametrize("chunk_bytes", [16 * KIB, 256 * KIB, 2 * MIB])
def test_the_disks_of_a_read_hold_its_chunks(key: str, layout: str | None, chunk_bytes: int) -> None:
    used = chunk_row(view(key, 8, layout), chunk_bytes).used[2]
    holding = {
        disk
        for row in range(64)
        for disk in range(8)
        if (stored := block(key, layout, 8, disk, row)).kind is Kind.DATA and stored.number * chunk_bytes < MIB
    }
    assert used == holding


@pytest.mark.parametrize("width", [75, 77, 95, 115, 195])
@pytest.mark.parametrize("key, disks", [("5", 3), ("6", 8), ("6", 24), ("0", 100)])
def test_no_column_touches_the_next_and_none_is_cut(key: str, disks: int, width: int) -> None:
    for line in lines(view(key, disks), width):
        assert len(line.rstrip()) <= width and "…" not in line and not re.search("[a-z]sequential|[a-z]write", line)
    assert len(texts([chunk_legend(view(key, disks))])[0]) <= 78


def test_of_many_disks_their_number_stands_beside_a_bar() -> None:
    first = lines(view("6", 24))[1]
    assert first.split()[-3:] == ["24", "900", "300"] and "■" not in first


def test_the_reasons_name_the_stripe_and_the_sizes() -> None:
    found = view("6", 8)
    said = " ".join(" ".join(texts(why_chunk(found, rows(found), 512 * KIB, Units.DECIMAL, 50))).split())
    assert said.startswith("◆ 512 KiB proposed (mdadm's default)") and "24.0 TB = 21.8 TiB usable" in said
    assert "3 MiB, aligned: no reads; smaller: 6 disk I/Os" in said and "64K reads: 1200 IOPS (1 disk each)" in said
    assert texts([stripe_line(found)]) == ["full stripe 3 MiB = 6 × 512 KiB of data"]
    other = view("10", 8, "n2")
    said = " ".join(" ".join(texts(why_chunk(other, rows(other), 128 * KIB, Units.DECIMAL, 50))).split())
    assert "128 KiB proposed (full stripe of 4 MiB at most)" in said and "No parity: no read before a write" in said


@pytest.mark.parametrize("proposed, rotating", [(512 * KIB, True), (64 * KIB, True), (128 * KIB, False)])
def test_no_reason_is_cut(proposed: int, rotating: bool) -> None:
    found = replace(view("6", 8, chunk_bytes=128 * KIB), rotating=rotating)
    assert max(map(len, texts(why_chunk(found, rows(found), proposed, Units.DECIMAL, 50)))) <= 50


def test_keeping_the_proposal_loses_nothing_unless_a_size_is_faster() -> None:
    assert chunk_verdict(rows(view("10", 8, "n2")), 512 * KIB) == (
        "Not sure? Keep 512 KiB: none is faster",
        "slower: 16 KiB, 32 KiB",
    )
    title, beside = chunk_verdict(rows(view("10", 8, "n2")), 16 * KIB)
    assert title == "Not sure? Keep 16 KiB" and "512 KiB +300 %" in beside
    unknown = tuple(replace(row, read_iops=0.0, write_iops=0.0) for row in rows(view("0", 3)))
    assert chunk_verdict(unknown, 512 * KIB) == ("Chunk sizes", "")
