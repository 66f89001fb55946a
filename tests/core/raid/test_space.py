"""The capacity as a story: nothing is lost between the lines, and `df` is quoted as it writes."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.raid.capacity import capacity
from raidtui.core.raid.filesystems import filesystem
from raidtui.core.raid.levels import level, possible
from raidtui.core.raid.space import (
    SpacePart,
    caution,
    df_words,
    disks_words,
    given_percent,
    reserved_percent,
    story,
    story_lines,
)
from raidtui.core.units import GB, GIB, MIB, TB, TIB
from tests.builders.labels import nominal_bytes

SAS = nominal_bytes(1200)


def test_24_disks_of_1200_gb_as_raid_6_with_xfs() -> None:
    lines = story_lines(story([SAS] * 24, capacity("6", [SAS] * 24), "xfs"))
    assert lines[0] == "24 x 1.20 TB = 28.8 TB = 26.2 TiB raw"
    words = [" ".join(line.split()) for line in lines[1:]]
    assert words[0] == "parity - 2.40 TB - 2.18 TiB"
    assert words[1].startswith("md metadata, data offset - 3.2")
    assert words[3:5] == ["the array 26.4 TB 24.0 TiB", "xfs metadata, about - 2.14 GB - 1.99 GiB"]
    assert words[5:7] == ["xfs reservations, used for df - 184 GB - 171 GiB", "for files, about 26.2 TB 23.8 TiB"]
    assert words[-1] == "df -h: Size about 25T (24.0 TiB), Used 172G; df -H: 27T (rounded up)"
    assert max(map(len, lines)) < 80


def test_without_a_file_system_df_says_nothing_and_no_loss_of_zero_has_a_line() -> None:
    found = story([TB] * 2, capacity("0", [TB] * 2), "none")
    assert found.entries[0].part is SpacePart.LABELS and found.files_bytes is None
    assert not any("df" in line or "parity" in line or "copies" in line for line in story_lines(found))


def test_unequal_disks_and_what_root_keeps_are_named() -> None:
    found = story([4 * TB, 4 * TB, 6 * TB], capacity("5", [4 * TB, 4 * TB, 6 * TB]), "ext4")
    sizes = {entry.part: entry.size_bytes for entry in found.entries}
    assert sizes[SpacePart.UNEQUAL] == 2 * TB
    assert sizes[SpacePart.RESERVED] == pytest.approx(0.05 * 8 * TB, rel=0.001)
    assert disks_words(found.disk_bytes) == "2 x 4.00 TB + 1 x 6.00 TB"
    assert any("of that reserved for root" in line for line in story_lines(found))


@pytest.mark.parametrize(
    "tib, rmapbt, blocks",
    [
        (1, False, 1_880_160), (15, False, 28_082_081), (100, False, 187_165_990),
        (1, True, 5_148_397), (15, True, 77_106_350), (100, True, 513_995_060),
    ],
)  # fmt: skip
def test_what_xfs_reserves_is_what_df_had_for_used(tib: int, rmapbt: bool, blocks: int) -> None:
    """mkfs.xfs 6.1.0 (su=512k, sw=8) and kernel 6.1.176 on a sparse file: f_blocks - f_bfree while empty."""
    assert filesystem("xfs").used_bytes(tib * TIB, rmapbt) == pytest.approx(4096 * blocks, rel=1e-4)
    assert filesystem("ext4").used_bytes(tib * TIB, rmapbt) == 0


@pytest.mark.parametrize(
    "size, asked, percent, given",
    [(1 * TIB, None, 5, None), (10 * TB, None, 5, None), (10 * TB + 1, None, 1, 1), (15 * TIB, None, 1, 1),
     (1 * TIB, 0, 0, 0), (15 * TIB, 5, 5, 5), (15 * TIB, 0, 0, 0)],
)  # fmt: skip
def test_root_has_five_percent_of_up_to_10_tb_and_one_of_more(
    size: int, asked: int | None, percent: int, given: int | None
) -> None:
    assert reserved_percent("ext4", size, asked) == percent and given_percent("ext4", size, asked) == given
    assert reserved_percent("xfs", size, asked) == 0 and given_percent("xfs", size, asked) is None


def test_ext4_above_50_tib_is_warned_of() -> None:
    assert caution("ext4", 50 * TIB) == caution("xfs", 60 * TIB) == ""
    assert caution("ext4", 60 * TIB) == "ext4 of 60.0 TiB: Red Hat supports up to 50.0 TiB; choose xfs"
    sizes = [20 * TB] * 4
    assert story_lines(story(sizes, capacity("0", sizes), "ext4"))[-1].startswith("ext4 of 72.8 TiB: Red Hat")


def test_with_rmapbt_its_line_says_so() -> None:
    with_trees = story([SAS] * 24, capacity("6", [SAS] * 24), "xfs", rmapbt=True)
    words = [" ".join(line.split()) for line in story_lines(with_trees)]
    assert words[6] == "xfs reservations with rmapbt, for df - 506 GB - 471 GiB"
    assert max(map(len, story_lines(with_trees))) < 80


@given(
    st.sampled_from(["0", "1", "4", "5", "6", "10", "linear"]),
    st.lists(st.integers(1 * GIB, 20 * TIB), min_size=4, max_size=9),
    st.sampled_from(["none", "xfs", "ext4", "ext2", "btrfs"]),
)
def test_every_byte_of_the_labels_is_in_one_line(key: str, sizes: list[int], filesystem: str) -> None:
    assert possible(key, None, len(sizes), None)[0] and level(key)
    found = story(sizes, capacity(key, sizes), filesystem)
    lost = sum(entry.size_bytes for entry in found.entries if entry.lost)
    left = next(one.size_bytes for one in reversed(found.entries) if one.part in (SpacePart.ARRAY, SpacePart.FILES))
    assert lost + left == sum(sizes) == found.entries[0].size_bytes


SIZES = [1, 1023, 1024, 10 * MIB, 10 * MIB + 1, 1023 * GIB + 1, 26_403_176_841_216, 999_999_999_999, 5 * TB + 7, 0]


@pytest.mark.parametrize("base, to", [(1024, "iec"), (1000, "si")])
def test_sizes_are_written_as_df_writes_them(base: int, to: str) -> None:
    """`numfmt` of the same package rounds up as df does where it is asked to."""
    asked = ["numfmt", f"--to={to}", "--round=up", *map(str, SIZES)]
    theirs = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()
    assert [df_words(size, base).upper() for size in SIZES] == [one.upper() for one in theirs]


def test_a_disk_of_a_few_gigabytes() -> None:
    assert df_words(512 * MIB, 1024) == "512M" and df_words(100 * GB, 1000) == "100G"


def test_what_lies_below_the_file_system_is_taken_from_it() -> None:
    holds = capacity("5", [TB] * 4)
    bare, locked = (story([TB] * 4, holds, "xfs", layer="LUKS", layer_bytes=taken) for taken in (0, 16 * 2**20))
    assert bare.files_bytes and locked.files_bytes and bare.files_bytes - locked.files_bytes >= 15 * 2**20
    assert any(line.startswith("  LUKS metadata") for line in story_lines(locked))


@pytest.mark.parametrize(
    "key, sizes, left_over",
    [
        ("zfs-mirror", [4 * TB] * 3, 1),
        ("zfs-mirror", [4 * TB] * 4, 0),
        ("zfs-mirror", [4 * TB, 4 * TB, 6 * TB], 1.5),
        ("zfs-raidz1", [4 * TB] * 3, 0),
        ("zfs-stripe", [4 * TB] * 3, 0),
    ],
)
def test_a_pools_losses_are_its_own(key: str, sizes: list[int], left_over: float) -> None:
    found = story(sizes, capacity(key, sizes), "none", level_key=key)
    parts = {entry.part: entry.size_bytes for entry in found.entries}
    assert parts.get(SpacePart.LEFT_OVER, 0) == pytest.approx(left_over * 4 * TB, rel=0.001)
    assert SpacePart.UNEQUAL not in parts and not {SpacePart.METADATA, SpacePart.ROUNDING, SpacePart.ARRAY} & set(parts)
    lost = sum(entry.size_bytes for entry in found.entries if entry.lost)
    assert lost + parts[SpacePart.POOL] == sum(sizes)


def test_a_larger_disk_of_a_pair_is_that() -> None:
    sizes = [4 * TB, 6 * TB]
    parts = {
        entry.part for entry in story(sizes, capacity("zfs-mirror", sizes), "none", level_key="zfs-mirror").entries
    }
    assert SpacePart.UNEQUAL in parts and SpacePart.LEFT_OVER not in parts
