"""Signatures read from a device."""

from pathlib import Path

import pytest

from raidtui.core.disks.machine import Signature
from raidtui.system import signatures


@pytest.mark.parametrize("size", [0, 512, 4096, 5000, 1 << 20, 300 << 20, 4 << 40])
def test_samples_lie_within_the_device(size: int) -> None:
    assert all(0 <= offset <= max(size - 4096, 0) for offset in signatures._offsets(size))


def test_a_btrfs_tells_of_how_many_devices_it_is(tmp_path: Path) -> None:
    image = tmp_path / "image"
    image.write_bytes(bytes((1 << 16) + 0x88) + (3).to_bytes(8, "little"))
    with image.open("rb") as file:
        assert signatures._btrfs(file.fileno(), (Signature(kind="btrfs"),)) == {"btrfs devices": "3"}
        assert signatures._btrfs(file.fileno(), (Signature(kind="ext4"),)) == {}
