"""Device nodes of one disk: a LUN or dual-ported disk has one per path. Mounts, holders and openers are known per node,
so all must be checked. Consequences are in `rules`.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from raidtui.core.disks.identity import Identity, transport_of
from raidtui.core.disks.machine import BlockDevice

_SEVERAL_PATHS = ("sas", "fc", "iscsi")  # where a serial number alone says it; on other buses it may be doubled


def other_nodes(
    devices: Sequence[BlockDevice], identities: Mapping[str, Identity], paths: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    """Other nodes of each device's disk. `paths`: of each multipath map; inside a map a path is no node."""
    legs = {leg for legs_inside in paths.values() for leg in legs_inside}
    place = {device.name: index for index, device in enumerate(devices)}
    by_name = {device.name: device for device in devices}
    faces = {name: [by_name[leg] for leg in legs_inside if leg in by_name] for name, legs_inside in paths.items()}
    buckets: dict[tuple[object, ...], dict[str, None]] = defaultdict(dict)
    for device in devices:
        for face in (device, *faces.get(device.name, ())) if device.name not in legs else ():
            for key in _keys(face, identities[face.name]):
                buckets[key][device.name] = None
    alike = defaultdict(set)
    for key, names in buckets.items():
        for node, other_name in combinations(names, 2):
            if any(
                _differ(*pair, identities)
                for pair in _pairs(key, by_name[node], by_name[other_name], faces, identities)
            ):
                continue
            alike[node].add(other_name)
            alike[other_name].add(node)
    return {name: tuple(sorted(other_names, key=place.__getitem__)) for name, other_names in alike.items()}


def _keys(device: BlockDevice, identity: Identity) -> Iterator[tuple[object, ...]]:
    """Properties shared by nodes of one disk; one suffices unless something contradicts."""
    if identity.wwn_id:
        yield "WWN", identity.wwn_id.lower()
    if identity.serial and transport_of(device) in _SEVERAL_PATHS:
        yield "serial number", identity.model, identity.serial, device.size_bytes
    subsystem, namespace = device.attributes.get("device/subsysnqn"), device.attributes.get("nsid")
    if subsystem and namespace:
        yield "namespace", subsystem, namespace


def _pairs(
    key: tuple[object, ...],
    node: BlockDevice,
    other: BlockDevice,
    faces: Mapping[str, Sequence[BlockDevice]],
    identities: Mapping[str, Identity],
) -> Iterator[tuple[BlockDevice, BlockDevice]]:
    """Pairs to compare; for a map its paths with the key, since its own serial is written differently."""

    def paths_sharing(device: BlockDevice) -> Iterable[BlockDevice]:
        sharing = [face for face in faces.get(device.name, ()) if key in _keys(face, identities[face.name])]
        return sharing or (device,)

    for first in paths_sharing(node):
        for second in paths_sharing(other):
            yield first, second


def _differ(node: BlockDevice, second: BlockDevice, identities: Mapping[str, Identity]) -> bool:
    """Another WWN, serial or size shows two disks; a missing value shows nothing. One unit may have one serial for all
    LUNs, each with a WWN. A path may not have noticed that its LUN grew. USB disks have one path.
    """
    if transport_of(node) == transport_of(second) == "usb":
        return True
    if _names_differ(identities[node.name].wwn.lower(), identities[second.name].wwn.lower()):
        return True
    serials = {
        "_".join(identities[device.name].serial.split())
        for device in (node, second)
        if not device.name.startswith("dm-")
    }
    if len(serials) == 1 and "" not in serials and transport_of(node) in _SEVERAL_PATHS:
        return False
    sizes = {device.size_bytes for device in (node, second)}
    return len(serials - {""}) > 1 or len(sizes - {None, 0}) > 1


def _names_differ(wwn: str, other: str) -> bool:
    return bool(wwn and other) and not wwn.startswith(other) and not other.startswith(wwn)
