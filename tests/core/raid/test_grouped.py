"""Groups of RAID 5 and 6 under a RAID 0: space to the byte, failures, loss within a year, rebuild, speed, geometry."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.raid import filesystems
from raidtui.core.raid.capacity import Capacity, Lost, Outer, capacity
from raidtui.core.raid.ceilings import NO_LIMITS, HostLimits, Limit
from raidtui.core.raid.confidence import Confidence
from raidtui.core.raid.depth_curve import one_figure
from raidtui.core.raid.levels import fits, level, why_no_groups
from raidtui.core.raid.placement import PAGE_BYTES, Kind, Placements, RequestShape, block, demands
from raidtui.core.raid.queueing import Load, Service, rate_at
from raidtui.core.raid.redundancy import fatal_sets, luck, next_survived, rebuild, spare_left, yearly_loss
from raidtui.core.raid.theory import predict
from raidtui.core.units import GIB, KIB, MIB, TB

SPLITS = st.sampled_from([("5", 2, 3), ("5", 3, 3), ("5", 2, 5), ("6", 2, 4), ("6", 3, 4), ("6", 2, 5), ("6", 2, 7)])


def test_two_groups_of_four_disks_to_the_byte() -> None:
    """Each RAID 6 of 4: 4 GiB less 3 MiB of metadata, by two. The RAID 0 begins at 5 MiB: whole stripes of 1 MiB."""
    inner = capacity("6", [4 * GIB] * 4)
    of_eight = capacity("6", [4 * GIB] * 8, groups=2)
    assert inner.array_bytes == 2 * (4 * GIB - inner.data_offset_bytes)
    assert of_eight.outer == Outer(2, inner.array_bytes, MIB, of_eight.outer.data_offset_bytes if of_eight.outer else 0)
    assert of_eight.outer and of_eight.outer.data_offset_bytes % MIB == 0
    assert of_eight.array_bytes == 2 * (inner.array_bytes - of_eight.outer.data_offset_bytes)
    assert (of_eight.member_used_bytes, of_eight.survives) == (inner.member_used_bytes, 2)


def test_three_data_disks_have_a_chunk_of_three_of_theirs() -> None:
    """No power of two, and an offset that no usual one is a multiple of."""
    outer = capacity("6", [16 * TB] * 10, 512 * KIB, groups=2).outer
    assert outer and outer.chunk_bytes == 1536 * KIB
    assert outer.data_offset_bytes % outer.chunk_bytes == 0 and outer.data_offset_bytes >= 128 * MIB


def test_the_kernel_cuts_a_chunk_that_is_no_power_of_two() -> None:
    """As Linux 7.2 made it of eight disks of 300 MiB: 128 KiB of each group less than whole chunks of 192 KiB."""
    holds = capacity("5", [300 * MIB] * 8, 64 * KIB, groups=2, parity_log=True)
    assert (holds.array_bytes, holds.outer and holds.outer.chunk_bytes) == (1872232448, 192 * KIB)


@given(SPLITS, st.data())
def test_every_byte_is_on_its_line(split: tuple[str, int, int], data: st.DataObject) -> None:
    key, groups, each = split
    sizes = data.draw(st.lists(st.integers(GIB, 20 * TB), min_size=groups * each, max_size=groups * each))
    chunk = data.draw(st.sampled_from([64 * KIB, 512 * KIB, MIB]))
    partitioned = data.draw(st.booleans())
    holds = capacity(key, sizes, chunk, groups=groups, partitioned=partitioned)
    assert holds.array_bytes + holds.lost.total_bytes == holds.raw_bytes == sum(sizes)
    assert min(getattr(holds.lost, field) for field in Lost.__struct_fields__) >= 0
    outer = holds.outer
    assert outer and outer.chunk_bytes == chunk * (each - level(key).parity_disks)
    if outer.chunk_bytes & (outer.chunk_bytes - 1) == 0:
        assert holds.array_bytes % (groups * outer.chunk_bytes) == 0
    assert outer.group_bytes == holds.member_used_bytes * (each - level(key).parity_disks)
    left = groups * outer.group_bytes - holds.array_bytes
    assert groups * outer.data_offset_bytes <= left < groups * (outer.data_offset_bytes + 2 * outer.chunk_bytes)


@given(SPLITS)
def test_each_group_survives_its_own_failures(split: tuple[str, int, int]) -> None:
    key, groups, each = split
    disks, parities = groups * each, level(key).parity_disks
    fatal = 0
    for failed in combinations(range(disks), parities + 1):
        in_groups = [sum(disk // each == group for disk in failed) for group in range(groups)]
        lost = max(in_groups) > parities
        fatal += lost
        assert (spare_left(key, None, disks, set(failed), groups) < 0) is lost
    assert fatal_sets(key, None, disks, groups) == fatal
    assert 0 < luck(key, None, disks, groups) < 1
    one_of_each = {group * each for group in range(groups)}
    assert spare_left(key, None, disks, one_of_each, groups) == parities - 1
    survived = disks - groups if parities == 2 else 0
    assert next_survived(key, None, disks, one_of_each, groups) == (survived, disks - groups)


def test_a_rebuild_reads_its_group_alone_and_loss_is_less_than_of_a_wide_array() -> None:
    wide, grouped = (
        rebuild("6", None, 24, capacity("6", [16 * TB] * 24, groups=groups), 180e6, groups) for groups in (1, 2)
    )
    assert wide and grouped
    assert (grouped.read_bytes / grouped.written_bytes, wide.read_bytes / wide.written_bytes) == (11, 23)
    assert yearly_loss("6", None, 12, grouped, 0.0157, 2).share < yearly_loss("6", None, 24, wide, 0.0157).share / 4


def test_speed_is_the_sum_of_the_groups() -> None:
    host = HostLimits(parity_threads=1)
    one, two = (predict("6", 4 * groups, 180e6, 100.0, groups=groups, host=host) for groups in (1, 2))
    for figure in ("seq_read_bytes_per_s", "seq_write_bytes_per_s", "rand_read_iops", "rand_write_iops"):
        assert getattr(two, figure) == pytest.approx(2 * getattr(one, figure), rel=1e-9)
    assert two.write_penalty == one.write_penalty != predict("6", 8, 180e6, 100.0).write_penalty
    assert set(two.confidence.values()) == {Confidence.UPPER}


def test_each_group_has_a_parity_thread_of_its_own() -> None:
    one, two = (predict("6", 4 * groups, 7e9, 1e6, groups=groups, flash=True) for groups in (1, 2))
    assert one.limited_by["rand_write_iops"] is two.limited_by["rand_write_iops"] is Limit.MD_THREAD
    assert two.rand_write_iops == 2 * one.rand_write_iops
    assert two.rand_read_iops == 2 * one.rand_read_iops


@given(SPLITS, st.integers(0, 10_000))
def test_a_stripe_lies_in_one_group_and_groups_take_turns(split: tuple[str, int, int], stripe: int) -> None:
    key, groups, each = split
    data = each - level(key).parity_disks
    shape = RequestShape(key, groups * each, groups=groups)
    placements = Placements(shape)
    places = [placements.chunk_places(stripe * data + number)[0] for number in range(data)]
    assert {place.disk // each for place in places} == {stripe % groups}
    assert {place.row for place in places} == {stripe // groups}
    in_one = Placements(RequestShape(key, each))
    alone = [in_one.chunk_places(stripe // groups * data + number)[0] for number in range(data)]
    assert [place.disk % each for place in places] == [place.disk for place in alone]


@pytest.mark.parametrize("key, groups, disks", [("5", 2, 6), ("6", 2, 8), ("6", 3, 15)])
def test_a_drawn_chunk_lies_where_its_requests_go(key: str, groups: int, disks: int) -> None:
    placed = Placements(RequestShape(key, disks, None, 64 * KIB, 4 * KIB, groups=groups))
    drawn = {
        (disk, row): block(key, None, disks, disk, row, groups=groups) for disk in range(disks) for row in range(7)
    }
    data = {place: stored.number for place, stored in drawn.items() if stored.kind is Kind.DATA}
    assert sorted(data.values()) == list(range(7 * (disks - groups * level(key).parity_disks)))
    assert all(placed.chunk_places(number) == (place,) for place, number in data.items())
    parity = {stored.number for (_, row), stored in drawn.items() if row == 3 and stored.kind is Kind.PARITY}
    assert parity == {3 * groups + group for group in range(groups)}


def test_a_small_write_stays_in_its_group() -> None:
    shape = RequestShape("6", 10, groups=2)
    placements, chunk = Placements(shape), shape.chunk_bytes
    for stripe in range(10):
        placed = placements.at(stripe * 3 * chunk, True)
        disks = {extent.disk for group in placed.groups for extent in group.writes}
        disks |= {disk for read in placed.reads for disk in read.disks}
        assert {disk // 5 for disk in disks} == {stripe % 2}
    alone, each = demands(RequestShape("6", 5), True)[0], demands(shape, True)
    assert len(each) == 10 and len(set(each)) == 1
    assert (each[0].reads * 2, each[0].writes * 2) == pytest.approx(alone)


def test_a_short_queue_keeps_fewer_of_the_groups_busy() -> None:
    """Even service at one request: as one group alone, for no other request is there."""
    curves = one_figure(100.0)
    one, two = (
        rate_at(RequestShape("5", 3 * groups, groups=groups), curves, Load(1, 0.0), Service.EVEN) for groups in (1, 2)
    )
    assert two.iops == pytest.approx(one.iops, rel=0.02)
    deep = rate_at(RequestShape("5", 6, groups=2), curves, Load(64, 0.0), Service.EVEN)
    assert deep.iops > 1.7 * rate_at(RequestShape("5", 3), curves, Load(32, 0.0), Service.EVEN).iops / 1.05


def test_a_file_system_has_the_groups_chunk_and_all_data_disks() -> None:
    found = filesystems.geometry("6", 22, 512 * KIB, None, 2)
    assert found.stride_blocks * found.block_bytes == 512 * KIB
    assert found.stripe_width_blocks // found.stride_blocks == 18


@pytest.mark.parametrize("key, groups, disks, can", [("5", 2, 6, 1), ("5", 2, 4, 0), ("6", 2, 8, 1), ("6", 4, 12, 0)])
def test_a_group_has_its_least_number_of_disks(key: str, groups: int, disks: int, can: bool) -> None:
    assert fits(level(key), groups, disks) is bool(can) is (why_no_groups(level(key), groups, disks) == "")
    with pytest.raises(ValueError) if not can else NOTHING:
        assert capacity(key, [GIB] * disks, 64 * KIB, groups=groups).outer
        assert predict(key, disks, 1e8, 100.0, groups=groups, host=NO_LIMITS)


class _Nothing:
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...


NOTHING = _Nothing()


def test_a_group_smaller_than_the_metadata_is_refused() -> None:
    with pytest.raises(ValueError, match=r"A group of .* is too small: the RAID 0 over groups begins at"):
        capacity("5", [9 * MIB] * 6, 2 * MIB, groups=2)


def test_one_group_is_no_group() -> None:
    assert capacity("5", [GIB] * 6, groups=1) == capacity("5", [GIB] * 6)
    assert isinstance(capacity("5", [GIB] * 6), Capacity) and capacity("5", [GIB] * 6).outer is None
    assert PAGE_BYTES < RequestShape("5", 6).cycle_bytes == RequestShape("5", 6, groups=1).cycle_bytes
