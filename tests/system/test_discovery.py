"""A look at whatever machine the tests run on: it must not fail, must not write, must be quick."""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

from raidtui.core.disks.machine import BlockDevice, Machine, decode, encode
from raidtui.core.disks.verdicts import disks_of
from raidtui.system import discovery, health, signatures
from raidtui.system.discovery import read_machine
from raidtui.system.hardware import controllers
from raidtui.system.hardware.controllers import Node
from raidtui.system.signatures import Reading


def test_this_machine_can_be_looked_at_and_recorded() -> None:
    machine = read_machine()
    assert machine.kernel and machine.mounts
    assert {device.name for device in machine.devices} == {path.name for path in Path("/sys/class/block").iterdir()}
    assert decode(encode(machine)) == machine
    disks_of(machine)


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


def test_a_disk_has_what_it_tells_and_what_its_controller_does(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Node] = []

    def volumes(nodes: Iterable[Node]) -> dict[str, str]:
        asked.extend(nodes)
        return {"sda": "RAID6"}

    monkeypatch.setattr(signatures, "read", lambda *_: {"sda": Reading(), "sdb": Reading()})
    monkeypatch.setattr(health, "ask", lambda disks: {name: {"health": "passed"} for name in disks})
    monkeypatch.setattr(controllers, "volumes", volumes)
    sda = BlockDevice(
        name="sda",
        properties={"ID_PATH": "pci-0000:3b:00.0-scsi-0:2:0:0", "ID_WWN": "0x6005"},
        attributes={"size": "8", "diskseq": "7"},
    )
    sdb = BlockDevice(name="sdb", attributes={"size": "8"})
    machine = Machine(root=True, devices=tuple(discovery._with_signatures([sda, sdb])))
    assert [one.told for one in machine.devices] == [{"health": "passed"}] * 2 and asked == []
    assert discovery.with_volumes(msgspec.structs.replace(machine, root=False)).devices == machine.devices
    first, second = discovery.with_volumes(machine).devices
    assert (first.told, second.told) == ({"health": "passed", "volume": "RAID6"}, {"health": "passed"})
    assert asked == [Node("sda", "7", "0x6005", "pci-0000:3b:00.0-scsi-0:2:0:0")]
    assert [disk.volume for disk in disks_of(Machine(devices=(first, second)))] == ["RAID6", ""]
