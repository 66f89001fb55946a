"""A Machine from what other tools print: `udevadm info --export-db`, `lsblk -J -O -b`; or from our own recording.

Told apart by content, not by name. A dump holds less than a look at the machine: what it does not hold is named in
`not_read`, and every disk of it is warned of.
"""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from raidtui.core.disks.machine import SECTOR_BYTES, BlockDevice, Machine, Mount, Signature, Swap, decode
from raidtui.core.text import brief, clean

_ACCEPTED = "give a recording (`raidtui doctor --dump`), the text of `udevadm info --export-db`, or of `lsblk -J -O -b`"
_MD_MEMBER = re.compile(r"MD_DEVICE_.+_DEV")
_PARTITION = re.compile(r"^(?P<disk>.*\d)p\d+$|^(?P<letters>[a-z]+)\d+$")


def read(dump: bytes, source: str = "the dump") -> Machine:
    """The machine in `dump`; ValueError with one sentence: the file, what is wrong, what is accepted."""
    try:
        return _read(dump)
    except ValueError as error:
        raise ValueError(f"{source}: {brief(error)}; {_ACCEPTED}") from None


def _read(dump: bytes) -> Machine:
    if not dump.strip():
        raise ValueError("it is empty")
    if not dump.lstrip().startswith(b"{"):
        return from_udevadm(dump.decode(errors="replace"))
    try:
        document = msgspec.json.decode(dump)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ValueError(f"it is not complete JSON ({error})") from None
    if "blockdevices" in document:
        return from_lsblk(document)
    if "devices" in document:
        return decode(dump)
    raise ValueError("it is JSON, but of no kind that is known here")


def from_udevadm(text: str) -> Machine:
    """The block devices of udev's database: who they are and what udev saw on them; no sizes, no mounts."""
    records = [record for record in _records(text) if record.get("SUBSYSTEM") == "block"]
    if not records:
        raise ValueError("it holds no block device of udev's database")
    names = {record.get("DEVNAME", ""): _sys_name(record) for record in records}
    return Machine(
        origin="udevadm",
        devices=tuple(_of_record(record, names) for record in sorted(records, key=_sys_name) if _sys_name(record)),
        not_read=("mounts", "swaps", "holders", "sizes", "signatures"),
    )


def _records(text: str) -> Iterator[dict[str, str]]:
    """One record a paragraph; its lines are `X: text`, of which E: is a property and S: a link."""
    for paragraph in re.split(r"\n(?:[ \t]*\n)+", text.replace("\r\n", "\n")):
        record: dict[str, str] = {}
        for line in paragraph.split("\n"):  # a label may hold what else `str` takes for the end of a line
            if line.startswith("E: "):
                key, _, value = line[3:].partition("=")
                record[clean(key)] = clean(value)
        if record:
            yield record


def _sys_name(record: dict[str, str]) -> str:
    return record.get("DEVPATH", "").rpartition("/")[2].replace("!", "/")


def _of_record(record: dict[str, str], names: dict[str, str]) -> BlockDevice:
    is_partition = record.get("DEVTYPE") == "partition"
    number = f"{record.get('MAJOR', '')}:{record.get('MINOR', '')}"
    parent = record.get("DEVPATH", "").rpartition("/")[0].rpartition("/")[2].replace("!", "/")
    members = [names.get(value, "") for key, value in record.items() if _MD_MEMBER.fullmatch(key)]
    return BlockDevice(
        name=_sys_name(record),
        devnum=number if number != ":" else "",
        kind="partition" if is_partition else "disk",
        parent=parent if is_partition else "",
        properties=record,
        slaves=tuple(sorted(name for name in members if name)),
        signatures=_signatures(
            # a partition inherits the properties of its disk, the table among them
            (None if is_partition else record.get("ID_PART_TABLE_TYPE"), None, record.get("ID_PART_TABLE_UUID")),
            (record.get("ID_FS_TYPE"), record.get("ID_FS_LABEL"), record.get("ID_FS_UUID")),
        )
        if "USEC_INITIALIZED" in record
        else None,
    )


def _signatures(*typed_labels_uuids: tuple[str | None, str | None, str | None]) -> tuple[Signature, ...]:
    return tuple(
        Signature(kind=kind, label=label or "", uuid=uuid or "") for kind, label, uuid in typed_labels_uuids if kind
    )


def from_lsblk(document: dict[str, Any]) -> Machine:
    """The tree of `lsblk -J -O -b`: sizes, mounts, what stands on what, and what udev saw on them."""
    rows: list[tuple[dict[str, Any], str]] = []
    pending = [(row, "") for row in reversed(_list(document.get("blockdevices")))]
    while pending:
        row, parent = pending.pop()
        if not isinstance(row, dict):
            raise ValueError("its `blockdevices` are not the rows that lsblk writes")
        rows.append((row, parent))
        name = _text(row, "kname") or _text(row, "name")
        pending += [(child, name) for child in reversed(_list(row.get("children")))]
    if not any(_text(row, "name") for row, _ in rows):
        raise ValueError("it holds no block device")
    if not any("size" in row and "type" in row for row, _ in rows):
        raise ValueError("its rows lack size and type (was it `lsblk -J` without -O?)")
    devices: dict[str, BlockDevice] = {}
    mounts: dict[Mount, None] = {}
    swaps: dict[Swap, None] = {}
    for row, parent in rows:
        device = _of_row(row, parent)
        above_members = devices.get(device.name)  # an array stands below each of its members
        slaves = device.slaves + (above_members.slaves if above_members else ())
        devices[device.name] = msgspec.structs.replace(device, slaves=tuple(sorted(set(slaves))))
        for mountpoint in _mountpoints(row):
            if mountpoint == "[SWAP]":
                swaps[Swap(source=device.path, devnum=device.devnum)] = None
            else:
                mounts[Mount(devnum=device.devnum, source=device.path, mountpoint=mountpoint)] = None
    keys = {key for row, _ in rows for key in row}
    missing = [] if keys & {"mountpoint", "mountpoints"} else ["mounts", "swaps"]
    return Machine(
        origin="lsblk",
        devices=tuple(sorted(devices.values(), key=lambda device: device.name)),
        mounts=tuple(mounts),
        swaps=tuple(swaps),
        not_read=(*missing, "signatures"),
    )


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(row: dict[str, Any], key: str) -> str:
    """A cell as text; true and false as sysfs writes them. Older versions of lsblk write all of them as text."""
    value = row.get(key)
    if isinstance(value, bool):
        return "1" if value else "0"
    return clean(str(value)) if isinstance(value, str | int) else ""


def _mountpoints(row: dict[str, Any]) -> list[str]:
    """`mountpoints` since 2.37, `mountpoint` before."""
    points = [clean(point) for point in _list(row.get("mountpoints")) if isinstance(point, str)]
    return points or [point for point in (_text(row, "mountpoint"),) if point]


_ATTRIBUTES = {  # sysfs' name -> lsblk's column
    "ro": "ro",
    "removable": "rm",
    "queue/rotational": "rota",
    "queue/logical_block_size": "log-sec",
    "queue/physical_block_size": "phy-sec",
    "queue/zoned": "zoned",
    "device/model": "model",
    "device/vendor": "vendor",
    "device/rev": "rev",
    "device/serial": "serial",
    "device/state": "state",
    "diskseq": "disk-seq",
}
_PROPERTIES = {  # udev's name -> lsblk's column
    "DEVNAME": "path",
    "ID_WWN_WITH_EXTENSION": "wwn",
    "ID_TRAN": "tran",
}
_DM_TYPES = {"lvm": "LVM-", "crypt": "CRYPT-", "mpath": "mpath-", "dmraid": "DMRAID-"}


def _of_row(row: dict[str, Any], parent: str) -> BlockDevice:
    name = _text(row, "kname") or _text(row, "name")
    kind = _text(row, "type")
    attributes = {own_name: text for own_name, lsblk_name in _ATTRIBUTES.items() if (text := _text(row, lsblk_name))}
    if (size := _text(row, "size")).isdigit():
        attributes["size"] = str(int(size) // SECTOR_BYTES) if len(size) < 25 else ""
    if name.startswith("dm-"):
        attributes["dm/name"] = _text(row, "name")
        attributes["dm/uuid"] = _DM_TYPES.get(kind, "")
    is_partition = kind == "part" and _is_partition(name)
    return BlockDevice(
        name=name,
        devnum=_text(row, "maj:min"),
        kind="partition" if is_partition else "disk",
        parent=(parent or _text(row, "pkname")) if is_partition else "",
        properties={own_name: text for own_name, lsblk_name in _PROPERTIES.items() if (text := _text(row, lsblk_name))},
        attributes=attributes,
        slaves=(parent,) if parent and not is_partition else (),
        signatures=_signatures(
            (None if is_partition else _text(row, "pttype"), None, _text(row, "ptuuid")),
            (_text(row, "fstype"), _text(row, "label"), _text(row, "uuid")),
        ),
    )


def _is_partition(name: str) -> bool:
    """A partition of a device-mapper map is a map itself, and stands on the other."""
    return _PARTITION.match(name) is not None
