"""A disk, its contents, its verdict. Facts come from `machine`, verdicts from `verdicts`."""

from collections import Counter
from collections.abc import Collection
from enum import StrEnum
from typing import Protocol

import msgspec

from raidtui.core.disks.identity import Emulator, emulator_of
from raidtui.core.disks.machine import Bus, Erc


class Usability(StrEnum):
    """WARN needs a confirmation of its own, REFUSE cannot be selected."""

    OK = "ok"
    WARN = "warn"
    REFUSE = "refuse"


class Holding(StrEnum):
    """What was found on a disk. NOT_CHECKED: nothing, as not all of it was read: it may hold data."""

    BLANK = "blank"
    DATA = "data"
    NOT_CHECKED = "not checked"


class State(StrEnum):
    """What may be done with a disk, as it is counted. Only a FREE one is taken without being named."""

    FREE = "free"
    WARNED = "with a warning"
    NOT_CHECKED = "not checked"
    DATA = "with data"
    IN_USE = "in use"


_STATES = {Holding.BLANK: State.WARNED, Holding.NOT_CHECKED: State.NOT_CHECKED, Holding.DATA: State.DATA}


class Verdict(msgspec.Struct, frozen=True):
    """`remedy`: what would change it."""

    standing: Usability
    reason: str = ""
    remedy: str = ""


class Content(msgspec.Struct, frozen=True):
    """A signature or partition table on a disk. `device`: kernel name where found ("sda1"); `kind`: "ext4",
    "linux_raid_member", "gpt", or "unknown data" (blocks not empty, no signature); `label`: label or UUID, for people.
    """

    device: str
    kind: str
    label: str = ""
    uuid: str = ""  # of a file system or a member, not of a table


class Disk(msgspec.Struct, frozen=True, kw_only=True):
    """A whole block device. `id`: `wwn-…`, else `serial-MODEL_SERIAL`, else `path-…` (udev's ID_PATH). `name`, `path`:
    of this boot, never an identity. No control characters in any text. `nodes`: other device nodes of the disk, outside
    of a multipath map. `holds` follows from `contents` and `checked`, whatever is given.
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
    erc: Erc = "not checked"
    checked: bool = True  # False: something that speaks for or against it was not read; no content means nothing
    holds: Holding = Holding.NOT_CHECKED

    def __post_init__(self) -> None:
        unseen = Holding.BLANK if self.checked else Holding.NOT_CHECKED
        msgspec.structs.force_setattr(self, "holds", Holding.DATA if self.contents else unseen)

    @property
    def state(self) -> State:
        sure = {Usability.OK: State.FREE, Usability.REFUSE: State.IN_USE}
        return sure.get(self.verdict.standing) or _STATES[self.holds]

    @property
    def title(self) -> str:
        return " ".join(part for part in (self.model, self.serial) if part) or self.id

    @property
    def emulator(self) -> Emulator:
        return emulator_of(self.model)

    @property
    def found(self) -> str:
        """Contents in words: `ext4 on sda1 (home), gpt`; `blank`, `not checked` if none were found."""
        words = [
            content.kind
            + (f" on {content.device}" if content.device != self.name else "")
            + (f" ({content.label})" if content.label else "")
            for content in self.contents
        ]
        return ", ".join(words) or self.holds.value


class Recognised(Protocol):
    """A disk, or a member of a plan."""

    @property
    def id(self) -> str: ...
    @property
    def serial(self) -> str: ...


def marks(disks: Collection[Recognised]) -> dict[str, str]:
    """Identity -> serial number, or identity if missing or not unique."""
    serials = Counter(disk.serial.strip() for disk in disks)

    def alone(serial: str) -> bool:
        return bool(serial) and serials[serial] == 1

    return {disk.id: disk.serial if alone(disk.serial.strip()) else disk.id for disk in disks}
