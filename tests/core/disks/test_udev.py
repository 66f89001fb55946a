"""Signatures of udev where it has looked; a partition has none of its disk."""

from raidtui.core.disks import machine


def test_signatures_of_udev_are_none_where_udev_has_not_looked() -> None:
    assert machine.signatures_of({"ID_FS_TYPE": "ext4"}) is None
    assert machine.signatures_of({"USEC_INITIALIZED": "1"}) == ()


def test_a_partition_does_not_inherit_the_table_of_its_disk() -> None:
    said = {"USEC_INITIALIZED": "1", "DEVTYPE": "partition", "ID_PART_TABLE_TYPE": "gpt", "ID_FS_TYPE": "xfs"}
    assert [one.kind for one in machine.signatures_of(said) or ()] == ["xfs"]


def test_contradicting_signatures_are_said_to_be_there() -> None:
    found = machine.signatures_of({"USEC_INITIALIZED": "1", "ID_FS_AMBIVALENT": "filesystem:ext4 raid:ddf"})
    assert found and found[0].kind == "several signatures"
