"""A Machine from `udevadm info --export-db`, `lsblk -J -O -b` or a recording, recognised by content. Missing facts are
named in `not_read`, and every disk gets a warning.

A recording without real serial numbers, WWNs and host name. Equal values stay equal, different ones different, so
that doubles remain visible. Labels and UUIDs of file systems are kept.
"""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from raidtui.core.disks.machine import (
    SECTOR_BYTES,
    BlockDevice,
    Machine,
    Mount,
    Signature,
    Swap,
    decode,
    kept,
    signatures_of,
)
from raidtui.core.disks.verdicts import candidate
from raidtui.core.text import brief, clean, decoded

_ACCEPTED = "give a recording (`raidtui doctor --dump`), the text of `udevadm info --export-db`, or of `lsblk -J -O -b`"
_MD_MEMBER = re.compile(r"MD_DEVICE_.+_DEV")


class _Lsblk(ValueError):
    pass


def read(dump: bytes, source: str = "the dump") -> Machine:
    """ValueError with one sentence: file, error, accepted formats."""
    try:
        return _read(dump)
    except _Lsblk as error:
        raise ValueError(f"{source}: {brief(error)}; record it with `lsblk -J -O -b`") from None
    except ValueError as error:
        raise ValueError(f"{source}: {brief(error)}; {_ACCEPTED}") from None


def _read(dump: bytes) -> Machine:
    text = decoded(dump, errors="replace")
    if not text.strip():
        raise ValueError("it is empty")
    if not text.lstrip().startswith("{"):
        return from_udevadm(text)
    try:
        document = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ValueError(f"it is not complete JSON ({error})") from None
    if "blockdevices" in document:
        return from_lsblk(document)
    if "devices" in document:
        return decode(text.encode())
    raise ValueError("it is JSON, but of no kind that is known here")


def from_udevadm(text: str) -> Machine:
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
    """Paragraphs of `X: text`; E: a property, S: a link."""
    for paragraph in re.split(r"\n(?:[ \t]*\n)+", text.replace("\r\n", "\n")):
        record = {}
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
        properties=kept(record),
        slaves=tuple(sorted(name for name in members if name)),
        signatures=signatures_of(record),
    )


def from_lsblk(document: dict[str, Any]) -> Machine:
    """`lsblk -J -O -b`: sizes, mounts, stacking, signatures. Other options change the shape: -p prints paths, -d disks
    alone; with -l or -M PKNAME names only one of several parents. ValueError if ambiguous.
    """
    rows = _rows(document)
    names = {_name(row) for row, _ in rows}
    devices: dict[str, BlockDevice] = {}
    mounts: dict[Mount, None] = {}
    swaps: dict[Swap, None] = {}
    missing: dict[str, None] = {}
    for row, above in rows:
        listed_parent = _in_dev(_text(row, "pkname"))
        device = _of_row(row, above or (listed_parent if listed_parent in names else ""))
        if device.slaves and _text(row, "type") == "disk" and candidate(device):
            raise _Lsblk(f"its tree is upside down, {device.name} below {device.slaves[0]} (lsblk -s)")
        if device.slaves and not above:
            missing |= _NO_TREE
        same_above = devices.get(device.name)  # an array stands below each of its members
        slaves = device.slaves + (same_above.slaves if same_above else ())
        devices[device.name] = msgspec.structs.replace(device, slaves=tuple(sorted(set(slaves))))
        for mountpoint in _mountpoints(row):
            if mountpoint == "[SWAP]":
                swaps[Swap(source=device.path, devnum=device.devnum)] = None
            else:
                mounts[Mount(devnum=device.devnum, source=device.path, mountpoint=mountpoint)] = None
    keys = {key for row, _ in rows for key in row}
    if not any(device.slaves or device.parent for device in devices.values()):
        missing |= _NO_TREE  # as with -d
    if not (keys & {"mountpoint", "mountpoints"} and keys >= {"fstype", "uuid"}):
        missing |= dict.fromkeys(("mounts", "swaps"))  # a file system of several devices is mounted on one of them
    return Machine(
        origin="lsblk",
        devices=tuple(sorted(devices.values(), key=lambda device: device.name)),
        mounts=tuple(mounts),
        swaps=tuple(swaps),
        not_read=(*missing, "signatures"),
    )


_NO_TREE = dict.fromkeys(("mounts", "swaps", "holders"))
_WITHOUT_KNAME = re.compile(r"disk|part|loop|rom|raid\d+")  # types whose NAME is the kernel's name; a map's is not


def _rows(document: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    """(row, name of its parent or ""); ValueError without identifying columns."""
    rows: list[tuple[dict[str, Any], str]] = []
    pending = [(row, "") for row in reversed(_list(document.get("blockdevices")))]
    while pending:
        row, above = pending.pop()
        if not isinstance(row, dict):
            raise _Lsblk("its `blockdevices` are not the rows that lsblk writes")
        rows.append((row, above))
        pending += [(child, _name(row)) for child in reversed(_list(row.get("children")))]
    if not rows:
        raise _Lsblk("it holds no block device")
    if not any(_text(row, "name") for row, _ in rows):
        raise _Lsblk("column NAME is missing")
    if not all("size" in row and _text(row, "type") for row, _ in rows):
        raise _Lsblk("its rows lack size or type")
    if sizes := [size for row, _ in rows if (size := _text(row, "size")) and not (size.isascii() and size.isdigit())]:
        raise _Lsblk(f"its sizes are rounded ({brief(sizes[0], 100)}): -b is missing")
    keys = {key for row, _ in rows for key in row}
    if "kname" not in keys and not all(_WITHOUT_KNAME.fullmatch(_text(row, "type")) for row, _ in rows):
        raise _Lsblk("its rows lack the kernel's names (KNAME)")
    if "pkname" not in keys and any(_text(row, "type") != "disk" and not above for row, above in rows):
        raise _Lsblk("its rows lack a tree and the names of parents (PKNAME)")
    return rows


def _in_dev(path_or_name: str) -> str:
    return path_or_name.removeprefix("/dev/")


def _name(row: dict[str, Any]) -> str:
    return _in_dev(_text(row, "kname") or _text(row, "name"))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(row: dict[str, Any], key: str) -> str:
    """true and false as sysfs writes them; older lsblk writes text."""
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
    name = _name(row)
    kind = _text(row, "type")
    attributes = {own_name: text for own_name, lsblk_name in _ATTRIBUTES.items() if (text := _text(row, lsblk_name))}
    if size := _text(row, "size"):
        attributes["size"] = str(int(size) // SECTOR_BYTES) if len(size) < 25 else ""
    is_mapped = name.startswith("dm-")
    if is_mapped:
        attributes["dm/name"] = _in_dev(_text(row, "name")).removeprefix("mapper/")
        attributes["dm/uuid"] = _DM_TYPES.get(kind, "")
    is_partition = kind == "part" and not is_mapped  # one of a map is a map itself, and stands on the other
    signatures = [
        Signature(kind=signature, label=_text(row, label), uuid=_text(row, uuid))
        for column, label, uuid in (("pttype", "", "ptuuid"), ("fstype", "label", "uuid"))
        if (signature := _text(row, column)) and not (is_partition and column == "pttype")
    ]
    return BlockDevice(
        name=name,
        devnum=_text(row, "maj:min"),
        kind="partition" if is_partition else kind if kind != "mpath" else "disk",
        parent=parent if is_partition else "",
        properties={own_name: text for own_name, lsblk_name in _PROPERTIES.items() if (text := _text(row, lsblk_name))},
        attributes=attributes,
        slaves=(parent,) if parent and not is_partition else (),
        signatures=tuple(signatures) if "fstype" in row else None,
    )


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
