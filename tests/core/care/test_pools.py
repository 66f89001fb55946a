"""The lines by which a person cares for a pool."""

from raidtui.core.arrays.array import KnownDisk
from raidtui.core.arrays.pools import Pool, PoolDevice
from raidtui.core.care import pools

DISK = KnownDisk(id="serial-S2", name="sdb", serial="S2")
POOL = Pool(
    name="tank",
    guid="7",
    health="ONLINE",
    devices=(PoolDevice(device="/dev/sda1", state="ONLINE"), PoolDevice(device="/dev/sdb1", state="ONLINE", disk=DISK)),
)


def test_nothing_is_carried_out_and_it_is_said() -> None:
    assert "raidtui carries nothing out" in pools.scrub(POOL).why and pools.scrub(POOL).lines[0] == "zpool scrub tank"


def test_the_disk_that_goes_is_named_as_the_pool_has_it() -> None:
    for name in ("S2", "serial-S2", "sdb"):
        assert "zpool replace tank /dev/sdb1 /dev/disk/by-id/NEW" in pools.replace(POOL, name, "NEW").lines
    assert "zpool replace tank 1234 /dev/disk/by-id/NEW" in pools.replace(POOL, "1234", "NEW").lines


def test_it_grows_by_further_groups_or_by_larger_disks() -> None:
    assert any(line.startswith("zpool add -n tank A B ") for line in pools.grow(POOL, ("A", "B")).lines)
    in_place = pools.grow(POOL, ()).lines[1].splitlines()
    assert in_place == ["zpool online -e tank /dev/sda1", "zpool online -e tank /dev/sdb1"]
