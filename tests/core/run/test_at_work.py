"""Devices at work in their order, and what is unlike its array."""

import pytest

from raidtui.core.fio.measurement import DiskRates
from raidtui.core.run.at_work import ORDERS, Device, DeviceLine, Order, entries
from raidtui.core.run.samples import DeviceTimes

_DISKS = tuple(Device(f"sd{letter}", size_bytes=10**12) for letter in "abcde")
_WHOLE = Device("md1", "raid5", ("sda", "sdb", "sdc"), slots=3)
_DEGRADED = Device("md2", "raid1", ("sdd",), slots=2, missing=1)


def _times(bytes_per_s: float, util: float = 0.1, await_ms: float = 1.0) -> DeviceTimes:
    return DeviceTimes(DiskRates(bytes_per_s, 0.0, util), read_await_ms=await_ms)


def _names(lines: list[DeviceLine]) -> list[str]:
    return [line.device.name for line in lines]


def test_a_degraded_array_is_first_and_members_are_below_their_array() -> None:
    lines = entries((*_DISKS, _WHOLE, _DEGRADED), {}, "arrays")
    assert _names(lines) == ["md2", "sdd", "md1", "sda", "sdb", "sdc", "sde"]
    assert [line.device.name for line in lines if line.is_member] == ["sdd", "sda", "sdb", "sdc"]


@pytest.mark.parametrize("order, first", [("busy", "sdb"), ("MB/s", "sde"), ("await", "sdc")])
def test_what_is_asked_for_is_first(order: Order, first: str) -> None:
    times = {"sdb": _times(1.0, util=0.9), "sde": _times(1e9), "sdc": _times(1.0, await_ms=80.0)}
    found = _names(entries((*_DISKS, _WHOLE), times, order))
    assert found[0] == first and len(found) == len(set(found)) == 6


def test_orders_are_all_there_are() -> None:
    assert [_names(entries(_DISKS, {}, order)) for order in ORDERS] == [[disk.name for disk in _DISKS]] * len(ORDERS)


@pytest.mark.parametrize(
    "rates, off",
    [
        ((1e6, 1e6, 7.6e5), (None, None, None)),
        ((1e6, 1e6, 7.4e5), (None, None, -0.26)),
        ((1e6, 1.3e6, 1e6), (None, 0.3, None)),
        ((9e4, 9e4, 1.0), (None, None, None)),  # too little to judge
    ],
)
def test_a_member_is_unlike_the_others_beyond_25_percent(
    rates: tuple[float, ...], off: tuple[float | None, ...]
) -> None:
    times = {name: _times(rate) for name, rate in zip(_WHOLE.members, rates, strict=True)}
    found = [line.off for line in entries((*_DISKS, _WHOLE), times, "arrays") if line.is_member]
    assert found == [None if share is None else pytest.approx(share) for share in off]
