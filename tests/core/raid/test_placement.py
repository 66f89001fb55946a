"""Which disks a request asks, address by address."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.raid.levels import level, possible
from raidtui.core.raid.placement import Demand, Placements, RequestShape, demands
from raidtui.core.raid.theory import write_penalty
from raidtui.core.units import KIB

K = KIB
SECTOR_63 = 63 * 512


def reads(shape: RequestShape, address: int) -> list[tuple[int, ...]]:
    return [read.disks for read in Placements(shape).at(address, False).reads]


def writes(shape: RequestShape, address: int) -> tuple[list[tuple[int, ...]], list[int]]:
    """The disks that are read before, and those that are written."""
    placement = Placements(shape).at(address, True)
    return [read.disks for read in placement.reads], [
        extent.disk for group in placement.groups for extent in group.writes
    ]


def test_a_request_is_cut_at_the_chunks_by_its_true_address() -> None:
    """8 KiB from sector 63 on 4 KiB chunks begin on every other chunk only: disks 1 and 3 are in every request."""
    shape = RequestShape("0", 4, None, 4 * K, 8 * K, SECTOR_63)
    first, second = (reads(shape, SECTOR_63 + number * 8 * K) for number in (0, 1))
    assert (first, second) == ([(3,), (0,), (1,)], [(1,), (2,), (3,)])
    assert demands(shape, False) == tuple(Demand(share, 0) for share in (0.5, 1, 0.5, 1))


def test_neighbours_on_one_disk_are_one_operation() -> None:
    assert reads(RequestShape("0", 2, None, 4 * K, 16 * K), 0) == [(0,), (1,)]
    assert reads(RequestShape("10", 2, "n2", 4 * K, 16 * K), 0) == [(0, 1)]


@pytest.mark.parametrize(
    "layout, copies_of_chunks",
    [
        ("n2", [(0, 1), (2, 3), (0, 4), (1, 2), (3, 4)]),
        ("o2", [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)]),
        ("f2", [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)]),
        ("n3", [(0, 1, 2), (0, 3, 4), (1, 2, 3), (0, 1, 4), (2, 3, 4)]),
    ],
)
def test_copies_of_five_disks(layout: str, copies_of_chunks: list[tuple[int, ...]]) -> None:
    shape = RequestShape("10", 5, layout, 64 * K)
    for chunk, disks in enumerate(copies_of_chunks):
        assert reads(shape, chunk * 64 * K) == [disks]
        before, written = writes(shape, chunk * 64 * K)
        assert (before, sorted(written)) == ([], list(disks))
        assert [group.reads for group in Placements(shape).at(chunk * 64 * K, True).groups] == [0]  # at once


@pytest.mark.parametrize("layout", ["o2", "f2"])
def test_rotating_disks_read_far_copies_at_the_lower_address(layout: str) -> None:
    assert reads(RequestShape("10", 5, layout, rotating=True), 0) == [(0,)]
    assert reads(RequestShape("10", 5, "n2", rotating=True), 0) == [(0, 1)]


@pytest.mark.parametrize(
    "key, disks, before, written",
    [
        # left-symmetric: parity on the last disk, data from the first on (RAID 6: Q before them)
        ("5", 3, [1], [0, 2]),
        ("5", 4, [1, 2], [0, 3]),  # two either way: reconstruct
        ("5", 5, [0, 4], [0, 4]),
        ("6", 4, [2], [0, 1, 3]),
        ("6", 6, [2, 3, 4], [0, 1, 5]),  # three either way
        ("6", 7, [0, 1, 6], [0, 1, 6]),
        ("4", 5, [0, 4], [0, 4]),
        ("5", 2, [], [0, 1]),
    ],
)
def test_md_reads_what_is_less_before_it_writes(key: str, disks: int, before: list[int], written: list[int]) -> None:
    found_before, found_written = writes(RequestShape(key, disks), 0)
    assert (found_before, sorted(found_written)) == ([(disk,) for disk in before], written)


def test_a_page_written_in_part_is_read_itself() -> None:
    """8 KiB from sector 63, RAID 5 of 4: both ends read-modify-write (2 reads), the page between reconstructs (2)."""
    placement = Placements(RequestShape("5", 4, None, 64 * K, 8 * K, SECTOR_63)).at(SECTOR_63 + 8 * K, True)
    assert sorted(read.disks[0] for read in placement.reads) == [0, 0, 1, 2, 3, 3]
    assert [group.reads for group in placement.groups] == [2, 2, 2]


def test_whole_stripes_are_written_without_a_read() -> None:
    before, written = writes(RequestShape("5", 4, None, 64 * K, 192 * K), 0)
    assert (before, written) == ([], [0, 1, 2, 3])


def test_requests_that_fall_alike_share_a_placement() -> None:
    placements = Placements(RequestShape("5", 4, None, 64 * K))
    assert placements.at(0, True) is placements.at(4 * K, True) is placements.at(12 * 64 * K, True)
    assert placements.at(0, True) is not placements.at(64 * K, True)


@given(
    st.sampled_from(["0", "4", "5", "6", "10"]),
    st.integers(4, 12),
    st.sampled_from(["n2", "n3", "o2", "f2", "f3"]),
    st.integers(0, 10**6),
)
def test_a_small_write_costs_its_penalty_wherever_it_falls(key: str, disks: int, layout: str, block: int) -> None:
    chosen = layout if key == "10" else None
    assert possible(key, chosen, disks, None)[0]
    before, written = writes(RequestShape(key, disks, chosen), block * 4 * K)
    assert len(before) + len(written) == write_penalty(key, disks, chosen)
    assert len(set(written)) == len(written) and max(written) < disks
    parity = level(key).parity_disks
    assert not parity or len(written) == parity + 1
