"""Uses of whole disks, direct or through layers; see `verdicts`. An unused disk may hold data.

Devices in fstab(5), crypttab(5), What= of mount units, root=; which mounts are the system's. See `rules`.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import Literal

import msgspec

from raidtui.core.disks.identity import digits
from raidtui.core.disks.machine import BlockDevice, BootLine, Export, Machine, Mount

# A disk that one of these is on holds the system, or what belongs to all who use it; so does all below the first ones.
_WITH_ALL_BELOW = ("/boot", "/efi", "/etc", "/usr", "/var", "/nix", "/home", "/root", "/opt")
_SYSTEM = ("/", "swap", "resume", "EFI system partition", *_WITH_ALL_BELOW)
_ESCAPED = re.compile(r"\\x([0-9a-fA-F]{2})")
_BY_LINK = re.compile(r"/dev/disk/by-(uuid|label|partuuid|partlabel)/(.+)")


def is_of_system(line: BootLine) -> bool:
    return line.place in _SYSTEM or line.place.startswith(tuple(f"{place}/" for place in _WITH_ALL_BELOW))


def meant(source: str, devices: Mapping[str, BlockDevice], paths: Mapping[str, str]) -> frozenset[str]:
    """Device names of a source: several if they share a UUID or label. `paths`: nodes and links of all devices."""
    source = source.strip("\"'")
    link = _BY_LINK.fullmatch(source)
    tag, _, value = (link[1].upper(), "", _plain(link[2])) if link else source.partition("=")
    value = value.strip("\"'")
    matching = {device.name for device in devices.values() if value and value.lower() in _values(device, tag)}
    return frozenset(matching | ({paths[source]} if source in paths else set()))


def _values(device: BlockDevice, tag: str) -> set[str]:
    properties, signatures = device.properties, device.signatures or ()
    if tag == "UUID":
        values = {*(signature.uuid for signature in signatures), properties.get("ID_FS_UUID", "")}
    elif tag == "LABEL":
        values = {*(signature.label for signature in signatures), properties.get("ID_FS_LABEL", "")}
    elif device.kind == "partition" and tag == "PARTUUID":
        values = {properties.get("ID_PART_ENTRY_UUID", "")}
    elif device.kind == "partition" and tag == "PARTLABEL":
        values = {_plain(properties.get("ID_PART_ENTRY_NAME", ""))}
    else:
        return set()
    return {text.lower() for text in values if text}


def _plain(text: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


Kind = Literal["mounted", "swap", "stacked", "exported", "member"]

# Signatures that make a device part of something larger, whether that is running now or not.
MEMBER_KINDS = {
    "linux_raid_member": "an md array",
    "LVM2_member": "an LVM volume group (a physical volume)",
    "LVM1_member": "an LVM volume group (a physical volume)",
    "crypto_LUKS": "an encrypted volume (LUKS)",
    "zfs_member": "a ZFS pool",
    "bcache": "a bcache set",
    "ceph_bluestore": "a Ceph cluster (BlueStore)",
    "drbd": "a DRBD resource",
    "drbdproxy_datalog": "a DRBD resource",
    "mpath_member": "a multipath map",
    "ddf_raid_member": "a DDF RAID set",
    "isw_raid_member": "an Intel RAID container (IMSM)",
    "lsi_mega_raid_member": "an LSI MegaRAID set",
    "via_raid_member": "a VIA RAID set",
    "silicon_medley_raid_member": "a Silicon Image RAID set",
    "nvidia_raid_member": "an NVIDIA RAID set",
    "promise_fasttrack_raid_member": "a Promise FastTrak RAID set",
    "highpoint_raid_member": "a HighPoint RAID set",
    "adaptec_raid_member": "an Adaptec RAID set",
    "jmicron_raid_member": "a JMicron RAID set",
    "hpt45x_raid_member": "a HighPoint RAID set",
    "hpt37x_raid_member": "a HighPoint RAID set",
    "DM_integrity": "a dm-integrity device",
    "DM_snapshot_cow": "a device-mapper snapshot",
    "DM_verity_hash": "a dm-verity device",
    "stratis": "a Stratis pool",
    "vdo": "a VDO volume",
    "VMFS_volume_member": "a VMFS volume",
    "cs_fvault2": "an encrypted volume (FileVault)",
    "jbd": "a file system whose external journal it is",
    "xfs_external_log": "a file system whose external journal it is",
    "ubi": "a UBI volume",
    "drbdmanage_control_volume": "a DRBD cluster's control volume",
    "oracleasm": "an Oracle ASM disk group",
    "mpool": "an mpool",
    "nss": "a Novell storage pool (NSS)",
    "BitLocker": "an encrypted volume (BitLocker)",
    "swsuspend": "a system that sleeps: its memory is on it",
    # File systems of clusters: another server may have them mounted, and nothing here tells.
    "gfs": "a cluster's file system (GFS)",
    "gfs2": "a cluster's file system (GFS2)",
    "ocfs": "a cluster's file system (OCFS)",
    "ocfs2": "a cluster's file system (OCFS2)",
    "VMFS": "a cluster's file system (VMFS)",
    "scoutfs_meta": "a cluster's file system (ScoutFS)",
    "scoutfs_data": "a cluster's file system (ScoutFS)",
    "opensvc_hb": "a cluster's heartbeat disk (OpenSVC)",
}
CEPH = "a Ceph cluster"
# Types of GPT partitions whose owner writes no signature that libblkid knows, or hides it: ceph-disk's ptype table,
# util-linux' pt-gpt-partnames.h.
MEMBER_PARTITIONS = dict.fromkeys(
    (
        "4fbd7e29-9d25-41b8-afd0-062c0ceff05d",  # data of an OSD
        "45b0969e-9b03-4f30-b4c6-b4b80ceff106",  # its journal
        "cafecafe-9b03-4f30-b4c6-b4b80ceff106",  # its block device
        "30cd0809-c2b2-499c-8879-2d6b78529876",  # its database
        "5ce17fce-4087-4169-b7ff-056cc58473f9",  # its write-ahead log
    ),
    CEPH,
) | {
    "5808c8aa-7e8f-42e0-85d2-e1e90434cfb3": "a Windows dynamic disk group (LDM metadata)",
    "af9b60a0-1431-4f62-bc68-3311714a69ad": "a Windows dynamic disk group (LDM data)",
    "e75caf8f-f680-4cee-afa3-b001e56efc2d": "a Windows storage pool (Storage Spaces)",
    "381cfccc-7288-11e0-92ee-000c2911d0b2": "a VMware vSAN disk group",
    "6a898cc3-1dd2-11b2-99a6-080020736631": "a ZFS pool",
    "516e7cba-6ecf-11d6-8ff8-00022d09712b": "a ZFS pool (FreeBSD)",
}
BY_TYPE = "partition type"  # stands for a signature where nothing but the type of its partition tells of a member
# Types that many a partition keeps for nothing: without a superblock they are told, and refuse nothing.
RAID_PARTITIONS = {
    "a19d880f-05fc-4d3b-a006-743f0f84911e": "Linux RAID",
    "0xfd": "Linux RAID",
    "52414944-0000-11aa-aa11-00306543ecac": "Apple RAID",
    "52414944-5f4f-11aa-aa11-00306543ecac": "Apple RAID, offline",
    "0x42": "a Windows dynamic disk (LDM)",
}
_SHARED_FILESYSTEMS = frozenset({"btrfs", "bcachefs"})  # may span several devices
_MAPPED = {
    "LVM": "the logical volume",
    "CRYPT": "the encrypted volume",
    "mpath": "the multipath map",
    "DMRAID": "the firmware-RAID set",
    "stratis": "the Stratis pool",
    "VDO": "the VDO volume",
}


class Use(msgspec.Struct, frozen=True, kw_only=True):
    """`device`: the disk, partition or stacked device. `detail`: mount point (`mounted`), stacked device (`stacked`),
    name (`exported`), owner (`member`, see MEMBER_KINDS). `signature`, `label`: of a `member`.
    """

    kind: Kind
    device: str
    detail: str = ""
    signature: str = ""
    label: str = ""


class Stack:
    """Stacking of a machine's devices. `own_tables`: digits of UUIDs of partition tables made by the caller."""

    def __init__(self, machine: Machine, own_tables: Collection[str] = ()) -> None:
        self._machine = machine
        self._own_tables = frozenset(own_tables)
        self.devices = {device.name: device for device in machine.devices}
        self.partitions: dict[str, list[str]] = defaultdict(list)
        self._above: dict[str, list[str]] = defaultdict(list)
        self._paths: dict[str, str] = {}
        for device in machine.devices:
            if device.parent and device.parent != device.name:
                self.partitions[device.parent].append(device.name)
            for holder in device.holders:
                self._above[device.name].append(holder)
            for slave in device.slaves:
                self._above[slave].append(device.name)
            for path in (device.path, f"/dev/{device.name}", *device.links):
                self._paths.setdefault(path, device.name)

    def family(self, name: str) -> tuple[str, ...]:
        return (name, *self.partitions.get(name, ()))

    def partition_type(self, name: str) -> str:
        """Lower case; "" if no partition, or in one of the `own_tables`."""
        device = self.devices.get(name)
        if device is None or device.kind != "partition":
            return ""
        disk = self.devices.get(device.parent)
        is_own = any(digits(table.uuid) in self._own_tables for table in (disk.signatures if disk else None) or ())
        return "" if is_own else device.properties.get("ID_PART_ENTRY_TYPE", "").lower()

    def stacked_on(self, name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._above.get(name, ())))

    def reach(self, name: str) -> tuple[str, ...]:
        """It, its partitions and everything stacked on them, nearest first."""
        reached = dict.fromkeys(self.family(name))
        queue = list(reached)
        while queue:
            for holder in self.stacked_on(queue.pop(0)):
                for relative in self.family(holder):
                    if relative not in reached:
                        reached[relative] = None
                        queue.append(relative)
        return tuple(reached)

    @cached_property
    def boot_lines(self) -> dict[str, list[BootLine]]:
        lines_by_name = defaultdict(list)
        for line in self._machine.boot_lines:
            for name in meant(line.source, self.devices, self._paths):
                lines_by_name[name].append(line)
        return dict(lines_by_name)

    @cached_property
    def mounted(self) -> dict[str, list[str]]:
        return {
            name: list(dict.fromkeys(mount.mountpoint for mount in mounts)) for name, mounts in self._mounts.items()
        }

    def mounted_as(self, name: str) -> str:
        """Kernel's type of its mounted file system; "" if not mounted."""
        return next((mount.fstype for mount in self._mounts.get(name, ())), "")

    @cached_property
    def _mounts(self) -> dict[str, list[Mount]]:
        by_devnum = {device.devnum: device.name for device in self._machine.devices if device.devnum}
        mounts_by_name = defaultdict(list)
        for mount in self._machine.mounts:
            names = {by_devnum.get(mount.devnum)}
            # bcachefs names all its devices, joined by colons; btrfs one of them
            names |= {self._paths.get(source) for source in (mount.source, *mount.source.split(":"))}
            if names == {None} and mount.source.startswith("/dev/"):
                names = set(self._holding(mount.fstype))
            for name in names - {None}:
                mounts_by_name[str(name)].append(mount)
        for name, mounts in list(mounts_by_name.items()):
            for other in self._same_filesystem(name):
                mounts_by_name[other] += mounts
        return mounts_by_name

    def _holding(self, fstype: str) -> Iterator[str]:
        """Any device with such a file system may be meant by a source without device (/dev/root)."""
        for device in self._machine.devices:
            if any(signature.kind == fstype for signature in device.signatures or ()):
                yield device.name

    @cached_property
    def swapped(self) -> frozenset[str]:
        by_devnum = {device.devnum: device.name for device in self._machine.devices if device.devnum}
        names = {by_devnum.get(swap.devnum) for swap in self._machine.swaps if swap.devnum}
        names |= {self._paths.get(swap.source) for swap in self._machine.swaps}
        return frozenset(name for name in names if name)

    @cached_property
    def exported(self) -> dict[str, list[Export]]:
        by_devnum = {device.devnum: device.name for device in self._machine.devices if device.devnum}
        exports_by_name = defaultdict(list)
        for export in self._machine.exports:
            if name := by_devnum.get(export.devnum):
                exports_by_name[name].append(export)
        return dict(exports_by_name)

    @cached_property
    def _spanning(self) -> dict[tuple[str, str], list[str]]:
        spanning = defaultdict(list)
        for device in self._machine.devices:
            for signature in device.signatures or ():
                if signature.kind in _SHARED_FILESYSTEMS and signature.uuid:
                    spanning[signature.kind, signature.uuid].append(device.name)
        return {key: names for key, names in spanning.items() if len(names) > 1}

    def _same_filesystem(self, name: str) -> Iterator[str]:
        for names in self._spanning.values():
            if name in names:
                yield from (other for other in names if other != name)

    def companions(self, name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._same_filesystem(name)))


def mapped_as(device: BlockDevice | None, name: str) -> str:
    """`md array md0`, `logical volume vg-home (dm-0)`."""
    properties = device.properties if device else {}
    attributes = device.attributes if device else {}
    if name.startswith("dm-"):
        uuid = attributes.get("dm/uuid") or properties.get("DM_UUID", "")
        mapped_kind = _MAPPED.get(uuid.split("-", 1)[0], "the device-mapper device")
        title = attributes.get("dm/name") or properties.get("DM_NAME", "")
        return f"{mapped_kind} {title} ({name})" if title else f"{mapped_kind} {name}"
    for prefix, mapped_kind in (
        ("md", "md array"),
        ("bcache", "bcache device"),
        ("drbd", "DRBD device"),
        ("loop", "loop device"),
    ):
        if name.startswith(prefix):
            return f"the {mapped_kind} {name}"
    return name


def uses_of(stack: Stack, disk: str) -> tuple[Use, ...]:
    """Its own first, then partitions', then stacked devices'."""
    family = stack.family(disk)
    return tuple(use for name in stack.reach(disk) for use in _uses(stack, name, with_signatures=name in family))


def _uses(stack: Stack, name: str, *, with_signatures: bool) -> Iterator[Use]:
    for mountpoint in stack.mounted.get(name, ()):
        yield Use(kind="mounted", device=name, detail=mountpoint)
    if name in stack.swapped:
        yield Use(kind="swap", device=name)
    for holder in stack.stacked_on(name):
        yield Use(kind="stacked", device=name, detail=holder)
    for export in stack.exported.get(name, ()):
        yield Use(kind="exported", device=name, detail=export.name)
    if not with_signatures:
        return  # what a stacked device holds is erased with it: its uses count, its signatures need not
    device = stack.devices.get(name)
    for signature in (device.signatures if device else None) or ():
        if belongs := MEMBER_KINDS.get(signature.kind):
            yield Use(kind="member", device=name, detail=belongs, signature=signature.kind, label=signature.label)
    kind = stack.partition_type(name)
    if belongs := MEMBER_PARTITIONS.get(kind):
        yield Use(
            kind="member",
            device=name,
            detail=belongs,
            signature="ceph_bluestore" if belongs == CEPH else BY_TYPE,
            label=f"{BY_TYPE} {kind}",
        )
    companions = stack.companions(name)
    spans = device.told.get("btrfs devices", "") if device else ""
    if spans.isdecimal() and int(spans) > 1 + len(companions):
        yield Use(kind="member", device=name, detail=f"a btrfs of {spans} devices, not all of which are here")
    elif companions:
        yield Use(
            kind="member",
            device=name,
            detail=f"a file system that spans {', '.join(sorted((name, *companions)))}",
            signature="btrfs",
        )
