"""The attribute of a folder: flags as the kernel takes them, never of a folder in use."""

import fcntl
import os
import struct
from pathlib import Path

import pytest

from raidtui.system.settings import ImmutableFolder

# FS_IOC_GETFLAGS and FS_IOC_SETFLAGS, as strace prints them where a long has eight bytes
GET, SET = (0x80086601, 0x40086602) if struct.calcsize("l") == 8 else (0x80046601, 0x40046602)
EXTENTS = 0x80000  # another flag of the folder's


@pytest.fixture
def flags(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Those of the one folder; what is set is kept here."""
    kept = {"now": EXTENTS}

    def ioctl(descriptor: int, request: int, argument: bytes) -> bytes:
        assert request in (GET, SET) and len(argument) == 4
        if request == SET:
            (kept["now"],) = struct.unpack("i", argument)
        return struct.pack("i", kept["now"])

    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    return kept


def test_it_is_set_and_taken_away_beside_others(tmp_path: Path, flags: dict[str, int]) -> None:
    folder = ImmutableFolder(str(tmp_path))
    assert folder.read() == "off"
    folder.write("on")
    assert (folder.read(), flags["now"]) == ("on", EXTENTS | 0x10)
    folder.write("off")
    assert (folder.read(), flags["now"]) == ("off", EXTENTS)


def test_a_folder_with_something_in_it_mounted_on_or_a_link_is_left_alone(
    tmp_path: Path, flags: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    with pytest.raises(OSError, match="it is not empty"):
        ImmutableFolder(str(tmp_path)).write("on")
    with pytest.raises(NotADirectoryError):
        ImmutableFolder(str(link)).write("on")
    monkeypatch.setattr(os.path, "ismount", lambda path: True)
    with pytest.raises(OSError, match="something is mounted there"):
        ImmutableFolder(str(tmp_path)).write("off")
    assert flags["now"] == EXTENTS


def test_a_file_system_without_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ioctl(descriptor: int, request: int, argument: bytes) -> bytes:
        raise OSError(25, "Inappropriate ioctl for device")

    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    with pytest.raises(OSError, match="Inappropriate"):
        ImmutableFolder(str(tmp_path)).read()
