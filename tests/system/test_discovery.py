"""A look at whatever machine the tests run on: it must not fail, must not write, must be quick."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from raidtui.core.disks.machine import decode, encode
from raidtui.core.disks.verdicts import disks_of
from raidtui.system import blkid, discovery, signatures
from raidtui.system.discovery import read_machine


def test_this_machine_can_be_looked_at_and_recorded() -> None:
    machine = read_machine()
    assert machine.kernel and machine.mounts
    assert {device.name for device in machine.devices} == {path.name for path in Path("/sys/class/block").iterdir()}
    assert decode(encode(machine)) == machine
    disks_of(machine)


def test_a_look_takes_less_than_a_third_of_a_second() -> None:
    read_machine()
    start_s = time.monotonic()
    read_machine()
    assert time.monotonic() - start_s < 0.3


def test_importing_discovery_does_not_import_pyudev() -> None:
    code = "import sys, raidtui.system.discovery; assert 'pyudev' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_mounts_with_spaces_and_control_characters_in_their_names() -> None:
    assert discovery._unescape(b"/mnt/my\\040disk\\134x") == "/mnt/my disk\\x"
    assert discovery._unescape(b"/mnt/a\\012b\x1b[2J") == "/mnt/ab[2J"


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\r", "\xa0"])
def test_a_mount_point_cannot_hide_its_mount(separator: str) -> None:
    """Any user may have a stick mounted under its label; to `str` these are ends of lines, or blanks."""
    line = f"31 22 8:17 / /media/me/a{separator}b rw - vfat /dev/sdb1 rw\n".encode()
    (mount,) = discovery.mounts_of(line)
    assert (mount.devnum, mount.source) == ("8:17", "/dev/sdb1")
    (swap,) = discovery.swaps_of(f"Filename\tType\n/a{separator}b file 1 0 -2\n".encode())[:1]
    assert swap.devnum == ""


def test_signatures_of_udev_are_none_where_udev_has_not_looked() -> None:
    assert signatures.of_udev({"ID_FS_TYPE": "ext4"}) is None
    assert signatures.of_udev({"USEC_INITIALIZED": "1"}) == ()


def test_a_partition_does_not_inherit_the_table_of_its_disk() -> None:
    said = {"USEC_INITIALIZED": "1", "DEVTYPE": "partition", "ID_PART_TABLE_TYPE": "gpt", "ID_FS_TYPE": "xfs"}
    assert [one.kind for one in signatures.of_udev(said) or ()] == ["xfs"]


def test_contradicting_signatures_are_said_to_be_there() -> None:
    found = signatures.of_udev({"USEC_INITIALIZED": "1", "ID_FS_AMBIVALENT": "filesystem:ext4 raid:ddf"})
    assert found and found[0].kind == "several signatures"


@pytest.mark.parametrize(
    ("argv", "kinds"),
    [
        (("mkfs.ext4", "-q", "-F", "-L", "home"), {"ext4"}),
        (("mkfs.xfs", "-q", "-f"), {"xfs"}),
        (("mkswap", "-q"), {"swap"}),
        (("sfdisk", "--quiet", "--label", "gpt"), {"gpt"}),
        (("sfdisk", "--quiet", "--label", "dos"), {"dos"}),
        (None, set()),
    ],
)
def test_signatures_in_an_image(tmp_path: Path, argv: tuple[str, ...] | None, kinds: set[str]) -> None:
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(400 << 20)
    if argv:
        subprocess.run([*argv, str(image)], check=True, input=b"size=+\n", capture_output=True)
    with image.open("rb") as file:
        found = blkid.probe(file.fileno())
    assert found is not None and {one.kind for one in found} == kinds


def test_two_signatures_on_one_device_are_both_seen(tmp_path: Path) -> None:
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(64 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", str(image)], check=True, capture_output=True)
    with image.open("r+b") as file:  # LVM's label in sector 1, which ext4 leaves alone
        file.seek(512)
        file.write(b"LABELONE" + (1).to_bytes(8, "little") + bytes(4) + (32).to_bytes(4, "little") + b"LVM2 001")
    with image.open("rb") as file:
        found = blkid.probe(file.fileno())
    assert found is not None and {"ext4", "LVM2_member"} <= {one.kind for one in found}


@pytest.mark.parametrize("size", [0, 512, 4096, 5000, 1 << 20, 300 << 20, 4 << 40])
def test_samples_lie_within_the_device(size: int) -> None:
    assert all(0 <= offset <= max(size - 4096, 0) for offset in signatures._offsets(size))
