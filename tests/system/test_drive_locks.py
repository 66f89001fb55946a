"""What disks answer: Opal locks, SCSI reservations, health. The answers are laid out as the standards have them."""

import errno
import fcntl
import os
import struct
from pathlib import Path

import pytest

from raidtui.system import drive_locks
from raidtui.system.drive_locks import NotAnswered, Reply

GOOD = Reply(data=struct.pack(">II", 7, 0) + bytes(248))


def fixed(key: int, code: int) -> bytes:
    """Sense data in the fixed format."""
    return bytes((0x70, 0, key, 0, 0, 0, 0, 10, 0, 0, 0, 0, code, 0)) + bytes(4)


def held(kind: int) -> bytes:
    """READ RESERVATION: generation, length 16, key, obsolete, reserved, scope and type, obsolete."""
    return struct.pack(">IIQI", 7, 16, 0xABC, 0) + bytes((0, kind, 0, 0)) + bytes(200)


def keys(*numbers: int) -> bytes:
    return struct.pack(f">II{len(numbers)}Q", 7, 8 * len(numbers), *numbers) + bytes(64)


@pytest.mark.parametrize(
    "reservation, registered, words",
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


@pytest.mark.parametrize("flags, told", [(0x07, {}), (0x0F, {"opal": "locked"}), (0x08, {"opal": "locked"}), (0, {})])
def test_a_locked_opal_drive(monkeypatch: pytest.MonkeyPatch, flags: int, told: dict[str, str]) -> None:
    def ioctl(descriptor: int, request: int, argument: bytes) -> bytes:
        assert (descriptor, request, len(argument)) == (7, 0x800870EC, 8)
        return struct.pack("=II", flags, 0)

    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    assert drive_locks.answers(7, scsi=False) == told


@pytest.mark.parametrize(
    "reply, data",
    [
        (GOOD, GOOD.data),
        (Reply(status=0x02, sense=fixed(5, 0x20)), b""),  # INVALID COMMAND OPERATION CODE
        (Reply(status=0x02, sense=fixed(5, 0x24), driver=0x08), b""),  # INVALID FIELD IN CDB
        (Reply(status=0x02, sense=bytes((0x72, 5, 0x20, 0)), host=0x10), b""),  # descriptor format
        (Reply(status=0x02, sense=fixed(1, 0x5D), data=GOOD.data), GOOD.data),  # RECOVERED ERROR
        (Reply(error=errno.ENOTTY), b""),
        (Reply(status=0x18), None),  # RESERVATION CONFLICT
        (Reply(status=0x18, host=0x11), None),
    ],
)
def test_what_an_answer_means(reply: Reply, data: bytes | None) -> None:
    assert drive_locks.answer(reply) == data


@pytest.mark.parametrize(
    "reply, why",
    [
        (Reply(status=0x08), "BUSY"),
        (Reply(status=0x28), "TASK SET FULL"),
        (Reply(status=0x02, sense=fixed(6, 0x29)), "UNIT ATTENTION, 0x29"),
        (Reply(status=0x02, sense=fixed(2, 0x04)), "NOT READY, 0x04"),
        (Reply(status=0x02, sense=fixed(5, 0x25)), "sense key 0x5, 0x25"),  # LOGICAL UNIT NOT SUPPORTED
        (Reply(status=0x02), "sense key -0x1, -0x1"),
        (Reply(host=0x03), "timed out"),
        (Reply(host=0x07), "host error 0x07"),
        (Reply(driver=0x06), "status 0x00, driver 0x06"),
        (Reply(error=errno.ENOTCONN), "Transport endpoint is not connected"),
        (Reply(error=errno.EPERM), "Operation not permitted"),
        (Reply(data=bytes(7)), "an answer of 7 bytes"),
    ],
)
def test_what_says_nothing_is_no_answer(reply: Reply, why: str) -> None:
    with pytest.raises(NotAnswered) as failure:
        drive_locks.answer(reply)
    assert str(failure.value) == why


class Drive:
    """What a drive replies to one question after the other, each of which takes so long."""

    def __init__(self, *replies: Reply, each_s: float = 0.0) -> None:
        self.replies, self.each_s, self.now_s, self.slept_s = list(replies), each_s, 0.0, 0.0

    def ask(self, action: int) -> Reply:
        self.now_s += self.each_s
        return self.replies.pop(0)

    def sleep(self, pause_s: float) -> None:
        self.now_s += pause_s
        self.slept_s += pause_s

    def reserved(self) -> str:
        return drive_locks.reserved(self.ask, self.sleep, lambda: self.now_s)


BUSY = Reply(status=0x08)


@pytest.mark.parametrize(
    "replies, words",
    [
        ((GOOD, GOOD), ""),
        ((BUSY, BUSY, GOOD, GOOD), ""),
        ((BUSY, GOOD, BUSY, BUSY, Reply(data=keys(1))), "1 registered key"),
        ((Reply(data=held(1)),), "a reservation (write exclusive)"),  # the keys need not be asked for
        ((BUSY, Reply(status=0x18)), "a reservation (RESERVATION CONFLICT)"),
        ((GOOD, Reply(status=0x18)), "a reservation (RESERVATION CONFLICT)"),
    ],
)
def test_a_drive_is_asked_three_times(replies: tuple[Reply, ...], words: str) -> None:
    drive = Drive(*replies)
    assert (drive.reserved(), drive.replies) == (words, [])


@pytest.mark.parametrize(
    "replies, each_s, left",
    [((BUSY,) * 4, 0.0, 1), ((GOOD, *(BUSY,) * 4), 0.0, 1), ((BUSY,) * 4, 6.0, 3), ((GOOD, *(BUSY,) * 4), 3.0, 3)],
)
def test_it_is_not_asked_a_fourth_time_nor_after_five_seconds(
    replies: tuple[Reply, ...], each_s: float, left: int
) -> None:
    drive = Drive(*replies, each_s=each_s)
    with pytest.raises(NotAnswered, match="BUSY"):
        drive.reserved()
    assert len(drive.replies) == left


def test_why_nobody_knows_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def ioctl(descriptor: int, request: int, argument: object) -> int:
        raise OSError(errno.EIO, "")

    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    monkeypatch.setattr(drive_locks, "_PAUSE_S", 0)
    assert drive_locks.answers(7, scsi=True) == {"reservation not read": "Input/output error"}
    assert drive_locks.answers(7, scsi=False) == {}


def test_a_reservation_of_which_not_all_came_is_one_and_a_deferred_error_is_about_another_command() -> None:
    assert drive_locks.reservation(bytes.fromhex("0000000700000010"), bytes(8)) == "a reservation (of an unknown type)"
    with pytest.raises(NotAnswered):
        drive_locks.answer(Reply(status=2, sense=bytes([0x71, 0, 5, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x24, 0])))
    assert drive_locks.answer(Reply(host=0x11)) is None
