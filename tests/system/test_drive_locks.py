"""What disks answer: Opal locks, SCSI reservations, health. The answers are laid out as the standards have them."""

import fcntl
import os
import struct
from pathlib import Path

import pytest

from raidtui.system import drive_locks


def held(kind: int) -> bytes:
    """READ RESERVATION: generation, length 16, key, obsolete, reserved, scope and type, obsolete."""
    return struct.pack(">IIQI", 7, 16, 0xABC, 0) + bytes((0, kind, 0, 0)) + bytes(200)


def keys(*numbers: int) -> bytes:
    return struct.pack(f">II{len(numbers)}Q", 7, 8 * len(numbers), *numbers) + bytes(64)


@pytest.mark.parametrize(
    ("reservation", "registered", "words"),
    [
        (b"", b"", ""),
        (struct.pack(">II", 7, 0) + bytes(248), keys(), ""),
        (held(5), keys(1, 2), "a reservation (write exclusive, registrants only)"),
        (held(3), keys(1), "a reservation (exclusive access)"),
        (held(9), keys(1), "a reservation (of an unknown type)"),
        (b"", keys(1), "1 registered key"),
        (b"", keys(1, 2, 3), "3 registered keys"),
        (b"\x00" * 7, b"\xff" * 3, ""),
    ],
)
def test_reservations(reservation: bytes, registered: bytes, words: str) -> None:
    assert drive_locks.reservation(reservation, registered) == words


def test_what_is_no_disk_answers_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    descriptor = os.open(tmp_path / "file", os.O_RDONLY)
    assert drive_locks.answers(descriptor, scsi=True) == {}
    os.close(descriptor)


@pytest.mark.parametrize(
    ("flags", "told"), [(0x07, {}), (0x0F, {"opal": "locked"}), (0x08, {"opal": "locked"}), (0, {})]
)
def test_a_locked_opal_drive(monkeypatch: pytest.MonkeyPatch, flags: int, told: dict[str, str]) -> None:
    def ioctl(descriptor: int, request: int, argument: bytes) -> bytes:
        assert (descriptor, request, len(argument)) == (7, 0x800870EC, 8)
        return struct.pack("=II", flags, 0)

    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    assert drive_locks.answers(7, scsi=False) == told
