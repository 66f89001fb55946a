"""The machine in the practice kernel as a value: what is on its disks, how it is set, what stands on it.

Two of them are compared: after a run that was not disturbed, and after one that was.
"""

from pathlib import Path

import msgspec

from raidtui.core.disks.verdicts import disks_of
from raidtui.runs import directory
from raidtui.system import block
from raidtui.system.discovery import read_machine
from tests.torture.stand import command, content, settle

_SETTINGS = (
    "/proc/sys/dev/raid/*",
    "/proc/sys/vm/drop_caches",
    "/sys/block/sd*/queue/[!w]*",  # not write_*_max_bytes: the kernel lowers them where a disk cannot do it
    "/sys/block/sd*/queue/w[!r]*",
    "/sys/block/sd*/queue/write_cache",
    "/sys/block/sd*/device/queue_depth",
    "/sys/block/sd*/device/scsi_disk/*/cache_type",
)


class Machine(msgspec.Struct, frozen=True):
    """`members`: identity -> what raidtui, wipefs and mdadm find on it. `standing`: arrays and mounts of runs."""

    members: dict[str, str]
    bystander: str
    settings: dict[str, str]
    standing: tuple[str, ...]


def members_of() -> tuple[str, ...]:
    """The identities of all disks but the last, which is nobody's business."""
    return tuple(disk.id for disk in disks_of(read_machine())[:-1])


def fill_bystander() -> None:
    """The last disk holds a file system, so that no raidtui may touch it."""
    command("mkfs.ext4", "-q", "-F", "-L", "bystander", disks_of(read_machine())[-1].path)
    settle()
    command("sync")  # where disks are files of the host, and the power fails


def look() -> Machine:
    """The machine now, udev having settled."""
    settle()
    *members, bystander = disks_of(read_machine())
    arrays = [f"the array {entry.name}" for entry in Path("/sys/block").glob("md*")]
    nodes = [f"the node {node}" for node in (*Path("/dev").glob("md[0-9]*"), *Path("/dev/md").glob("*"))]
    root = str(directory.runs_root())
    mounts = [line.split()[4] for line in block.text("/proc/self/mountinfo").splitlines() if root in line]
    return Machine(
        members={disk.id: _found(disk.found, disk.path) for disk in members},
        bystander=content(bystander),
        settings={
            str(path): block.text(path)
            for pattern in _SETTINGS
            for path in sorted(Path("/").glob(pattern.lstrip("/")))
            if path.is_file()
        },
        standing=(*arrays, *nodes, *(f"a mount at {mount}" for mount in mounts)),
    )


def _found(verdict: str, node: str) -> str:
    """Of a blank disk "blank", else what each program says."""
    wiped = command("wipefs", "--no-act", "--parsable", node, ok=False).strip()
    examined = command("mdadm", "--examine", node, ok=False)
    superblock = "" if "No md superblock" in examined else examined
    return "; ".join(filter(None, (verdict, wiped, superblock)))


def differences(now: Machine, then: Machine) -> tuple[str, str]:
    """What differs in members (and what stands), and in settings; "" for nothing."""
    members = [f"{identity}: {what}" for identity, what in now.members.items() if then.members.get(identity) != what]
    members += [f"{what} is left" for what in now.standing if what not in then.standing]
    if now.bystander != then.bystander:
        members.append("the bystander was changed")
    settings = [
        f"{path} is {now.settings.get(path)}, was {old}"
        for path, old in then.settings.items()
        if now.settings.get(path) != old
    ]
    return "; ".join(members), "; ".join(settings)
