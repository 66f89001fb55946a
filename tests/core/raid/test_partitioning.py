"""Members as partitions: where they begin and end, what is left for a smaller disk, and where each byte goes."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from raidtui.core.raid.capacity import capacity
from raidtui.core.raid.layers import partition_bytes, replacing_bytes, table_lines, whole_mib
from raidtui.core.raid.space import SpacePart, story, story_lines
from raidtui.core.units import GIB, MIB, TIB
from tests.builders.labels import nominal_bytes

FOUR_TB = nominal_bytes(4000)


@pytest.mark.parametrize(
    "disk_bytes, outside_mib",
    [(FOUR_TB, 101), (10 * GIB, 101), (1000 * MIB, 11), (128 * MIB, 3), (50 * MIB, 2), (3 * MIB, 2)],
)
def test_a_partition_begins_at_1_mib_and_leaves_room_at_the_end(disk_bytes: int, outside_mib: int) -> None:
    size = partition_bytes(disk_bytes)
    assert size % MIB == 0 and 0 <= disk_bytes - size - outside_mib * MIB < MIB


def test_on_a_disk_too_small_there_is_none() -> None:
    with pytest.raises(ValueError, match="too small for a partition"):
        partition_bytes(3 * MIB - 1)


@given(st.integers(4 * MIB, 20 * TIB), st.integers(-101 * MIB, 101 * MIB))
def test_a_slightly_smaller_disk_takes_the_same_partition(disk_bytes: int, smaller_bytes: int) -> None:
    least, other = partition_bytes(disk_bytes), max(3 * MIB, disk_bytes - smaller_bytes)
    fits = least + 2 * MIB <= other
    try:
        size = replacing_bytes(other, least)
    except ValueError as refused:
        assert not fits and "are needed" in str(refused)
        return
    assert fits and size >= least and size + 2 * MIB <= other and size % MIB == 0


def test_the_room_of_a_large_disk_is_as_large_as_disks_of_one_label_differ() -> None:
    assert replacing_bytes(FOUR_TB - 98 * MIB, partition_bytes(FOUR_TB)) == partition_bytes(FOUR_TB)
    assert replacing_bytes(FOUR_TB + GIB, partition_bytes(FOUR_TB)) == partition_bytes(FOUR_TB + GIB)


def test_the_table_is_said_in_mib_whatever_the_sectors_are() -> None:
    lines = "start=1MiB, size=7MiB, type=A19D880F-05FC-4D3B-A006-743F0F84911E\n"
    assert table_lines(7 * MIB) == lines
    assert table_lines(7 * MIB, "u-u") == f"label-id: u-u\n{lines}" and whole_mib(7 * MIB - 1) == 7 * MIB


@given(
    st.sampled_from(["0", "1", "4", "5", "6", "10", "linear"]),
    st.lists(st.integers(GIB, 20 * TIB), min_size=4, max_size=9),
)
@example("0", [128 * GIB, GIB, GIB, GIB])
def test_every_byte_outside_of_partitions_is_in_a_line_too(key: str, sizes: list[int]) -> None:
    holds, whole = capacity(key, sizes, partitioned=True), capacity(key, sizes)
    assert holds.raw_bytes == whole.raw_bytes == holds.array_bytes + holds.lost.total_bytes
    assert holds.lost.outside_bytes == sum(size - partition_bytes(size) for size in sizes)
    assert whole.lost.outside_bytes == 0 and holds.lost.rounding_bytes >= 0
    # just below 128 GiB md keeps less for itself, of the first disk's size: more than a table takes may be won
    assert holds.array_bytes < whole.array_bytes or holds.data_offset_bytes < whole.data_offset_bytes
    of_partitions = capacity(key, [partition_bytes(size) for size in sizes])
    assert (holds.array_bytes, holds.data_offset_bytes) == (of_partitions.array_bytes, of_partitions.data_offset_bytes)
    entries = {entry.part: entry.size_bytes for entry in story(sizes, holds, "none").entries}
    assert entries[SpacePart.OUTSIDE] == holds.lost.outside_bytes
    assert any("partition tables, reserve at the end" in line for line in story_lines(story(sizes, holds, "none")))
