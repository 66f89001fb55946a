"""FIEMAP's answer, as the kernel lays it out: extents with an address, none of those that have none."""

import errno
import fcntl
import struct
from pathlib import Path

import pytest

from raidtui.core.disks.extents import Extent
from raidtui.system.files.extents import extents


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "test").write_bytes(b"x" * 8192)
    return tmp_path / "test"


def test_extents_with_an_address_in_the_order_of_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(descriptor: int, request: int, buffer: bytearray) -> int:
        assert request == 0xC020660B and struct.unpack_from("=QQII", buffer) == (0, 2**64 - 1, 1, 0)
        struct.pack_into("=I", buffer, 20, 3)  # mapped
        not_written_yet = (4096, 0, 4096, 0x6)
        told = ((0, 1 << 20, 4096, 0), not_written_yet, (8192, 3 << 20, 4096, 0x1))
        for at, (logical, physical, length, flags) in enumerate(told):
            struct.pack_into("=QQQQQI", buffer, 32 + 56 * at, logical, physical, length, 0, 0, flags)
        return 0

    monkeypatch.setattr(fcntl, "ioctl", answer)
    assert extents(file) == (Extent(0, 1 << 20, 4096), Extent(8192, 3 << 20, 4096))


def test_a_file_system_that_cannot_tell_tells_nothing(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError(errno.EOPNOTSUPP, "Operation not supported")

    monkeypatch.setattr(fcntl, "ioctl", refuse)
    assert extents(file) == ()
    with pytest.raises(FileNotFoundError):
        extents(file.with_name("none"))
