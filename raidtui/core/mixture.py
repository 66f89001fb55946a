"""What speaks against these disks together, each of which is fine alone: sizes, sectors, media, one device twice.

Knows no level: whether unequal disks cost capacity is for `capacity` to say.
"""

from collections.abc import Sequence

from raidtui.core.disk import Disk
from raidtui.core.units import both

_SIZES_APART = 0.01


def warnings_of(disks: Sequence[Disk]) -> tuple[str, ...]:
    """A sentence for each thing that a person should know before these disks become one array."""
    if len(disks) < 2:
        return ()
    return tuple(warning for warning in (_sizes(disks), _sectors(disks), _media(disks), _one_device(disks)) if warning)


def _sizes(disks: Sequence[Disk]) -> str:
    small, large = min(disks, key=lambda disk: disk.size_bytes), max(disks, key=lambda disk: disk.size_bytes)
    if large.size_bytes - small.size_bytes <= large.size_bytes * _SIZES_APART:
        return ""
    return f"sizes differ: {small.name} has {both(small.size_bytes)}, {large.name} {both(large.size_bytes)}"


def _sectors(disks: Sequence[Disk]) -> str:
    """The array takes the largest logical sector of its members: a 512-byte file system cannot move there later."""
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
    """Namespaces of one NVMe device, LUNs of one drive: they fail together."""
    by_serial: dict[tuple[str, str], list[str]] = {}
    for disk in disks:
        if disk.serial and disk.transport != "usb":  # USB bridges give one serial to all their disks
            by_serial.setdefault((disk.model, disk.serial), []).append(disk.name)
    shared = next((names for names in by_serial.values() if len(names) > 1), [])
    return f"{' and '.join(shared)} have one serial number: parts of one device fail together" if shared else ""
