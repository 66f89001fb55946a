"""Uses that make a disk unsuitable, as facts for sentences of `rules`: the first of a kind, and its remedy."""

import re
from collections.abc import Iterable, Iterator

import msgspec

from raidtui.core.disks.disk import Content
from raidtui.core.disks.identity import Identity, transport_of
from raidtui.core.disks.machine import BlockDevice, ExportKind, Machine
from raidtui.core.disks.usage import BY_TYPE, MEMBER_KINDS, RAID_PARTITIONS, Stack, Use, is_of_system, mapped_as

Facts = dict[str, str]
_SYSTEM_MOUNTS = ("/", "/boot", "/boot/efi", "/efi", "/usr", "/nix")


# What an ext file system tells (`told` of its device): where it was mounted last, who has it.
UNCLEAN, MMP = "ext not unmounted", "ext mmp"


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """Input of rules. `family`: device and partitions. `nodes`: other devices of the same disk, `legs`: paths inside of
    its multipath map; `uses` cover all of them. `double`: another disk with the same identity (`doubled`).
    """

    machine: Machine
    stack: Stack
    device: BlockDevice
    family: tuple[BlockDevice, ...]
    uses: tuple[Use, ...]
    contents: tuple[Content, ...]
    identity: Identity
    id: str
    transport: str
    nodes: tuple[BlockDevice, ...] = ()
    legs: tuple[str, ...] = ()
    double: str = ""
    doubled: str = ""

    @property
    def drive(self) -> tuple[BlockDevice, ...]:
        """All nodes of the drive, its own first: a drive's facts hold for each."""
        return (
            self.device,
            *self.nodes,
            *(self.stack.devices[name] for name in self.legs if name in self.stack.devices),
        )

    @property
    def in_use(self) -> tuple[BlockDevice, ...]:
        """Nodes without unused paths of a map, which fail for reasons of their own."""
        return tuple(node for node in self.drive if node.name not in self.legs or not _is_idle(node))

    @property
    def transports(self) -> frozenset[str]:
        return frozenset(transport_of(node) for node in self.drive) - {""}

    def family_of(self, node: BlockDevice) -> tuple[BlockDevice, ...]:
        return tuple(self.stack.devices[name] for name in self.stack.family(node.name) if name in self.stack.devices)

    def called(self, device: BlockDevice) -> str:
        """`it`, or the node where a fact was found."""
        return "it" if device in self.family else _on(self, device.name)


def _is_idle(leg: BlockDevice) -> bool:
    access, state = leg.attributes.get("device/access_state", ""), leg.attributes.get("device/state", "running")
    return access in _IDLE or state not in ("running", "live")


_IDLE = frozenset({"standby", "unavailable", "offline", "transitioning"})  # drivers/scsi/scsi_sysfs.c


def is_map(device: BlockDevice) -> bool:
    uuid = device.attributes.get("dm/uuid") or device.properties.get("DM_UUID", "")
    return device.name.startswith("dm-") and uuid.startswith("mpath-")


def _on(subject: Subject, device: str) -> str:
    if any(device == block_device.name for block_device in subject.family):
        return device
    other_names = (*(node.name for node in subject.nodes), *subject.legs)
    if node := next((name for name in other_names if device in subject.stack.family(name)), ""):
        return f"{device} ({'' if node == device else f'on {node}, '}the same disk by another path)"
    node = (
        ""
        if device in subject.stack.reach(subject.device.name)
        else next((name for name in other_names if device in subject.stack.reach(name)), "")
    )
    on = f"it by its other path {node}" if node else "it"
    return f"{mapped_as(subject.stack.devices.get(device), device)}, which uses {on},"


def _one_disk(subject: Subject, devices: Iterable[str]) -> bool:
    """All of them are this disk or its partitions, by any path."""
    nodes = (subject.device.name, *(node.name for node in subject.nodes), *subject.legs)
    return {member for name in nodes for member in subject.stack.family(name)}.issuperset(devices)


def strayed(subject: Subject) -> Facts | None:
    return None if _holders_unknown(subject) else _beside_map(subject)


def _beside_map(subject: Subject) -> Facts | None:
    partition_map = next((node for node in subject.nodes if is_map(node)), None)
    return {"map": mapped_as(partition_map, partition_map.name)} if partition_map else None


def _holders_unknown(subject: Subject) -> bool:
    """A dump that holds none does not show which paths a map has."""
    return "holders" in subject.machine.not_read


def twice(subject: Subject) -> Facts | None:
    if is_map(subject.device) or not subject.nodes:
        return None
    return {"others": " and ".join(node.name for node in subject.nodes)}


def bypassed(subject: Subject) -> Facts | None:
    """A map with a path outside of it."""
    if not is_map(subject.device) or not subject.nodes or _holders_unknown(subject):
        return None
    return {"strays": " and ".join(node.name for node in subject.nodes)}


def system(subject: Subject) -> Facts | None:
    system = (*_SYSTEM_MOUNTS, subject.machine.program_mount)
    for use in subject.uses:
        if use.kind == "mounted" and use.detail in system:
            return {"on": _on(subject, use.device), "mountpoint": use.detail}
    return None


def at_work(subject: Subject) -> Facts | None:
    """A run's worker uses the disk: between two tests nothing else shows it."""
    run = run_at(subject.machine, subject.id)
    return {"run": run} if run else None


def run_at(machine: Machine, identity: str) -> str:
    """The run whose worker has this disk, or ""."""
    return next((held.run for held in machine.held if held.disk == identity), "")


def mounted(subject: Subject) -> Facts | None:
    mounts = [use for use in subject.uses if use.kind == "mounted"]
    if not mounts:
        return None
    points = [use.detail for use in mounts if use.device == mounts[0].device]
    return {"on": _on(subject, mounts[0].device), "mountpoint": " and ".join(points), "first": points[0]}


def swapped(subject: Subject) -> Facts | None:
    for use in subject.uses:
        if use.kind == "swap":
            path = subject.stack.devices[use.device].path
            return {"on": _on(subject, use.device), "path": path}
    return None


def leg(subject: Subject) -> Facts | None:
    for use in subject.uses:
        holder = subject.stack.devices.get(use.detail) if use.kind == "stacked" else None
        if holder and use.device == subject.device.name and is_map(holder):
            return {"map": mapped_as(holder, holder.name)}
    properties = subject.device.properties
    if properties.get("DM_MULTIPATH_DEVICE_PATH") == "1" or properties.get("ID_FS_TYPE") == "mpath_member":
        return {"map": "a multipath map"}
    return _beside_map(subject) if _holders_unknown(subject) and not is_map(subject.device) else None


# What is stacked -> how it is taken apart. {path}: the device beneath, {above}: the device above.
_UNSTACK = {
    "md": "if nothing on it is needed: mdadm --stop /dev/{above}, then mdadm --zero-superblock {path}",
    "LVM": "if nothing on it is needed: vgremove its volume group, then pvremove {path}",
    "CRYPT": "if nothing on it is needed: cryptsetup close {title}, then cryptsetup erase or wipefs --all {path}",
    "bcache": "if nothing on it is needed: stop the bcache device, then wipefs --all {path}",
    "drbd": "if nothing on it is needed: drbdadm down the resource, then wipe-md it",
    "loop": "if nothing on it is needed: losetup --detach /dev/{above}",
}


def stacked(subject: Subject) -> Facts | None:
    for use in subject.uses:
        if use.kind != "stacked":
            continue
        holder = subject.stack.devices.get(use.detail)
        uuid = (holder.attributes.get("dm/uuid") or holder.properties.get("DM_UUID", "")) if holder else ""
        is_mapped = use.detail.startswith("dm-")
        kind = uuid.split("-", 1)[0] if is_mapped else re.split("[^a-z]", use.detail, maxsplit=1)[0]
        beneath = subject.stack.devices.get(use.device)
        title = (holder.attributes.get("dm/name") or holder.properties.get("DM_NAME", "")) if holder else ""
        remedy = _UNSTACK.get(kind, "take {above} apart first, if nothing on it is needed")
        return {
            "on": _on(subject, use.device),
            "what": mapped_as(holder, use.detail),
            "how": remedy.format(
                path=beneath.path if beneath else f"/dev/{use.device}",
                above=use.detail,
                title=title or use.detail,
            ),
        }
    return None


# Who serves it -> how that is ended.
_UNEXPORT: dict[ExportKind, str] = {
    "SCSI target": "take it out of the SCSI target (targetcli)",
    "NVMe target": "take it out of the NVMe target (nvmetcli)",
    "Xen backend": "detach it from its guest (xl block-detach)",
    "RNBD server": "unmap it on the client that has mapped it",
    "USB gadget": "take it out of the gadget (an empty line into its file)",
    "SCST target": "take it out of SCST (scstadmin)",
    "OCFS2 heartbeat": "end the cluster's heartbeat on it (o2cb)",
}


def exported(subject: Subject) -> Facts | None:
    for use in subject.uses:
        if use.kind == "exported":
            export = subject.stack.exported[use.device][0]
            how = f"if nobody needs it: {_UNEXPORT[export.kind]}, and look again"
            return {"on": _on(subject, use.device), "use": export.use, "how": how}
    return None


_CLEAR = {
    "linux_raid_member": "mdadm --zero-superblock {path}",
    "LVM2_member": "vgremove its volume group, then pvremove {path}",
    "zfs_member": "zpool destroy its pool, or zpool labelclear {path}",
    "ceph_bluestore": "ceph-volume lvm zap --destroy {path}",
    "btrfs": "wipefs --all each of its devices",
    BY_TYPE: "wipefs --all {disk}, which takes its partition table away",
}


def member(subject: Subject) -> Facts | None:
    for use in subject.uses:
        if use.kind != "member":
            continue
        if use.signature == "btrfs" and _one_disk(subject, subject.stack.companions(use.device)):
            continue
        device = subject.stack.devices.get(use.device)
        how = _CLEAR.get(use.signature, "wipefs --all {path}")
        disk = subject.stack.devices.get(device.parent) if device else None
        return {
            "on": _on(subject, use.device),
            "what": use.detail + (f" ({use.label})" if use.label else ""),
            "how": how.format(path=device.path if device else f"/dev/{use.device}", disk=disk.path if disk else ""),
        }
    return None


def booted(subject: Subject) -> Facts | None:
    return _named(subject, of_system=True)


def named(subject: Subject) -> Facts | None:
    return _named(subject, of_system=False)


def _named(subject: Subject, *, of_system: bool) -> Facts | None:
    for name in dict.fromkeys(name for node in subject.drive for name in subject.stack.reach(node.name)):
        for line in subject.stack.boot_lines.get(name, ()):
            if is_of_system(line) == of_system:
                return {"on": _on(subject, name), "place": line.place, "file": line.file, "line": line.text}
    return None


def _devices(subject: Subject) -> Iterator[BlockDevice]:
    return (device for node in subject.drive for device in subject.family_of(node))


def typed(subject: Subject) -> Facts | None:
    for device in _devices(subject):
        kinds = {signature.kind for signature in device.signatures or ()}
        if (what := RAID_PARTITIONS.get(subject.stack.partition_type(device.name))) and not kinds & MEMBER_KINDS.keys():
            return {"on": _on(subject, device.name), "what": what}
    return None


def unclean(subject: Subject) -> Facts | None:
    """A file system not mounted here and not cleanly unmounted."""
    for device in _devices(subject):
        if UNCLEAN in device.told:
            last = device.told[UNCLEAN]
            return {"on": _on(subject, device.name), "last": f", last at {last}" if last else ""}
    return None


def protected(subject: Subject) -> Facts | None:
    """MMP: a file system for several hosts, one of which writes regularly while it has it mounted."""
    for device in _devices(subject):
        if MMP in device.told:
            whose = device.told[MMP]
            by = f"mounted, or not unmounted, by {whose}" if whose else "unmounted"
            return {"on": _on(subject, device.name), "by": by}
    return None
