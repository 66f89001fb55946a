"""Identity of a disk across reboots: WWN, model and serial, place, or last a kernel name, marked as such.
`unique_identities` resolves conflicts; consequences are in `rules`.

UUID notations: libblkid 8-4-4-4-12 digits, mdadm four words of 8, LVM 6-4-4-4-4-4-6.

Emulated disks by model; unknown models count as hardware. What backs them cannot be detected inside.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Literal

import msgspec

from raidtui.core.disks.machine import BlockDevice

_ESCAPED = re.compile(r"\\x([0-9a-fA-F]{2})")


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """`*_id`: an identity or ""; the first is best."""

    wwn: str
    serial: str
    model: str
    vendor: str
    firmware: str
    slot: str
    wwn_id: str
    serial_id: str
    path_id: str
    name_id: str

    @property
    def place_id(self) -> str:
        """Of a path, where the disk itself goes by another."""
        return self.path_id or self.name_id

    @property
    def ids(self) -> tuple[str, ...]:
        """Best first; the last (by name) is not persistent."""
        return tuple(
            identifier for identifier in (self.wwn_id, self.serial_id, self.path_id, self.name_id) if identifier
        )


def _first(*texts: str | None) -> str:
    return next((text for text in texts if text), "")


def _name(text: str | None) -> str:
    """A PCI number (virtio, NVMe: 0x1af4) is no vendor name."""
    return "" if not text or text.startswith("0x") else text


def _word(text: str) -> str:
    return re.sub(r"\s+", "_", text.strip())


def _decoded(text: str) -> str:
    r"""udev's ID_…_ENC with \x20 decoded and spaces collapsed: the full model."""
    plain = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    return " ".join("".join(char for char in plain if char.isprintable()).split())


def _wwn(device: BlockDevice) -> str:
    """ "" if only zeros or ones, as bridges and virtual disks leave it."""
    name = _reported_wwn(device)
    digits = re.sub(r"^(0x|eui\.|nvme\.|uuid\.)|-", "", name.lower())
    return "" if set(digits) <= {"0"} or set(digits) == {"f"} else name


def _reported_wwn(device: BlockDevice) -> str:
    properties = device.properties
    name = _first(properties.get("ID_WWN_WITH_EXTENSION"), properties.get("ID_WWN"), properties.get("DM_WWN"))
    if name:
        return name
    raw = _first(device.attributes.get("wwid"), device.attributes.get("device/wwid"))
    if raw.startswith("naa."):
        return "0x" + raw.removeprefix("naa.")
    if raw.startswith(("eui.", "nvme.", "uuid.")):
        return raw
    map_uuid = _first(device.attributes.get("dm/uuid"), properties.get("DM_UUID"))
    # multipath's own: "mpath-" and scsi_id's answer, whose first digit 3 says that a NAA number follows
    return "0x" + map_uuid.removeprefix("mpath-3") if map_uuid.startswith("mpath-3") else ""


def identity_of(device: BlockDevice) -> Identity:
    properties, attributes = device.properties, device.attributes
    # lsblk's order: for SCSI the unit's serial number is what stands on the label, ID_SERIAL_SHORT repeats the WWN
    serial = _first(
        properties.get("SCSI_IDENT_SERIAL"),
        properties.get("ID_SCSI_SERIAL"),
        properties.get("ID_SERIAL_SHORT"),
        attributes.get("device/serial"),
        attributes.get("serial"),
        properties.get("ID_SERIAL"),
        properties.get("DM_SERIAL"),
    )
    model = _first(
        _decoded(properties.get("ID_MODEL_ENC", "")),
        attributes.get("device/model"),
        properties.get("ID_MODEL", "").replace("_", " "),
        attributes.get("device/name"),
        attributes.get("dm/name"),
    )
    wwn = _wwn(device)
    place = properties.get("ID_PATH", "")
    full_serial = _first(properties.get("ID_SERIAL"), f"{model} {serial}" if serial else "")
    enclosure = attributes.get("enclosure", "")
    return Identity(
        wwn=wwn,
        serial=serial,
        model=model,
        vendor=_first(
            properties.get("ID_VENDOR", "").replace("_", " "),
            _name(attributes.get("device/vendor")),
        ),
        firmware=_first(
            properties.get("ID_REVISION"), attributes.get("device/rev"), attributes.get("device/firmware_rev")
        ),
        slot=", ".join(part for part in (f"bay {enclosure}" if enclosure else "", place) if part),
        wwn_id=f"wwn-{_word(wwn)}" if wwn else "",
        serial_id=f"serial-{_word(full_serial)}" if full_serial else "",
        path_id=f"path-{_word(place)}" if place else "",
        name_id=f"name-{device.name}",
    )


def transport_of(device: BlockDevice) -> str:
    """sata, sas, nvme, usb, virtio, mmc, or udev's bus; "" if unknown."""
    properties = device.properties
    if tran := properties.get("ID_TRAN"):
        return tran
    place = properties.get("ID_PATH", "")
    if properties.get("ID_BUS") == "usb" or "-usb-" in place:
        return "usb"
    for start, transport in (("nvme", "nvme"), ("vd", "virtio"), ("mmcblk", "mmc"), ("xvd", "xen")):
        if device.name.startswith(start):
            return transport
    if "-sas-" in place or properties.get("ID_SAS_PATH"):
        return "sas"
    if "-fc-" in place:
        return "fc"
    if "-iscsi-" in place:
        return "iscsi"
    bus = properties.get("ID_BUS", "")
    return {"ata": "sata"}.get(bus, bus)


def natural(name: str) -> tuple[object, ...]:
    """Sort key: sda … sdz, sdaa; nvme2n1 before nvme10n1."""
    tokens = re.split(r"(\d+)", name)
    parts = tuple(
        (len(number := token.lstrip("0")), number) if odd else (len(token), token)
        for odd, token in zip([False, True] * len(tokens), tokens, strict=False)
    )
    return (name[:2], *parts)


def is_weak(identity: str) -> bool:
    """Of a place or name: another disk there has it too."""
    return identity.startswith(("path-", "name-"))


class UniqueIdentity(msgspec.Struct, frozen=True):
    """`doubled`: the identity given up because another device, `double`, claims it."""

    id: str
    double: str = ""
    doubled: str = ""


def unique_identities(
    devices: Sequence[BlockDevice], identities: Mapping[str, Identity], nodes: Mapping[str, Sequence[str]]
) -> dict[str, UniqueIdentity]:
    """By device. Of several `nodes` of a disk the first has its identity."""
    by_device = {}
    first = []
    for device in devices:
        identity = identities[device.name]
        if any(other_node in first for other_node in nodes.get(device.name, ())):
            by_device[device.name] = UniqueIdentity(identity.place_id)
        else:
            by_device[device.name] = UniqueIdentity(identity.ids[0])
            first.append(device.name)
    for _ in ("WWN", "serial number", "path"):
        groups = defaultdict(list)
        for name in first:
            groups[by_device[name].id].append(name)
        for nodes_alike in (names for names in groups.values() if len(names) > 1):
            for name in nodes_alike:
                ids = identities[name].ids
                other_node = next(node for node in nodes_alike if node != name)
                worse = ids[min(ids.index(by_device[name].id) + 1, len(ids) - 1)]
                by_device[name] = UniqueIdentity(
                    worse, double=other_node, doubled=_SORTS.get(by_device[name].id.split("-", 1)[0], "identity")
                )
    return by_device


_SORTS = {"wwn": "WWN", "serial": "serial number", "path": "path"}


_OF_LVM = (0, 6, 10, 14, 18, 22, 26, 32)  # where its groups begin; it takes letters, too (lib/uuid/uuid.c)


def as_md(uuid: str) -> str:
    bare = digits(uuid)
    if not bare:
        return ""
    return ":".join(bare[start : start + 8] for start in range(0, 32, 8))


def as_lvm(uuid: str) -> str:
    bare = digits(uuid)
    return "-".join(bare[start:end] for start, end in pairwise(_OF_LVM))


def digits(uuid: str) -> str:
    return re.sub("[:-]", "", uuid).lower()


Emulator = Literal["", "QEMU", "scsi_debug", "LIO fileio"]

_BY_MODEL: dict[str, Emulator] = {
    "scsi_debug": "scsi_debug",  # drivers/scsi/scsi_debug.c: the kernel's own, in its memory
    "FILEIO": "LIO fileio",  # drivers/target/target_core_file.c: a file of this machine's or another one's
    "QEMU NVMe Ctrl": "QEMU",  # hw/nvme/ctrl.c
    "QEMU HARDDISK": "QEMU",  # hw/ide/core.c, hw/scsi/scsi-disk.c
}

# Of a disk's speed while md syncs (parity, mirrors), which has few commands in flight: here each takes a tick, 10 ms.
# Measured at 94 MB/s a disk: 36 to 43 MB/s on RAID 4, 5 and 6, 60 to 81 on RAID 1 and 10.
_SYNC_SHARES: dict[Emulator, tuple[float, float]] = {"scsi_debug": (0.42, 0.7)}
_IN_MEMORY: frozenset[Emulator] = frozenset({"scsi_debug"})  # what is on these ends with the machine


def emulator_of(model: str) -> Emulator:
    """ "" for hardware, as far as known."""
    return _BY_MODEL.get(" ".join(model.split()), "")


def are_in_memory(emulators: Iterable[Emulator]) -> bool:
    """All of them, at least one, are in memory, and vanish with the machine."""
    given = frozenset(emulators)
    return bool(given) and given <= _IN_MEMORY


def sync_share(emulators: Iterable[Emulator], *, parity: bool) -> float:
    """Speed share during resync or rebuild: 1, except for some emulated disks."""
    shares = [_SYNC_SHARES[emulator] for emulator in emulators if emulator in _SYNC_SHARES]
    return min((of_parity if parity else of_mirrors for of_parity, of_mirrors in shares), default=1.0)
