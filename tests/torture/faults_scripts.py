"""The plan as a bash script, by hand: somebody takes a member between plan and script, or in the midst of it."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from tempfile import mkdtemp

import msgspec

from raidtui.core.disks.disk import Disk
from raidtui.core.plan import confirmation
from raidtui.core.plan.model import Plan
from raidtui.core.script.render import script
from tests.torture.attempt import Answer
from tests.torture.matrix import Row
from tests.torture.stand import Stand, command, mounted, settle

_CONFIGFS = Path("/sys/kernel/config")
_BACKSTORE = _CONFIGFS / "target/core/fileio_7/theirs"


def _by_hand(plan: Plan) -> Answer:
    """The script with all that it asks typed: the code, and a word for each disk with a warning."""
    folder = Path(mkdtemp(dir="/run"))
    typed = (plan.code, *(confirmation.word(one, plan.members) for one in confirmation.doubtful(plan.members)))
    (folder / "by-hand.sh").write_text(script(plan))
    done = subprocess.run(
        ["bash", "by-hand.sh"],
        cwd=folder,
        input="\n".join((*typed, "")),
        capture_output=True,
        text=True,
        check=False,
    )
    return Answer(done.stdout + done.stderr, done.returncode)


@contextmanager
def taken(use: Callable[[Disk, Disk], AbstractContextManager[None]], stand: Stand) -> Iterator[Answer]:
    """Planned while blank; then a member is put to use. The script must not write to any disk of the plan."""
    plan = stand.plan("5", baseline="each-member")
    disk, other = stand.disk(1), stand.disk(3)
    with use(disk, other):
        settle()
        command("sync")
        with ExitStack() as guards:
            for each in (*map(stand.disk, (0, 1, 2)), other):
                guards.enter_context(stand.guarding(each))
            answer = _by_hand(plan)
        if answer.status != 3:
            raise AssertionError(f"the script ended with {answer.status}: {answer.said[-3000:]}")
        if "mdadm --create" in answer.said or "Tests" in answer.said:
            raise AssertionError(f"the script went on: {answer.said[-3000:]}")
        yield answer
    command("wipefs", "--all", "--force", disk.path, other.path)
    command("blockdev", "--rereadpt", disk.path)
    settle()


@contextmanager
def _btrfs(profile: str, disk: Disk, other: Disk) -> Iterator[None]:
    """A file system over two disks, mounted by the other one."""
    command("mkfs.btrfs", "-q", "-f", "-M", "-d", profile, "-m", profile, other.path, disk.path)
    with mounted(other.path, Path("/run/theirs")):
        yield


@contextmanager
def _loop(offset: int, disk: Disk, other: Disk) -> Iterator[None]:
    node = command("losetup", "--find", "--show", "--offset", str(offset), disk.path).strip()
    try:
        yield
    finally:
        command("losetup", "--detach", node)


@contextmanager
def _loop_on_partition(disk: Disk, other: Disk) -> Iterator[None]:
    command("sfdisk", "--quiet", disk.path, stdin="label: gpt\n,32M\n")
    settle()
    with _loop(0, msgspec.structs.replace(disk, path=f"{disk.path}1"), other):
        yield


@contextmanager
def _open(disk: Disk, other: Disk) -> Iterator[None]:
    """By a node of its own, as in a jail: not below /dev."""
    node = Path("/run/theirs.node")
    os.mknod(node, 0o60600, Path(disk.path).stat().st_rdev)
    with node.open("rb") as file:
        holder = subprocess.Popen(["sleep", "1000"], stdin=file)
    try:
        yield
    finally:
        holder.kill()
        holder.wait()
        node.unlink()


@contextmanager
def _exported(told: bool, disk: Disk, other: Disk) -> Iterator[None]:
    """By LIO's fileio; not `told`: configfs is unmounted meanwhile, so that nobody can be asked. It stays mounted."""
    command("modprobe", "target_core_file")
    if not (_CONFIGFS / "target").is_dir():
        command("mount", "-t", "configfs", "none", str(_CONFIGFS))
    _BACKSTORE.mkdir(parents=True)
    (_BACKSTORE / "control").write_text(f"fd_dev_name={disk.path},fd_dev_size={disk.size_bytes}")
    (_BACKSTORE / "enable").write_text("1")
    try:
        if not told:
            command("umount", str(_CONFIGFS))
        yield
    finally:
        if not told:
            command("mount", "-t", "configfs", "none", str(_CONFIGFS))
        _BACKSTORE.rmdir()
        _BACKSTORE.parent.rmdir()


def _taken(name: str, fault: str, says: str, use: Callable[[Disk, Disk], AbstractContextManager[None]]) -> Row:
    return Row(
        name=f"script-{name}",
        fault=f"the plan as a script: {fault}",
        when="between plan and script",
        outcome="refused",
        says=(says,),
        act=partial(taken, use),
    )


ROWS = (
    _taken(
        "btrfs-raid1", "a member is the second of a mounted btrfs RAID 1", "mounted btrfs", partial(_btrfs, "raid1")
    ),
    _taken("btrfs-single", "a member is the second of a mounted btrfs", "mounted btrfs", partial(_btrfs, "single")),
    _taken("loop", "a loop device lies on a member", "lies under /sys/block/loop", partial(_loop, 0)),
    _taken("loop-offset", "a loop device, from 1 MiB on", "lies under /sys/block/loop", partial(_loop, 1 << 20)),
    _taken("loop-partition", "a loop device on a partition", "lies under /sys/block/loop", _loop_on_partition),
    _taken("open", "a jail's program has a member open", "is open in sleep", _open),
    _taken("exported", "LIO exports a member by fileio", "is exported by", partial(_exported, True)),
    _taken("unasked", "LIO exports a member, configfs is not mounted", "cannot be asked", partial(_exported, False)),
)
