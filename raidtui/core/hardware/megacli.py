"""MegaCli's text (-AdpAllInfo, -AdpGetPciInfo, -AdpBbuCmd, -LdPdInfo or -LDInfo, -PDList): `key : value` lines below
headings of adapter, virtual disk, slot. Unknown lines are skipped; no adapter is an error. No WWN of virtual disks.
"""

import re
from collections.abc import Mapping

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
from raidtui.core.hardware.fields import words
from raidtui.core.text import brief

_ADAPTER = re.compile(
    r"(?:Adapter ?#?|PCI information for Controller|BBU status for Adp?a[pd]?ter ?:?) ?(\d{1,3})\b", re.I
)
_VOLUME = re.compile(r"(?:Virtual Drive|CacheCade Virtual Drive) ?: ?(\d{1,4}) \(Target Id ?: ?(\d{1,4})\)")
_LEVEL = re.compile(r"Primary-(\d), Secondary-(\d), RAID Level Qualifier-(\d)")
_VOLUME_STATES: dict[str, VolumeState] = {
    "optimal": "optimal", "degraded": "degraded", "partially degraded": "partially degraded", "offline": "offline",
    "recovery": "recovering",
}  # fmt: skip
_DRIVE_STATES: tuple[tuple[str, DriveState], ...] = (  # a state begins with it; "Online, Spun Up"
    ("unconfigured(bad)", "unconfigured, bad"),
    ("unconfigured(good)", "unconfigured"),
    ("online", "online"),
    ("offline", "offline"),
    ("hotspare", "hot spare"),
    ("rebuild", "rebuilding"),
    ("copyback", "copying back"),
    ("failed", "failed"),
    ("missing", "missing"),
    ("jbod", "passed through"),
)
_READ_POLICIES: dict[str, ReadPolicy] = {
    "readahead": "read-ahead", "readadaptive": "adaptive read-ahead", "readaheadnone": "no read-ahead",
    "readadaheadnone": "no read-ahead",
}  # fmt: skip
_WRITE_POLICIES: dict[str, WritePolicy] = {"writeback": "write-back", "writethrough": "write-through"}
_ALWAYS = "write cache ok if bad bbu"
_WWN = re.compile(r"[0-9a-f]{16}", re.I)
_MOST_LINES = 200_000
_Fields = dict[str, str]


class _Section:
    def __init__(self) -> None:
        self.fields: _Fields = {}
        self.volumes: list[tuple[_Fields, list[_Fields]]] = []
        self.disks: list[_Fields] = []


def parse(*texts: str) -> tuple[Controller, ...]:
    adapters: dict[int, _Section] = {}
    for text in texts:
        if not _read_sections(text, adapters):
            first = next((line.strip() for line in text.splitlines() if line.strip()), "nothing")
            raise ControllersError(
                f"this is no answer of MegaCli's: it names no adapter, and begins with {brief(first)}"
            )
    return tuple(_controller(number, section) for number, section in sorted(adapters.items()))


def _read_sections(text: str, adapters: dict[int, _Section]) -> bool:
    has_volumes = "(Target Id" in text  # -LdPdInfo, where disks stand below virtual disks; -PDList has none of these
    section = None
    into = {}
    for line in text.splitlines()[:_MOST_LINES]:
        if (match := _ADAPTER.match(line.strip())) is not None:
            section = adapters.setdefault(int(match[1]), _Section())
            into = section.fields
        elif section is None:
            continue
        elif (match := _VOLUME.match(line)) is not None:
            into = {"target": match[2]}
            section.volumes.append((into, []))
        elif line.startswith("Enclosure Device ID"):
            into = {}
            (section.volumes[-1][1] if has_volumes and section.volumes else section.disks).append(into)
        key, colon, value = line.partition(":")
        if colon:
            into.setdefault(key.strip().lower(), words({"value": value}, "value"))
    return section is not None


def _controller(number: int, section: _Section) -> Controller:
    about = section.fields
    disks = section.disks or [disk for _, disks in section.volumes for disk in disks]
    battery = about.get("batterytype", "")
    return Controller(
        number=number,
        program="megacli",
        model=about.get("product name", ""),
        serial=about.get("serial no", ""),
        firmware=about.get("fw package build", ""),
        pci=_pci(about),
        has_battery=True if battery else {"present": True, "absent": False}.get(about.get("bbu", "").lower()),
        batteries=(
            Battery(model=battery, state=_battery_state(about), temperature_c=_whole_number(about, "temperature")),
        )
        if battery
        else (),
        virtual_disks=tuple(as_built(_volume(fields, members)) for fields, members in section.volumes),
        physical_disks=tuple(_disk(fields) for fields in disks),
    )


def _pci(about: Mapping[str, str]) -> str:
    """Hexadecimal; domain assumed 0."""
    texts = [about.get(key, "") for key in ("bus number", "device number", "function number")]
    if not all(re.fullmatch(r"[0-9a-f]{1,2}", text, re.I) for text in texts):
        return ""
    bus, device, function = (int(text, 16) for text in texts)
    return f"0000:{bus:02x}:{device:02x}.{function & 7}"


def _battery_state(about: Mapping[str, str]) -> str:
    if about.get("battery pack missing", "").lower() == "yes":
        return "missing"
    if about.get("battery replacement required", "").lower() == "yes":
        return "to be replaced"
    return about.get("battery state", "")


def _whole_number(fields: Mapping[str, str], key: str) -> int | None:
    match = re.match(r"\d{1,12}(?!\d)", fields.get(key, ""))
    return int(match[0]) if match and fields[key].isascii() else None


def _level(fields: Mapping[str, str]) -> str:
    """RAID 1 over spans is RAID 10; else the primary level (SNIA DDF)."""
    match = _LEVEL.fullmatch(fields.get("raid level", ""))
    if match is None:
        return fields.get("raid level", "")
    spans = _whole_number(fields, "span depth") or 1
    return f"RAID{match[1]}" + ("0" if spans > 1 or match[2] == "3" else "")


def _volume(fields: Mapping[str, str], members: list[_Fields]) -> VirtualDisk:
    cache_policy = fields.get("current cache policy") or fields.get("default cache policy", "")
    policies = [policy_text.strip().lower() for policy_text in cache_policy.split(",")]
    write: WritePolicy = next((policy for policy_text in policies if (policy := _WRITE_POLICIES.get(policy_text))), "")
    read_policy: ReadPolicy = next(
        (ahead for policy_text in policies if (ahead := _READ_POLICIES.get(policy_text))), ""
    )
    state = fields.get("state", "")
    spans, drives = _whole_number(fields, "span depth") or 1, _whole_number(fields, "number of drives per span")
    return VirtualDisk(
        target=int(fields["target"]),
        name=fields.get("name", ""),
        level=_level(fields),
        state=_VOLUME_STATES.get(state.lower(), "unknown" if state else ""),
        told_state=state,
        size=fields.get("size", ""),
        strip_bytes=strip_bytes(fields.get("strip size") or fields.get("stripe size", "")),
        write_policy="write-back always" if write == "write-back" and _ALWAYS in policies else write,
        read_policy=read_policy,
        is_cached={"cached": True, "direct": False}.get(
            next((policy_text for policy_text in policies if policy_text in ("cached", "direct")), "")
        ),
        access=(fields.get("current access policy") or fields.get("access policy", "")).lower(),
        disk_cache=fields.get("disk cache policy", ""),
        drives=len(members) or (drives * spans if drives else _whole_number(fields, "number of drives")),
        places=tuple(_disk(member).place for member in members),
    )


def _disk(fields: Mapping[str, str]) -> PhysicalDisk:
    firmware_state = fields.get("firmware state", "")
    state = next(
        (state for text, state in _DRIVE_STATES if firmware_state.lower().startswith(text)),
        "unknown" if firmware_state else "",
    )
    wwn = fields.get("wwn", "")
    return PhysicalDisk(
        enclosure=fields.get("enclosure device id", ""),
        slot=fields.get("slot number", ""),
        device_id=_whole_number(fields, "device id"),
        state="foreign" if fields.get("foreign state", "").lower() == "foreign" else state,
        told_state=firmware_state,
        size=fields.get("raw size", "").partition(" [")[0],
        interface=fields.get("pd type", ""),
        medium={"Hard Disk Device": "HDD", "Solid State Device": "SSD"}.get(fields.get("media type", ""), ""),
        model=fields.get(
            "inquiry data", ""
        ),  # maker, model, serial and firmware in fields that each maker parts his way
        wwn=wwn.lower() if _WWN.fullmatch(wwn) else "",
        firmware=fields.get("device firmware level", ""),
        media_errors=_whole_number(fields, "media error count"),
        other_errors=_whole_number(fields, "other error count"),
        predictive_failures=_whole_number(fields, "predictive failure count"),
        smart_alert={"yes": True, "no": False}.get(fields.get("drive has flagged a s.m.a.r.t alert", "").lower()),
        temperature_c=_whole_number(fields, "drive temperature"),
    )
