"""A machine as it was seen once: block devices, mounts, swaps. Raw facts; encoded, a recording of the machine.

Knows no verdict (see `verdicts`) and no use (see `usage`). What was not read is named in `not_read`, never assumed.
"""

from typing import Literal

import msgspec

from raidtui.core.text import clean

SCHEMA = 1
SECTOR_BYTES = 512  # of sysfs' `size`, whatever the disk's own sectors are
Origin = Literal["live", "udevadm", "lsblk"]
BusKind = Literal["sata", "sas", "usb", "pcie"]
ExportKind = Literal[
    "SCSI target", "NVMe target", "Xen backend", "RNBD server", "USB gadget", "SCST target", "OCFS2 heartbeat"
]


class Signature(msgspec.Struct, frozen=True, kw_only=True):
    """What a device says it holds, in libblkid's words: `ext4`, `LVM2_member`, `gpt`; its label, its UUID."""

    kind: str
    label: str = ""
    uuid: str = ""


class Bus(msgspec.Struct, frozen=True, kw_only=True):
    """A link between a disk and the machine's memory: `speed` in sysfs' words, `width` in lanes (SAS: phys).

    `best_speed` and `best_width` are what its end nearer to the disk could do; empty and 0 where that is not told.
    """

    kind: BusKind
    name: str
    speed: str
    width: int = 1
    best_speed: str = ""
    best_width: int = 0


class BlockDevice(msgspec.Struct, frozen=True, kw_only=True):
    """One block device of the kernel.

    `kind`: "disk", "partition", or lsblk's type of what is neither ("loop", "raid1", "lvm").
    `properties` are udev's, `attributes` sysfs' (a path below /sys/class/block/NAME -> its text). `signatures` is None
    where nothing told them; `read` says that the device itself was read (by root), not only udev's word taken.
    `unknown_blocks`: how many sampled blocks of a device without signature hold data; None where none was sampled.
    `told`: what the disk itself answered: `opal`, `reservation`, `reservation not read` (`system.drive_locks`),
    `health` (`system.health`), `btrfs devices`, `ext not unmounted`, `ext mmp` (`system.signatures`); and its
    controller (`system.hardware`): `volume`.
    `buses`: of a disk, the links between it and the machine's memory, from the disk on upwards.
    `slaves`: what it stands on; a loop device has none in sysfs, here it has what its file is or lies on.
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
        """None where the size is not known."""
        text = self.attributes.get("size", "")
        return int(text) * SECTOR_BYTES if text.isascii() and text.isdigit() and len(text) < 20 else None

    @property
    def path(self) -> str:
        """The device node."""
        return self.properties.get("DEVNAME") or f"/dev/{self.name}"

    @property
    def links(self) -> tuple[str, ...]:
        """udev's links that lead here."""
        return tuple(sorted(self.properties.get("DEVLINKS", "").split()))


class Mount(msgspec.Struct, frozen=True, kw_only=True):
    """One line of /proc/self/mountinfo. `devnum` is anonymous (0:…) for btrfs, ZFS and the like: see `source`."""

    devnum: str
    source: str
    mountpoint: str
    fstype: str = ""


class Swap(msgspec.Struct, frozen=True, kw_only=True):
    """One line of /proc/swaps; `devnum` is empty for a swap file."""

    source: str
    devnum: str = ""


class Export(msgspec.Struct, frozen=True, kw_only=True):
    """Something that the kernel itself serves to others: a device, or a file in a file system on it.

    `name` is its folder in configfs or sysfs, below those of its `kind`; `devnum` that of the device, or of the file
    system.
    """

    kind: ExportKind
    name: str
    devnum: str

    @property
    def use(self) -> str:
        """What is done with the disk and by whom, in words after "is"."""
        use_words = "written to by" if self.kind == "OCFS2 heartbeat" else "served to others by"
        return f"{use_words} the {self.kind} {self.name}"


class BootLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line by which boot finds a device: which file has it, the line, the device as it names it, what it is for.

    `place`: where it is mounted, "swap", "resume", "EFI system partition", or the name of a mapping of crypttab.
    """

    file: str
    text: str
    source: str
    place: str


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """A disk, by identity, that a run's worker has now."""

    disk: str
    run: str


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """Everything seen at one moment.

    `not_read` names the facts that could not be read ("mounts", "swaps", "holders", "sizes", "signatures", "loops",
    "exports", "openers"), or says them in words of its own; `program_mount` is where the file system is mounted that
    this program runs from. `held` is for those who plan and look: a worker that looks has what it holds for free.
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
    """The recording, as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(machine, order="deterministic"), indent=1) + b"\n"


def decode(document: bytes) -> Machine:
    """The machine of a recording; ValueError with one sentence where it is not one."""
    try:
        machine = msgspec.json.decode(document, type=Machine)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise ValueError(f"not a recording of a machine: {error}") from error
    if machine.schema > SCHEMA:
        raise ValueError(f"a recording of schema {machine.schema}, this raidtui knows {SCHEMA}: use a newer raidtui")
    return msgspec.convert(_cleaned(msgspec.to_builtins(machine)), Machine)


def _cleaned(value: object) -> object:
    """A recording is text from outside like any other: an edited one must not bring control characters in."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(entry) for entry in value]
    return value


def partition_prefix(disk: str) -> str:
    """What the kernel puts before the number in the name of a partition on a disk of this name; not on one of dm's."""
    return f"{disk}p" if disk[-1:].isdigit() else disk


def sysfs_name(name: str) -> str:
    """A kernel name as sysfs writes it: cciss/c0d0 has the folder cciss!c0d0."""
    return name.replace("/", "!")
