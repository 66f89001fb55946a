"""A disk that another host has claimed is refused. The disk is the kernel's own SCSI target, which keeps claims."""

import fcntl
import os
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from raidtui.core.disks.disk import Disk, Usability
from raidtui.core.disks.verdicts import disks_of
from raidtui.system.discovery import read_machine
from tests.lab.guest.disk_states import settle

RACK = dict(disks=1, size_mib=320, mbps=0)
SIZE = 96 << 20
TARGET = Path("/sys/kernel/config/target")
KEY = 0xC1A1
# include/uapi/linux/pr.h
REGISTER, RESERVE = 0x401870C8, 0x401070C9


@pytest.fixture(scope="module")
def shared() -> Iterator[Path]:
    """A disk of a target, as of a shelf that several hosts see; its node."""
    subprocess.run(("modprobe", "-a", "configfs", "target_core_mod", "target_core_file", "tcm_loop"), check=True)
    subprocess.run(("mount", "-t", "configfs", "configfs", "/sys/kernel/config"), check=False)
    file = Path("/run/shelf")
    with file.open("wb") as disk:
        disk.truncate(SIZE)
    store = TARGET / "core" / "fileio_1" / "shelf"
    port = TARGET / "loopback" / "naa.6001405000000001" / "tpgt_1"
    store.mkdir(parents=True)
    (store / "control").write_text(f"fd_dev_name={file},fd_dev_size={SIZE}")
    (store / "wwn" / "vpd_unit_serial").write_text("SHELF001")
    (store / "enable").write_text("1")
    (port / "lun" / "lun_0").mkdir(parents=True)
    (port / "nexus").write_text("naa.6001406000000001")
    (port / "lun" / "lun_0" / "disk").symlink_to(store)
    settle()
    yield Path(seen().path)


def seen() -> Disk:
    return next(disk for disk in disks_of(read_machine()) if disk.size_bytes == SIZE)


def claim(node: Path, request: int, said: bytes) -> None:
    descriptor = os.open(node, os.O_RDWR)
    try:
        fcntl.ioctl(descriptor, request, said)
    finally:
        os.close(descriptor)


def test_a_disk_is_refused_once_a_host_has_registered_or_reserved_it(shared: Path) -> None:
    assert seen().verdict.standing is Usability.OK, seen().verdict
    claim(shared, REGISTER, struct.pack("=QQII", 0, KEY, 0, 0))
    assert seen().verdict.standing is Usability.REFUSE
    assert "1 registered key" in seen().verdict.reason
    claim(shared, RESERVE, struct.pack("=QII", KEY, 1, 0))
    assert "a reservation (write exclusive)" in seen().verdict.reason
    assert "sg_persist" in seen().verdict.remedy
    claim(shared, REGISTER, struct.pack("=QQII", KEY, 0, 0, 0))  # the key's owner goes, and its reservation with it
    assert seen().verdict.standing is Usability.OK, seen().verdict
