"""Capacity and geometry against the real thing: mdadm, md, mkfs, on sparse disks of up to 4 TB.

Runs inside the practice kernel, as its root. What `capacity` says must be what the kernel has, byte for byte.
"""

import os
import random
import uuid
from pathlib import Path

import pytest

from raidtui.core.raid.capacity import capacity
from raidtui.core.raid.filesystems import filesystem, geometry, mkfs_argv, parse_geometry
from raidtui.core.raid.levels import copies, level
from raidtui.core.raid.placement import Kind, block, disk_parts
from raidtui.core.raid.space import reserved_percent
from raidtui.core.units import GB, GIB, KIB, MB, MIB, TB, TIB
from raidtui.system import versions
from tests.lab.guest.loops import Loops, array, hold_to_the_byte, run, take_geometry

RACK = dict(disks=1, size_mib=320, mbps=0)

CASES = [
    # level, layout, chunk, sizes, bitmap
    ("0", None, 512 * KIB, [4 * TB] * 4, "none"),
    ("0", None, 64 * KIB, [1 * TB, 2 * TB, 500 * GB], "none"),
    ("0", None, 4 * KIB, [100 * MB, 130 * MB], "none"),
    ("1", None, None, [1_000_204_886_016] * 2, "internal"),
    ("1", None, None, [100 * MB + 512 * 7, 100 * MB], "none"),
    ("1", None, None, [128 * GIB, 130 * GIB, 129 * GIB], "none"),
    ("4", None, 512 * KIB, [1 * TB] * 3, "none"),
    ("4", None, 16 * KIB, [9 * GB, 8 * GIB], "none"),
    ("5", None, 512 * KIB, [1_200_243_695_616] * 5, "none"),
    ("5", None, 1 * MIB, [2 * TB, 2 * TB - 512 * 12345, 2 * TB + 512], "internal"),
    ("5", None, 4 * KIB, [100 * MB] * 3, "none"),
    ("5", None, 64 * KIB, [100 * MB] * 3, "ppl"),
    ("5", None, 512 * KIB, [4 * TB] * 4, "ppl"),
    ("5", None, 512 * KIB, [300 * MB + 512 * 7, 9 * GB, 500 * GB], "ppl"),
    ("5", "right-asymmetric", 64 * KIB, [500_107_862_016] * 3, "none"),
    ("6", None, 512 * KIB, [4 * TB] * 8, "internal"),
    ("6", None, 128 * KIB, [300 * MB] * 4, "none"),
    ("6", "left-symmetric-6", 256 * KIB, [64 * GIB] * 5, "none"),
    ("10", "n2", 512 * KIB, [1 * TB] * 4, "internal"),
    ("10", "n2", 64 * KIB, [1 * TB] * 3, "none"),
    ("10", "n3", 32 * KIB, [250 * GB] * 5, "none"),
    ("10", "o2", 64 * KIB, [1 * TB] * 3, "none"),
    ("10", "o2", 512 * KIB, [363_750_912, 488_247_296, 546_618_368], "none"),
    ("10", "f2", 512 * KIB, [1 * TB] * 3, "none"),
    ("10", "f2", 16 * KIB, [568_092_672, 378_553_856, 469_010_432], "internal"),
    ("10", "f3", 4 * KIB, [150 * MB] * 4, "none"),
]


@pytest.mark.parametrize("key, layout, chunk_bytes, sizes, bitmap", CASES)
def test_an_array_holds_to_the_byte_what_was_promised(
    loops: Loops, key: str, layout: str | None, chunk_bytes: int | None, sizes: list[int], bitmap: str
) -> None:
    hold_to_the_byte(loops, key, sizes, chunk_bytes, layout, bitmap)


def test_random_arrays_too(loops: Loops) -> None:
    """Sizes, chunks and layouts that nobody would think of; the same ones every time."""
    dice = random.Random(2026)
    for _ in range(15):
        key = dice.choice(["0", "1", "4", "5", "6", "10", "10"])
        layout = dice.choice(level("10").layouts) if key == "10" else None
        chunk_bytes = 2 ** dice.randint(12, 22) if level(key).has_chunk else None
        top = dice.choice([120 * MB, 1 * GB, 9 * GIB, 128 * GIB, 210 * GIB, 4 * TB])
        sizes = [int(top * dice.uniform(0.5, 1)) // 512 * 512 for _ in range(dice.randint(4, 7))]
        hold_to_the_byte(loops, key, sizes, chunk_bytes, layout)


def test_the_first_disk_leads(loops: Loops) -> None:
    """The same two disks in another order start their data elsewhere."""
    large, small = 200 * GIB, 20 * GIB
    offsets = [hold_to_the_byte(loops, "1", sizes).data_offset_bytes for sizes in ([large, small], [small, large])]
    assert offsets[0] > offsets[1]


GEOMETRIES = [
    ("0", 3, 64 * KIB, None),
    ("1", 2, None, None),
    ("5", 4, 512 * KIB, None),
    ("6", 4, 4 * KIB, None),
    ("10", 4, 256 * KIB, "n2"),
    ("10", 3, 512 * KIB, "o2"),
]


@pytest.mark.parametrize("key, disks, chunk_bytes, layout", GEOMETRIES)
def test_a_file_system_gets_the_geometry_it_was_told(
    loops: Loops, key: str, disks: int, chunk_bytes: int | None, layout: str | None
) -> None:
    take_geometry(loops, key, disks, chunk_bytes, layout)


@pytest.mark.parametrize("name", ["ext2", "ext4", "xfs", "btrfs"])
def test_the_smallest_device_that_a_file_system_takes(loops: Loops, name: str) -> None:
    with loops.of([filesystem(name).min_bytes]) as (disk,):
        assert "too small" not in run(*mkfs_argv(name, disk, str(uuid.uuid4())))


@pytest.mark.parametrize("chunk_bytes", [4 * KIB, 512 * KIB, 4 * MIB])
def test_the_smallest_array_on_which_xfs_keeps_its_stripes(loops: Loops, chunk_bytes: int) -> None:
    asked = geometry("5", 3, chunk_bytes)
    with loops.of([filesystem("xfs").min_striped_bytes]) as (disk,):
        assert parse_geometry("xfs", run(*mkfs_argv("xfs", disk, str(uuid.uuid4()), asked))) == asked


DRAWN = [
    *((key, None, 3) for key in ("0", "1", "4")),
    *(("5", layout, 4) for layout in level("5").layouts),
    *(("6", layout, 5) for layout in level("6").layouts),
    *(("10", layout, disks) for layout in level("10").layouts for disks in (4, 5)),
]
DRAWN_ROWS, DRAWN_CHUNK = 12, 64 * KIB


@pytest.mark.parametrize("key, layout, disks", DRAWN)
def test_each_block_lies_where_the_drawing_has_it(loops: Loops, key: str, layout: str | None, disks: int) -> None:
    """Every chunk of the array holds its own number; the members' files are read once the array is stopped."""
    size = 40 * MIB
    chunk_bytes = DRAWN_CHUNK if level(key).has_chunk else None
    said = capacity(key, [size] * disks, chunk_bytes, layout)
    sections, rows = disk_parts(key, layout, disks), DRAWN_ROWS // copies(key, layout, disks)
    with loops.of([size] * disks) as nodes:
        with array(key, nodes, chunk_bytes, layout) as node, Path(node).open("r+b", buffering=0) as handle:
            for number in range(DRAWN_ROWS * disks):
                handle.write(number.to_bytes(8, "little") * (DRAWN_CHUNK // 8))
            os.fsync(handle.fileno())
        assert sections and rows
        for part in range(sections):
            start = said.data_offset_bytes + part * (said.member_used_bytes // DRAWN_CHUNK // sections) * DRAWN_CHUNK
            for row in range(rows):
                lies = [read(loops.file(disk), start + row * DRAWN_CHUNK) for disk in range(disks)]
                drawn = [block(key, layout, disks, disk, row, part) for disk in range(disks)]
                together = 0
                for held, one in zip(lies, drawn, strict=True):
                    if one.kind in (Kind.DATA, Kind.COPY):
                        assert held == one.number, (part, row, lies, drawn)
                    if one.kind in (Kind.DATA, Kind.PARITY):
                        together ^= held
                if level(key).parity_disks:
                    assert together == 0, (row, lies, drawn)  # P is what all data are together


def read(file: Path, offset: int) -> int:
    """The number that a chunk of a member holds."""
    with file.open("rb") as handle:
        handle.seek(offset)
        return int.from_bytes(handle.read(8), "little")


@pytest.mark.parametrize("rmapbt", [False, True])
@pytest.mark.parametrize("size", [TIB, 15 * TIB, 100 * TIB])
def test_xfs_reserves_of_a_large_array_what_was_said(loops: Loops, tmp_path: Path, size: int, rmapbt: bool) -> None:
    """With a small log, for which a practice kernel has memory."""
    row, log_bytes, folder = filesystem("xfs"), 64 * MIB, tmp_path / "mounted"
    folder.mkdir()
    with loops.of([size]) as (disk,):
        options = ("-K", "-d", "su=512k,sw=8", "-l", f"su=256k,size={log_bytes}", "-m", f"rmapbt={int(rmapbt)}")
        run(row.program or "", *options, disk)
        run("mount", "-t", "xfs", disk, str(folder))
        try:
            made = os.statvfs(folder)
        finally:
            run("umount", str(folder))
    assert made.f_blocks * made.f_frsize == pytest.approx(size - log_bytes, rel=1e-4)
    used_bytes = (made.f_blocks - made.f_bfree) * made.f_frsize
    assert used_bytes == pytest.approx(row.used_bytes(size, rmapbt), rel=1e-3)


def test_whether_mkfs_xfs_makes_rmapbt_is_what_it_makes(loops: Loops) -> None:
    with loops.of([GIB]) as (disk,):
        assert f"rmapbt={int(versions.has_rmapbt())}" in run("mkfs.xfs", disk)


OF_ALL_FILES = "-Elazy_itable_init=1"  # else all tables were written; of large ones the rest is more than enough
MADE = [  # larger ones write a log of gigabytes, which a practice kernel has no memory for
    ("ext2", 3 * GIB, (), ()),
    *(("ext4", size, (OF_ALL_FILES,), ("-o", "noinit_itable")) for size in (3 * GIB, 20 * GIB)),
    *(("xfs", size, ("-K",), ()) for size in (3 * GIB, 200 * GIB)),
    ("btrfs", 3 * GIB, ("-K",), ()),
]


@pytest.mark.parametrize("name, size, making, mounting", MADE)
def test_what_df_will_say_is_what_statvfs_has_then(
    loops: Loops, tmp_path: Path, name: str, size: int, making: tuple[str, ...], mounting: tuple[str, ...]
) -> None:
    """An estimate: within 1 % of the file system's size; what is root's alone within 3 % of what it was said to be."""
    row = filesystem(name)
    with loops.of([size]) as (disk,):
        run(row.program or "", *making, disk)
        folder = tmp_path / "mounted"
        folder.mkdir()
        run("mount", "-t", name, *mounting, disk, str(folder))
        try:
            made = os.statvfs(folder)
        finally:
            run("umount", str(folder))
    assert made.f_blocks * made.f_frsize == pytest.approx(size - row.own_bytes(size), rel=0.01)
    if row.used_bytes(size, False):
        used_bytes = (made.f_blocks - made.f_bfree) * made.f_frsize
        assert used_bytes == pytest.approx(row.used_bytes(size, False), rel=0.05)  # striped it has more groups
    if row.reserved_options:
        assert (made.f_bfree - made.f_bavail) * made.f_frsize == pytest.approx(
            reserved_percent(name, size) * size // 100,
            rel=0.03,
            abs=17 * MIB,  # ext4 keeps up to 16 MiB back besides
        )
