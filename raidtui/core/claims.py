"""Which identity each disk gets, when several claim the same: one disk by two paths, or two that say one name.

Equal WWNs of equal disks are one disk. Any other double is not trusted: both take their next best identity.
"""

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from raidtui.core.identity import Identity, transport_of
from raidtui.core.machine import BlockDevice


class Claim(msgspec.Struct, frozen=True):
    """An identity that a device may have, and what it had to give up for it."""

    id: str
    twin: str = ""
    double: str = ""
    doubled: str = ""


def claims(devices: Sequence[BlockDevice], identities: dict[str, Identity]) -> dict[str, Claim]:
    """Device -> its identity, unique. Paths of one disk are that disk; other doubles are not trusted."""
    given = {device.name: Claim(identities[device.name].ids[0]) for device in devices}
    by_name = {device.name: device for device in devices}
    paths: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for device in devices:
        if same_disk := _surely(device, identities[device.name]):
            paths[same_disk].append(device.name)
    for first, *others in paths.values():
        for name in others:
            given[name] = Claim(identities[name].place_id, twin=first)
    for label in ("WWN", "serial number", "path"):
        groups: dict[str, list[str]] = defaultdict(list)
        for name, claim in given.items():
            if not claim.twin:
                groups[claim.id].append(name)
        for same in (names for names in groups.values() if len(names) > 1):
            if label == "WWN" and _one_disk([by_name[name] for name in same], identities):
                for name in same[1:]:
                    given[name] = Claim(identities[name].place_id, twin=same[0])
                continue
            for name in same:
                ids = identities[name].ids
                other = next(one for one in same if one != name)
                worse = ids[min(ids.index(given[name].id) + 1, len(ids) - 1)]
                what = _SORTS.get(given[name].id.split("-", 1)[0], "identity")
                given[name] = Claim(worse, double=other, doubled=what)
    return given


_SEVERAL_PATHS = ("sas", "fc", "iscsi")
_SORTS = {"wwn": "WWN", "serial": "serial number", "path": "path"}


def _surely(device: BlockDevice, identity: Identity) -> tuple[object, ...]:
    """Equal for two paths of one disk, also beside a third that only claims their WWN. Empty where that is not sure.

    Without a WWN the serial number says it where a disk can have several paths; on other buses it may be doubled.
    """
    if identity.serial and (identity.wwn_id or transport_of(device) in _SEVERAL_PATHS):
        return identity.wwn_id, identity.model, identity.serial, device.size_bytes
    return ()


def _one_disk(devices: Sequence[BlockDevice], identities: dict[str, Identity]) -> bool:
    """Same WWN, and nothing that speaks against it: multipath without its map."""
    serials = {identities[device.name].serial for device in devices} - {""}
    return (
        all(identities[device.name].wwn_id for device in devices)
        and len(serials) <= 1
        and len({device.size_bytes for device in devices}) == 1
    )
