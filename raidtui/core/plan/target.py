"""Targets measured or cared for as they are: device, folder, array. Pure. Identity, and disks under it."""

import re
from typing import Literal

import msgspec

from raidtui.core.disks.disk import Disk
from raidtui.core.disks.machine import BlockDevice, Machine, Mount
from raidtui.core.units import GIB, MIB

FREE_SHARE = 0.10  # of a file system's free space that a file of ours may take
_MOST_BYTES = 4 * GIB
_LEAST_BYTES = 16 * MIB
_IN_MEMORY = frozenset({"tmpfs", "ramfs", "devtmpfs", "hugetlbfs", "rootfs"})
_MEMORY_DEVICE = re.compile(r"(ram|zram|nullb)\d")


class Existing(msgspec.Struct, frozen=True, kw_only=True):
    """A target: the given path, and the `identity` checked before each measurement. `size_bytes`: of a device; 0 for a
    folder, whose file system may grow. `filesystem`: of a folder.
    """

    path: str
    kind: Literal["device", "folder"]
    identity: str
    size_bytes: int = 0
    filesystem: str = ""

    @property
    def title(self) -> str:
        return f"{self.path}, existing" + (f" ({self.filesystem})" if self.filesystem else "")


class Care(msgspec.Struct, frozen=True, kw_only=True):
    """Care for an array: `uuid` (mdadm's notation), `run`: the one that keeps it. Replace: `old`: identity of the
    replaced disk; the new one is the plan's only member; `waits`: for the rebuild, else it becomes a spare.
    `partitioned`: members are partitions; `tables`: UUIDs for the new disks. Grow: all members are new; `slots` after
    it, `bytes_before`; `by_hand`: commands left to a person, for what is on it.
    """

    kind: Literal["check", "replace", "grow"]
    uuid: str
    name: str
    run: str
    level: str
    old: str = ""
    old_title: str = ""
    slot: int | None = None
    waits: bool = True
    partitioned: bool = False
    tables: tuple[str, ...] = ()
    slots: int = 0
    bytes_before: int = 0
    by_hand: tuple[str, ...] = ()


def by_hand_words(care: Care) -> str:
    lines = ", ".join(f"`{line}`" for line in care.by_hand)
    return f"What lies on {care.name} gets the room by hand, once the growth has ended: {lines}" if lines else ""


class Seen(msgspec.Struct, frozen=True):
    """`name`: kernel name or ""; `disks`: known ones beneath."""

    target: Existing
    name: str = ""
    disks: tuple[Disk, ...] = ()
    free_bytes: int = 0


# Whether a read with O_DIRECT comes from the disks; elsewhere a proof would read memory.
_DIRECT = (
    *("ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "jfs", "nilfs2", "bcachefs"),
    *("gfs2", "ocfs2", "ntfs3", "vfat", "exfat"),
)
_REMOTE = "another machine's memory may answer a read"
_SERVER = "the daemon behind it may answer a read from memory"
_HOST = "the memory of the host may answer a read"
_CACHED = {
    "zfs": "its cache (ARC) may answer a read",
    "nfs": _REMOTE,
    "nfs4": _REMOTE,
    "cifs": _REMOTE,
    "smb3": _REMOTE,
    "ceph": _REMOTE,
    "afs": _REMOTE,
    "9p": _HOST,
    "virtiofs": _HOST,
    "vboxsf": _HOST,
    "vmhgfs": _HOST,
    "fuseblk": _SERVER,
    "overlay": "the file system beneath is not known",
    "ecryptfs": "the file system beneath is read through memory",
    "aufs": "the file system beneath is not known",
}
_UNKNOWN = "its direct I/O is not known"


class NotMeasurable(ValueError):
    """One sentence: why this target is not measured, and which would be."""


def device(machine: Machine, path: str, devnum: str, disks: tuple[Disk, ...]) -> Seen:
    """By number; NotMeasurable if it stores nothing, or is unknown."""
    block_device = _of_devnum(machine, devnum)
    if block_device is None:
        raise NotMeasurable(f"{path}: the kernel knows no block device {devnum} now; look with `lsblk`")
    if not block_device.size_bytes:
        raise NotMeasurable(f"{path} has no size: nothing is connected to it")
    _refuse_memory(machine, block_device, path)
    target = Existing(
        path=path, kind="device", identity=_identity(machine, block_device, disks), size_bytes=block_device.size_bytes
    )
    return Seen(target, block_device.name, _beneath(machine, (block_device,), disks))


def folder(
    machine: Machine, path: str, real: str, disks: tuple[Disk, ...], free_bytes: int, fsid: str, writable: bool
) -> Seen:
    """`real`: without links; `fsid` identifies a file system that no device does."""
    mount = _mount_of(machine, real)
    if mount is None:
        raise NotMeasurable(f"{path}: its file system is not among the mounted ones; name its device instead")
    if mount.fstype in _IN_MEMORY:
        raise NotMeasurable(f"{path} lies on {mount.fstype}: that measures memory, not disks; name a folder on a disk")
    if mount.fstype == "overlay":
        raise NotMeasurable(f"{path} lies on an overlay, of what is below it; name a folder of that file system")
    if not writable:
        raise NotMeasurable(f"{path} cannot be written to; name its device instead, which is only read")
    device = _of_devnum(machine, mount.devnum) or _of_path(machine, mount.source)
    if device is not None:
        _refuse_memory(machine, device, path)
    identity = _identity(machine, device, disks) if device is not None and not mount.devnum.startswith("0:") else fsid
    target = Existing(path=path, kind="folder", identity=f"{identity} {mount.mountpoint}", filesystem=mount.fstype)
    devices_beneath = (device, *_same_filesystem(machine, device)) if device is not None else ()
    return Seen(target, device.name if device else "", _beneath(machine, devices_beneath, disks), free_bytes)


def why_not_direct(kind: str) -> str:
    """Why a read of a file there need not come from the disks; "" if it does."""
    if kind in _DIRECT:
        return ""
    return _SERVER if kind.partition(".")[0] == "fuse" else _CACHED.get(kind, _UNKNOWN)


def file_bytes(free_bytes: int) -> int:
    """Power of two, at most a tenth of the free space (small changes keep the plan's code); 0: too small."""
    most_bytes = min(_MOST_BYTES, int(free_bytes * FREE_SHARE))
    size = 1 << max(0, most_bytes.bit_length() - 1)
    return size if size >= _LEAST_BYTES else 0


def _of_devnum(machine: Machine, devnum: str) -> BlockDevice | None:
    return next((block_device for block_device in machine.devices if devnum and block_device.devnum == devnum), None)


def _of_path(machine: Machine, path: str) -> BlockDevice | None:
    return next(
        (
            block_device
            for block_device in machine.devices
            if path in (block_device.path, f"/dev/{block_device.name}", *block_device.links)
        ),
        None,
    )


def _mount_of(machine: Machine, real: str) -> Mount | None:
    """The longest mount point above the folder; of equal ones the last, which hides the others."""
    innermost = None
    for mount in machine.mounts:
        mount_folder = mount.mountpoint.rstrip("/")
        if (real == mount.mountpoint or real.startswith(f"{mount_folder}/")) and (
            innermost is None or len(mount.mountpoint) >= len(innermost.mountpoint)
        ):
            innermost = mount
    return innermost


def _identity(machine: Machine, block_device: BlockDevice, disks: tuple[Disk, ...]) -> str:
    """UUID of an array or map, a disk's identity, a partition's number on it."""
    if block_device.kind == "partition" and (parent := machine.device(block_device.parent)):
        number = block_device.attributes.get("partition", "")
        partition_uuid = block_device.properties.get("ID_PART_ENTRY_UUID", "")
        return " ".join(part for part in (_identity(machine, parent, disks), f"part {number}", partition_uuid) if part)
    for identity in (block_device.properties.get("MD_UUID"), block_device.attributes.get("dm/uuid")):
        if identity:
            return identity
    disk = next((disk for disk in disks if disk.name == block_device.name), None)
    if disk is not None and not disk.id.startswith("name-"):
        return disk.id
    return f"name-{block_device.name} {block_device.attributes.get('diskseq', '')}".strip()


def _devices_below(machine: Machine, block_device: BlockDevice) -> list[BlockDevice]:
    reached = {block_device.name: block_device}
    queue = [block_device]
    while queue:
        current = queue.pop(0)
        for name in (*current.slaves, *((current.parent,) if current.kind == "partition" else ())):
            if name not in reached and (lower := machine.device(name)):
                reached[name] = lower
                queue.append(lower)
    return list(reached.values())


def _beneath(machine: Machine, devices_beneath: tuple[BlockDevice, ...], disks: tuple[Disk, ...]) -> tuple[Disk, ...]:
    names = {block_device.name for device in devices_beneath for block_device in _devices_below(machine, device)}
    return tuple(disk for disk in disks if disk.name in names)


def _same_filesystem(machine: Machine, device: BlockDevice) -> tuple[BlockDevice, ...]:
    """Other devices of a multi-device file system: same UUID."""
    uuids = {signature.uuid for signature in device.signatures or () if signature.kind in ("btrfs", "bcachefs")} - {""}
    return tuple(
        block_device
        for block_device in machine.devices
        if block_device.name != device.name
        and any(signature.uuid in uuids for signature in block_device.signatures or ())
    )


def _refuse_memory(machine: Machine, target: BlockDevice, path: str) -> None:
    for block_device in _devices_below(machine, target):
        backing = block_device.attributes.get("loop/backing_file", "")
        mount = _mount_of(machine, backing) if backing else None
        if _MEMORY_DEVICE.match(block_device.name) or (mount is not None and mount.fstype in _IN_MEMORY):
            where = f", through {block_device.name}" if block_device.name != target.name else ""
            raise NotMeasurable(f"{path} lies in memory{where}: that measures memory, not disks; name one on a disk")
