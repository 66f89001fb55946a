"""A disk, what is on it, and whether it may be used.

Knows what one whole block device is; does not know where the facts came from (see `machine`) nor
how a verdict is reached (see `verdicts`).
"""

from collections import Counter
from collections.abc import Collection
from enum import StrEnum
from typing import Protocol

import msgspec

from raidtui.core.disks.emulators import Emulator, emulator_of
from raidtui.core.disks.machine import Bus


class Standing(StrEnum):
    """May this disk be a member? WARN can be chosen with a confirmation of its own, REFUSE cannot."""

    OK = "ok"
    WARN = "warn"
    REFUSE = "refuse"


class Verdict(msgspec.Struct, frozen=True):
    """May this disk be used? `reason` says why not, `remedy` what would change that."""

    standing: Standing
    reason: str = ""
    remedy: str = ""


class Content(msgspec.Struct, frozen=True):
    """Something found on a disk or on one of its partitions: a signature, a partition table.

    `device` is the kernel name where it was found ("sda", "sda1"), `kind` what it is ("ext4",
    "linux_raid_member", "gpt"; "unknown data" where blocks are not empty and no signature says why), `label` its
    label or UUID as shown to a person.
    """

    device: str
    kind: str
    label: str = ""
    uuid: str = ""  # of a file system or a member, not of a table


class Disk(msgspec.Struct, frozen=True, kw_only=True):
    """A whole block device that could be a member of an array.

    `id` is the identity: `wwn-…`, else `serial-MODEL_SERIAL`, else `path-…` (udev's ID_PATH). `name` and `path`
    are this boot's names: shown to people, never stored as identity. All text is free of control characters.
    `nodes` are the paths of the other device nodes that lead to the same disk, but for those inside of a multipath map.
    """

    name: str
    path: str
    id: str
    size_bytes: int
    verdict: Verdict
    wwn: str = ""
    serial: str = ""
    model: str = ""
    vendor: str = ""
    firmware: str = ""
    slot: str = ""  # where to find it: ID_PATH, enclosure slot
    links: tuple[str, ...] = ()  # /dev/disk/by-id/… that lead here and nowhere else
    rotational: bool | None = None
    buses: tuple[Bus, ...] = ()  # between it and the machine's memory
    transport: str = ""
    logical_sector_bytes: int = 512
    physical_sector_bytes: int = 512
    diskseq: int | None = None
    contents: tuple[Content, ...] = ()
    nodes: tuple[str, ...] = ()
    partitions: tuple[str, ...] = ()
    volume: str = ""  # what its RAID controller tells of it: level, strip size, policies, battery
    run: str = ""  # whose worker has it now
    checked: bool = True  # False: something that speaks for or against it was not read; no content means nothing

    @property
    def title(self) -> str:
        """What a person recognises the disk by: model and serial, else its identity."""
        return " ".join(part for part in (self.model, self.serial) if part) or self.id

    @property
    def emulator(self) -> Emulator:
        """Who makes it, where it is no hardware: by its model."""
        return emulator_of(self.model)

    @property
    def found(self) -> str:
        """What is on the disk now, in words: `ext4 on sda1 (home), gpt`; `blank` when nothing was found there."""
        words = [
            content.kind
            + (f" on {content.device}" if content.device != self.name else "")
            + (f" ({content.label})" if content.label else "")
            for content in self.contents
        ]
        return ", ".join(words) or ("blank" if self.checked else "not checked")


class Recognised(Protocol):
    """A disk, or a member of a plan."""

    @property
    def id(self) -> str: ...
    @property
    def serial(self) -> str: ...


def marks(disks: Collection[Recognised]) -> dict[str, str]:
    """By identity: the serial number, or the identity itself where there is none or another disk has the same."""
    serials = Counter(disk.serial.strip() for disk in disks)

    def alone(serial: str) -> bool:
        return bool(serial) and serials[serial] == 1

    return {disk.id: disk.serial if alone(disk.serial.strip()) else disk.id for disk in disks}
