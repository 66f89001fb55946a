"""The lines by which a person cares for a pool."""

from msgspec.structs import replace

from raidtui.core.arrays.array import KnownDisk
from raidtui.core.arrays.pools import Pool, PoolDevice
from raidtui.core.care.by_hand import grow_pool, replace_pool, scrub

DISK = KnownDisk(id="serial-S2", name="sdb", serial="S2")
POOL = Pool(
    name="tank",
    guid="7",
    health="ONLINE",
    devices=(PoolDevice(device="/dev/sda1", state="ONLINE"), PoolDevice(device="/dev/sdb1", state="ONLINE", disk=DISK)),
)


def test_nothing_is_carried_out_and_it_is_said() -> None:
    assert "only prints the commands" in scrub(POOL).why and scrub(POOL).lines[0] == "zpool scrub tank"


def test_the_disk_that_goes_is_named_as_the_pool_has_it() -> None:
    for name in ("S2", "serial-S2", "sdb"):
        assert "zpool replace tank /dev/sdb1 /dev/disk/by-id/NEW" in replace_pool(POOL, name, "NEW").lines
    assert "zpool replace tank 1234 /dev/disk/by-id/NEW" in replace_pool(POOL, "1234", "NEW").lines


def test_it_grows_by_further_groups_or_by_larger_disks() -> None:
    assert any(line.startswith("zpool add -n tank A B ") for line in grow_pool(POOL, ("A", "B")).lines)
    in_place = grow_pool(POOL, ()).lines[1].splitlines()
    assert in_place == ["zpool online -e tank /dev/sda1", "zpool online -e tank /dev/sdb1"]


def test_a_pool_with_a_blank_in_its_name_is_not_taken_for_two() -> None:
    """ZFS takes such names; unquoted, the lines would be about others' pools."""
    blank = replace(POOL, name="my tank")
    replaced, grown = replace_pool(blank, "S2", "NEW").lines, grow_pool(blank, ("A",)).lines
    for lines in (scrub(blank).lines, replaced, grown, grow_pool(blank, ()).lines):
        assert any("'my tank'" in line for line in lines)
        assert not any("my tank" in line.replace("'my tank'", "") for line in lines)


def test_what_was_given_is_one_word_of_the_lines_and_a_node_stays_a_node() -> None:
    assert "zpool replace tank /dev/sdb1 /dev/sdc" in replace_pool(POOL, "S2", "/dev/sdc").lines
    assert "zpool replace tank 'a; b' '/dev/disk/by-id/c d'" in replace_pool(POOL, "a; b", "c d").lines


def test_of_one_that_is_not_imported_there_is_the_import_alone_as_another_may_have_its_name() -> None:
    away = replace(POOL, health="not imported", devices=())
    for by_hand in (scrub(away), replace_pool(away, "S2", "NEW"), grow_pool(away, ("A",))):
        (line,) = by_hand.lines
        assert line.startswith("zpool import -N 7 ") and "tank" not in line
