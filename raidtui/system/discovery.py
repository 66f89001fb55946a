"""This machine as a Machine, from pyudev, sysfs, /proc. Read-only; starts nothing."""

import os
import re
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from threading import get_ident
from typing import Any

import msgspec

from raidtui.core.disks.facts import is_map
from raidtui.core.disks.identity import identity_of, transport_of
from raidtui.core.disks.machine import BlockDevice, Machine, Mount, Swap, kept, signatures_of
from raidtui.core.disks.verdicts import candidate
from raidtui.core.text import clean
from raidtui.system import block, exports, health, leftovers, md, openers, signatures
from raidtui.system.buses import Buses
from raidtui.system.files import boot_lines
from raidtui.system.hardware import controllers
from raidtui.system.hardware.controllers import Node

_SYSFS = Path("/sys/class/block")
_ATTRIBUTES = (
    *("size", "ro", "removable", "hidden", "partition", "diskseq", "wwid", "serial", "queue/rotational"),
    *("queue/logical_block_size", "queue/physical_block_size", "queue/zoned", "integrity/format", "device/model"),
    *("device/vendor", "device/rev", "device/firmware_rev", "device/serial", "device/wwid", "device/subsysnqn"),
    *(
        "nsid",
        "device/state",
        "device/timeout",
        "device/access_state",
        "device/name",
        "device/type",
        "dm/name",
        "dm/uuid",
    ),
    *("loop/backing_file",),
)
_OF_NVME = "device/nvme*/transport"  # of its controller; with native multipath of several
_SCSI = ("scsi", "sas", "fc", "fcoe", "iscsi")  # who understands reservations; an odd command may hang a USB bridge
_WITH_HEALTH = ("sd", "nvme")
_PROGRAM = Path(sys.modules["raidtui"].__path__[0])


def read_machine() -> Machine:
    """Never raises for missing parts, see `not_read`."""
    missing: list[str] = []
    devices = _devices(missing)
    if os.geteuid() == 0:
        devices = _with_signatures(devices)
    else:
        missing.append("signatures")
    return _machine(devices, missing)


def read_without_opening() -> Machine:
    """By udev's signatures: opens no disk, so none is woken or waited for."""
    missing = ["signatures"]
    return _machine(_devices(missing), missing)


def with_volumes(machine: Machine) -> Machine:
    """With RAID controllers' words, for people (root). Their programs take minutes; no check needs them."""
    if not machine.root:
        return machine
    volume_words = controllers.volumes(
        Node(device.name, device.attributes.get("diskseq", ""), identity_of(device).wwn, device.properties["ID_PATH"])
        for device in machine.devices
        if candidate(device) and device.size_bytes and device.properties.get("ID_PATH")
    )
    devices = (
        msgspec.structs.replace(block_device, told={**block_device.told, "volume": volume_words[block_device.name]})
        if block_device.name in volume_words
        else block_device
        for block_device in machine.devices
    )
    return msgspec.structs.replace(machine, devices=tuple(devices))


def _devices(missing: list[str]) -> list[BlockDevice]:
    buses = Buses()
    return _on_their_files([_device(name, properties, buses) for name, properties in _enumerate()], missing)


def _machine(devices: list[BlockDevice], missing: list[str]) -> Machine:
    served = exports.read()
    missing += served.not_read
    if openers.hidden():
        missing.append("openers")
    mounts = _mounts(missing)
    return Machine(
        host=clean(os.uname().nodename),
        machine_id=machine_id(),
        kernel=clean(os.uname().release),
        root=os.geteuid() == 0,
        devices=tuple(devices),
        mounts=mounts,
        swaps=_swaps(missing),
        exports=served.exports,
        boot_lines=boot_lines.read(missing),
        program_mount=_program_mount(mounts),
        not_read=tuple(missing),
    )


def machine_id() -> str:
    return block.value("/etc/machine-id") or clean(os.uname().nodename)


@cache
def _udev(thread: int) -> Any:
    """Loaded once, as finding libudev starts `ldconfig`; one per `thread`, as libudev requires."""
    import pyudev  # 30 ms, which no other command should pay

    return pyudev.Context()


def _enumerate() -> list[tuple[str, dict[str, str]]]:
    import pyudev

    named_properties = []
    for device in _udev(get_ident()).list_devices(subsystem="block"):
        try:
            named_properties.append(
                (device.sys_name, {clean(key): clean(text) for key, text in device.properties.items()})
            )
        except (OSError, pyudev.DeviceNotFoundError):
            continue  # it went away between the listing and the look
    return sorted(named_properties)


def _device(name: str, properties: Mapping[str, str], buses: Buses) -> BlockDevice:
    # sysfs writes a name's "/" (cciss/c0d0) as "!"; pyudev undoes it
    folder = _SYSFS / name.replace("/", "!")
    attributes = {path: text for path in _ATTRIBUTES if (text := block.value(f"{folder}/{path}"))}
    attributes |= md.attributes(folder)
    if slot := _enclosure(folder):
        attributes["enclosure"] = slot
    of_transport = [folder / "device/transport", *(folder.glob(_OF_NVME) if name.startswith("nvme") else ())]
    if transports := {text for file in of_transport if (text := block.value(file))}:
        attributes["transports"] = " ".join(sorted(transports))
    is_partition = properties.get("DEVTYPE") == "partition" or "partition" in attributes
    return BlockDevice(
        name=name,
        devnum=block.value(folder / "dev"),
        kind="partition" if is_partition else properties.get("DEVTYPE", "disk"),
        parent=folder.resolve().parent.name.replace("!", "/") if is_partition else "",
        properties=kept(properties),
        attributes=attributes,
        holders=_entries(folder / "holders"),
        slaves=_entries(folder / "slaves"),
        signatures=signatures_of(properties),
        buses=() if is_partition else buses.above(properties.get("DEVPATH", "")),
    )


def _on_their_files(devices: list[BlockDevice], missing: list[str]) -> list[BlockDevice]:
    """Loop devices get the device beneath as slave; none if it is no block device."""
    by_devnum = {device.devnum: device.name for device in devices if device.devnum}
    loops_below = {loop.name: loop.devnum for loop in openers.loop_devices()}
    if not all(loops_below.values()):
        missing.append("loops")
    return [
        msgspec.structs.replace(device, slaves=(*device.slaves, by_devnum[loops_below[device.name]]))
        if loops_below.get(device.name) in by_devnum
        else device
        for device in devices
    ]


def _with_signatures(devices: list[BlockDevice]) -> list[BlockDevice]:
    """Opens only candidates and their partitions."""
    disks = {device.name for device in devices if candidate(device) and device.size_bytes}
    maps = [device for device in devices if device.name in disks and is_map(device)]
    scsi = {device.name for device in devices if device.name in disks and transport_of(device) in _SCSI}
    scsi |= {device.name for device in maps if not device.slaves or scsi.intersection(device.slaves)}
    legs = {leg for device in maps for leg in device.slaves}
    readings = signatures.read(
        [device.name for device in devices if device.name in disks or device.parent in disks],
        scsi,
        legs | {device.name for device in devices if device.parent in legs},
    )
    # now that they have been read none of them sleeps
    healths = health.ask(
        {
            device.name: device.attributes.get("diskseq", "")
            for device in devices
            if device.name in disks and device.name.startswith(_WITH_HEALTH)
        }
    )
    return [_with(device, readings.get(device.name), healths.get(device.name, {})) for device in devices]


def _with(device: BlockDevice, reading: signatures.Reading | None, told_by_smartctl: Mapping[str, str]) -> BlockDevice:
    if reading is None:
        return device
    by_blkid = reading.signatures
    if by_blkid is not None:
        # udev knows some that libblkid does not (multipath's rules); labels of udev's are no better
        kinds = {signature.kind for signature in by_blkid}
        by_blkid += tuple(
            signature
            for signature in device.signatures or ()
            if signature.kind == "mpath_member" and signature.kind not in kinds
        )
    return msgspec.structs.replace(
        device,
        signatures=by_blkid if by_blkid is not None else device.signatures,
        read=reading.signatures is not None,
        read_error=reading.read_error,
        unknown_blocks=0 if leftovers.untouched(device.name, reading.sample) else reading.unknown_blocks,
        told={**reading.answers, **told_by_smartctl},
    )


def _entries(folder: Path) -> tuple[str, ...]:
    try:
        with os.scandir(folder) as entries:
            return tuple(sorted(entry.name.replace("!", "/") for entry in entries))
    except OSError:
        return ()


def _enclosure(folder: Path) -> str:
    return next(
        (name.partition(":")[2] for name in _entries(folder / "device") if name.startswith("enclosure_device:")), ""
    )


_OCTAL = re.compile(r"\\([0-3][0-7]{2})")


def _unescape(field: bytes) -> str:
    r"""\ooo for space, tab, newline, backslash, #."""
    text = field.decode(errors="replace")
    return clean(_OCTAL.sub(lambda match: chr(int(match[1], 8)), text))


def _mounts(missing: list[str]) -> tuple[Mount, ...]:
    try:
        return mounts_of(Path("/proc/self/mountinfo").read_bytes())
    except OSError:
        missing.append("mounts")
        return ()


def mounts_of(mountinfo: bytes) -> tuple[Mount, ...]:
    """proc(5): id, parent, major:minor, root, mount point, options, optional…, "-", type, source. Split as bytes: `str`
    splits at more characters, which users may put into mount points.
    """
    mounts = []
    for line in mountinfo.split(b"\n"):
        fields_before, _, fields_after = line.partition(b" - ")
        left, right = fields_before.split(b" "), fields_after.split(b" ")
        if len(left) >= 5 and len(right) >= 2:
            devnum, mountpoint, fstype, source = map(_unescape, (left[2], left[4], right[0], right[1]))
            mounts.append(Mount(devnum=devnum, source=source, mountpoint=mountpoint, fstype=fstype))
    return tuple(mounts)


def _swaps(missing: list[str]) -> tuple[Swap, ...]:
    try:
        return swaps_of(Path("/proc/swaps").read_bytes())
    except FileNotFoundError:
        return ()  # a kernel without swap
    except OSError:
        missing.append("swaps")
        return ()


def swaps_of(swaps: bytes) -> tuple[Swap, ...]:
    """/proc/swaps: heading, then name, type, size, used, priority."""
    lines = [line.split() for line in swaps.split(b"\n")[1:]]
    return tuple(_swap(_unescape(words[0]), words[1]) for words in lines if len(words) >= 2)


def _swap(path: str, kind: bytes) -> Swap:
    try:
        number = Path(path).stat().st_rdev if kind == b"partition" else 0
    except (OSError, ValueError):
        number = 0
    return Swap(source=path, devnum=f"{os.major(number)}:{os.minor(number)}" if number else "")


def _program_mount(mounts: tuple[Mount, ...]) -> str:
    folders = {str(folder) for folder in (_PROGRAM.resolve(), *_PROGRAM.resolve().parents)}
    return max((mount.mountpoint for mount in mounts if mount.mountpoint in folders), key=len, default="")
