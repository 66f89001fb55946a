"""A look at whatever machine the tests run on: it must not fail, must not write, must be quick."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from raidtui.core.disks.machine import decode, encode
from raidtui.core.disks.verdicts import disks_of
from raidtui.system import discovery
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
