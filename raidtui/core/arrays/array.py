"""Values of one md array, as `raidtui status --json` prints them, and its sync (md.rst). Texts are in `lines`."""

from enum import StrEnum
from typing import Literal

import msgspec

_SECTOR_BYTES = 512
_PENDING = "pending"  # its thread does not run yet


class Sync(msgspec.Struct, frozen=True):
    """`action` as the kernel says it ("recover", "resync", "check" …), bytes a member; `waits`: why it does nothing."""

    action: str
    done_bytes: int
    total_bytes: int
    bytes_per_s: float
    waits: str = ""

    @property
    def words(self) -> str:
        return f"{self.action}, {self.waits}" if self.waits else self.action

    @property
    def is_pending(self) -> bool:
        """Has it not begun? In an array that is read-only until it is written to it does not by itself."""
        return self.waits == _PENDING

    @property
    def left_s(self) -> float | None:
        """How long it takes yet at the speed of now; None where it waits or does not tell."""
        left_bytes = self.total_bytes - self.done_bytes
        return left_bytes / self.bytes_per_s if self.bytes_per_s > 0 and left_bytes >= 0 else None


def sync_of(action: str, completed: str, speed: str) -> Sync | None:
    """From `sync_action`, `sync_completed` (sectors "done / total", or a word) and `sync_speed` (KiB/s of a member).

    None where no sync goes on or waits.
    """
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
    """Is it a count as the kernel writes it, of 64 bits at most?"""
    return text.isascii() and text.isdigit() and len(text) < 20


Health = Literal["clean", "degraded", "failed", "inactive", "stopped", "container", "not known"]
Role = Literal[
    "in sync", "rebuilding", "replacement", "spare", "journal", "failed", "gone", "missing", "left out", "gathered"
]


READ_ONLY = ("readonly", "read-auto")  # md.rst: array_state; the second until somebody writes to it


class Grade(StrEnum):
    """How urgent: nothing, a look in working hours, a disk to replace, data that cannot be reached."""

    GOOD = "good"
    ATTENTION = "attention"
    DEGRADED = "degraded"
    FAILED = "failed"


GRADES = tuple(Grade)


def worst(grades: "tuple[Grade, ...]") -> Grade:
    return max(grades, key=GRADES.index, default=Grade.GOOD)


class KnownDisk(msgspec.Struct, frozen=True, kw_only=True):
    """The disk that a member lies on. `place`: where to find it. `smart`: what it told of itself, by its name."""

    id: str
    name: str = ""
    model: str = ""
    serial: str = ""
    place: str = ""
    smart: dict[str, float | str] = {}

    @property
    def title(self) -> str:
        return " ".join(part for part in (self.model, self.serial) if part) or self.id


class ArrayMember(msgspec.Struct, frozen=True, kw_only=True):
    """One place of an array, or a disk that belongs to it without one.

    `slot` is None where it has none (a spare) or where the kernel has forgotten it (a failed one, often). `states` are
    the kernel's words. `gathered`: of an array that is not started. `left out`: its superblock names the array, which
    runs without it. `corrected_sectors`: those it could not read, and the others made good. `bad_sectors`:
    those in md's list of bad blocks. Of a missing one `disk` is who it was, where that is known.
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
    def is_journal(self) -> bool:
        """Is it the array's journal, or was it until it failed?"""
        return "journal" in self.states


class Mismatches(msgspec.Struct, frozen=True, kw_only=True):
    """What md counted as unequal: sectors, in units of pages at least; by which sync ("check", "repair", "resync")."""

    sectors: int
    counted_by: str
    final: bool = True  # False: that sync still goes on


class LastCheck(msgspec.Struct, frozen=True, kw_only=True):
    """When the whole array was last read and compared, as far as anything tells.

    `at_s` None: not known. `source`: what told. `paused_bytes`: where a check that is not over waits to go on.
    """

    at_s: float | None = None
    source: str = ""
    paused_bytes: int | None = None
    scheduled_by: tuple[str, ...] = ()


class BootMount(msgspec.Struct, frozen=True, kw_only=True):
    """What mounts a file system at boot: `file` has a line for it that names it by its UUID, a label or a node."""

    mountpoint: str
    file: str
    by: Literal["UUID", "label", "node"]
    source: str
    nofail: bool = False


class Upon(msgspec.Struct, frozen=True, kw_only=True):
    """A file system or swap on the array, or on what is stacked on it. `volume`: LVM's, by group and name, where it is
    on one; `container`: that of LUKS, by its name while it is open; `nested`: a partition, or more than one layer, lies
    between; `boot`: what brings it back.
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
    """How the array comes back: by an ARRAY line of `file` with its UUID, as `node`; by its superblock alone, under its
    own name or another; not at all. `initramfs_older`: it was made before `file` was last changed.
    """

    assembly: Assembly = "not known"
    file: str = ""
    node: str = ""
    initramfs_older: bool | None = None


class Condition(msgspec.Struct, frozen=True, kw_only=True):
    """Something to know of an array. `kind` is its name, for programs; `words` say it, `remedy` what to do."""

    kind: str
    grade: Grade
    words: str
    remedy: str


def container_of(metadata: str) -> str:
    """The node of the container of a volume with these metadata; "" of a container, and of what has none.

    mdadm's mdadm.h (is_subarray): external:/md127/0 is a volume, with - for / while nobody may change its array.
    """
    volume = metadata.removeprefix("external:")
    return f"/dev/{volume[1:].partition('/')[0]}" if volume != metadata and volume[:1] in ("/", "-") else ""


class Array(msgspec.Struct, frozen=True, kw_only=True):
    """One array of the machine. `level` is "0", "1", "10" … or md's own word, "" where nothing tells.

    `member_bytes`: what it takes of each member, from that one's data offset on.
    `reshape_at_bytes`: of an array whose reshape is not over, how far of it that has come.
    `members`: by slot, then those without one. `run`: the run of raidtui that keeps it.
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
    run: str = ""
    conditions: tuple[Condition, ...] = ()

    @property
    def container(self) -> str:
        """The node of firmware RAID's container that this is a volume of; "" of any other array."""
        return container_of(self.metadata)

    def of_role(self, *roles: Role) -> tuple[ArrayMember, ...]:
        return tuple(member for member in self.members if member.role in roles)
