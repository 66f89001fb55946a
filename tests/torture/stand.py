"""The machine under torture: members to be struck, bystanders to stay as they are, and how a struck disk comes back.

Runs in the practice kernel only. Everything it erases is a practice disk.
"""

import mmap
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec.structs import replace

from raidtui.core.disks.disk import Disk
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.fio.job import FioOptions, Job
from raidtui.core.plan import model as plans
from raidtui.core.plan.answers import After, Answers, Axes, Between, FirstSync, Setup
from raidtui.core.plan.model import Plan
from raidtui.core.plan.planner import make
from raidtui.core.plan.recipe import Baseline, Recipe
from raidtui.core.plan.steps import Write
from raidtui.practice.rack import MIB
from raidtui.runs import directory, launch
from raidtui.system import block, versions
from raidtui.system.claims import lock_nodes
from raidtui.system.discovery import read_machine
from tests.torture.attempt import Attempt

MEMBERS, BYSTANDERS, DISK_MIB, MBPS = 4, 2, 96, 60
GROUPED = 8  # members of the rows with groups
SETTING = "/proc/sys/dev/raid/speed_limit_max"  # every run of the matrix changes it, and has to put it back
_BACK_S = 120.0
_SYNC_KIB_PER_S = "6000"  # a first sync takes some seconds, long enough to be struck
KEPT = Path("/var/lib/raidtui/bystanders.json")


def command(*argv: str, stdin: str | None = None, ok: bool = True) -> str:
    """Run a program to its end and take what it says; it must succeed unless it need not be `ok`."""
    done = subprocess.run(
        argv,
        input=stdin,
        stdin=None if stdin else subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if ok and done.returncode:
        raise RuntimeError(f"{' '.join(argv)}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def settle() -> None:
    command("udevadm", "settle", ok=False)


def content(disk: Disk) -> str:
    """A digest of the first and the last MiB, read past the page cache."""
    found = sha256()
    descriptor = os.open(disk.path, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
    try:
        with mmap.mmap(-1, MIB) as page:
            for offset in (0, os.lseek(descriptor, 0, os.SEEK_END) - MIB):
                os.preadv(descriptor, [page], offset)
                found.update(page)
    finally:
        os.close(descriptor)
    return found.hexdigest()


def _mebibytes(disk: Disk) -> Iterator[bytes]:
    """Past the page cache."""
    descriptor = os.open(disk.path, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
    try:
        with mmap.mmap(-1, MIB) as page:
            for offset in range(0, disk.size_bytes, MIB):
                os.preadv(descriptor, [page], offset)
                yield bytes(page)
    finally:
        os.close(descriptor)


def _written(disk: Disk) -> str:
    """How many sectors have been written to it in this boot (kernel's Documentation/block/stat.rst)."""
    return block.text(f"/sys/block/{disk.name}/stat").split()[6]


def _job(name: str, rw: str, seconds: float, numjobs: int) -> Job:
    fio: FioOptions = {
        "ioengine": "libaio",
        "direct": True,
        "rw": rw,
        "bs": "64k",
        "iodepth": 8,
        "size": "100%",
        "time_based": True,
        "runtime": f"{int(seconds * 1000)}ms",
        "numjobs": numjobs,
        "group_reporting": True,
    }
    return Job(name=name, fio=fio)


class Stand:
    """Disks by identity: the last BYSTANDERS are nobody's business, the others (MEMBERS, of groups more) the run's."""

    def __init__(self) -> None:
        disks = disks_of(read_machine())
        self.members = tuple(disk.id for disk in disks[:-BYSTANDERS])
        self.bystanders = tuple(disk.id for disk in disks[-BYSTANDERS:])
        self.root = directory.runs_root()
        if not KEPT.exists():
            self._fill_bystanders()
        else:  # the disks have outlived a boot
            self.contents = msgspec.json.decode(KEPT.read_bytes(), type=dict[str, str])
        self.written = {identity: _written(self.disk_of(identity)) for identity in self.bystanders}
        self.lost: list[str] = []
        self.afterwards = ExitStack()  # what is to be undone once a row has been looked at
        self.settings = read_settings()

    # Disks

    def disks(self) -> dict[str, Disk]:
        return {disk.id: disk for disk in disks_of(read_machine())}

    def disk_of(self, identity: str) -> Disk:
        return self.disks()[identity]

    def disk(self, index: int) -> Disk:
        """The member of this index, by whatever name it has now."""
        return self.disk_of(self.members[index])

    def nodes(self, found: dict[str, Disk] | None = None) -> list[str]:
        """Of all members, by whatever names they have now."""
        found = found or self.disks()
        return [found[identity].path for identity in self.members]

    def digests(self, indices: Sequence[int]) -> list[str]:
        """Of these members from end to end."""
        return [sha256(b"".join(_mebibytes(self.disk(index)))).hexdigest() for index in indices]

    @contextmanager
    def guarding(self, disk: Disk) -> Iterator[None]:
        """What is on this disk must not change meanwhile."""
        before = content(disk), _written(disk)
        yield
        if (content(disk), _written(disk)) != before:
            self.lost.append(f"{disk.name} ({disk.title}), which was somebody's, was changed")

    def _fill_bystanders(self) -> None:
        """A labelled file system, and a pattern from end to end."""
        first, *others = (self.disk_of(identity) for identity in self.bystanders)
        command("mkfs.ext4", "-q", "-F", "-L", "bystander", first.path)
        for disk in others:
            with Path(disk.path).open("wb") as file:
                for _ in range(disk.size_bytes // MIB):
                    file.write(b"not yours\n" * (MIB // 10) + b"......")
        settle()
        command("sync")
        self.contents = {identity: content(self.disk_of(identity)) for identity in self.bystanders}
        KEPT.write_bytes(msgspec.json.encode(self.contents))

    def changed_bystanders(self, found: dict[str, Disk]) -> list[str]:
        return [
            f"the bystander {identity} was changed"
            for identity in self.bystanders
            if identity not in found
            or (content(found[identity]), _written(found[identity]))
            != (self.contents[identity], self.written[identity])
        ]

    def delete(self, disk: Disk) -> None:
        """Pull it out."""
        Path(f"/sys/block/{disk.name}/device/delete").write_text("1")

    def rescan(self) -> None:
        """Plug in whatever was pulled out, and wait until all members are known again."""
        for host in Path("/sys/class/scsi_host").glob("host*/scan"):
            host.write_text("- - -")
        end_s = time.monotonic() + _BACK_S
        while not set(self.members) <= set(found := self.disks()):
            if time.monotonic() > end_s:
                raise RuntimeError(f"a disk did not come back: {sorted(self.disks())}")
            time.sleep(0.1)
        settle()
        for disk in map(found.__getitem__, self.members):
            Path(f"/sys/block/{disk.name}/device/queue_depth").write_text("32")
            Path(f"/sys/block/{disk.name}/queue/wbt_lat_usec").write_text("0")  # as boot left it
            largest = block.text(f"/sys/block/{self.disk_of(self.bystanders[0]).name}/queue/max_sectors_kb")
            Path(f"/sys/block/{disk.name}/queue/max_sectors_kb").write_text(largest)
            number = block.text(f"/sys/block/{disk.name}/dev")
            for way in ("read", "write"):
                limit = Path(f"/run/blkio/blkio.throttle.{way}_bps_device")
                if limit.exists():
                    limit.write_text(f"{number} {MBPS * 1000000}")

    # Runs

    def plan(
        self,
        level: str = "5",
        filesystem: str = "none",
        *,
        disks: Sequence[int] = (0, 1, 2),
        further: Sequence[str] = (),
        baseline: Baseline = "none",
        skip_sync: bool = True,
        jobs: Sequence[str] = ("write", "read"),
        seconds: float = 1.0,
        numjobs: int = 1,
        axes: Axes | None = None,
        after: After = "teardown",
        between: Between = "",
        groups: int = 1,
    ) -> Plan:
        """Of a run that takes seconds, on members by index and `further` disks by identity.

        Besides what the answers say it changes one setting of the kernel.
        """
        measured = tuple(_job(rw, rw, seconds, numjobs) for rw in jobs)
        recipe = Recipe(title="Torture", baseline=baseline, job=measured, axes=axes or ())
        first_sync: FirstSync = "skip" if skip_sync and after != "keep" else "wait"
        setup = Setup(level=level, filesystem=filesystem, first_sync=first_sync, between=between, groups=groups)
        machine = read_machine()
        answers = Answers(disks=(*(self.members[index] for index in disks), *further), setup=setup, after=after)
        made = make(answers, recipe, disks_of(machine), machine.machine_id, mdadm=versions.mdadm())
        return _with_setting(made)

    def start(self, plan: Plan, struck: Disk | None = None, root: Path | None = None) -> Attempt:
        return Attempt(launch.start(plan, root or self.root), struck)

    def begin(self, moment: str, plan: Plan, struck: Disk | None = None) -> Attempt:
        """A run that has come to this moment."""
        attempt = self.start(plan, struck)
        attempt.reach(moment)
        return attempt

    def reset(self) -> None:
        """Whatever the last row left: members as from the factory, so that rows do not depend on each other."""
        self.lost.clear()
        self.rescan()
        members = self.nodes()
        for node in sorted(Path("/dev").glob("md[0-9]*")):
            command("umount", str(node), ok=False)
        with lock_nodes(members):
            for entry in sorted(Path("/sys/block").glob("md*")):
                command("mdadm", "--stop", f"/dev/{entry.name}", ok=False)
            command("mdadm", "--zero-superblock", "--quiet", *members, ok=False)
            command("wipefs", "--all", "--force", "--quiet", *members, ok=False)
        settle()
        Path(SETTING).write_text(self.settings[SETTING])


def _with_setting(plan: Plan) -> Plan:
    *others, last = plan.stages
    change = Write(what="Hold syncs back", path=SETTING, value=_SYNC_KIB_PER_S)
    stages = (*others, replace(last, steps=(change, *last.steps)))
    plan = replace(plan, stages=stages)
    return replace(plan, code=plans.confirmation_code(plan))


def read_settings() -> dict[str, str]:
    """The kernel's settings that a run might change: of md, and of every disk."""
    found = [*Path("/proc/sys/dev/raid").iterdir(), *Path("/sys/block").glob("sd*/queue/*")]
    return {str(path): text for path in found if path.is_file() and (text := block.text(path))}


@contextmanager
def fakes(**scripts: str) -> Iterator[Path]:
    """Programs of these names (with - for _ and . for __) are shell scripts for a while, first in the worker's path."""
    folder = Path("/run/fakes")
    folder.mkdir(exist_ok=True)
    before = os.environ["PATH"]
    for name, script in scripts.items():
        path = folder / name.replace("__", ".").replace("_", "-")
        path.write_text(f"#!/bin/bash\nreal={real(path.name)}\n{script}\n")
        path.chmod(0o755)
    os.environ["PATH"] = f"{folder}:{before}"
    try:
        yield folder
    finally:
        os.environ["PATH"] = before
        for path in folder.iterdir():
            path.unlink()


def real(program: str) -> str:
    for folder in (*os.environ["PATH"].split(":"), "/usr/sbin", "/sbin"):
        if (path := Path(folder) / program).exists() and folder != "/run/fakes":
            return str(path)
    raise RuntimeError(f"{program} is not installed")


@contextmanager
def mounted(node: str, folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    command("mount", node, str(folder))
    try:
        yield
    finally:
        command("umount", str(folder))


def confirmed(answers: str) -> tuple[str, ...]:
    """The command that `raidtui plan` says carries out an answers file: with its code and every doubtful disk."""
    said = command(*raidtui("plan", answers)).splitlines()
    (line,) = (line for line in said if line.startswith("    raidtui run "))
    return raidtui(*shlex.split(line)[1:])


def raidtui(*arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "raidtui", *arguments)
