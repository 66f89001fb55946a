"""What disks answer: Opal locks, SCSI reservations, health. The answers are laid out as the standards have them."""

import fcntl
import os
import struct
from pathlib import Path

import pytest

from raidtui.system import asked, health
from raidtui.system.process import Done, ProcessError


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
    assert asked.reservation(reservation, registered) == words


def test_what_is_no_disk_answers_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    descriptor = os.open(tmp_path / "file", os.O_RDONLY)
    assert asked.answers(descriptor, scsi=True) == {}
    os.close(descriptor)


@pytest.mark.parametrize(
    ("flags", "told"), [(0x07, {}), (0x0F, {"opal": "locked"}), (0x08, {"opal": "locked"}), (0, {})]
)
def test_a_locked_opal_drive(monkeypatch: pytest.MonkeyPatch, flags: int, told: dict[str, str]) -> None:
    def ioctl(descriptor: int, request: int, argument: bytes) -> bytes:
        assert (descriptor, request, len(argument)) == (7, 0x800870EC, 8)
        return struct.pack("=II", flags, 0)

    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    assert asked.answers(7, scsi=False) == told


# smartctl 7.3 --json --health of scsi_debug, cut: as it comes, and told to fail (TEST bit of its mode page 1Ch)
PASSED = '{"smartctl": {"exit_status": 0}, "device": {"protocol": "SCSI"}, "smart_status": {"passed": true}}'
FAILED_SCSI = (
    '{"smartctl": {"exit_status": 8}, "smart_status": {"passed": false, "scsi": {"asc": 93, "ascq": 255,'
    ' "ie_string": "FAILURE PREDICTION THRESHOLD EXCEEDED (FALSE)"}}}'
)
# by hand: ATA and NVMe give no words
FAILED = '{"smartctl": {"exit_status": 8}, "smart_status": {"passed": false, "nvme": {"value": 4}}}'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (PASSED, "passed"),
        (FAILED, "failing"),
        (FAILED_SCSI, "failing: FAILURE PREDICTION THRESHOLD EXCEEDED (FALSE)"),
        (FAILED_SCSI.replace(" (", "\\u001b[2J("), "failing: FAILURE PREDICTION THRESHOLD EXCEEDED[2J(FALSE)"),
        ('{"smartctl": {"exit_status": 2}}', ""),  # asleep, or not a disk that has any
        ('{"smart_status": {"passed": "no"}}', ""),
        ('{"smart_status": {"passed": false, "scsi": [1]}}', "failing"),
        ('{"smart_status": 1}', ""),
        ("[]", ""),
        ("", ""),
        ("smartctl: permission denied", ""),
        ("[" * 100_000, ""),
    ],
)
def test_health_as_smartctl_tells_it(text: str, told: str) -> None:
    assert health.read(text) == told


def test_each_disk_is_asked_once_and_a_new_one_under_an_old_name_again(monkeypatch: pytest.MonkeyPatch) -> None:
    commands = []

    def run(argv: tuple[str, ...], timeout_s: float) -> Done:
        commands.append(argv)
        if argv[-1] == "/dev/sdc":
            raise ProcessError("smartctl did not answer")
        return Done(returncode=8, stdout=FAILED if argv[-1] == "/dev/sdb" else PASSED, stderr="")

    monkeypatch.setattr(health, "run", run)
    monkeypatch.setattr(health, "_told", {})
    monkeypatch.setattr(health, "which", lambda *_, **__: "/usr/sbin/smartctl")
    for _ in range(3):
        assert health.ask({"sda": "1", "sdb": "2", "sdc": "3"}) == {"sda": "passed", "sdb": "failing"}
    assert len(commands) == 3
    assert "--nocheck=standby" in commands[0]
    health.ask({"sda": "9"})
    assert len(commands) == 4


def test_without_smartctl_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "which", lambda *_, **__: None)
    assert health.ask({"sda": "1"}) == {}
