"""Disks and md arrays of a machine at work, by the kernel: what `raidtui watch` lists, and in which order."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Literal

import msgspec

from raidtui.core.run.samples import DeviceTimes, moved

Order = Literal["arrays", "busy", "MB/s", "await"]
ORDERS: tuple[Order, ...] = ("arrays", "busy", "MB/s", "await")
_UNLIKE = 0.25  # off the median of its array
_LEAST_BYTES_PER_S = 1e5  # of the median, below which nothing is unlike


class Device(msgspec.Struct, frozen=True):
    """`name`: the kernel's. Of an array: `level` ("raid6"), `slots`, names of its `members`, `missing` of them, `sync`
    ("resync 12 %"); of a disk: `model`, `size_bytes`.
    """

    name: str
    level: str = ""
    members: tuple[str, ...] = ()
    slots: int = 0
    missing: int = 0
    sync: str = ""
    model: str = ""
    size_bytes: int = 0


class DeviceLine(msgspec.Struct, frozen=True):
    """A line. `is_member`: below its array. `off`: share by which a member's rate is off the others'; None if alike."""

    device: Device
    times: DeviceTimes | None
    is_member: bool = False
    off: float | None = None


def entries(devices: Sequence[Device], times: Mapping[str, DeviceTimes | None], order: Order) -> list[DeviceLine]:
    """Arrays first, degraded ones before all, members below theirs, then other disks; else the busiest first."""
    by_name = {device.name: device for device in devices}
    arrays = sorted((device for device in devices if device.level), key=lambda one: (not one.missing, one.name))
    in_arrays = {name for array in arrays for name in array.members}
    lines: list[DeviceLine] = []
    for array in arrays:
        lines.append(DeviceLine(array, times.get(array.name)))
        rates = {name: bytes_per_s(times.get(name)) for name in array.members}
        lines += [
            DeviceLine(by_name[name], times.get(name), is_member=True, off=_off(rates[name], list(rates.values())))
            for name in array.members
            if name in by_name
        ]
    lines += [
        DeviceLine(device, times.get(device.name))
        for device in devices
        if not device.level and device.name not in in_arrays
    ]
    if order == "arrays":
        return lines
    only_once = {line.device.name: line for line in lines}
    return sorted(only_once.values(), key=lambda line: _most(line.times, order), reverse=True)


def bytes_per_s(times: DeviceTimes | None) -> float:
    return moved(times.rates) if times else 0.0


def _off(rate: float, rates: Sequence[float]) -> float | None:
    usual = median(rates)
    if len(rates) < 3 or usual < _LEAST_BYTES_PER_S or abs(rate / usual - 1) <= _UNLIKE:
        return None
    return rate / usual - 1


def _most(times: DeviceTimes | None, order: Order) -> float:
    if times is None:
        return -1.0
    if order == "await":
        return max(times.read_await_ms or 0.0, times.write_await_ms or 0.0)
    return times.rates.util if order == "busy" else bytes_per_s(times)
