"""Values of one md array, as `raidtui status --json` prints them, and its sync (md.rst). Texts are in `lines`."""

from enum import StrEnum
from typing import Literal

import msgspec

from raidtui.core.arrays.superblock import OlderKernels
from raidtui.core.disks.drive import Recovery

WRITE_MOSTLY = "write_mostly"  # of a member's states (md.rst): read only if no other can be
_SECTOR_BYTES = 512
_PENDING = "pending"  # its thread does not run yet


class Sync(msgspec.Struct, frozen=True):
    """`action`: kernel's ("recover", "resync", "check" …); bytes per member; `waits`: why it is idle."""

    action: str
    done_bytes: int
    total_bytes: int
    bytes_per_s: float
    waits: str = ""

    @property
    def description(self) -> str:
        return f"{self.action}, {self.waits}" if self.waits else self.action

    @property
    def is_pending(self) -> bool:
        """Not started, as in a read-only array before its first write."""
        return self.waits == _PENDING

    @property
    def left_s(self) -> float | None:
        """At the current speed; None if waiting or unknown."""
        left_bytes = self.total_bytes - self.done_bytes
        return left_bytes / self.bytes_per_s if self.bytes_per_s > 0 and left_bytes >= 0 else None


def sync_of(action: str, completed: str, speed: str) -> Sync | None:
    """`completed`: sectors "done / total", or a word; `speed`: KiB/s per member. None without a (waiting) sync."""
    if action in ("", "idle", "frozen"):
        return None
    done_sectors, _, total = completed.partition(" / ")
    if not (is_number(done_sectors) and is_number(total)):  # DELAYED and PENDING are words here
        return Sync(action, 0, 0, 0.0, _PENDING if done_sectors in ("", "none") else done_sectors)
    return Sync(
        action,
        int(done_sectors) * _SECTOR_BYTES,
        int(total) * _SECTOR_BYTES,
        int(speed) * 1024.0 if is_number(speed) else 0.0,  # "none" when it waits
    )


def is_number(text: str) -> bool:
    """A kernel count, at most 64 bits."""
    return text.isascii() and text.isdigit() and len(text) < 20


Health = Literal["clean", "degraded", "failed", "inactive", "stopped", "container", "not known"]
Role = Literal[
    "in sync", "rebuilding", "replacement", "spare", "journal", "failed", "gone", "missing", "left out", "gathered"
]


READ_ONLY = ("readonly", "read-auto")  # md.rst: array_state; the second until somebody writes to it


class Grade(StrEnum):
    """Urgency: none, look in working hours, replace a disk, data unreachable."""

    GOOD = "good"
    ATTENTION = "attention"
    DEGRADED = "degraded"
    FAILED = "failed"


GRADES = tuple(Grade)


def worst(grades: "tuple[Grade, ...]") -> Grade:
    return max(grades, key=GRADES.index, default=Grade.GOOD)


class KnownDisk(msgspec.Struct, frozen=True, kw_only=True):
    """Disk of a member. `place`: where to find it. `smart`: count -> value."""

    id: str
    name: str = ""
    model: str = ""
    serial: str = ""
    place: str = ""
    smart: dict[str, float | str] = {}
    recovery: Recovery = Recovery()

    @property
    def title(self) -> str:
        return " ".join(part for part in (self.model, self.serial) if part) or self.id


class ArrayMember(msgspec.Struct, frozen=True, kw_only=True):
    """A slot, or a disk without one. `slot`: None for a spare, or if the kernel forgot it (often, if failed). `states`:
    the kernel's words. `gathered`: of an array not started. `left out`: superblock names the array, which runs without
    it. `corrected_sectors`: unreadable, rewritten from the others. `bad_sectors`: in md's bad-block lists. `disk` of a
    missing member: the former one, if known.
    """

    role: Role
    device: str = ""
    slot: int | None = None
    states: tuple[str, ...] = ()
    corrected_sectors: int | None = None
    bad_sectors: int | None = None
    data_offset_bytes: int | None = None
    disk: KnownDisk | None = None

    @property
    def smart(self) -> dict[str, float | str]:
        return self.disk.smart if self.disk else {}

    @property
    def is_journal(self) -> bool:
        """Also after it failed."""
        return "journal" in self.states


class Mismatches(msgspec.Struct, frozen=True, kw_only=True):
    """Unequal sectors, in page units at least; `counted_by`: "check", "repair", "resync"."""

    sectors: int
    counted_by: str
    final: bool = True  # False: that sync still goes on


class LastCheck(msgspec.Struct, frozen=True, kw_only=True):
    """Read and compare. `at_s` None: unknown; `source`: of `at_s`; `complete`: raidtui saw its end; None: not known.
    `paused_bytes`: where it continues.
    """

    at_s: float | None = None
    complete: bool | None = None
    source: str = ""
    paused_bytes: int | None = None
    scheduled_by: tuple[str, ...] = ()


class BootMount(msgspec.Struct, frozen=True, kw_only=True):
    """A line in `file` that mounts a file system at boot, by UUID, label or node."""

    mountpoint: str
    file: str
    by: Literal["UUID", "label", "node"]
    source: str
    nofail: bool = False


class Upon(msgspec.Struct, frozen=True, kw_only=True):
    """File system or swap on the array or on layers above. `volume`: LVM group and name; `container`: open LUKS name;
    `nested`: a partition or several layers between; `boot`: what mounts it.
    """

    device: str
    kind: str
    uuid: str = ""
    mounted_at: tuple[str, ...] = ()
    volume: str = ""
    container: str = ""
    nested: bool = False
    boot: tuple[BootMount, ...] | None = None  # None: what is mounted at boot was not read


Assembly = Literal["ARRAY line", "by itself", "another name", "ignored", "not known"]


class AtBoot(msgspec.Struct, frozen=True, kw_only=True):
    """Assembly at boot: by an ARRAY line of `file` with its UUID, as `node`; by superblock alone, under its own or
    another name; none. `initramfs_older`: older than `file`.
    """

    assembly: Assembly = "not known"
    file: str = ""
    node: str = ""
    initramfs_older: bool | None = None


class Condition(msgspec.Struct, frozen=True, kw_only=True):
    """`kind`: for programs."""

    kind: str
    grade: Grade
    words: str
    remedy: str


class Half(msgspec.Struct, frozen=True, kw_only=True):
    """A running array of several with one UUID. `updated_s` (UTC), `events`: of its newest superblock, if read."""

    name: str
    devices: tuple[str, ...]
    events: int | None = None
    updated_s: int | None = None


def container_of(metadata: str) -> str:
    """ "" if not in one. mdadm.h (is_subarray): external:/md127/0; - for /: it must not be changed."""
    volume = metadata.removeprefix("external:")
    return f"/dev/{volume[1:].partition('/')[0]}" if volume != metadata and volume[:1] in ("/", "-") else ""


class Array(msgspec.Struct, frozen=True, kw_only=True):
    """`level`: "0", "1", "10" …, md's own word, or "". `member_bytes`: used of each member from its data offset.
    `reshape_at_bytes`: progress of an unfinished reshape. `members`: by slot, then without. `run`: the run that keeps
    it. `part_of`: the kernel's name of the array over it. `groups_missing`: the names of
    groups that its run built and of which nothing is here. `halves`: what runs under this UUID, if that is not this
    array alone. `startable`: whether md would start an inactive array with the members gathered; None: their
    superblocks were not read.
    """

    name: str
    node: str
    uuid: str
    title: str = ""
    health: Health = "clean"
    grade: Grade = Grade.GOOD
    level: str = ""
    layout: str = ""
    chunk_bytes: int | None = None
    size_bytes: int | None = None
    member_bytes: int | None = None
    slots: int | None = None
    array_state: str = ""
    metadata: str = ""
    members: tuple[ArrayMember, ...] = ()
    sync: Sync | None = None
    sync_left_s: float | None = None
    resync_waits: bool = False
    reshape_at_bytes: int | None = None
    frozen: bool = False
    mismatches: Mismatches | None = None
    checked: LastCheck = LastCheck()
    consistency: str = ""  # "bitmap", "journal", "ppl", "resync": what the kernel goes by after a crash
    upon: tuple[Upon, ...] = ()
    at_boot: AtBoot = AtBoot()
    older_kernels: OlderKernels = ""
    run: str = ""
    part_of: str = ""
    groups_missing: tuple[str, ...] = ()
    halves: tuple[Half, ...] = ()
    startable: bool | None = None
    conditions: tuple[Condition, ...] = ()

    @property
    def container(self) -> str:
        """Container of a firmware RAID volume; else ""."""
        return container_of(self.metadata)

    def of_role(self, *roles: Role) -> tuple[ArrayMember, ...]:
        return tuple(member for member in self.members if member.role in roles)
