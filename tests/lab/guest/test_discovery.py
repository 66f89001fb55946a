"""Given this machine, this disk is refused, because. Every state is made for real, on the practice kernel's disks."""

import fcntl
import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from raidtui.core.disks.disk import Disk, State, Usability
from raidtui.core.disks.machine import decode, encode
from raidtui.core.disks.verdicts import disks_of
from raidtui.system import claims
from raidtui.system.discovery import read_machine
from tests.lab.guest.disk_states import (
    array,
    clear,
    command,
    create,
    ext4,
    mapped,
    mounted,
    partition,
    settle,
    stop,
    swapped,
    volume,
)

RACK = dict(disks=6, size_mib=320, mbps=0)
DISKS = ("/dev/sda", "/dev/sdb", "/dev/sdc", "/dev/sdd", "/dev/sde", "/dev/sdf")


@pytest.fixture(autouse=True)
def blank() -> Iterator[None]:
    clear(*(disk.path for disk in found().values() if disk.found != "blank"))
    yield


def found() -> dict[str, Disk]:
    return {disk.name: disk for disk in disks_of(read_machine())}


def refused(name: str, reason: str) -> None:
    verdict = found()[name].verdict
    assert verdict.standing is Usability.REFUSE, verdict
    assert reason in verdict.reason, verdict
    assert verdict.remedy


def warned(name: str, reason: str) -> None:
    verdict = found()[name].verdict
    assert verdict.standing is Usability.WARN, verdict
    assert reason in verdict.reason, verdict


def fine(*names: str) -> None:
    disks = found()
    assert [disks[name].verdict.standing for name in names] == [Usability.OK] * len(names)


def test_blank_disks_are_ok_with_identities_of_their_own() -> None:
    disks = found()
    assert list(disks) == ["sda", "sdb", "sdc", "sdd", "sde", "sdf"]
    assert all(disk.verdict.standing is Usability.OK for disk in disks.values())
    assert all(disk.id.startswith("wwn-0x") and disk.size_bytes == 320 << 20 for disk in disks.values())
    assert all(disk.found == "blank" and disk.links and disk.serial for disk in disks.values())
    assert len({disk.id for disk in disks.values()}) == 6


def test_the_kernel_holds_the_disks_content_and_not_that_of_one_more() -> None:
    (held_kib,) = re.findall(r"VmallocUsed: +(\d+) kB", Path("/proc/meminfo").read_text())
    assert 6 <= int(held_kib) / (RACK["size_mib"] << 10) < 6.5


def test_two_looks_see_the_same_and_a_recording_keeps_it() -> None:
    first, second = read_machine(), read_machine()
    assert first == second
    assert decode(encode(first)) == first


def test_bytes_that_this_kernel_takes_for_an_acorns_disk_are_no_partition() -> None:
    """Without a rule of the practice kernel's udev one of 256 disks had sda1, from sector 0, after fio's writes."""
    sector = bytearray(512)
    sector[0x1D0:0x1D4] = (256 << 20).to_bytes(4, "little")  # the size, in the disc record
    total = 0
    for byte in reversed(sector[:511]):  # include/linux/adfs_fs.h: the carry is added again
        total = (total & 0xFF) + (total >> 8) + byte
    sector[511] = total & 0xFF
    with Path("/dev/sda").open("r+b") as disk:
        disk.seek(6 * 512)
        disk.write(sector)
    settle()
    command("blockdev", "--rereadpt", "/dev/sda")
    settle()
    assert "[ADFS] sda1" in command("dmesg")
    assert not Path("/dev/sda1").exists()
    sda = found()["sda"]
    assert (sda.found, sda.partitions) == ("unknown data", ())


def test_a_partition_with_a_file_system(tmp_path: Path) -> None:
    partition("/dev/sdb", "100M", "")
    ext4("/dev/sdb2", "home")
    warned("sdb", "holds gpt, partition on sdb1, ext4 on sdb2 (home); it will be erased")
    with mounted("/dev/sdb2", tmp_path / "home"):
        refused("sdb", f"sdb2 is mounted at {tmp_path}/home")
        assert claims.why_not_free("/dev/sdb")
        fine("sda")
    assert claims.why_not_free("/dev/sdb") is None


def test_a_file_system_on_the_whole_disk(tmp_path: Path) -> None:
    command("mkfs.xfs", "-q", "-f", "/dev/sda")
    settle()
    warned("sda", "holds xfs")
    with mounted("/dev/sda", tmp_path / "mnt"):
        refused("sda", "sda is mounted at")


def test_swap() -> None:
    partition("/dev/sdc", "")
    with swapped("/dev/sdc1"):
        refused("sdc", "sdc1 is swapped on")
    warned("sdc", "swap on sdc1")


def test_an_array_running_and_stopped(tmp_path: Path) -> None:
    create("/dev/md7", "1", "/dev/sda", "/dev/sdb")
    refused("sda", "sda is part of the md array md7")
    ext4("/dev/md7")
    with mounted("/dev/md7", tmp_path / "srv"):
        refused("sdb", "md7, which uses it, is mounted at")
    stop("/dev/md7", "/dev/sda", "/dev/sdb")
    refused("sda", "sda is a member of an md array (server:7), which may not be running")
    assert "mdadm --zero-superblock /dev/sda" in found()["sda"].verdict.remedy
    fine("sdc", "sdd")


@pytest.mark.parametrize("metadata", ["0.90", "1.0", "1.1"])
def test_superblocks_of_every_version_are_seen(metadata: str) -> None:
    create("/dev/md7", "1", "/dev/sda", "/dev/sdb", metadata=metadata)
    stop("/dev/md7", "/dev/sda", "/dev/sdb")
    refused("sda", "sda is a member of an md array")


def test_an_array_on_partitions() -> None:
    partition("/dev/sda", "")
    partition("/dev/sdb", "")
    create("/dev/md7", "0", "/dev/sda1", "/dev/sdb1")
    refused("sda", "sda1 is part of the md array md7")
    stop("/dev/md7", "/dev/sda", "/dev/sdb")
    refused("sdb", "sdb1 is a member of an md array")


def test_a_physical_volume_alone_in_a_group_and_under_a_mount(tmp_path: Path) -> None:
    command("pvcreate", "--yes", "/dev/sdd")
    settle()
    refused("sdd", "sdd is a member of an LVM volume group")
    partition("/dev/sde", "")
    with volume("tank", "/dev/sde1"):
        refused("sde", "sde1 is part of the logical volume tank-home (dm-0)")
        ext4("/dev/tank/home")
        with mounted("/dev/tank/home", tmp_path / "lv"):
            refused("sde", "is mounted at")
    refused("sde", "sde1 is a member of an LVM volume group")


def test_volumes_on_an_array(tmp_path: Path) -> None:
    with array("/dev/md7", "1", "/dev/sda", "/dev/sdb"):
        with volume("deep", "/dev/md7"):
            ext4("/dev/deep/home")
            with mounted("/dev/deep/home", tmp_path / "deep"):
                refused("sda", "the logical volume deep-home (dm-0), which uses it, is mounted at")
            refused("sdb", "sdb is part of the md array md7")
        command("wipefs", "--all", "--force", "/dev/md7")


def test_btrfs_over_two_disks(tmp_path: Path) -> None:
    command("mkfs.btrfs", "--quiet", "--force", "/dev/sde", "/dev/sdf")
    settle()
    refused("sdf", "sdf is a member of a file system that spans sde, sdf")
    with mounted("/dev/sde", tmp_path / "btrfs"):
        refused("sde", "sde is mounted at")
        refused("sdf", "sdf is mounted at")


def test_a_multipath_map_is_offered_in_place_of_its_path() -> None:
    with mapped("mpatha", "mpath-360000000000000001", "/dev/sda"):
        refused("sda", "it is one path of the multipath map mpatha (dm-0)")
        disk = found()["dm-0"]
        assert (disk.id, disk.verdict.standing) == ("wwn-0x60000000000000001", Usability.OK)


def test_an_encrypted_volume_that_is_open() -> None:
    with mapped("secret", "CRYPT-PLAIN-secret", "/dev/sda"):
        refused("sda", "sda is part of the encrypted volume secret (dm-0)")


def test_a_loop_device_on_a_mounted_disk_is_left_out(tmp_path: Path) -> None:
    image = tmp_path / "image"
    image.write_bytes(bytes(1 << 20))
    command("modprobe", "loop")
    loop = command("losetup", "--find", "--show", str(image)).strip()
    try:
        assert Path(loop).name not in found()
    finally:
        command("losetup", "--detach", loop)


def test_data_without_a_signature() -> None:
    command("dd", "if=/dev/urandom", "of=/dev/sda", "bs=4k", "count=1", "seek=20480", "conv=fsync")  # a quarter in
    settle()
    warned("sda", "holds data without a known signature")
    assert found()["sda"].found == "unknown data"


def test_read_only() -> None:
    command("blockdev", "--setro", "/dev/sda")
    try:
        refused("sda", "it is read-only")
    finally:
        command("blockdev", "--setrw", "/dev/sda")


def test_offline() -> None:
    state = Path("/sys/block/sda/device/state")
    state.write_text("offline\n")
    try:
        refused("sda", "the kernel has set it offline")
    finally:
        state.write_text("running\n")


def test_a_disk_that_a_program_has_opened_is_not_free() -> None:
    assert claims.why_not_free("/dev/sda") is None
    with Path("/dev/sda").open("rb") as disk:
        reader = subprocess.Popen(["sleep", "infinity"], stdin=disk)
    try:
        reason = claims.why_not_free("/dev/sda")
        assert reason and f"sleep (pid {reader.pid})" in reason
        assert claims.why_not_free("/dev/sdb") is None
    finally:
        reader.kill()
        reader.wait()


def test_a_disk_under_io_is_not_free() -> None:
    argv = ("fio", "--name=raw", "--filename=/dev/sda", "--rw=randread", "--direct=1", "--time_based", "--runtime=60")
    counters = Path("/sys/block/sda/stat")
    before = counters.read_text()
    writer = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    try:
        while counters.read_text() == before and writer.poll() is None:
            time.sleep(0.05)
        assert claims.why_not_free("/dev/sda")
    finally:
        writer.terminate()
        writer.wait()


def test_locked_nodes_are_locked_only_as_long() -> None:
    with claims.lock_nodes(DISKS):
        descriptor = os.open("/dev/sda", os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        os.close(descriptor)
    descriptor = os.open("/dev/sda", os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    os.close(descriptor)


def test_identities_outlive_use() -> None:
    before = {disk.id: disk.name for disk in found().values()}
    partition("/dev/sda", "")
    with array("/dev/md7", "0", "/dev/sdb", "/dev/sdc"):
        assert {disk.id: disk.name for disk in found().values()} == before


def test_an_ordinary_user_sees_the_disks_but_not_what_they_hold() -> None:
    ext4("/dev/sda")
    os.seteuid(65534)
    try:
        disks = found()
    finally:
        os.seteuid(0)
    assert disks["sdb"].verdict.standing is Usability.WARN
    assert disks["sdb"].verdict.reason == "not checked: contents"
    assert "run raidtui as root" in disks["sdb"].verdict.remedy
    assert disks["sdb"].found == "not checked"
    assert (disks["sdb"].state, disks["sda"].state) == (State.NOT_CHECKED, State.DATA)
    assert disks["sda"].found == "ext4" or disks["sda"].found.startswith("ext4 (")
