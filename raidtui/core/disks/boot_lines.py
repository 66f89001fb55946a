"""Devices in fstab(5), crypttab(5), What= of mount units, root=; which mounts are the system's. See `rules`."""

import re
from collections.abc import Mapping

from raidtui.core.disks.machine import BlockDevice, BootLine

# A disk that one of these is on holds the system, or what belongs to all who use it; so does all below the first ones.
_WITH_ALL_BELOW = ("/boot", "/efi", "/etc", "/usr", "/var", "/nix", "/home", "/root", "/opt")
_SYSTEM = ("/", "swap", "resume", "EFI system partition", *_WITH_ALL_BELOW)
_ESCAPED = re.compile(r"\\x([0-9a-fA-F]{2})")
_BY_LINK = re.compile(r"/dev/disk/by-(uuid|label|partuuid|partlabel)/(.+)")


def is_of_system(line: BootLine) -> bool:
    return line.place in _SYSTEM or line.place.startswith(tuple(f"{place}/" for place in _WITH_ALL_BELOW))


def meant(source: str, devices: Mapping[str, BlockDevice], paths: Mapping[str, str]) -> frozenset[str]:
    """Device names of a source: several if they share a UUID or label. `paths`: nodes and links of all devices."""
    source = source.strip("\"'")
    link = _BY_LINK.fullmatch(source)
    tag, _, value = (link[1].upper(), "", _plain(link[2])) if link else source.partition("=")
    value = value.strip("\"'")
    matching = {device.name for device in devices.values() if value and value.lower() in _values(device, tag)}
    return frozenset(matching | ({paths[source]} if source in paths else set()))


def _values(device: BlockDevice, tag: str) -> set[str]:
    properties, signatures = device.properties, device.signatures or ()
    if tag == "UUID":
        values = {*(signature.uuid for signature in signatures), properties.get("ID_FS_UUID", "")}
    elif tag == "LABEL":
        values = {*(signature.label for signature in signatures), properties.get("ID_FS_LABEL", "")}
    elif device.kind == "partition" and tag == "PARTUUID":
        values = {properties.get("ID_PART_ENTRY_UUID", "")}
    elif device.kind == "partition" and tag == "PARTLABEL":
        values = {_plain(properties.get("ID_PART_ENTRY_NAME", ""))}
    else:
        return set()
    return {text.lower() for text in values if text}


def _plain(text: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
