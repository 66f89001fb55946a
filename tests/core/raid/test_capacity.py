"""How much an array holds. The figures named "measured" were read from a kernel's own sysfs."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from raidtui.core.raid.capacity import Capacity, Lost, capacity
from raidtui.core.raid.levels import LEVELS, level
from raidtui.core.units import GB, GIB, KIB, MB, MIB, TB
from tests.builders.labels import nominal_bytes

MEASURED = [
    # level, layout, chunk in KiB, sizes; array, data offset, used of a member
    ("linear", None, None, (314_572_800,) * 2, 627_048_448, 1_048_576, 313_524_224),
    ("10", "o2", 8, (11_569_664, 10_228_736, 9_713_664, 12_218_368), 17_301_504, 1_048_576, 8_650_752),
    ("10", "o2", 512, (363_750_912, 488_247_296, 546_618_368), 541_065_216, 2_097_152, 360_710_144),
    ("10", "o2", 2048, (2_206_078_269_952,) * 2, 2_205_939_662_848, 135_266_304, 2_205_939_662_848),
    ("10", "o3", 64, (114_058_819_584,) * 5, 189_984_276_480, 68_157_440, 113_990_565_888),
    ("10", "f2", 16, (568_092_672, 378_553_856, 469_010_432), 566_231_040, 1_048_576, 377_487_360),
    ("10", "f3", 1024, (5_450_504_704, 5_452_317_184, 5_450_072_064), 5_442_109_440, 5_242_880, 5_442_109_440),
]


@pytest.mark.parametrize("key, layout, chunk_kib, sizes, array_bytes, offset_bytes, used_bytes", MEASURED)
def test_measured_arrays(
    key: str,
    layout: str | None,
    chunk_kib: int | None,
    sizes: tuple[int, ...],
    array_bytes: int,
    offset_bytes: int,
    used_bytes: int,
) -> None:
    said = capacity(key, sizes, chunk_kib * KIB if chunk_kib else None, layout)
    assert (said.array_bytes, said.data_offset_bytes, said.member_used_bytes) == (array_bytes, offset_bytes, used_bytes)


@pytest.mark.parametrize("key", ["zfs-raidz1", "zfs-mirror", "zfs-stripe"])
def test_of_equal_disks_nothing_of_a_larger_one_is_left(key: str) -> None:
    lost = capacity(key, [TB] * 4).lost
    assert lost.unequal_bytes == 0 and lost.rounding_bytes > 0
    assert capacity(key, [TB] * 3 + [2 * TB]).lost.unequal_bytes > 0 or key == "zfs-stripe"


def test_where_a_raid5_of_unequal_disks_leaves_its_bytes() -> None:
    """1 TB, 2 TB and 1.5 TB: two disks' worth of the smallest, and every byte has its place."""
    offset = 129 * MIB
    used = (TB - offset) // (512 * KIB) * 512 * KIB
    assert capacity("5", [TB, 2 * TB, 1500 * GB]) == Capacity(
        array_bytes=2 * used,
        raw_bytes=4500 * GB,
        member_used_bytes=used,
        data_offset_bytes=offset,
        lost=Lost(
            parity_bytes=used,
            mirror_bytes=0,
            metadata_bytes=3 * offset,
            rounding_bytes=3 * (TB - offset - used),
            unequal_bytes=1500 * GB,
        ),
        survives=1,
    )


def test_jbod_loses_nothing() -> None:
    assert capacity("jbod", [500 * GB, 3 * TB]) == Capacity(
        array_bytes=3500 * GB,
        raw_bytes=3500 * GB,
        member_used_bytes=500 * GB,
        data_offset_bytes=0,
        lost=Lost(),
        survives=0,
    )


def test_raid0_and_linear_use_unequal_disks_to_their_ends() -> None:
    sizes = [1 * TB, 2 * TB]
    for key in ("0", "linear"):
        said = capacity(key, sizes)
        assert said.lost.unequal_bytes == 0
        assert said.array_bytes > 2.99 * TB


def test_the_odd_raid10_of_offset_layout_may_be_a_chunk_smaller_than_near() -> None:
    near, offset = (capacity("10", [TB] * 3, 64 * KIB, layout) for layout in ("n2", "o2"))
    assert near.array_bytes - offset.array_bytes == 64 * KIB
    assert (near.member_used_bytes, offset.member_used_bytes) == (999_864_729_600, 999_864_664_064)


@pytest.mark.parametrize(
    "disk_bytes, offset_mib",
    [(100 * MB, 1), (300 * MIB, 1), (3 * GIB, 3), (20 * GIB, 17), (127 * GIB, 65), (128 * GIB, 129), (4 * TB, 129)],
)
def test_metadata_grows_with_the_first_disk_up_to_129_mib(disk_bytes: int, offset_mib: int) -> None:
    smallest = disk_bytes * 9 // 10
    assert capacity("1", [disk_bytes, smallest]).data_offset_bytes <= offset_mib * MIB
    assert capacity("1", [disk_bytes] * 2).data_offset_bytes == offset_mib * MIB


def test_the_first_disk_leads() -> None:
    large, small = 200 * GIB, 20 * GIB
    assert capacity("1", [large, small]).array_bytes < capacity("1", [small, large]).array_bytes


def test_large_chunks_keep_more_room_before_the_data() -> None:
    assert capacity("0", [300 * MIB] * 2, 4 * KIB).data_offset_bytes == 1 * MIB
    assert capacity("0", [300 * MIB] * 2, 4096 * KIB).data_offset_bytes > 8 * MIB


@pytest.mark.parametrize(
    "mdadm, offset_mib", [("3.4", 128), ("4.0", 128), ("4.1", 129), ("4.2", 129), ("v4.3-rc1", 129)]
)
def test_older_mdadm_rounds_the_data_offset_down(mdadm: str, offset_mib: int) -> None:
    assert capacity("1", [TB, TB], mdadm=mdadm).data_offset_bytes == offset_mib * MIB


@pytest.mark.parametrize(
    "key, sizes, options, sentence",
    [
        ("7", [TB, TB], {}, "is not a RAID level"),
        ("6", [TB, TB], {}, "RAID 6 needs 4 disks; choose 2 more."),
        ("1", [TB, TB], {"chunk_bytes": 64 * KIB}, "RAID 1 has no chunk"),
        ("5", [TB] * 3, {"chunk_bytes": 48 * KIB}, "choose a power of two"),
        ("10", [TB] * 2, {"layout": "f3"}, "RAID 10 f3 needs 3 disks; choose 1 more."),
        ("5", [TB, TB, 100 * MB], {}, "A disk of 100 MB = 95.4 MiB is too small"),
        ("5", [1 * MIB] * 3, {}, "is too small"),
        ("10", [1 * MIB + 300 * KIB] * 4, {"chunk_bytes": 256 * KIB, "layout": "f2"}, "is too small"),
        ("5", [TB] * 3, {"mdadm": "new"}, "'new' is not a version of mdadm: write it as 4.2."),
    ],
)
def test_what_cannot_be_made_is_answered_with_one_sentence(
    key: str, sizes: list[int], options: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        capacity(key, sizes, **options)  # type: ignore[arg-type]


@st.composite
def arrays(draw: st.DrawFn) -> Capacity:
    """Any array that can be made, of sizes to the byte."""
    row = draw(st.sampled_from(LEVELS))
    sizes = draw(st.lists(st.integers(2 * MIB, 20 * TB), min_size=max(row.min_disks, 3), max_size=24))
    chunk_bytes = draw(st.sampled_from([2**power for power in range(12, 24)])) if row.has_chunk else None
    layout = draw(st.sampled_from(row.layouts)) if row.layouts else None
    try:
        return capacity(row.key, sizes, chunk_bytes, layout)
    except ValueError as error:
        assume("too small" not in str(error))
        raise


@given(arrays())
def test_every_byte_is_accounted_for(said: Capacity) -> None:
    lost = said.lost
    parts = (lost.parity_bytes, lost.mirror_bytes, lost.metadata_bytes, lost.rounding_bytes, lost.unequal_bytes)
    assert said.array_bytes + sum(parts) == said.raw_bytes
    assert lost.total_bytes == sum(parts)
    assert min(parts) >= 0
    assert said.array_bytes > 0


@given(st.sampled_from([row.key for row in LEVELS]), st.integers(2 * GIB, 20 * TB), st.integers(4, 24))
def test_one_more_equal_disk_never_holds_less(key: str, disk_bytes: int, disks: int) -> None:
    fewer, more = (capacity(key, [disk_bytes] * n).array_bytes for n in (disks, disks + 1))
    assert more == fewer if level(key).key == "1" else more > fewer


def test_labels_speak_idema() -> None:
    assert nominal_bytes(500) == 500_107_862_016
    assert nominal_bytes(1000) == 1_000_204_886_016
    with pytest.raises(ValueError, match="begin at 50 GB, 32 GB has none"):
        nominal_bytes(32)


@pytest.mark.parametrize(
    "key, disks, holds",
    [
        ("btrfs-single", (4, 2, 1), 7),
        ("btrfs-raid0", (4, 4, 4), 12),
        ("btrfs-raid0", (9, 2, 1), 12),
        ("btrfs-raid0", (2, 6), 8),
        ("btrfs-raid1", (4, 4), 4),
        ("btrfs-raid1", (4, 1, 1), 2),
        ("btrfs-raid10", (4, 4, 4, 4), 8),
        ("btrfs-raid10", (4, 4, 4, 2, 1), 7.5),
        ("btrfs-raid10", (9, 1, 1, 1), 3),
    ],
)
def test_file_systems_that_spread_over_disks_themselves(key: str, disks: tuple[int, ...], holds: float) -> None:
    found = capacity(key, [size * GIB for size in disks])
    assert found.array_bytes == pytest.approx(holds * GIB, abs=8)
    assert found.array_bytes + found.lost.total_bytes == found.raw_bytes
