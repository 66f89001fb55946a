"""storcli's and perccli's JSON (`/call show all J` etc., 007.x); several answers are combined. Unknown keys stay
unknown; other text is an error. The exit code adds nothing.
"""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from raidtui.core.hardware.controllers import (
    Battery,
    Controller,
    ControllersError,
    DriveState,
    PhysicalDisk,
    ReadPolicy,
    VirtualDisk,
    VolumeState,
    WritePolicy,
    as_built,
    strip_bytes,
)
from raidtui.core.hardware.fields import at, count, decode, rows, words

_VOLUME_STATES: dict[str, VolumeState] = {
    "Optl": "optimal", "Dgrd": "degraded", "Pdgd": "partially degraded", "OfLn": "offline", "Rec": "recovering",
}  # fmt: skip
_DRIVE_STATES: dict[str, DriveState] = {
    "Onln": "online", "Offln": "offline", "UGood": "unconfigured", "UGUnsp": "unconfigured",
    "UBad": "unconfigured, bad", "UBUnsp": "unconfigured, bad", "GHS": "hot spare", "DHS": "hot spare",
    "Rbld": "rebuilding", "Cpybck": "copying back", "CpyBck": "copying back", "CBShld": "copying back",
    "Failed": "failed", "Msng": "missing", "Missing": "missing", "JBOD": "passed through",
}  # fmt: skip
_FOREIGN = "F"  # where the number of a drive group stands
# `RWBD`: read-ahead or not, the write policy, cached or direct I/O
_CACHE = re.compile(r"(NR|R)?(AWB|FWB|WB|WT)([CD])?")
_READ_POLICIES: dict[str, ReadPolicy] = {"R": "read-ahead", "NR": "no read-ahead"}
_WRITE: dict[str, WritePolicy] = {
    "WB": "write-back", "AWB": "write-back always", "FWB": "write-back always", "WT": "write-through",
}  # fmt: skip
_ACCESS = {"RW": "read and write", "RO": "read only", "B": "blocked", "HD": "hidden"}
_NONE = re.compile(
    r"no (controller|drive|vd|virtual drive)s?\b|not found|have (been )?no|no VDs|find any foreign", re.I
)
_PCI = re.compile(r"([0-9a-f]{2}):([0-9a-f]{2}):([0-9a-f]{2}):([0-9a-f]{2})", re.I)
_DRIVE = re.compile(r"Drive /c\d+(?:/e\d+)?/s\d+")
_VOLUME = re.compile(r"/c\d+/v(\d{1,3})")
_NUMBER = re.compile(r"\d{1,4}")


def parse(*texts: str) -> tuple[Controller, ...]:
    """Answers to `/call show all J`, `/call/vall show all J`, `/call/eall/sall show all J`, `/call/fall show all J`.
    ControllersError if broken or something else; "none" adds nothing.
    """
    controllers: dict[int, Controller] = {}
    for text in texts:
        for answer in _answers(text):
            number = count(answer, "Command Status", "Controller")
            if number is None:
                continue  # "No Controller found": of none in particular
            so_far = controllers.get(number) or Controller(number=number, program="storcli")
            controllers[number] = _with(so_far, answer)
    return tuple(controller for _, controller in sorted(controllers.items()))


def _answers(text: str) -> Iterator[Any]:
    try:
        document = decode(text, "storcli")
    except ValueError as error:
        raise ControllersError(str(error)) from None
    answers = at(document, "Controllers")
    if not isinstance(answers, list) or not all(isinstance(at(answer, "Command Status"), dict) for answer in answers):
        raise ControllersError("not storcli or perccli JSON: no list `Controllers` with a status in it")
    yield from answers


def _with(so_far: Controller, answer: Any) -> Controller:
    response = at(answer, "Response Data")
    controller = msgspec.structs.replace(
        so_far,
        model=so_far.model or words(response, "Basics", "Model") or words(response, "Product Name"),
        serial=so_far.serial or words(response, "Basics", "Serial Number") or words(response, "Serial Number"),
        firmware=so_far.firmware
        or words(response, "Version", "Firmware Package Build")
        or words(response, "FW Package Build"),
        state=so_far.state or words(response, "Status", "Controller Status"),
        pci=so_far.pci or _pci(words(response, "Basics", "PCI Address") or words(response, "PCI Address")),
        has_battery=so_far.has_battery
        if so_far.has_battery is not None
        else {"Present": True, "Absent": False}.get(words(response, "HwCfg", "BBU")),
        batteries=so_far.batteries or tuple(_batteries(response)),
        foreign_groups=so_far.foreign_groups
        or tuple(words(row, "Type") or "level not told" for row in rows(response, "FOREIGN CONFIGURATION")),
        notes=(*so_far.notes, *(note for note in _notes(answer) if note not in so_far.notes)),
    )
    volumes = {volume.target: volume for volume in controller.virtual_disks}
    for volume in _volumes(response):
        volumes[volume.target] = _merged(volumes.get(volume.target), volume)
    disks = {disk.place: disk for disk in controller.physical_disks}
    for disk in _disks(response):
        disks[disk.place] = _merged(disks.get(disk.place), disk)
    return msgspec.structs.replace(
        controller, virtual_disks=tuple(map(as_built, volumes.values())), physical_disks=tuple(disks.values())
    )


def _merged(known_values: Any, new_values: Any) -> Any:
    if known_values is None:
        return new_values
    fields = {
        field: value
        for field in new_values.__struct_fields__
        if (value := getattr(new_values, field)) not in (None, "", ())
    }
    return msgspec.structs.replace(known_values, **fields)


def _pci(text: str) -> str:
    """`00:3b:00:00`: domain, bus, device, function."""
    match = _PCI.fullmatch(text)
    return f"00{match[1]}:{match[2]}:{match[3]}.{int(match[4], 16) & 7}".lower() if match else ""


def _batteries(response: Any) -> Iterator[Battery]:
    for key in ("Cachevault_Info", "BBU_Info"):
        for row in rows(response, key):
            yield Battery(
                model=words(row, "Model"), state=words(row, "State"), temperature_c=_celsius(words(row, "Temp"))
            )


def _celsius(text: str) -> int | None:
    match = re.match(r"(\d{1,3}) ?C", text)
    return int(match[1]) if match else None


def _notes(answer: Any) -> Iterator[str]:
    """Partial failures; that a kind is absent is none."""
    if words(answer, "Command Status", "Status") == "Success":
        return
    details = [words(row, "ErrMsg") for row in rows(answer, "Command Status", "Detailed Status")]
    for text in details or [words(answer, "Command Status", "Description")]:
        if text and text != "None" and not _NONE.search(text):
            yield f"vendor program: {text}"


def _volumes(response: Any) -> Iterator[VirtualDisk]:
    for row in rows(response, "VD LIST"):
        yield _volume(row)
    for key in response if isinstance(response, dict) else ():
        if (match := _VOLUME.fullmatch(key)) is None:
            continue
        number = match[1]
        properties, disks = at(response, f"VD{number} Properties"), tuple(rows(response, f"PDs for VD {number}"))
        strip = strip_bytes(words(properties, "Strip Size"))
        for row in rows(response, key):
            yield msgspec.structs.replace(
                _volume(row),
                strip_bytes=strip,
                wwn=words(properties, "SCSI NAA Id").lower(),
                disk_cache=words(properties, "Disk Cache Policy"),
                drives=len(disks) or None,
                places=tuple(words(disk, "EID:Slt") for disk in disks),
            )


def _volume(row: Any) -> VirtualDisk:
    target = words(row, "DG/VD").rpartition("/")[2]
    state, cache = words(row, "State"), _CACHE.fullmatch(words(row, "Cache"))
    access = words(row, "Access")
    return VirtualDisk(
        target=int(target) if _NUMBER.fullmatch(target) else None,
        name=words(row, "Name"),
        level=words(row, "TYPE"),
        state=_VOLUME_STATES.get(state, "unknown" if state else ""),
        told_state=state,
        size=words(row, "Size"),
        access=_ACCESS.get(access, access),
        read_policy=_READ_POLICIES.get(cache[1] or "", "") if cache else "",
        write_policy=_WRITE[cache[2]] if cache else "",
        is_cached=cache[3] == "C" if cache and cache[3] else None,
    )


def _disks(response: Any) -> Iterator[PhysicalDisk]:
    for row in rows(response, "PD LIST"):
        yield _disk(row)
    for key in response if isinstance(response, dict) else ():
        if _DRIVE.fullmatch(key):
            details = at(response, f"{key} - Detailed Information")
            for row in rows(response, key):
                yield _detailed(_disk(row), at(details, f"{key} State"), at(details, f"{key} Device attributes"))


def _disk(row: Any) -> PhysicalDisk:
    enclosure, _, slot = words(row, "EID:Slt").partition(":")
    state = words(row, "State")
    return PhysicalDisk(
        enclosure=enclosure.strip(),
        slot=slot.strip(),
        device_id=count(row, "DID"),
        state="foreign" if words(row, "DG") == _FOREIGN else _DRIVE_STATES.get(state, "unknown" if state else ""),
        told_state=state,
        size=words(row, "Size"),
        interface=words(row, "Intf"),
        medium=words(row, "Med"),
        model=words(row, "Model"),
    )


def _detailed(disk: PhysicalDisk, state: Any, attributes: Any) -> PhysicalDisk:
    return msgspec.structs.replace(
        disk,
        serial=words(attributes, "SN"),
        wwn=words(attributes, "WWN").lower(),
        firmware=words(attributes, "Firmware Revision"),
        media_errors=count(state, "Media Error Count"),
        other_errors=count(state, "Other Error Count"),
        predictive_failures=count(state, "Predictive Failure Count"),
        smart_alert={"Yes": True, "No": False}.get(words(state, "S.M.A.R.T alert flagged by drive")),
        temperature_c=_celsius(words(state, "Drive Temperature")),
    )
