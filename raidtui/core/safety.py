"""May a disk be erased? Every whole disk of a machine with its identity and its verdict.

Rules are a table (RULES), the first that refuses wins, warnings are joined. Knows only what the machine recorded:
what was not read is a warning of its own, never silence. It opens nothing; see `raidtui.system.members`.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

import msgspec

from raidtui.core.disk import Content, Disk, Standing, Verdict
from raidtui.core.identity import Identity, identity_of, natural, transport_of
from raidtui.core.machine import BlockDevice, Machine
from raidtui.core.usage import Stack, Use, mapped_as, uses_of

Facts = dict[str, str]

# Kinds of block devices that are never a member: made of memory or files, of other disks, or not for data.
_NEVER = re.compile(
    r"(loop|ram|zram|fd|sr|scd|md|dm-|bcache|drbd|zd|mtdblock|ubiblock|pmem\d+s|nullb)\d|mmcblk\d+(boot|rpmb|gp)"
)
_SYSTEM_MOUNTS = ("/", "/boot", "/boot/efi", "/efi", "/usr", "/nix")
_HARDWARE_RAID = re.compile(
    r"\b(PERC|MEGARAID|SERVERAID|LOGICAL VOLUME|SMART ARRAY|ARECA|3WARE|ADAPTEC|AMCC|DELLBOSS)\b|\bMR\d{4}", re.I
)
_VIRTUAL_MEDIA = re.compile(r"virtual|idrac|lcdrive|peppcon|\baten\b", re.I)  # only asked of USB devices
_NOT_READ = {
    "mounts": "what is mounted",
    "swaps": "what is swapped on",
    "holders": "what is stacked on it",
    "sizes": "its size",
    "signatures": "what it holds",
}


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a rule may look at. `family` is the device and its partitions.

    `twin` is the device that is the same disk by another path; `double` one that claims the same identity
    (`doubled` says which) and is another disk.
    """

    machine: Machine
    stack: Stack
    device: BlockDevice
    family: tuple[BlockDevice, ...]
    uses: tuple[Use, ...]
    contents: tuple[Content, ...]
    identity: Identity
    id: str
    transport: str
    twin: str = ""
    double: str = ""
    doubled: str = ""


class Rule(msgspec.Struct, frozen=True):
    """`facts` gives what fills the two sentences, or None where the rule does not apply."""

    standing: Standing
    facts: Callable[[Subject], Facts | None]
    reason: str
    remedy: str


def _on(subject: Subject, device: str) -> str:
    """Where a use was found, in words, seen from the disk."""
    if any(device == one.name for one in subject.family):
        return device
    return f"{mapped_as(subject.stack.devices.get(device), device)}, which stands on it,"


def _system(subject: Subject) -> Facts | None:
    system = (*_SYSTEM_MOUNTS, subject.machine.program_mount)
    for use in subject.uses:
        if use.kind == "mounted" and use.detail in system:
            return {"on": _on(subject, use.device), "mountpoint": use.detail}
    return None


def _mounted(subject: Subject) -> Facts | None:
    found = [use for use in subject.uses if use.kind == "mounted"]
    if not found:
        return None
    points = [use.detail for use in found if use.device == found[0].device]
    return {"on": _on(subject, found[0].device), "mountpoint": " and ".join(points), "first": points[0]}


def _swapped(subject: Subject) -> Facts | None:
    for use in subject.uses:
        if use.kind == "swap":
            path = subject.stack.devices[use.device].path
            return {"on": _on(subject, use.device), "path": path}
    return None


def _leg(subject: Subject) -> Facts | None:
    for use in subject.uses:
        above = subject.stack.devices.get(use.detail) if use.kind == "stacked" else None
        if above and use.device == subject.device.name and _is_map(above):
            return {"map": mapped_as(above, above.name)}
    said = subject.device.properties
    if said.get("DM_MULTIPATH_DEVICE_PATH") == "1" or said.get("ID_FS_TYPE") == "mpath_member":
        return {"map": "a multipath map"}
    return None


# What is stacked -> how it is taken apart. {path}: the device beneath, {above}: the device above.
_UNSTACK = {
    "md": "if nothing on it is needed: mdadm --stop /dev/{above}, then mdadm --zero-superblock {path}",
    "LVM": "if nothing on it is needed: vgremove its volume group, then pvremove {path}",
    "CRYPT": "if nothing on it is needed: cryptsetup close {title}, then cryptsetup erase or wipefs --all {path}",
    "bcache": "if nothing on it is needed: stop the bcache device, then wipefs --all {path}",
    "drbd": "if nothing on it is needed: drbdadm down the resource, then wipe-md it",
}


def _stacked(subject: Subject) -> Facts | None:
    for use in subject.uses:
        if use.kind != "stacked":
            continue
        above = subject.stack.devices.get(use.detail)
        uuid = (above.attributes.get("dm/uuid") or above.properties.get("DM_UUID", "")) if above else ""
        kind = uuid.split("-", 1)[0] if use.detail.startswith("dm-") else use.detail.rstrip("0123456789_pd")
        kind = "md" if use.detail.startswith("md") else kind
        beneath = subject.stack.devices.get(use.device)
        title = (above.attributes.get("dm/name") or above.properties.get("DM_NAME", "")) if above else ""
        remedy = _UNSTACK.get(kind, "take {above} apart first, if nothing on it is needed")
        return {
            "on": use.device,
            "what": mapped_as(above, use.detail),
            "how": remedy.format(
                path=beneath.path if beneath else f"/dev/{use.device}",
                above=use.detail,
                title=title or use.detail,
            ),
        }
    return None


_CLEAR = {
    "linux_raid_member": "mdadm --zero-superblock {path}",
    "LVM2_member": "vgremove its volume group, then pvremove {path}",
    "zfs_member": "zpool destroy its pool, or zpool labelclear {path}",
    "ceph_bluestore": "ceph-volume lvm zap --destroy {path}",
    "btrfs": "wipefs --all each of its devices",
}


def _member(subject: Subject) -> Facts | None:
    for use in subject.uses:
        if use.kind != "member":
            continue
        device = subject.stack.devices.get(use.device)
        how = _CLEAR.get(use.signature, "wipefs --all {path}")
        return {
            "on": use.device,
            "what": use.detail + (f" ({use.label})" if use.label else ""),
            "how": how.format(path=device.path if device else f"/dev/{use.device}"),
        }
    return None


def _when(condition: Callable[[Subject], bool]) -> Callable[[Subject], Facts | None]:
    return lambda subject: {} if condition(subject) else None


def _attribute(path: str, *values: str) -> Callable[[Subject], Facts | None]:
    return _when(lambda subject: subject.device.attributes.get(path, "").lower() in values)


def _sector(subject: Subject) -> Facts | None:
    text = subject.device.attributes.get("queue/logical_block_size", "512")
    return None if text in ("512", "4096") else {"sector": text or "no"}


def _state(subject: Subject) -> Facts | None:
    state = subject.device.attributes.get("device/state", "")
    return {"state": state} if state and state not in ("running", "live") else None


def _read_error(subject: Subject) -> Facts | None:
    broken = next((one for one in subject.family if one.read_error), None)
    return {"error": broken.read_error} if broken else None


def _unchecked(subject: Subject) -> Facts | None:
    missing = [words for key, words in _NOT_READ.items() if key in subject.machine.not_read]
    missing += [text for text in subject.machine.not_read if text not in _NOT_READ]
    if not all(one.read for one in subject.family) and _NOT_READ["signatures"] not in missing:
        missing.append(_NOT_READ["signatures"])
    if not missing:
        return None
    live = subject.machine.origin == "live"
    how = "run raidtui as root" if live and not subject.machine.root else "look again on the machine itself, as root"
    return {"missing": ", ".join(missing), "how": how}


def _contents(subject: Subject) -> Facts | None:
    known = [content for content in subject.contents if content.kind != "unknown data"]
    if not known:
        return None
    words = [
        content.kind
        + (f" on {content.device}" if content.device != subject.device.name else "")
        + (f" ({content.label})" if content.label else "")
        for content in known
    ]
    return {"contents": ", ".join(words)}


def _unknown_data(subject: Subject) -> Facts | None:
    return {} if any(content.kind == "unknown data" for content in subject.contents) else None


def _integrity(subject: Subject) -> Facts | None:
    format_ = subject.device.attributes.get("integrity/format", "")
    return {"format": format_} if format_ and format_ not in ("none", "nop") else None


def _about(subject: Subject) -> str:
    return f"{subject.identity.vendor} {subject.identity.model}"


REFUSE, WARN = Standing.REFUSE, Standing.WARN
_ERASED = "nothing, if it may be lost; else save it first"
RULES: tuple[Rule, ...] = (
    Rule(
        REFUSE,
        _system,
        "{on} is mounted at {mountpoint}: this disk holds the running system",
        "none: a disk that the system or raidtui runs from is never erased; choose another one",
    ),
    Rule(
        REFUSE,
        _mounted,
        "{on} is mounted at {mountpoint}",
        "if nothing on it is needed: umount {first}, take it out of /etc/fstab, and look again",
    ),
    Rule(
        REFUSE,
        _swapped,
        "{on} is swapped on",
        "swapoff {path}, take it out of /etc/fstab, and look again",
    ),
    Rule(REFUSE, _leg, "it is one path of {map}", "choose the multipath map itself, not its paths"),
    Rule(REFUSE, _stacked, "{on} is part of {what}", "{how}"),
    Rule(
        REFUSE,
        _member,
        "{on} is a member of {what}, which may not be running but is not given up",
        "if nothing on it is needed: {how}",
    ),
    Rule(
        REFUSE,
        lambda subject: {"twin": subject.twin} if subject.twin else None,
        "it is the same disk as {twin}, seen by a second path",
        "choose {twin}, or set up multipath and choose the map",
    ),
    Rule(
        REFUSE,
        lambda subject: (
            {"double": subject.double} if subject.double and subject.id == subject.identity.name_id else None
        ),
        "nothing tells it apart from {double}: same identity, and no path of its own",
        "connect one of the two to another port or controller",
    ),
    Rule(
        REFUSE,
        _when(lambda subject: subject.transport == "usb" and _VIRTUAL_MEDIA.search(_about(subject)) is not None),
        "it is virtual media of the server's management controller, not a disk",
        "choose another one; detach it in the controller's web page",
    ),
    Rule(
        REFUSE,
        _when(lambda subject: subject.device.size_bytes == 0),
        "it has no size: no medium is inserted, or its sectors (520 bytes?) are none that Linux can use",
        "insert a medium; sectors of 520 bytes are changed with sg_format --format --size=512",
    ),
    Rule(
        REFUSE,
        _attribute("ro", "1"),
        "it is read-only",
        "look for a write-protect switch, or blockdev --setrw if someone set it so",
    ),
    Rule(
        REFUSE,
        _attribute("queue/zoned", "host-managed"),
        "it is a host-managed zoned disk, which md cannot write to",
        "choose a disk without zones",
    ),
    Rule(
        REFUSE,
        _sector,
        "its logical sectors of {sector} bytes are none that md can use",
        "format it to sectors of 512 or 4096 bytes (sg_format, nvme format)",
    ),
    Rule(
        REFUSE,
        _state,
        "the kernel has set it {state}",
        "look at its cable and at dmesg; then rescan or exchange it",
    ),
    Rule(
        REFUSE,
        _read_error,
        "it cannot be read: {error}",
        "look at dmesg: a failing disk, a locked one (Opal) or one reserved by another host reads so",
    ),
    Rule(WARN, _unchecked, "not checked: {missing}", "{how}"),
    Rule(WARN, _contents, "holds {contents}; it will be erased", _ERASED),
    Rule(
        WARN,
        _unknown_data,
        "holds data without a known signature; it will be erased",
        _ERASED,
    ),
    Rule(
        WARN,
        lambda subject: (
            {"double": subject.double, "doubled": subject.doubled, "id": subject.id} if subject.double else None
        ),
        "its {doubled} is also that of {double}; told apart by {id}",
        "do not exchange their cables before the run is over",
    ),
    Rule(
        WARN,
        _when(lambda subject: subject.id == subject.identity.name_id and not subject.double),
        "it has no WWN, no serial number and no path; only its name {name} tells it apart",
        "do not reboot before the run is over",
    ),
    Rule(
        WARN,
        _when(lambda subject: subject.transport == "usb"),
        "it is connected by USB: slow, shared, and it may vanish",
        "connect it to SATA or SAS for a server's array",
    ),
    Rule(
        WARN,
        _when(lambda subject: subject.transport != "usb" and subject.device.attributes.get("removable") == "1"),
        "it is a removable medium",
        "make sure that it stays in place",
    ),
    Rule(
        WARN,
        _when(lambda subject: _HARDWARE_RAID.search(_about(subject)) is not None),
        "it is a volume of a hardware RAID controller ({model}), not a single disk",
        "pass the disks through (HBA or JBOD mode) to measure the disks themselves",
    ),
    Rule(
        WARN,
        _attribute("queue/zoned", "host-aware"),
        "it is a shingled disk (SMR): writes and rebuilds may slow down beyond use",
        "choose a disk with conventional recording (CMR)",
    ),
    Rule(
        WARN,
        _integrity,
        "it is formatted with protection information ({format})",
        "mix no such disk with others; sg_format or nvme format takes it away",
    ),
    Rule(
        WARN,
        _when(lambda subject: re.match(r"(nbd|rbd|vxhs)\d", subject.device.name) is not None),
        "it is a disk of the network",
        "make sure that no other machine uses it",
    ),
)


def _is_map(device: BlockDevice) -> bool:
    uuid = device.attributes.get("dm/uuid") or device.properties.get("DM_UUID", "")
    return device.name.startswith("dm-") and uuid.startswith("mpath-")


def candidate(device: BlockDevice) -> bool:
    """Is this a whole disk that is worth a row? Multipath maps are; their hidden paths and memory disks are not."""
    if device.kind == "partition" or device.attributes.get("hidden") == "1":
        return False
    if device.name.startswith("nbd") and not device.size_bytes:
        return False  # an unconnected network disk: the kernel keeps sixteen of them at hand
    return _is_map(device) or _NEVER.match(device.name) is None


def judge(subject: Subject) -> Verdict:
    """The first refusal, else all warnings together, else ok."""
    warnings: list[tuple[str, str]] = []
    for rule in RULES:
        facts = rule.facts(subject)
        if facts is None:
            continue
        facts = {"name": subject.device.name, "model": subject.identity.model, **facts}
        said = rule.reason.format(**facts), rule.remedy.format(**facts)
        if rule.standing is Standing.REFUSE:
            return Verdict(Standing.REFUSE, *said)
        warnings.append(said)
    if not warnings:
        return Verdict(Standing.OK)
    return Verdict(
        Standing.WARN,
        "; ".join(reason for reason, _ in warnings),
        "; ".join(dict.fromkeys(remedy for _, remedy in warnings)),
    )


def _contents_of(family: Iterable[BlockDevice]) -> tuple[Content, ...]:
    contents = []
    for device in family:
        for signature in device.signatures or ():
            label = signature.label or ("" if signature.kind in _TABLES else signature.uuid[:_UUID_SHOWN])
            contents.append(Content(device.name, signature.kind, label))
        if device.unknown_blocks:
            contents.append(Content(device.name, "unknown data"))
        elif device.kind == "partition" and not device.signatures:
            contents.append(Content(device.name, "partition"))
    return tuple(dict.fromkeys(contents))


_UUID_SHOWN = 8  # enough to recognise it by, short enough for a line
_TABLES = frozenset({"gpt", "dos", "mac", "bsd", "sun", "sgi", "dvh", "minix-pt", "PMBR"})


class _Claim(msgspec.Struct, frozen=True):
    """An identity that a device may have, and what it had to give up for it."""

    id: str
    twin: str = ""
    double: str = ""
    doubled: str = ""


def _claims(devices: Sequence[BlockDevice], identities: dict[str, Identity]) -> dict[str, _Claim]:
    """Device -> its identity, unique. Equal WWNs of equal disks are one disk; other doubles are not trusted."""
    claims = {device.name: _Claim(identities[device.name].ids[0]) for device in devices}
    by_name = {device.name: device for device in devices}
    for label in ("WWN", "serial number", "path"):
        groups: dict[str, list[str]] = defaultdict(list)
        for name, claim in claims.items():
            if not claim.twin:
                groups[claim.id].append(name)
        for same in (names for names in groups.values() if len(names) > 1):
            if label == "WWN" and _one_disk([by_name[name] for name in same], identities):
                for name in same[1:]:
                    claims[name] = _Claim(claims[name].id, twin=same[0])
                continue
            for name in same:
                ids = identities[name].ids
                other = next(one for one in same if one != name)
                worse = ids[min(ids.index(claims[name].id) + 1, len(ids) - 1)]
                what = _SORTS.get(claims[name].id.split("-", 1)[0], "identity")
                claims[name] = _Claim(worse, double=other, doubled=what)
    return claims


_SORTS = {"wwn": "WWN", "serial": "serial number", "path": "path"}


def _one_disk(devices: Sequence[BlockDevice], identities: dict[str, Identity]) -> bool:
    """Same WWN, and nothing that speaks against it: multipath without its map."""
    serials = {identities[device.name].serial for device in devices} - {""}
    return (
        all(identities[device.name].wwn_id for device in devices)
        and len(serials) <= 1
        and len({device.size_bytes for device in devices}) == 1
    )


def disks_of(machine: Machine) -> tuple[Disk, ...]:
    """The whole disks of a machine, sorted by name, each with identity and verdict. Any Machine is accepted."""
    stack = Stack(machine)
    devices = sorted(
        {device.name: device for device in machine.devices if candidate(device)}.values(),
        key=lambda device: natural(device.name),
    )
    identities = {device.name: identity_of(device) for device in devices}
    legs = {name for device in devices if _is_map(device) for name in (*device.slaves, *_beneath(stack, device.name))}
    claims = _claims([device for device in devices if device.name not in legs], identities)
    return tuple(
        _disk(
            machine,
            stack,
            device,
            identities[device.name],
            claims.get(device.name) or _Claim(identities[device.name].ids[0]),
        )
        for device in devices
    )


def _beneath(stack: Stack, name: str) -> list[str]:
    return [device.name for device in stack.devices.values() if name in device.holders]


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else otherwise


def _disk(machine: Machine, stack: Stack, device: BlockDevice, identity: Identity, claim: _Claim) -> Disk:
    family = tuple(stack.devices[name] for name in stack.family(device.name) if name in stack.devices)
    contents = _contents_of(family)
    transport = transport_of(device)
    subject = Subject(
        machine=machine,
        stack=stack,
        device=device,
        family=family,
        uses=uses_of(stack, device.name),
        contents=contents,
        identity=identity,
        id=claim.id,
        transport=transport,
        twin=claim.twin,
        double=claim.double,
        doubled=claim.doubled,
    )
    attributes = device.attributes
    return Disk(
        name=device.name,
        path=device.path,
        id=claim.id,
        size_bytes=device.size_bytes or 0,
        verdict=judge(subject),
        wwn=identity.wwn,
        serial=identity.serial,
        model=identity.model,
        vendor=identity.vendor,
        firmware=identity.firmware,
        slot=identity.slot,
        links=tuple(link for link in device.links if link.startswith("/dev/disk/by-id/")),
        rotational={"1": True, "0": False}.get(attributes.get("queue/rotational", "")),
        transport=transport,
        logical_sector_bytes=_number(attributes.get("queue/logical_block_size"), 512),
        physical_sector_bytes=_number(attributes.get("queue/physical_block_size"), 512),
        diskseq=_number(attributes.get("diskseq"), 0) or None,
        contents=contents,
        partitions=tuple(one.name for one in family[1:]),
        checked=all(one.read for one in family),
    )
