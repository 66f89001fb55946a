"""RAID controllers: batteries, virtual and physical disks, problems; and the virtual disk of a kernel disk. Read-only.
Unknown: None or ""; an unknown state is "unknown" plus the program's word (`storcli`, `megacli`).
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from raidtui.core.text import clean
from raidtui.core.units import KIB

WritePolicy = Literal["write-back", "write-back always", "write-through", ""]
ReadPolicy = Literal["read-ahead", "adaptive read-ahead", "no read-ahead", ""]
VolumeState = Literal["optimal", "degraded", "partially degraded", "offline", "recovering", "unknown", ""]
DriveState = Literal[
    "online", "offline", "unconfigured", "unconfigured, bad", "hot spare", "rebuilding", "copying back", "failed",
    "missing", "passed through", "foreign", "unknown", "",
]  # fmt: skip
Program = Literal["storcli", "megacli"]


class ControllersError(ValueError):
    """One sentence: why this is no answer of the program."""


class Battery(msgspec.Struct, frozen=True, kw_only=True):
    """Cache protection: battery or CacheVault. `state`: the program's word."""

    model: str = ""
    state: str = ""
    temperature_c: int | None = None


class PhysicalDisk(msgspec.Struct, frozen=True, kw_only=True):
    """`device_id`: N of smartctl's `-d megaraid,N`; counts since insertion."""

    enclosure: str = ""
    slot: str = ""
    device_id: int | None = None
    state: DriveState = ""
    told_state: str = ""
    size: str = ""
    interface: str = ""
    medium: str = ""
    model: str = ""
    serial: str = ""
    wwn: str = ""
    firmware: str = ""
    media_errors: int | None = None
    other_errors: int | None = None
    predictive_failures: int | None = None
    smart_alert: bool | None = None
    temperature_c: int | None = None

    @property
    def place(self) -> str:
        """`252:4`: enclosure and slot."""
        return f"{self.enclosure}:{self.slot}"


class VirtualDisk(msgspec.Struct, frozen=True, kw_only=True):
    """Seen as one disk. `target`: SCSI; `places`: enclosure:slot of its disks."""

    target: int | None = None
    name: str = ""
    level: str = ""
    state: VolumeState = ""
    told_state: str = ""
    size: str = ""
    strip_bytes: int | None = None
    write_policy: WritePolicy = ""
    read_policy: ReadPolicy = ""
    is_cached: bool | None = None
    access: str = ""
    disk_cache: str = ""
    wwn: str = ""
    drives: int | None = None
    places: tuple[str, ...] = ()


def state_words(thing: VirtualDisk | PhysicalDisk) -> str:
    return f"unknown ({thing.told_state})" if thing.state == "unknown" else thing.state


def as_built(volume: VirtualDisk) -> VirtualDisk:
    """RAID10 for MegaRAID's RAID 1 over more than two disks."""
    is_striped = volume.level == "RAID1" and (volume.drives or 0) > 2
    return msgspec.structs.replace(volume, level="RAID10") if is_striped else volume


class Controller(msgspec.Struct, frozen=True, kw_only=True):
    """`pci`: 0000:02:00.0. `foreign_groups`: level of each drive group of another controller that waits for import.
    `notes`: problems reported by its program.
    """

    number: int
    program: Program
    model: str = ""
    serial: str = ""
    firmware: str = ""
    state: str = ""
    pci: str = ""
    has_battery: bool | None = None
    batteries: tuple[Battery, ...] = ()
    virtual_disks: tuple[VirtualDisk, ...] = ()
    physical_disks: tuple[PhysicalDisk, ...] = ()
    foreign_groups: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


_UNITS = {"B": 1, "KB": KIB, "MB": KIB**2, "GB": KIB**3, "TB": KIB**4}  # binary, whatever their names say
_SIZE = re.compile(r"(\d{1,6}(?:\.\d{1,4})?) ?([KMGT]?I?B)", re.I)


def strip_bytes(text: str) -> int | None:
    """`256 KB`, `1.000 MB`; None unless a power of two."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        return None
    size = float(match[1]) * _UNITS[match[2].upper().replace("I", "")]
    whole_bytes = int(size)
    return whole_bytes if size == whole_bytes and whole_bytes > 0 and whole_bytes & (whole_bytes - 1) == 0 else None


# An enclosure's or a battery's words that say that all is well
_WELL = frozenset({"", "optimal", "ok", "good", "operational"})


def amiss(controller: Controller) -> Iterator[str]:
    if controller.state.lower() not in _WELL:
        yield f"the controller says of itself: {controller.state}"
    yield from controller.notes
    for battery in controller.batteries:
        if battery.state.lower() not in _WELL:
            yield f"its {battery.model or 'battery'} is {battery.state}"
    if controller.foreign_groups:
        yield f"a foreign configuration waits for import: {', '.join(controller.foreign_groups)}"
    yield from _together(
        "virtual disk",
        [
            (str(volume.target if volume.target is not None else volume.name), text)
            for volume in controller.virtual_disks
            for text in _bad_volume(controller, volume)
        ],
    )
    named = {f"{disk.place} ({disk.serial or disk.model or 'not named'})": disk for disk in controller.physical_disks}
    yield from _together("disk", [(name, text) for name, disk in named.items() for text in _bad(disk)])


_PLURALS = {"is": "are", "writes": "write"}  # the verbs that findings begin with
_MOST_NAMES = 6


def _together(kind: str, findings: list[tuple[str, str]]) -> Iterator[str]:
    """(name, text): a sentence for all things with the same text."""
    names: dict[str, list[str]] = {}
    for name, text in findings:
        names.setdefault(text, []).append(name)
    for text, alike in names.items():
        verb, blank, rest = text.partition(" ")
        if len(alike) == 1:
            yield f"{'the disk at' if kind == 'disk' else kind} {alike[0]} {text}"
        else:
            yield f"{len(alike)} {kind}s ({_listed(alike)}) {_PLURALS.get(verb, verb)}{blank}{rest}"


def _listed(names: list[str]) -> str:
    """`0 to 20`; else all, or the first few."""
    numbers = [int(name) for name in names if name.isdecimal()]
    if len(numbers) == len(names) > 2 and numbers == [*range(numbers[0], numbers[0] + len(numbers))]:
        return f"{numbers[0]} to {numbers[-1]}"
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(name.partition(" (")[0] for name in names[:_MOST_NAMES]) + more


def _bad_volume(controller: Controller, volume: VirtualDisk) -> Iterator[str]:
    if volume.state not in ("", "optimal"):
        yield f"is {state_words(volume)}"
    if volume.write_policy == "write-back always":
        yield "writes back even without a working battery: a loss of power is a loss of data"
    elif volume.write_policy == "write-back" and controller.has_battery is False:
        yield "is set to write back, and the controller has no battery"


_BAD_STATES: frozenset[DriveState] = frozenset(
    {"offline", "unconfigured, bad", "rebuilding", "copying back", "failed", "missing", "foreign", "unknown"}
)


def _bad(disk: PhysicalDisk) -> Iterator[str]:
    if disk.state in _BAD_STATES:
        yield f"is {state_words(disk)}"
    if disk.predictive_failures:
        yield f"foretold its failure {disk.predictive_failures} times"
    if disk.smart_alert:
        yield "raised a SMART alert"
    if disk.media_errors:
        yield f"had {disk.media_errors} media errors"


class Plugged(msgspec.Struct, frozen=True, kw_only=True):
    """A PCI device of the RAID class."""

    pci: str
    driver: str = ""


class RaidHardware(msgspec.Struct, frozen=True, kw_only=True):
    """`program`: path of the one used, or "". `why_not`: sentences on what was not read."""

    controllers: tuple[Controller, ...] = ()
    program: str = ""
    plugged: tuple[Plugged, ...] = ()
    why_not: tuple[str, ...] = ()


class Seat(msgspec.Struct, frozen=True):
    controller: Controller
    volume: VirtualDisk


# The driver megaraid_sas (MEGASAS_MAX_PD_CHANNELS) shows virtual disks on channels 2 and 3, 128 targets on each
_PATH = re.compile(r"pci-([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])-scsi-\d+:([23]):(\d{1,3}):0")
_TARGETS = 128


def seat(controllers: Iterable[Controller], wwn: str, id_path: str) -> Seat | None:
    """By WWN (`0x6003…`), else ID_PATH of udev (PCI address, SCSI target); None if none or several fit."""
    seats = [Seat(controller, volume) for controller in controllers for volume in controller.virtual_disks]
    number = wwn.lower().removeprefix("0x")
    if seats_alike := [
        seat_of_wwn for seat_of_wwn in seats if number and seat_of_wwn.volume.wwn.lower().removeprefix("0x") == number
    ]:
        return seats_alike[0] if len(seats_alike) == 1 else None
    match = _PATH.fullmatch(id_path)
    if match is None:
        return None
    target = (int(match[2]) - 2) * _TARGETS + int(match[3])
    seats_alike = [
        seat_of_target
        for seat_of_target in seats
        if seat_of_target.controller.pci == match[1]
        and seat_of_target.volume.target == target
        and (not seat_of_target.volume.wwn or not number)  # both tell a WWN, and they differ: it is another one
    ]
    return seats_alike[0] if len(seats_alike) == 1 else None


def volume_words(seat: Seat) -> str:
    """`RAID6 of 4 disks, strip 256 KiB, write-back, read-ahead, CVPM02 Optimal`."""
    volume, batteries = seat.volume, seat.controller.batteries
    parts = [
        volume.level + (f" of {volume.drives} disks" if volume.level and volume.drives else ""),
        f"strip {volume.strip_bytes // KIB} KiB" if volume.strip_bytes else "strip size not told",
        volume.write_policy,
        volume.read_policy,
        *(f"{battery.model or 'battery'} {battery.state}" for battery in batteries if battery.state),
        "no battery" if seat.controller.has_battery is False and not batteries else "",
    ]
    return clean(", ".join(part for part in parts if part))
