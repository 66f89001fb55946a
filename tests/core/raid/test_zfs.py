"""ZFS pools: how they are made, what ZFS' programs print, how much is estimated. Outputs are of OpenZFS 2.1.11."""

from fractions import Fraction

import pytest

from raidtui.core.raid import zfs
from raidtui.core.raid.capacity import capacity
from raidtui.core.raid.levels import POOLS, Level, possible, survives
from raidtui.core.raid.redundancy import fatal_sets, luck, spare_left
from raidtui.core.raid.theory import predict
from raidtui.core.units import GIB, KIB, MIB

STATUS = """  pool: raidtui-12345678
 state: ONLINE
config:

\tNAME                STATE     READ WRITE CKSUM
\traidtui-12345678    ONLINE       0     0     0
\t  raidz1-0          ONLINE       0     0     0
\t    /dev/nvme0n1p1  ONLINE       0     0     0
\t    /dev/nvme1n1p1  ONLINE       0     0     0

errors: No known data errors
"""
LABELS = """------------------------------------
LABEL 0 
------------------------------------
    version: 5000
    name: 'raidtui-12345678'
    state: 0
    txg: 4
    pool_guid: 13473334552955258669
    hostname: 'zfslab'
    top_guid: 10832418065703886546
    guid: 2833956078040510265
    vdev_tree:
        type: 'raidz'
        guid: 10832418065703886546
    labels = 0 1 2 3 
"""


@pytest.mark.parametrize(
    "profile, each, words",
    [
        ("stripe", 1, "a b c d"),
        ("mirror", 2, "mirror a b mirror c d"),
        ("raidz1", 4, "raidz1 a b c d"),
        ("raidz1", 2, "raidz1 a b raidz1 c d"),
        ("raidz3", 4, "raidz3 a b c d"),
    ],
)
def test_a_pool_is_made_without_force_and_for_this_boot(profile: str, each: int, words: str) -> None:
    line = " ".join(zfs.create_argv("raidtui-1", profile, ("a", "b", "c", "d"), 4 * KIB, each=each))
    assert line.endswith(f"-O recordsize=4096 -m legacy raidtui-1 {words}")
    for option in (
        "-o ashift=12",
        "-o cachefile=none",
        "-O compression=off",
        "-O atime=off",
        "-O primarycache=metadata",
    ):
        assert option in line
    assert " -f" not in line


def test_what_the_programs_print_is_read() -> None:
    assert zfs.imported("raidtui-12345678\t13473334552955258669\n") == {"raidtui-12345678": "13473334552955258669"}
    assert zfs.imported("") == {}
    assert zfs.devices(STATUS) == ("/dev/nvme0n1p1", "/dev/nvme1n1p1")
    assert zfs.labels(LABELS) == {zfs.Label("raidtui-12345678", "13473334552955258669")}
    assert zfs.labels("failed to unpack label 0\n") == frozenset()
    assert zfs.space("517824\t1620580672\n") == (517824, 1620580672)
    assert zfs.settings("recordsize\t131072\nsync\tstandard\n") == {"recordsize": "131072", "sync": "standard"}


def test_a_pool_that_was_destroyed_is_told_from_one_that_is_not() -> None:
    assert {label.is_destroyed for label in zfs.labels(LABELS.replace("state: 0", "state: 2"))} == {True}
    both = zfs.labels(LABELS.replace("state: 0", "state: 2").replace("1347", "2347") + LABELS)
    assert {(label.guid[:4], label.is_destroyed) for label in both} == {("2347", True), ("1347", False)}


def test_a_label_without_a_pool_lends_its_name_to_no_other() -> None:
    """The label of a spare tells no GUID of a pool."""
    spare = "    version: 5000\n    name: 'spare'\n    state: 3\n    guid: 5\n"
    assert zfs.labels(spare + LABELS) == zfs.labels(LABELS)


def test_labels_of_two_pools_are_both_told() -> None:
    assert len(zfs.labels(LABELS + LABELS.replace("12345678", "87654321"))) == 2


@pytest.mark.parametrize(
    "disks, parity, record_bytes, share",
    [
        (4, 1, 128 * KIB, 32 / 44),
        (4, 1, 4 * KIB, 1 / 2),
        (5, 1, 128 * KIB, 32 / 40),
        (6, 2, 128 * KIB, 32 / 48),
        (3, 1, 8 * KIB, 2 / 4),
    ],
)
def test_what_raidz_leaves_of_the_disks_is_less_than_its_parity_says(
    disks: int, parity: int, record_bytes: int, share: float
) -> None:
    assert zfs.raidz_share(disks, parity, record_bytes) == pytest.approx(share)
    assert share <= (disks - parity) / disks


def test_the_estimate_is_near_what_zfs_list_said() -> None:
    """A raidz1 of four partitions of 632 MiB, on disks of 640 MiB: used and available together."""
    assert capacity("zfs-raidz1", [640 * MIB] * 4).array_bytes == pytest.approx(499968 + 1620598528, rel=0.005)


def test_a_small_record_leaves_less() -> None:
    sizes = [100 * GIB] * 4
    large, small = (capacity("zfs-raidz1", sizes, record_bytes=size).array_bytes for size in (128 * KIB, 4 * KIB))
    assert small == pytest.approx(large * (1 / 2) / (32 / 44), rel=0.01)


@pytest.mark.parametrize("row", [row for row in POOLS if row.filesystem == zfs.KIND], ids=lambda row: row.key)
def test_every_byte_of_a_pools_disks_is_accounted_for(row: Level) -> None:
    said = capacity(row.key, [100 * GIB, 100 * GIB, 100 * GIB, 101 * GIB])
    assert said.array_bytes + said.lost.total_bytes == said.raw_bytes and said.array_bytes > 0
    assert said.survives == {"stripe": 0, "mirror": 1, "raidz1": 1, "raidz2": 2, "raidz3": 3}[row.profile]


def test_each_vdev_has_the_smallest_of_its_own_disks() -> None:
    """Two raidz1 of three hold as much as two pools, but for one reserve; and each byte is on its line."""
    sizes = [100 * GIB] * 3 + [200 * GIB] * 3
    pool, *alone = (capacity("zfs-raidz1", of, groups=1 + (len(of) > 3)) for of in (sizes, sizes[:3], sizes[3:]))
    held = sum(one.array_bytes for one in alone) * 32 / 31
    assert pool.array_bytes == pytest.approx(held * 31 / 32, rel=1e-6)
    assert (pool.survives, pool.outer, pool.lost.unequal_bytes) == (1, None, 0)
    assert pool.array_bytes + pool.lost.total_bytes == pool.raw_bytes == sum(sizes)
    wide = capacity("zfs-raidz1", sizes)
    assert wide.lost.unequal_bytes > 299 * GIB and wide.array_bytes < pool.array_bytes


def test_a_vdev_survives_its_own_failures() -> None:
    assert [spare_left("zfs-raidz2", None, 8, failed, 2) for failed in ({0, 4}, {0, 1, 4, 5}, {1, 2, 3})] == [1, 0, -1]
    assert (spare_left("zfs-raidz2", None, 8, {0, 1}), spare_left("zfs-mirror", None, 4, {0, 2})) == (0, 0)
    assert spare_left("zfs-mirror", None, 4, {0, 1}) < 0
    assert (fatal_sets("zfs-raidz1", None, 6), fatal_sets("zfs-raidz1", None, 6, 2)) == (15, 6)
    assert luck("zfs-raidz1", None, 6, 2) == Fraction(9, 15)


def test_a_small_read_takes_all_of_one_vdev() -> None:
    one, two = (predict("zfs-raidz2", 4 * groups, 500e6, 90e3, flash=True, groups=groups) for groups in (1, 2))
    assert (two.rand_read_iops, two.rand_write_iops) == (2 * one.rand_read_iops, 2 * one.rand_write_iops)
    assert two.seq_write_bytes_per_s == 2 * one.seq_write_bytes_per_s == 2e9


def test_devices_left_over_are_in_no_vdev() -> None:
    with pytest.raises(ValueError, match="3 devices do not divide into vdevs of 2"):
        zfs.vdevs("mirror", ("a", "b", "c"), 2)


def test_raidz_needs_a_disk_more_than_its_parities_and_is_of_use_from_two_more() -> None:
    assert possible("zfs-raidz2", None, 2, None) == (False, "ZFS raidz2 needs 3 disks; choose 1 more.")
    can, advice = possible("zfs-raidz2", None, 3, None)
    assert can and "of use from 4 disks on" in advice and "mirrors" in advice
    assert possible("zfs-raidz2", None, 4, None) == (True, "") and survives("zfs-raidz3", None, 8) == 3


def test_a_disk_that_zfs_would_not_take_is_refused() -> None:
    with pytest.raises(ValueError, match="64 MiB"):
        capacity("zfs-stripe", [64 * MIB])
