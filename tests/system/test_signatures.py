"""Signatures of a device: those of udev where it has looked, else read; a partition has none of its disk."""

from pathlib import Path

import pytest

from raidtui.core.disks.machine import Signature
from raidtui.system import signatures


def test_signatures_of_udev_are_none_where_udev_has_not_looked() -> None:
    assert signatures.of_udev({"ID_FS_TYPE": "ext4"}) is None
    assert signatures.of_udev({"USEC_INITIALIZED": "1"}) == ()


def test_a_partition_does_not_inherit_the_table_of_its_disk() -> None:
    said = {"USEC_INITIALIZED": "1", "DEVTYPE": "partition", "ID_PART_TABLE_TYPE": "gpt", "ID_FS_TYPE": "xfs"}
    assert [one.kind for one in signatures.of_udev(said) or ()] == ["xfs"]


def test_contradicting_signatures_are_said_to_be_there() -> None:
    found = signatures.of_udev({"USEC_INITIALIZED": "1", "ID_FS_AMBIVALENT": "filesystem:ext4 raid:ddf"})
    assert found and found[0].kind == "several signatures"


@pytest.mark.parametrize("size", [0, 512, 4096, 5000, 1 << 20, 300 << 20, 4 << 40])
def test_samples_lie_within_the_device(size: int) -> None:
    assert all(0 <= offset <= max(size - 4096, 0) for offset in signatures._offsets(size))


def test_a_btrfs_tells_of_how_many_devices_it_is(tmp_path: Path) -> None:
    image = tmp_path / "image"
    image.write_bytes(bytes((1 << 16) + 0x88) + (3).to_bytes(8, "little"))
    with image.open("rb") as file:
        assert signatures._btrfs(file.fileno(), (Signature(kind="btrfs"),)) == {"btrfs devices": "3"}
        assert signatures._btrfs(file.fileno(), (Signature(kind="ext4"),)) == {}
