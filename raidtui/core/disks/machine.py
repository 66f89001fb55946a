"""Raw facts of a machine at one moment; encoded, a recording. `not_read` names what is missing.

udev properties kept of a block device, and their signatures; for `system.discovery` and `dumps`.
"""

from collections.abc import Mapping
from typing import Literal

import msgspec

from raidtui.core.text import clean

SCHEMA = 1
SECTOR_BYTES = 512  # of sysfs' `size`, whatever the disk's own sectors are
Origin = Literal["live", "udevadm", "lsblk"]
BusKind = Literal["sata", "sas", "usb", "pcie"]
# SCT Error Recovery Control, of ATA. "supported": whether it is on was not read
Erc = Literal["not checked", "not applicable", "none", "supported", "off", "on"]
ExportKind = Literal[
    "SCSI target", "NVMe target", "Xen backend", "RNBD server", "USB gadget", "SCST target", "OCFS2 heartbeat"
]


class Signature(msgspec.Struct, frozen=True, kw_only=True):
    """In libblkid's words: `ext4`, `LVM2_member`, `gpt`."""

    kind: str
    label: str = ""
    uuid: str = ""


class Bus(msgspec.Struct, frozen=True, kw_only=True):
    """`speed` as in sysfs, `width`: lanes (SAS: phys). `best_*`: of the end nearer to the disk; "", 0: unknown."""

    kind: BusKind
    name: str
    speed: str
    width: int = 1
    best_speed: str = ""
    best_width: int = 0


class BlockDevice(msgspec.Struct, frozen=True, kw_only=True):
    """A kernel block device. `kind`: "disk", "partition", or lsblk's type. `properties`: udev's; `attributes`: sysfs
    path below /sys/class/block/NAME -> text. `signatures`: None if unknown; `read`: the device itself was read (as
    root), not only udev's database. `unknown_blocks`: sampled blocks with data, of a device without signature; None:
    not sampled. `told` by the disk: `opal`, `reservation`, `reservation not read` (`system.drive_locks`), `health`
    (`system.health`), `btrfs devices`, `ext not unmounted`, `ext mmp`, `md block size`
    (`system.signatures`), `volume`
    (`system.hardware`). `buses`: from the disk upwards. `slaves`: beneath it; for a loop device its file's device.
    """

    name: str
    devnum: str = ""
    kind: str = "disk"
    parent: str = ""
    properties: dict[str, str] = {}
    attributes: dict[str, str] = {}
    holders: tuple[str, ...] = ()
    slaves: tuple[str, ...] = ()
    signatures: tuple[Signature, ...] | None = None
    read: bool = False
    read_error: str = ""
    unknown_blocks: int | None = None
    told: dict[str, str] = {}
    buses: tuple[Bus, ...] = ()

    @property
    def size_bytes(self) -> int | None:
        text = self.attributes.get("size", "")
        return int(text) * SECTOR_BYTES if text.isascii() and text.isdigit() and len(text) < 20 else None

    @property
    def path(self) -> str:
        return self.properties.get("DEVNAME") or f"/dev/{self.name}"

    @property
    def links(self) -> tuple[str, ...]:
        return tuple(sorted(self.properties.get("DEVLINKS", "").split()))


class Mount(msgspec.Struct, frozen=True, kw_only=True):
    """A line of /proc/self/mountinfo. `devnum` is anonymous (0:…) for btrfs, ZFS: see `source`."""

    devnum: str
    source: str
    mountpoint: str
    fstype: str = ""


class Swap(msgspec.Struct, frozen=True, kw_only=True):
    """A line of /proc/swaps; `devnum` "" for a file."""

    source: str
    devnum: str = ""


class Export(msgspec.Struct, frozen=True, kw_only=True):
    """Device or file served by the kernel. `name`: configfs or sysfs folder; `devnum`: device or file system."""

    kind: ExportKind
    name: str
    devnum: str

    @property
    def use(self) -> str:
        use_words = "written to by" if self.kind == "OCFS2 heartbeat" else "served to others by"
        return f"{use_words} the {self.kind} {self.name}"


class BootLine(msgspec.Struct, frozen=True, kw_only=True):
    """How boot finds a device. `place`: mount point, "swap", "resume", "EFI system partition", mapping's name."""

    file: str
    text: str
    source: str
    place: str


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """A disk, by identity, in use by a run's worker."""

    disk: str
    run: str


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """`not_read`: missing facts ("mounts", "swaps", "holders", "sizes", "signatures", "loops", "exports", "openers"),
    or sentences. `program_mount`: mount of the file system with this program. `held` is empty for a worker's own disks.
    """

    schema: int = SCHEMA
    origin: Origin = "live"
    host: str = ""
    machine_id: str = ""
    kernel: str = ""
    root: bool = False
    devices: tuple[BlockDevice, ...] = ()
    mounts: tuple[Mount, ...] = ()
    swaps: tuple[Swap, ...] = ()
    exports: tuple[Export, ...] = ()
    held: tuple[Held, ...] = ()
    boot_lines: tuple[BootLine, ...] = ()
    program_mount: str = ""
    not_read: tuple[str, ...] = ()

    def device(self, name: str) -> BlockDevice | None:
        return next((device for device in self.devices if device.name == name), None)


def encode(machine: Machine) -> bytes:
    return msgspec.json.format(msgspec.json.encode(machine, order="deterministic"), indent=1) + b"\n"


def decode(document: bytes) -> Machine:
    """ValueError with one sentence if it is no recording."""
    try:
        machine = msgspec.json.decode(document, type=Machine)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise ValueError(f"not a recording of a machine: {error}") from error
    if machine.schema > SCHEMA:
        raise ValueError(f"a recording of schema {machine.schema}, this raidtui knows {SCHEMA}: use a newer raidtui")
    return msgspec.convert(_cleaned(msgspec.to_builtins(machine)), Machine)


def _cleaned(value: object) -> object:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(entry) for entry in value]
    return value


def partition_prefix(disk: str) -> str:
    """Prefix of partition names, except on device-mapper disks."""
    return f"{disk}p" if disk[-1:].isdigit() else disk


def sysfs_name(name: str) -> str:
    """sysfs writes cciss/c0d0 as cciss!c0d0."""
    return name.replace("/", "!")


_KEPT = ("ID_", "DM_", "MD_", "DEVNAME", "DEVLINKS", "DEVPATH", "DISKSEQ", "SCSI_IDENT_", "USEC_INITIALIZED")


def kept(properties: Mapping[str, str]) -> dict[str, str]:
    return {key: text for key, text in properties.items() if key.startswith(_KEPT)}


def signatures_of(properties: Mapping[str, str]) -> tuple[Signature, ...] | None:
    """None if udev has not probed the device."""
    if "USEC_INITIALIZED" not in properties:
        return None
    signatures = []
    # a partition inherits the properties of its disk, the table among them
    if properties.get("DEVTYPE") != "partition" and (table := properties.get("ID_PART_TABLE_TYPE")):
        signatures.append(Signature(kind=table, uuid=properties.get("ID_PART_TABLE_UUID", "")))
    if kind := properties.get("ID_FS_TYPE"):
        signatures.append(
            Signature(kind=kind, label=properties.get("ID_FS_LABEL", ""), uuid=properties.get("ID_FS_UUID", ""))
        )
    elif contradicting := properties.get("ID_FS_AMBIVALENT"):
        signatures.append(Signature(kind="several signatures", label=contradicting))
    return tuple(signatures)
