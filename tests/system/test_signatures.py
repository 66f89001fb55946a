"""Signatures read from a device."""

import shutil
import struct
import subprocess
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


def superblock(state: int = 1, incompat: int = 0, last: bytes = b"/srv/data\0") -> bytes:
    """As fs/ext4/ext4.h has it, with blocks of 4096 bytes and the MMP block as number 3."""
    block = bytearray(1024)
    struct.pack_into("<I", block, 0x18, 2)
    struct.pack_into("<HH", block, 0x38, 0xEF53, state)
    struct.pack_into("<I", block, 0x60, incompat)
    block[0x88 : 0x88 + len(last)] = last
    struct.pack_into("<Q", block, 0x168, 3)
    return bytes(block)


def mmp(sequence: int, node: bytes = b"node7\0", magic: int = 0x004D4D50) -> bytes:
    return struct.pack("<IIQ", magic, sequence, 0) + node.ljust(64, b"\0") + bytes(4096 - 80)


@pytest.mark.parametrize(
    "block, told",
    [
        (superblock(), {}),
        (superblock(state=0), {"ext not unmounted": "/srv/data"}),
        (superblock(state=3, incompat=0x4), {"ext not unmounted": "/srv/data"}),
        (superblock(incompat=0x2 | 0x40), {}),
        (superblock(state=0, last=b"\0"), {"ext not unmounted": ""}),
        (superblock(state=0, last=b"/a\x1b[2J\0"), {"ext not unmounted": "/a[2J"}),
        (b"\0" * 1024, {}),
        (superblock()[:500], {}),
    ],
)
def test_an_ext_file_system_that_was_left_mounted(block: bytes, told: dict[str, str]) -> None:
    assert signatures.ext_facts(block, lambda at: b"") == told


@pytest.mark.parametrize(
    "block, host",
    [
        (mmp(0xFF4D4D50), ""),  # clean
        (mmp(0x12345), "node7"),
        (mmp(0xE24D4D50), "node7"),  # fsck is on it
        (mmp(5, node=b"\0"), "a host that is not told"),
        (mmp(0xFF4D4D50, magic=1), "node7"),
        (b"", "a host that is not told"),
    ],
)
def test_the_host_that_has_a_file_system_with_mmp(block: bytes, host: str) -> None:
    asked: list[int] = []

    def read_at(at: int) -> bytes:
        asked.append(at)
        return block

    assert signatures.ext_facts(superblock(incompat=0x100), read_at) == {"ext mmp": host}
    assert asked == [3 * 4096]


@pytest.mark.skipif(shutil.which("mkfs.ext4") is None, reason="mkfs.ext4 is missing here")
def test_a_file_system_as_mkfs_makes_it(tmp_path: Path) -> None:
    image = tmp_path / "image"
    image.write_bytes(bytes(8 << 20))
    mkfs = shutil.which("mkfs.ext4")
    assert mkfs
    subprocess.run([mkfs, "-q", "-F", "-O", "mmp", "-b", "4096", str(image)], check=True)
    content = image.read_bytes()
    told = signatures.ext_facts(content[1024:2048], lambda at: content[at : at + 4096])
    assert told == {"ext mmp": ""}
