"""Links above a disk from sysfs: SATA, SAS, USB, PCIe. Documentation/ABI: sysfs-bus-pci (current_link_speed), sysfs-ata
(sata_spd), scsi_transport_sas (negotiated_linkrate), sysfs-bus-usb (speed).
"""

import re
from collections.abc import Callable
from pathlib import Path

from raidtui.core.disks.buses import number_of
from raidtui.core.disks.machine import Bus
from raidtui.system import block

_CONTROLLER = re.compile(r"nvme\d+")


class Buses:
    def __init__(self, sysfs: Path = Path("/sys")) -> None:
        self._sysfs = sysfs
        self._known: dict[Path, Bus | None] = {}

    def above(self, device_path: str) -> tuple[Bus, ...]:
        """From the disk upwards; empty for virtual disks. `device_path`: udev's."""
        path = self._physical(self._sysfs / device_path.lstrip("/"))
        buses = []
        for folder in path.parents:
            if folder == self._sysfs:
                break
            if folder not in self._known:
                self._known[folder] = _read_bus(folder)
            if bus := self._known[folder]:
                buses.append(bus)
        return tuple(buses)

    def _physical(self, path: Path) -> Path:
        """An NVMe multipath disk has no bus: its first controller does."""
        if not path.parent.name.startswith("nvme-subsys"):
            return path
        try:
            controllers = sorted(sibling for sibling in path.parent.iterdir() if _CONTROLLER.fullmatch(sibling.name))
        except OSError:
            return path
        return controllers[0].resolve() / path.name if controllers else path


def _read_bus(folder: Path) -> Bus | None:
    """The link ending at this device, if its speed is known."""
    for name, reader in _READERS:
        if name.fullmatch(folder.name):
            return reader(folder)
    return None


def _pcie(folder: Path) -> Bus | None:
    width = _whole_number(folder / "current_link_width")
    if not width:  # on the chip itself, or a virtual machine's
        return None
    return Bus(
        kind="pcie",
        name=folder.name,
        speed=block.value(folder / "current_link_speed"),
        width=width,
        best_speed=block.value(folder / "max_link_speed"),
        best_width=_whole_number(folder / "max_link_width"),
    )


def _sata(folder: Path) -> Bus | None:
    link = folder.name.replace("ata", "link")
    ata_link = folder / link / "ata_link" / link
    speed = block.value(ata_link / "sata_spd")
    if not speed:
        return None
    return Bus(kind="sata", name=folder.name, speed=speed, best_speed=block.value(ata_link / "hw_sata_spd_limit"))


def _sas(folder: Path) -> Bus | None:
    """A port is as many phys as are joined in it; the slowest of them is taken for all."""
    phys = [phy / "sas_phy" / phy.name for phy in sorted(folder.glob("phy-*"))]
    speeds = [speed for phy in phys if (speed := block.value(phy / "negotiated_linkrate"))]
    if not speeds:
        return None
    return Bus(
        kind="sas",
        name=folder.name,
        speed=min(speeds, key=lambda speed: number_of(speed) or 0.0),
        width=len(speeds),
        best_speed=block.value(phys[0] / "maximum_linkrate_hw") or block.value(phys[0] / "maximum_linkrate"),
    )


def _usb(folder: Path) -> Bus | None:
    speed = block.value(folder / "speed")
    return Bus(kind="usb", name=folder.name, speed=speed) if speed else None


_READERS: tuple[tuple[re.Pattern[str], Callable[[Path], Bus | None]], ...] = (
    (re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]"), _pcie),
    (re.compile(r"ata\d+"), _sata),
    (re.compile(r"port-\d+(:\d+)+"), _sas),
    (re.compile(r"usb\d+|\d+-\d+(\.\d+)*"), _usb),
)


def _whole_number(path: Path) -> int:
    text = block.value(path)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0
