"""Devices that the kernel serves to other machines and guests, or writes to for a cluster, from configfs and sysfs. No
process has them open, and not all are claimed:

- LIO fileio, nvmet namespaces and passthru controllers: no claim, no opener, no holder; seen only here.

- LIO iblock, pscsi: claimed; listed for the reason's name. LIO user (tcmu): its program is an opener (`openers`).
rd_mcp is memory.

- vhost-scsi, tcm_loop: LIO backstores. vhost-user, vhost-vdpa, nbd-server, qemu-nbd, qemu: programs, so openers.
"""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from raidtui.core.disks.machine import Export, ExportKind, sysfs_name
from raidtui.core.text import clean
from raidtui.system import block

_SERVERS = {  # configfs' folder -> the module that makes it, or that serves by it
    "target": "target_core_mod",
    "nvmet": "nvmet",
    "usb_gadget": "usb_f_mass_storage",
    "cluster": "ocfs2_nodemanager",
}
_SERVED_BY_NO_DEVICE = frozenset({"rd_mcp", "rd_dr", "user"})
_UNSET = frozenset({"", "(null)"})  # as nvmet prints a path that nobody gave
# drivers/target: fd_show_configfs_dev_params, iblock_…, pscsi_…
_FILE = re.compile(r"File: (.+)  Size: \d+  Mode: ", re.S)
_NUMBER = re.compile(r"Major: (\d+) Minor: (\d+)")
_PLACE = re.compile(r"Channel ID: (\d+) Target ID: (\d+) LUN: (\d+) Host ID: (\d+|PHBA)")


class Exports(msgspec.Struct, frozen=True):
    """`not_read`: as in Machine.not_read."""

    exports: tuple[Export, ...] = ()
    not_read: tuple[str, ...] = ()


def read(sys: Path = Path("/sys")) -> Exports:
    """Everything configured, running or not: it may start at any moment."""
    config = sys / "kernel/config"
    unmounted = [
        folder
        for folder, module in _SERVERS.items()
        if not (config / folder).is_dir() and (sys / "module" / module).is_dir()
    ]
    missing = dict.fromkeys(["exports"] if unmounted else [])
    exported: dict[Export, None] = {}
    for kind, where, pattern, devnums_of in _PLACES:
        root = sys / where
        for folder in sorted(file.parent for file in root.glob(pattern)):
            name = clean(str(folder.relative_to(root)))
            devnums = devnums_of(folder, sys)
            if devnums is None:
                missing[f"which disk the {kind} {name} serves"] = None
            exported |= {Export(kind=kind, name=name, devnum=devnum): None for devnum in sorted(devnums or ())}
    return Exports(tuple(exported), tuple(missing))


def _backstore(folder: Path, sys: Path) -> set[str] | None:
    kind, _, number = folder.parent.name.rpartition("_")
    own_devices = _READERS[kind](_text(folder / "info"), number, sys) if kind in _READERS else set()
    path = _text(folder / "udev_path")  # what an administrator's tool noted; iblock and pscsi open it
    devnums = (own_devices or set()) | ({block.devnum_of(path)} - {""})
    silent = own_devices is None or (kind not in _READERS and not devnums)
    if silent and kind not in _SERVED_BY_NO_DEVICE and _text(folder / "enable") != "0":
        return None
    return devnums


def _of_file(info_text: str, _: str, __: Path) -> set[str] | None:
    file_field = _FILE.search(info_text)
    devnum = block.devnum_of(file_field[1]) if file_field else ""
    return {devnum} if devnum else None


def _of_number(info_text: str, _: str, __: Path) -> set[str] | None:
    number_field = _NUMBER.search(info_text)
    return {f"{number_field[1]}:{number_field[2]}"} if number_field and number_field[1] != "0" else None


def _of_place(info_text: str, hba: str, sys: Path) -> set[str] | None:
    """pscsi: address on the bus; with PHBA (whole host) the backstore's number is the host's."""
    place_field = _PLACE.search(info_text)
    if place_field is None:
        return None
    channel, target, lun, host = place_field.groups()
    device = sys / f"class/scsi_device/{hba if host == 'PHBA' else host}:{channel}:{target}:{lun}/device"
    # no block device: a tape, a changer
    return {block.text(file) for file in device.glob("block/*/dev")} if device.is_dir() else None


_READERS: dict[str, Callable[[str, str, Path], set[str] | None]] = {
    "fileio": _of_file,
    "iblock": _of_number,
    "pscsi": _of_place,
}


def _namespace(folder: Path, _: Path) -> set[str] | None:
    path = _text(folder / "device_path")
    return _unless_off(folder, set() if path in _UNSET else {block.devnum_of(path)} - {""})


def _controller(folder: Path, sys: Path) -> set[str] | None:
    """Passthru: all namespaces of /dev/nvme0."""
    path = _text(folder / "device_path")
    controller = sys / "class/nvme" / Path(path).name if path not in _UNSET else None
    return _unless_off(folder, set(_namespaces(controller)) if controller else set())


def _namespaces(controller: Path) -> Iterator[str]:
    """With multipath the controller has paths (nvme0c1n2), disks (nvme0n2) are beside."""
    for folder in controller.glob("nvme*n*"):
        block_devices = controller.parents[1] / "block"
        yield from {block.text(block_devices / name / "dev") for name in (folder.name, _head(folder.name))} - {""}


def _head(name: str) -> str:
    return re.sub(r"c\d+(?=n\d+$)", "", name)


def _of_guest(folder: Path, _: Path) -> set[str] | None:
    r"""drivers/block/xen-blkback/xenbus.c: VBD_SHOW(physical_device, "%x:%x\n", …)."""
    device_number = re.fullmatch(r"([0-9a-f]+):([0-9a-f]+)", _text(folder / "physical_device"))
    return {f"{int(device_number[1], 16)}:{int(device_number[2], 16)}"} if device_number else None


def _of_link(folder: Path, _: Path) -> set[str] | None:
    """Documentation/ABI/testing/sysfs-class-rnbd-server: block_dev links to the device's folder."""
    devnum = block.text(folder / "block_dev/dev")
    return {devnum} if devnum else None


def _of_path(name: str) -> Callable[[Path, Path], set[str] | None]:
    """A file with a path, "" if unused. drivers/usb/gadget/function/storage_common.c: fsg_show_file; SCST's
    scst_vdisk.c adds a second line for non-defaults.
    """

    def devnums(folder: Path, _: Path) -> set[str] | None:
        path = _text(folder / name).partition("\n")[0]
        devnum = block.devnum_of(path)
        return {devnum} if devnum else None if path else set()

    return devnums


def _of_name(folder: Path, sys: Path) -> set[str] | None:
    """fs/ocfs2/cluster/heartbeat.c: o2hb_region_dev_show, "%pg": kernel name; "" before start."""
    name = _text(folder / "dev")
    devnum = block.text(sys / "class/block" / sysfs_name(name) / "dev") if name else ""
    return {devnum} if devnum else None if name else set()


def _unless_off(folder: Path, devnums: set[str]) -> set[str] | None:
    return devnums if devnums or _text(folder / "enable") == "0" else None


def _text(path: Path) -> str:
    """Unstripped, as a path must be opened; "" if unreadable."""
    try:
        return os.fsdecode(path.read_bytes().removesuffix(b"\n"))
    except OSError:
        return ""


# Who serves, the folder of what is served, the file there that tells, and what reads it.
_PLACES: tuple[tuple[ExportKind, str, str, Callable[[Path, Path], set[str] | None]], ...] = (
    ("SCSI target", "kernel/config/target/core", "*_*/*/enable", _backstore),
    ("NVMe target", "kernel/config/nvmet/subsystems", "*/namespaces/*/enable", _namespace),
    ("NVMe target", "kernel/config/nvmet/subsystems", "*/passthru/enable", _controller),
    ("Xen backend", "bus/xen-backend/devices", "vbd-*/physical_device", _of_guest),
    ("RNBD server", "class/rnbd-server/ctl/devices", "*/sessions", _of_link),
    ("USB gadget", "kernel/config/usb_gadget", "*/functions/mass_storage.*/lun.*/file", _of_path("file")),
    ("USB gadget", "class/udc", "*/device/gadget*/lun*/file", _of_path("file")),
    ("SCST target", "kernel/scst_tgt/devices", "*/filename", _of_path("filename")),
    ("OCFS2 heartbeat", "kernel/config/cluster", "*/heartbeat/*/dev", _of_name),
)
