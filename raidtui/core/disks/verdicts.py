"""Disks with `identity`, `usage` and verdict of `rules`. Opens nothing: see `raidtui.system.claims`."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from raidtui.core.disks.disk import Content, Disk
from raidtui.core.disks.drive import erc_of, unchecked
from raidtui.core.disks.facts import Subject, is_map, run_at
from raidtui.core.disks.identity import Identity, UniqueIdentity, identity_of, natural, transport_of, unique_identities
from raidtui.core.disks.machine import BlockDevice, Machine
from raidtui.core.disks.nodes import other_nodes
from raidtui.core.disks.rules import judge
from raidtui.core.disks.usage import Stack, Use, uses_of
from raidtui.core.units import both

# Kinds of block devices that are never a member: made of memory or files, of other disks, or not for data.
_NEVER = re.compile(
    r"(loop|ram|zram|fd|sr|scd|md|dm-|bcache|drbd|zd|mtdblock|ubiblock|pmem\d+s|nullb)\d|md_"
    r"|mmcblk\d+(boot|rpmb|gp)|nvme\d+c\d+n"
)


def candidate(device: BlockDevice) -> bool:
    """Worth a row: multipath maps are; their paths and memory disks are not."""
    if device.kind != "disk" or device.attributes.get("hidden") == "1":
        return False
    if device.name.startswith("nbd") and not device.size_bytes:
        return False  # an unconnected network disk: the kernel keeps sixteen of them at hand
    return is_map(device) or _NEVER.match(device.name) is None


def _contents_of(family: Iterable[BlockDevice]) -> tuple[Content, ...]:
    contents = []
    for device in family:
        for signature in device.signatures or ():
            label = signature.label or ("" if signature.kind in TABLES else signature.uuid[:_UUID_SHOWN])
            uuid = "" if signature.kind in TABLES else signature.uuid
            contents.append(Content(device.name, signature.kind, label, uuid))
        if device.unknown_blocks:
            contents.append(Content(device.name, "unknown data"))
        elif device.kind == "partition" and not device.signatures:
            contents.append(Content(device.name, "partition"))
    return tuple(dict.fromkeys(contents))


_UUID_SHOWN = 8  # enough to recognise it by, short enough for a line
TABLES = frozenset({"gpt", "dos", "mac", "bsd", "sun", "sgi", "dvh", "minix-pt", "PMBR"})


def disks_of(machine: Machine, own_tables: Collection[str] = ()) -> tuple[Disk, ...]:
    """Sorted by name. `own_tables`: UUID digits of the caller's tables; partition types there refuse nothing."""
    stack = Stack(machine, own_tables)
    devices = sorted(
        {device.name: device for device in machine.devices if candidate(device)}.values(),
        key=lambda device: natural(device.name),
    )
    identities = {device.name: identity_of(device) for device in devices}
    paths = {device.name: (*device.slaves, *_beneath(stack, device.name)) for device in devices if is_map(device)}
    legs = {leg for legs_inside in paths.values() for leg in legs_inside}
    nodes = other_nodes(devices, identities, paths)
    # the map before its paths, and the node that a plan may have been made for before one that came after it
    by_age = sorted(devices, key=lambda device: (not is_map(device), _number(device.attributes.get("diskseq"), 0)))
    claims = _claims(machine)
    claimed = unique_identities([device for device in by_age if device.name not in legs], identities, nodes)
    return tuple(
        _disk(
            machine,
            stack,
            device,
            identities[device.name],
            claimed.get(device.name) or UniqueIdentity(identities[device.name].place_id),
            nodes.get(device.name, ()),
            paths.get(device.name, ()),
            claims,
        )
        for device in devices
    )


def _beneath(stack: Stack, name: str) -> list[str]:
    return [device.name for device in stack.devices.values() if name in device.holders]


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else otherwise


def _uses(stack: Stack, name: str, nodes: Sequence[str], legs: Sequence[str], *, mapped: bool) -> tuple[Use, ...]:
    """By all nodes, its own first; paths in a map are no use of it."""
    own_uses = uses_of(stack, name)
    reach = frozenset(stack.reach(name))
    other_uses = (use for node in (*nodes, *legs) for use in uses_of(stack, node) if use.device not in reach)
    uses_of_others = [
        use for use in other_uses if use.detail not in reach and not (mapped and use.signature == "mpath_member")
    ]
    return tuple(dict.fromkeys((*own_uses, *uses_of_others)))


def _unmapped(stack: Stack, nodes: Sequence[str], legs: Sequence[str]) -> Iterator[BlockDevice]:
    """Partitions of a map as a path shows them (its contents even without maps of their own), each once."""
    seen = set()
    for path in (*legs, *nodes):
        for name in stack.partitions.get(path, ()):
            partition = stack.devices[name]
            mark = name.removeprefix(path).removeprefix("p"), partition.signatures, partition.unknown_blocks
            if mark not in seen:
                seen.add(mark)
                yield partition


def _disk(
    machine: Machine,
    stack: Stack,
    device: BlockDevice,
    identity: Identity,
    claim: UniqueIdentity,
    nodes: Sequence[str],
    legs: Sequence[str],
    claims: Mapping[str, Sequence[str]],
) -> Disk:
    family = tuple(stack.devices[name] for name in stack.family(device.name) if name in stack.devices)
    contents = _contents_of((*family, *_unmapped(stack, nodes, legs))) if is_map(device) else _contents_of(family)
    transport = transport_of(device)
    subject = Subject(
        machine=machine,
        stack=stack,
        device=device,
        family=family,
        uses=_uses(stack, device.name, nodes, legs, mapped=is_map(device)),
        contents=contents,
        identity=identity,
        id=claim.id,
        transport=transport,
        nodes=tuple(stack.devices[name] for name in nodes),
        legs=tuple(legs),
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
        links=_own_links(claims, device, legs),
        rotational={"1": True, "0": False}.get(attributes.get("queue/rotational", "")),
        buses=device.buses,
        transport=transport,
        logical_sector_bytes=_number(attributes.get("queue/logical_block_size"), 512),
        physical_sector_bytes=_number(attributes.get("queue/physical_block_size"), 512),
        diskseq=_number(attributes.get("diskseq"), 0) or None,
        contents=contents,
        nodes=tuple(stack.devices[name].path for name in nodes),
        partitions=tuple(block_device.name for block_device in family[1:]),
        volume=device.told.get("volume", ""),
        run=run_at(machine, claim.id),
        erc=erc_of(device),
        checked=not unchecked(subject),
    )


def _claims(machine: Machine) -> Mapping[str, Sequence[str]]:
    """Link -> devices that claim it; twice if claimed twice."""
    claims: dict[str, list[str]] = {}
    for device in machine.devices:
        for link in device.links:
            claims.setdefault(link, []).append(device.name)
    return claims


def _own_links(claims: Mapping[str, Sequence[str]], device: BlockDevice, legs: Sequence[str]) -> tuple[str, ...]:
    """Without links that another device claims too: udev lets them point to either."""
    by_id = (link for link in device.links if link.startswith("/dev/disk/by-id/"))
    return tuple(link for link in by_id if sum(name not in legs for name in claims[link]) == 1)


_SIZES_APART = 0.01


def warnings_of(disks: Sequence[Disk]) -> tuple[str, ...]:
    """One sentence per warning about these disks as one array."""
    if len(disks) < 2:
        return ()
    return tuple(warning for warning in (_sizes(disks), _sectors(disks), _media(disks), _one_device(disks)) if warning)


def _sizes(disks: Sequence[Disk]) -> str:
    small, large = min(disks, key=lambda disk: disk.size_bytes), max(disks, key=lambda disk: disk.size_bytes)
    if large.size_bytes - small.size_bytes <= large.size_bytes * _SIZES_APART:
        return ""
    return f"sizes differ: {small.name} has {both(small.size_bytes)}, {large.name} {both(large.size_bytes)}"


def _sectors(disks: Sequence[Disk]) -> str:
    """The array takes its members' largest logical sector: a 512-byte file system cannot move there later."""
    logical = sorted({disk.logical_sector_bytes for disk in disks})
    if len(logical) > 1:
        return f"sectors differ: disks of {' and '.join(map(str, logical))} bytes; the array will have {logical[-1]}"
    physical = sorted({disk.physical_sector_bytes for disk in disks})
    if len(physical) > 1:
        sizes = " and ".join(map(str, physical))
        return f"physical sectors differ: {sizes} bytes; smaller writes are slow on the larger"
    return ""


def _media(disks: Sequence[Disk]) -> str:
    turning = [disk.name for disk in disks if disk.rotational]
    flash = [disk.name for disk in disks if disk.rotational is False]
    if not turning or not flash:
        return ""
    return (
        f"media differ: {', '.join(turning)} rotate, {', '.join(flash)} are flash; the array is as slow as the slowest"
    )


def _one_device(disks: Sequence[Disk]) -> str:
    """Namespaces of one NVMe device, LUNs of one drive: fail together."""
    by_serial: dict[tuple[str, str], list[str]] = {}
    for disk in disks:
        if disk.serial and disk.transport != "usb":  # USB bridges give one serial to all their disks
            by_serial.setdefault((disk.model, disk.serial), []).append(disk.name)
    shared = next((names for names in by_serial.values() if len(names) > 1), [])
    return f"{' and '.join(shared)} have one serial number: parts of one device fail together" if shared else ""
