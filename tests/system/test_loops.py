"""What loop devices lie on, out of what the kernel says. Real ones: lab/guest/test_holders.py."""

import os
import struct
from pathlib import Path

import pytest

from raidtui.system import block, openers

NAME = "loop99999"  # there is no such node: the path in sysfs has to do


def bound(sysfs: Path, backing: str) -> tuple[openers.Loop, ...]:
    (sysfs / "loop0").mkdir()  # one that is free
    folder = sysfs / NAME / "loop"
    folder.mkdir(parents=True)
    (folder / "backing_file").write_text(f"{backing}\n")
    return openers.loop_devices(sysfs)


@pytest.mark.parametrize(
    "of_file, of_device, devnum",
    [
        (os.makedev(0, 5), os.makedev(8, 16), "8:16"),  # a device, by its node in devtmpfs
        (os.makedev(8, 17), 0, "8:17"),  # a file in a file system on sdb1
        (os.makedev(8, 17), os.makedev(8, 17), "8:17"),  # the same on an older kernel
        (os.makedev(0, 5), os.makedev(259, 300), "259:300"),  # minors above 255 are split
    ],
)
def test_what_the_driver_answers(of_file: int, of_device: int, devnum: str) -> None:
    assert openers.backing(struct.pack("=QQQ", of_file, 7, of_device) + bytes(208)) == devnum


def test_a_file_is_on_the_device_of_its_file_system(tmp_path: Path) -> None:
    image = tmp_path / "image with a blank"
    image.touch()
    assert bound(tmp_path, str(image)) == (openers.Loop(name=NAME, devnum=block.devnum(tmp_path.stat().st_dev)),)


@pytest.mark.parametrize("backing", ["/none/image (deleted)", "", "image", "/dev/null"])
def test_a_backing_that_cannot_be_found_is_not_told(tmp_path: Path, backing: str) -> None:
    assert bound(tmp_path, backing) == (openers.Loop(name=NAME, devnum=""),)
