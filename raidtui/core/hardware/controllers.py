"""RAID controllers as their own programs tell them: controllers, batteries, virtual and physical disks; what is amiss.

Knows values, not the programs (see `storcli`, `megacli`), and which virtual disk a disk of the machine is. It changes
nothing and makes no command that would. What a program did not tell is None or ""; a state that is not known here is
"unknown", with the program's word beside it.
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
    """One sentence: why this is no answer of the program that was asked."""


class Battery(msgspec.Struct, frozen=True, kw_only=True):
    """What keeps the cache over a loss of power: a battery or CacheVault. `state` in the program's words."""

    model: str = ""
    state: str = ""
    temperature_c: int | None = None


class PhysicalDisk(msgspec.Struct, frozen=True, kw_only=True):
    """A disk in a slot. `device_id` is the number that smartctl's `-d megaraid,N` wants; counts since it was put in."""

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
        """`252:4`, as the controllers' programs write it: enclosure and slot."""
        return f"{self.enclosure}:{self.slot}"


class VirtualDisk(msgspec.Struct, frozen=True, kw_only=True):
    """What the machine sees as one disk. `target` is its SCSI target, `places` are its disks' enclosures and slots."""

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
    """`degraded`, `unknown (UGShld)`; "" where it is not told."""
    return f"unknown ({thing.told_state})" if thing.state == "unknown" else thing.state


def as_built(volume: VirtualDisk) -> VirtualDisk:
    """The volume with RAID10 for what MegaRAID calls RAID 1 over more than two disks: mirrors, striped."""
    is_striped = volume.level == "RAID1" and (volume.drives or 0) > 2
    return msgspec.structs.replace(volume, level="RAID10") if is_striped else volume


class Controller(msgspec.Struct, frozen=True, kw_only=True):
    """`pci` is as the kernel writes an address, 0000:02:00.0. `notes`: what its program said was not right."""

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
    notes: tuple[str, ...] = ()


_UNITS = {"B": 1, "KB": KIB, "MB": KIB**2, "GB": KIB**3, "TB": KIB**4}  # binary, whatever their names say
_SIZE = re.compile(r"(\d{1,6}(?:\.\d{1,4})?) ?([KMGT]?I?B)", re.I)


def strip_bytes(text: str) -> int | None:
    """`256 KB` and `1.000 MB` in bytes; None for what is no size of a strip: a power of two."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        return None
    size = float(match[1]) * _UNITS[match[2].upper().replace("I", "")]
    whole_bytes = int(size)
    return whole_bytes if size == whole_bytes and whole_bytes > 0 and whole_bytes & (whole_bytes - 1) == 0 else None


# An enclosure's or a battery's words that say that all is well
_WELL = frozenset({"", "optimal", "ok", "good", "operational"})


def amiss(controller: Controller) -> Iterator[str]:
    """A sentence for each thing that a person should look at."""
    if controller.state.lower() not in _WELL:
        yield f"the controller says of itself: {controller.state}"
    yield from controller.notes
    for battery in controller.batteries:
        if battery.state.lower() not in _WELL:
            yield f"its {battery.model or 'battery'} is {battery.state}"
    for volume in controller.virtual_disks:
        name = f"virtual disk {volume.target if volume.target is not None else volume.name}"
        if volume.state not in ("", "optimal"):
            yield f"{name} is {state_words(volume)}"
        if volume.write_policy == "write-back always":
            yield f"{name} writes back even without a working battery: a loss of power is a loss of data"
        elif volume.write_policy == "write-back" and controller.has_battery is False:
            yield f"{name} is set to write back, and the controller has no battery"
    for disk in controller.physical_disks:
        yield from (
            f"the disk at {disk.place} ({disk.serial or disk.model or 'not named'}) {text}" for text in _bad(disk)
        )


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
    """A PCI device of the RAID class, and the driver that has it."""

    pci: str
    driver: str = ""


class RaidHardware(msgspec.Struct, frozen=True, kw_only=True):
    """`program`: where the one lies that was asked, or "". `why_not`: in sentences, what was not read and why."""

    controllers: tuple[Controller, ...] = ()
    program: str = ""
    plugged: tuple[Plugged, ...] = ()
    why_not: tuple[str, ...] = ()


class Seat(msgspec.Struct, frozen=True):
    """A virtual disk and its controller."""

    controller: Controller
    volume: VirtualDisk


# The driver megaraid_sas (MEGASAS_MAX_PD_CHANNELS) shows virtual disks on channels 2 and 3, 128 targets on each
_PATH = re.compile(r"pci-([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])-scsi-\d+:([23]):(\d{1,3}):0")
_TARGETS = 128


def seat(controllers: Iterable[Controller], wwn: str, id_path: str) -> Seat | None:
    """The virtual disk that a disk of the machine is; None where the outputs do not tie them.

    By its WWN (`0x6003…`), else by udev's ID_PATH: the controller's PCI address and the SCSI target. Nothing is tied
    where two would fit.
    """
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
    """`RAID6 of 4 disks, strip 256 KiB, write-back, read-ahead, CVPM02 Optimal`: what is known, for a line."""
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
