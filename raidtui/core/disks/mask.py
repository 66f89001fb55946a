"""A recording without real serial numbers, WWNs and host name. Equal values stay equal, different ones different, so
that doubles remain visible. Labels and UUIDs of file systems are kept.
"""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from raidtui.core.disks.machine import BlockDevice, Machine

# Where a device says who it is: keys of udev's properties, paths of sysfs.
_SERIALS = (
    "ID_SERIAL_SHORT",
    "SCSI_IDENT_SERIAL",
    "ID_SCSI_SERIAL",
    "DM_SERIAL",
    "device/serial",
    "serial",
    "device/subsysnqn",
)
_WWNS = ("ID_WWN_WITH_EXTENSION", "ID_WWN", "DM_WWN", "wwid", "device/wwid", "ID_SERIAL", "dm/uuid", "DM_UUID")
_HEX = re.compile(
    r"(?<![0-9a-zA-Z])(?:0x|eui\.|naa\.|mpath-[0-9]|[0-9](?=[0-9a-f]{16}))?([0-9a-f]{15,32})(?![0-9a-zA-Z])"
)
_WWN = re.compile(r"[0-9a-f]{15,}")
_SHORTEST = 4  # what is shorter stands in many a word by chance, and names nobody


def masked(machine: Machine) -> Machine:
    new = {old: _other_value(old, number) for number, old in enumerate(dict.fromkeys(_names(machine)), 1)}
    if len(machine.host) >= _SHORTEST:
        new.setdefault(machine.host, "host")
    if not new:
        return machine
    # the longest first: one may be a part of another
    any_name = re.compile("|".join(map(_as_word, sorted(new, key=len, reverse=True))))

    def change(value: Any) -> Any:
        if isinstance(value, str):
            return any_name.sub(lambda match: new[match[0]], value)
        if isinstance(value, dict):
            return {key: value[key] if key == "size" else change(value[key]) for key in value}
        return [change(element) for element in value] if isinstance(value, list | tuple) else value

    fields = change(msgspec.to_builtins(machine)) | {"machine_id": "", "host": "host" if machine.host else ""}
    plain_fields = {key: getattr(machine, key) for key in ("schema", "origin", "kernel", "root", "not_read")}
    return msgspec.convert(fields | msgspec.to_builtins(plain_fields), Machine)


def _as_word(old: str) -> str:
    """A WWN follows one prefix character; a serial, possibly short, is delimited."""
    return old if _WWN.fullmatch(old) else rf"(?<![0-9A-Za-z]){re.escape(old)}(?![0-9A-Za-z])"


def _names(machine: Machine) -> Iterator[str]:
    for device in machine.devices:
        yield from (name for name in _of(device) if len(name) >= _SHORTEST)


def _of(device: BlockDevice) -> Iterator[str]:
    properties = device.properties | device.attributes
    for key in _SERIALS:
        if text := properties.get(key, "").strip():
            yield text
            yield "_".join(text.split())  # as udev writes it into links
    for key in _WWNS:
        yield from _HEX.findall(properties.get(key, "").lower())
    for text in (*device.links, properties.get("ID_PATH", "")):  # the address of a port, in a path
        yield from _HEX.findall(text.lower())


def _other_value(old: str, number: int) -> str:
    """Same length and kind where possible, so that it is parsed alike."""
    if _WWN.fullmatch(old):
        return old[0] + f"{number:0{len(old) - 1}x}"
    return f"MASKED{number:0{max(2, len(old) - 6)}}"
