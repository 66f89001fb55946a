"""Disks in use where nothing tells: under a loop device, served by the kernel, open by a node that is not in /dev.

None of them has a holder, and but for two of them nothing is claimed. What is on the disk must stay, byte for byte.
"""

import os
import stat
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

from raidtui.core.disks.disk import Disk
from raidtui.system import block
from tests.torture.attempt import Answer, Attempt
from tests.torture.matrix import Row
from tests.torture.stand import Stand, command, mounted, raidtui, settle

_THEIRS = Path("/run/theirs")
_CONFIG = Path("/sys/kernel/config")
_STORE = _CONFIG / "target/core/fileio_9/theirs"
_TARGET = _CONFIG / "target/loopback/naa.6001405999999999"
_OFFSET_BYTES = 1 << 20
_REFUSED = 3  # exit status

Use = Callable[[Disk], AbstractContextManager[None]]


@contextmanager
def _with_files(node: str) -> Iterator[None]:
    """A mounted file system with a file, which is the same afterwards, read from the disk."""
    command("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", node)
    file, data = _THEIRS / "file", os.urandom(1 << 20)
    with mounted(node, _THEIRS):
        file.write_bytes(data)
        command("sync")
        yield
        command("sync")
        Path("/proc/sys/vm/drop_caches").write_text("3")
        if file.read_bytes() != data:
            raise AssertionError(f"{file} on {node} was changed")


@contextmanager
def _loop(node: str, *options: str) -> Iterator[str]:
    loop = command("losetup", "--find", "--show", *options, node).strip()
    settle()
    try:
        yield loop
    finally:
        command("losetup", "--detach", loop)
        settle()


@contextmanager
def loop_mounted(disk: Disk) -> Iterator[None]:
    with _loop(disk.path) as loop, _with_files(loop):
        yield


@contextmanager
def loop_behind(disk: Disk) -> Iterator[None]:
    with _loop(disk.path, "--offset", str(_OFFSET_BYTES)):
        yield


@contextmanager
def loop_on_partition(disk: Disk) -> Iterator[None]:
    with _loop(f"{disk.path}1"):
        yield


@contextmanager
def _configfs() -> Iterator[None]:
    """With the target's modules loaded; it stays mounted."""
    command("modprobe", "--all", "target_core_mod", "target_core_file", "tcm_loop")
    if not (_CONFIG / "target").is_dir():
        command("mount", "-t", "configfs", "configfs", str(_CONFIG))
    yield


@contextmanager
def served(disk: Disk) -> Iterator[None]:
    with _configfs():
        _STORE.mkdir(parents=True)
        (_STORE / "control").write_text(f"fd_dev_name={disk.links[0]},fd_dev_size={disk.size_bytes}")
        (_STORE / "enable").write_text("1")
        try:
            yield
        finally:
            _STORE.rmdir()
            _STORE.parent.rmdir()


@contextmanager
def served_and_mounted(disk: Disk) -> Iterator[None]:
    """The initiator is this machine (tcm_loop): its disk is one more, with a file system on it."""
    with served(disk):
        before = set(Path("/sys/block").glob("sd*"))
        lun, link = _TARGET / "tpgt_1/lun/lun_0", _TARGET / "tpgt_1/lun/lun_0/disk"
        lun.mkdir(parents=True)
        (_TARGET / "tpgt_1/nexus").write_text("naa.6001406999999999")
        link.symlink_to(_STORE)
        settle()
        try:
            (initiator,) = set(Path("/sys/block").glob("sd*")) - before
            with _with_files(f"/dev/{initiator.name}"):
                yield
        finally:
            link.unlink()
            for folder in (lun, _TARGET / "tpgt_1", _TARGET):
                folder.rmdir()
            settle()


@contextmanager
def unseen(_: Disk) -> Iterator[None]:
    """The target's module is there, and nobody can tell what it serves."""
    with _configfs():
        command("umount", str(_CONFIG))
        try:
            yield
        finally:
            command("mount", "-t", "configfs", "configfs", str(_CONFIG))


@contextmanager
def _open_in_sleep(node: Path) -> Iterator[None]:
    with node.open("rb", buffering=0) as opened:
        holder = subprocess.Popen(["sleep", "1000"], stdin=opened)
    try:
        yield
    finally:
        holder.kill()
        holder.wait()


@contextmanager
def opened_elsewhere(disk: Disk) -> Iterator[None]:
    """As in a jail: a node of its own."""
    node = Path("/root/jail-disk")
    os.mknod(node, stat.S_IFBLK | 0o600, Path(disk.path).stat().st_rdev)
    try:
        with _open_in_sleep(node):
            yield
    finally:
        node.unlink()


@contextmanager
def opened_as_sg(disk: Disk) -> Iterator[None]:
    """By its SCSI node, which is a character device."""
    command("modprobe", "sg")
    settle()
    (folder,) = Path(f"/sys/block/{disk.name}/device/scsi_generic").iterdir()
    with _open_in_sleep(Path("/dev") / folder.name):
        yield


@contextmanager
def afterwards(use: Use, table: bool, stand: Stand) -> Iterator[Attempt]:
    """Put to use between plan and run."""
    disk = stand.disk(1)
    if table:
        command("sfdisk", "--quiet", "--label", "gpt", disk.path, stdin="size=+\n")
        settle()
    plan = stand.plan("5")
    with use(stand.disk(1)):
        command("sync")
        with stand.guarding(disk):
            attempt = stand.start(plan, disk)
            attempt.end()
    for node in (*(f"/dev/{name}" for name in block.partitions(disk.name)), disk.path):
        command("wipefs", "--all", "--force", node)
    settle()
    yield attempt


@contextmanager
def beforehand(use: Use, stand: Stand) -> Iterator[Answer]:
    """In use already when the plan is asked for."""
    disk = stand.disk(1)
    answers = Path("/run/answers.toml")
    disks = ", ".join(f'"{identity}"' for identity in stand.members[:3])
    answers.write_text(f'disks = [{disks}]\n[setup]\nlevel = "5"\n')
    with use(disk):
        command("sync")
        with stand.guarding(disk):
            done = subprocess.run(
                raidtui("plan", str(answers)), capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
            )
    if done.returncode != _REFUSED:
        raise AssertionError(f"raidtui plan ended with {done.returncode}: {done.stdout}{done.stderr}")
    command("wipefs", "--all", "--force", disk.path)
    settle()
    yield Answer(" ".join(done.stderr.split()), done.returncode)


def _afterwards(name: str, fault: str, use: Use, *says: str, table: bool = False) -> Row:
    return Row(
        name=name,
        fault=fault,
        when="between plan and run",
        outcome="failed",
        says=says,
        act=partial(afterwards, use, table),
    )


def _beforehand(name: str, fault: str, use: Use, *says: str) -> Row:
    return Row(
        name=name,
        fault=fault,
        when="before the plan",
        outcome="refused",
        says=says,
        act=partial(beforehand, use),
    )


_UNDER_A_LOOP = "a loop device lies on a member"
_ITS_FILES = f"{_UNDER_A_LOOP}, with a mounted file system"
_SERVED = "the kernel serves a member to others (LIO fileio)"
_ITS_INITIATOR = f"{_SERVED}, who have mounted it"

ROWS = (
    _afterwards("loop-mounted", _ITS_FILES, loop_mounted, "{disk}", "the loop device loop", "is mounted at"),
    _afterwards("loop-offset", f"{_UNDER_A_LOOP}, from 1 MiB on", loop_behind, "{disk}", "part of the loop device"),
    _afterwards(
        "loop-partition",
        "a loop device lies on a member's partition",
        loop_on_partition,
        "{disk}",
        "1 is part of the loop device",
        table=True,
    ),
    _beforehand("loop-planned", _ITS_FILES, loop_mounted, "the loop device loop", "is mounted at"),
    _afterwards("served", _SERVED, served, "{disk}", "served to others by the SCSI target fileio_9/theirs"),
    _afterwards("served-mounted", _ITS_INITIATOR, served_and_mounted, "{disk}", "SCSI target fileio_9/theirs"),
    _beforehand("served-planned", _ITS_INITIATOR, served_and_mounted, "SCSI target fileio_9/theirs"),
    _afterwards(
        "served-unseen", "the kernel may serve a member, and configfs is not mounted", unseen, "not checked: what the"
    ),
    _afterwards(
        "opened-elsewhere", "a program has a member open by a node outside /dev", opened_elsewhere, "is open in sleep"
    ),
    _afterwards("opened-sg", "a program has a member open by its /dev/sg node", opened_as_sg, "is open in sleep"),
)
