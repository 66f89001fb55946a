"""Geometry: what mkfs is told, and what the file system says of itself afterwards. The outputs are real."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.raid.filesystems import (
    FILE_SYSTEMS,
    NO_STRIPES,
    Geometry,
    data_disks,
    geometry,
    mkfs_argv,
    parse_geometry,
    possible,
    readback_argv,
)
from raidtui.core.units import GIB, KIB, MIB, TIB
from tests.builders.prints import DUMPE2FS, XFS_INFO, XFS_INFO_NO_STRIPES

WHOLE = ",lazy_itable_init=0,lazy_journal_init=0"  # nothing is written after the mount that a test would measure
UUID = "11111111-2222-3333-4444-555555555555"
RAID5_OF_4 = Geometry(block_bytes=4096, stride_blocks=128, stripe_width_blocks=384)


@pytest.mark.parametrize(
    "key, layout, disks, striped",
    [
        ("0", None, 3, 3),
        ("1", None, 2, 0),
        ("4", None, 3, 2),
        ("5", None, 24, 23),
        ("6", None, 8, 6),
        ("10", None, 4, 2),
        ("10", "o2", 4, 2),
        ("10", "f2", 4, 2),
        ("10", "n3", 6, 2),
        ("10", "n2", 3, 3),
        ("10", "n3", 4, 4),
        ("linear", None, 3, 0),
        ("jbod", None, 3, 0),
    ],
)
def test_disks_whose_chunks_make_a_stripe(key: str, layout: str | None, disks: int, striped: int) -> None:
    assert data_disks(key, layout, disks) == striped


def test_a_stripe_in_either_file_systems_words() -> None:
    shape = geometry("5", 4, 512 * KIB)
    assert shape == RAID5_OF_4
    assert (shape.su_bytes, shape.sw_disks) == (512 * KIB, 3)


def test_mirrors_and_single_file_disks_have_no_stripes() -> None:
    assert geometry("1", 2, None) == geometry("linear", 3, None) == NO_STRIPES
    assert (NO_STRIPES.su_bytes, NO_STRIPES.sw_disks) == (0, 0)


@pytest.mark.parametrize(
    "key, shape, command",
    [
        ("ext4", RAID5_OF_4, f"mkfs.ext4 -b 4096 -E stride=128,stripe_width=384{WHOLE} -U {UUID} /dev/md0"),
        ("ext2", RAID5_OF_4, f"mkfs.ext2 -b 4096 -E stride=128,stripe_width=384 -U {UUID} /dev/md0"),
        ("ext4", NO_STRIPES, f"mkfs.ext4 -b 4096 -E stride=1,stripe_width=1{WHOLE} -U {UUID} /dev/md0"),
        ("xfs", RAID5_OF_4, f"mkfs.xfs -b size=4096 -d su=524288,sw=3 -l su=32768 -m uuid={UUID} /dev/md0"),
        ("xfs", NO_STRIPES, f"mkfs.xfs -b size=4096 -d noalign -m uuid={UUID} /dev/md0"),
        ("btrfs", RAID5_OF_4, f"mkfs.btrfs -U {UUID} /dev/md0"),
    ],
)
def test_mkfs_is_told_everything_and_forced_to_nothing(key: str, shape: Geometry, command: str) -> None:
    argv = mkfs_argv(key, "/dev/md0", UUID, shape)
    assert " ".join(argv) == command
    assert not {"-f", "-F", "--force"} & set(argv)


def test_the_log_of_xfs_follows_chunks_up_to_256_kib() -> None:
    argv = mkfs_argv("xfs", "/dev/md0", UUID, geometry("0", 2, 256 * KIB))
    assert argv[argv.index("-l") + 1] == "su=262144"


def test_labels() -> None:
    assert mkfs_argv("xfs", "/dev/md0", UUID, label="twelve-bytes")[-3:] == ("-L", "twelve-bytes", "/dev/md0")
    with pytest.raises(ValueError, match=r"'thirteen-byte' is too long for xfs: 12 bytes at most"):
        mkfs_argv("xfs", "/dev/md0", UUID, label="thirteen-byte")


@pytest.mark.parametrize(
    "key, text, shape",
    [
        ("ext4", DUMPE2FS, RAID5_OF_4),
        ("ext2", DUMPE2FS, RAID5_OF_4),
        ("ext4", "Block size:               1024\n", Geometry(1024, 0, 0)),
        (
            "ext4",
            "Block size:               4096\nRAID stride:              1\nRAID stripe width:        1\n",
            NO_STRIPES,
        ),
        ("xfs", XFS_INFO, RAID5_OF_4),
        ("xfs", XFS_INFO_NO_STRIPES, NO_STRIPES),
    ],
)
def test_a_file_system_says_what_it_knows_of_the_array(key: str, text: str, shape: Geometry) -> None:
    assert parse_geometry(key, text) == shape


@pytest.mark.parametrize("key", ["ext2", "ext4", "xfs"])
def test_other_text_is_not_taken_for_an_answer(key: str) -> None:
    with pytest.raises(ValueError, match=r"is there an .* on the device"):
        parse_geometry(key, "dumpe2fs: Bad magic number in super-block while trying to open /dev/md0")


def test_btrfs_and_none_have_nothing_to_read_back() -> None:
    assert readback_argv("btrfs", "/dev/md0") is readback_argv("none", "/dev/md0") is None
    assert readback_argv("ext4", "/dev/md0") == ("dumpe2fs", "-h", "/dev/md0")
    assert readback_argv("xfs", "/dev/md0") == ("xfs_info", "/dev/md0")
    with pytest.raises(ValueError, match=r"btrfs keeps no geometry"):
        parse_geometry("btrfs", "")
    with pytest.raises(ValueError, match="nothing to make"):
        mkfs_argv("none", "/dev/md0", UUID)


def test_xfs_wants_300_mib_and_twice_that_with_stripes() -> None:
    assert possible("xfs", 300 * MIB) == (True, "")
    assert possible("xfs", 508 * MIB, RAID5_OF_4) == (
        False,
        "xfs needs 629 MB = 600 MiB, the array has 533 MB = 508 MiB; choose another file system, or larger"
        " or more disks.",
    )
    assert all(possible(row.key, 1 * GIB, RAID5_OF_4) == (True, "") for row in FILE_SYSTEMS)


def test_an_unknown_file_system_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="'zfs' is not a file system here: choose one of none, ext2, ext4, xfs, btrfs"):
        possible("zfs", GIB)


@given(st.sampled_from(["0", "4", "5", "6", "10"]), st.integers(4, 24), st.integers(12, 24))
def test_a_stripe_is_always_whole_chunks(key: str, disks: int, power: int) -> None:
    shape = geometry(key, disks, 2**power)
    assert shape.su_bytes == 2**power
    assert shape.stripe_width_blocks == shape.stride_blocks * shape.sw_disks
    assert 1 <= shape.sw_disks <= disks


@pytest.mark.parametrize(
    "key, array_bytes, fits",
    [
        ("ext2", 16 * TIB - 4096, True),  # mke2fs 1.47 makes it
        ("ext2", 16 * TIB - 1, True),
        ("ext2", 16 * TIB, False),  # "too big to be expressed in 32 bits using a blocksize of 4096"
        ("ext2", 20 * 10**12, False),
        ("ext4", 17 * TIB, True),
        ("xfs", 17 * TIB, True),
    ],
)
def test_ext2_ends_at_two_to_the_32_blocks(key: str, array_bytes: int, fits: bool) -> None:
    found, reason = possible(key, array_bytes)
    assert found is fits and (fits or reason.startswith("ext2 ends at 16.0 TiB, the array has "))
