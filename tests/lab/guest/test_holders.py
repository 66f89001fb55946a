"""What holds a disk without a trace, made for real: loop devices, the SCSI target's backstores, nodes elsewhere."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from raidtui.core.disks.disk import Disk, Usability
from raidtui.core.disks.verdicts import disks_of
from raidtui.system import claims, exports, openers
from raidtui.system.discovery import read_machine
from tests.lab.guest import brief_runs
from tests.lab.guest.disk_states import clear, command, ext4, mounted, partition, settle, until

RACK = dict(disks=3, size_mib=256, mbps=0)
CORE = Path("/sys/kernel/config/target/core")


@pytest.fixture(autouse=True)
def blank() -> Iterator[None]:
    clear(*(disk.path for disk in found().values() if disk.found != "blank"))
    yield


def found() -> dict[str, Disk]:
    return {disk.name: disk for disk in disks_of(read_machine())}


def refused(name: str, reason: str) -> None:
    """By the verdict, and by the look before each step."""
    verdict = found()[name].verdict
    assert (verdict.standing, reason in verdict.reason, bool(verdict.remedy)) == (Usability.REFUSE, True, True), verdict


def not_free(name: str, reason: str) -> None:
    """Looked at for a second only: what holds it here does so for longer than a look of udev's."""
    said = claims.why_not_free(f"/dev/{name}", claims.Readers(patience_s=1.0))
    assert said and reason in said, said


def free(*names: str) -> None:
    for name in names:
        assert found()[name].verdict.standing is Usability.OK
        assert claims.why_not_free(f"/dev/{name}") is None


def test_while_fio_works_on_a_disk_nobody_else_gets_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A baseline works on a bare disk: without a claim mkfs and mount succeed in the middle of it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    endless = {**brief_runs.WRITE, "fio": {**brief_runs.WRITE["fio"], "runtime": "1h", "rate": "1m"}}
    recipe = brief_runs.write_recipe(tmp_path, endless)
    setup = {"level": "0", "filesystem": "none"}
    run = brief_runs.start(brief_runs.write_answers(tmp_path, recipe, setup))
    for kind in ("/dev/sd", "/dev/sd", "/dev/md"):  # one disk, all at once, the array
        brief_runs.wait_for(run, lambda state, kind=kind: worked_on().startswith(kind))  # type: ignore[misc]
        node = worked_on()
        for taking in (("mkfs.ext4", "-F", node), ("mount", node, "/mnt"), ("wipefs", "--all", node)):
            assert subprocess.run(taking, capture_output=True, check=False).returncode, taking
        brief_runs.end_test(run)
    ended = brief_runs.wait_for(run, brief_runs.ended)
    assert ended.outcome == "finished", ended.reason
    free("sda", "sdb", "sdc")


def test_a_claim_is_granted_to_nobody_else_and_lets_fio_in() -> None:
    with claims.claimed(("/dev/sda",)) as descriptors:
        holder = subprocess.Popen(("sleep", "infinity"), pass_fds=descriptors)
    try:
        assert subprocess.run(("mkfs.ext4", "-F", "-q", "/dev/sda"), capture_output=True, check=False).returncode
        writes = "--name=x --filename=/dev/sda --rw=write --bs=1m --size=4m --direct=1 --output=/dev/null"
        command("fio", *writes.split())
        not_free("sda", "/dev/sda is in use")
    finally:
        holder.kill()
        holder.wait()
    settle()
    clear("/dev/sda")


def test_a_disk_that_is_written_now_and_then_is_not_free() -> None:
    """As a guest of Xen writes, which no scan shows: here a mapping whose descriptor is closed."""
    writer = (
        "import mmap, os, time\n"
        "d = os.open('/dev/sda', os.O_RDWR); m = mmap.mmap(d, 1 << 20); os.close(d)\n"
        "while True:\n    m[0:4] = os.urandom(4); m.flush(); time.sleep(0.05)"
    )
    before = Path("/sys/block/sda/stat").read_text()
    process = subprocess.Popen((sys.executable, "-c", writer))
    try:
        until(lambda: Path("/sys/block/sda/stat").read_text() != before)
        assert claims.not_free(("/dev/sda",), watched_s=claims.WATCHED_S)
    finally:
        process.kill()
        process.wait()
    settle()
    clear("/dev/sda")


def worked_on() -> str:
    """The first node that a fio works on at this moment; "" where none does."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (process / "cmdline").read_text().split("\0")
            if words[0] == "fio":
                nodes = [w.partition("=")[2].split(":")[0] for w in words if w.startswith("--filename=")]
                return next(iter(nodes), "")
    return ""


@contextmanager
def loop(path: str | Path, *options: str) -> Iterator[str]:
    command("modprobe", "loop")
    node = command("losetup", "--find", "--show", *options, str(path)).strip()
    settle()
    try:
        yield Path(node).name
    finally:
        command("losetup", "--detach", node)
        settle()


@contextmanager
def backstore(kind: str, control: str, udev_path: str = "") -> Iterator[None]:
    command("modprobe", "--all", "target_core_mod", f"target_core_{kind}" if kind != "fileio" else "target_core_file")
    if not CORE.is_dir():
        command("mount", "-t", "configfs", "configfs", "/sys/kernel/config")
    store = CORE / f"{kind}_7" / "theirs"
    store.mkdir(parents=True)
    try:
        (store / "control").write_text(control)
        if udev_path:
            (store / "udev_path").write_text(udev_path)
        (store / "enable").write_text("1")
        yield
    finally:
        store.rmdir()
        store.parent.rmdir()


@contextmanager
def asleep(node: str | Path) -> Iterator[None]:
    descriptor = os.open(node, os.O_RDONLY | os.O_NONBLOCK)
    reader = subprocess.Popen(["sleep", "infinity"], stdin=descriptor)
    os.close(descriptor)
    try:
        yield
    finally:
        reader.kill()
        reader.wait()


def test_a_loop_device_on_a_disk_and_on_its_partition() -> None:
    with loop("/dev/sda", "--offset", "1048576") as name:
        assert [(one.name, one.devnum) for one in openers.loop_devices()] == [(name, "8:0")]
        refused("sda", f"sda is part of the loop device {name}")
        not_free("sda", f"the loop device {name} lies on it")
        free("sdb")
    partition("/dev/sdb", "")
    with loop("/dev/sdb1") as name:
        refused("sdb", f"sdb1 is part of the loop device {name}")
        not_free("sdb", f"the loop device {name} lies on it")
    free("sda")


def test_a_loop_by_a_node_that_is_gone_is_known_by_its_number(tmp_path: Path) -> None:
    node = tmp_path / "node"
    os.mknod(node, stat.S_IFBLK | 0o600, os.makedev(8, 0))
    with loop(node) as name:
        node.unlink()
        refused("sda", f"sda is part of the loop device {name}")


def test_a_file_in_a_loop_on_a_disk_whose_mount_nobody_sees(tmp_path: Path) -> None:
    """Lazily unmounted: the file systems live on below the loop, and no table of mounts has them."""
    with ExitStack() as stack:
        outer = stack.enter_context(loop("/dev/sda"))
        ext4(f"/dev/{outer}")
        with mounted(f"/dev/{outer}", tmp_path / "outer"):
            (tmp_path / "outer/image").write_bytes(bytes(16 << 20))
            inner = stack.enter_context(loop(tmp_path / "outer/image"))
            refused("sda", f"the loop device {outer}, which uses it, is mounted at {tmp_path}/outer")
            command("umount", "--lazy", str(tmp_path / "outer"))
            assert inner in {use.name for use in read_machine().devices if outer in use.slaves}
            refused("sda", f"sda is part of the loop device {outer}")
            command("mount", f"/dev/{outer}", str(tmp_path / "outer"))
        ext4(f"/dev/{inner}")
        with mounted(f"/dev/{inner}", tmp_path / "inner"):
            refused("sda", f"the loop device {inner}, which uses it, is mounted at {tmp_path}/inner")


def test_a_loop_on_a_file_elsewhere_holds_no_disk(tmp_path: Path) -> None:
    (tmp_path / "image").write_bytes(bytes(1 << 20))
    with loop(tmp_path / "image"):
        (tmp_path / "image").unlink()
        free("sda", "sdb", "sdc")


def test_what_the_scsi_target_serves() -> None:
    place = Path("/sys/block/sdc/device").resolve().name.split(":")
    pscsi = "scsi_host_id={},scsi_channel_id={},scsi_target_id={},scsi_lun_id={}".format(*place)
    by_id = found()["sda"].links[0]
    with (
        backstore("fileio", f"fd_dev_name={by_id},fd_dev_size={64 << 20}"),
        backstore("iblock", "udev_path=/dev/sdb", "/dev/sdb"),
        backstore("pscsi", pscsi, "/dev/sdc"),
    ):
        served = exports.read()
        assert served.not_read == ()
        assert sorted((one.name, one.devnum) for one in served.exports) == [
            ("fileio_7/theirs", "8:0"),
            ("iblock_7/theirs", "8:16"),
            ("pscsi_7/theirs", "8:32"),
        ]
        for name, store in (("sda", "fileio"), ("sdb", "iblock"), ("sdc", "pscsi")):
            refused(name, f"{name} is served to others by the SCSI target {store}_7/theirs")
            not_free(name, f"{store}_7/theirs")
    free("sda", "sdb", "sdc")


def test_a_served_file_in_a_file_system_on_a_disk(tmp_path: Path) -> None:
    ext4("/dev/sda")
    with mounted("/dev/sda", tmp_path / "srv"):
        (tmp_path / "srv/image").write_bytes(bytes(1 << 20))
        with backstore("fileio", f"fd_dev_name={tmp_path}/srv/image,fd_dev_size={1 << 20}"):
            assert [one.devnum for one in exports.read().exports] == ["8:0"]
            (tmp_path / "srv/image").unlink()
            assert exports.read().not_read == ("which disk the SCSI target fileio_7/theirs serves",)
            assert not found()["sdb"].checked
            not_free("sdb", "is not checked: which disk the SCSI target fileio_7/theirs serves")


def test_a_target_that_cannot_be_asked_leaves_every_disk_unchecked() -> None:
    command("modprobe", "target_core_mod")
    was = CORE.is_dir()
    if was:
        command("umount", "/sys/kernel/config")
    try:
        disk = found()["sda"]
        assert (disk.checked, disk.found) == (False, "not checked")
        assert "mount -t configfs" in disk.verdict.remedy
        not_free("sda", "not checked: what the kernel serves")
    finally:
        command("mount", "-t", "configfs", "configfs", "/sys/kernel/config")
    free("sda")


@pytest.mark.parametrize("which", ["elsewhere", "sg", "bsg"])
def test_a_program_that_opened_another_node(tmp_path: Path, which: str) -> None:
    command("modprobe", "sg")
    settle()
    place = Path("/sys/block/sda/device").resolve().name
    (sg,) = Path("/sys/block/sda/device/scsi_generic").iterdir()
    node = {"elsewhere": tmp_path / "node", "sg": Path("/dev") / sg.name, "bsg": Path("/dev/bsg") / place}[which]
    if which == "elsewhere":
        os.mknod(node, stat.S_IFBLK | 0o600, os.makedev(8, 0))
    with asleep(node):
        not_free("sda", "/dev/sda is open in sleep")
        assert claims.why_not_free("/dev/sdb") is None
    assert claims.why_not_free("/dev/sda") is None


def test_in_a_pid_namespace_of_its_own_nothing_is_free() -> None:
    assert not openers.hidden()
    code = (
        "from raidtui.system import claims, discovery;"
        "print(discovery.read_machine().not_read, claims.why_not_free('/dev/sda'))"
    )
    said = command("unshare", "--pid", "--fork", "--mount-proc", sys.executable, "-c", code)
    assert "('openers',)" in said and "/dev/sda is not checked: which programs have it open" in said
