"""Links between disk and memory: maximum rates, and bottlenecks. An unknown speed limits nothing. Rates are first-order
limits: SATA, PCIe as measured on good hardware; SAS, USB line rate less coding (8b/10b, 128b/150b, 128b/132b).
"""

from collections import Counter
from collections.abc import Sequence

import msgspec

from raidtui.core.disks.machine import Bus, BusKind
from raidtui.core.units import MB

_NAMES: dict[BusKind, str] = {"sata": "SATA port", "sas": "SAS port", "usb": "USB port", "pcie": "PCIe link"}
_MB_PER_S: dict[BusKind, dict[float, float]] = {  # of one lane
    "sata": {1.5: 150, 3.0: 285, 6.0: 560},  # Gbit/s
    "sas": {1.5: 150, 3.0: 300, 6.0: 600, 12.0: 1200, 22.5: 2400},  # Gbit/s
    "usb": {480: 53, 5000: 500, 10000: 1212, 20000: 2424},  # Mbit/s
    "pcie": {2.5: 250, 5.0: 500, 8.0: 985, 16.0: 1969, 32.0: 3938},  # GT/s
}


def carries_bytes_per_s(bus: Bus) -> float | None:
    lane = _lane(bus.kind, bus.speed)
    return lane * bus.width if lane and bus.width > 0 else None


def title(bus: Bus) -> str:
    """`PCIe link 0000:03:00.0 (8.0 GT/s x4)`, with the possible speed if slower."""
    could_be = f", could be {_rate(_best(bus))}" if is_slowed(bus) else ""
    return f"{_NAMES[bus.kind]} {bus.name} ({_rate(bus)}{could_be})"


def is_slowed(bus: Bus) -> bool:
    """Slower than its end nearer to the disk could be."""
    return (carries_bytes_per_s(_best(bus)) or 0) > (carries_bytes_per_s(bus) or 0)


def _best(bus: Bus) -> Bus:
    return Bus(kind=bus.kind, name="", speed=bus.best_speed or bus.speed, width=bus.best_width or bus.width)


class Narrow(msgspec.Struct, frozen=True):
    """A link slower than its disks together. `disks`: indices in the list."""

    bus: Bus
    disks: tuple[int, ...]
    carries_bytes_per_s: float
    wanted_bytes_per_s: float

    def describe(self, all_disks: int) -> str:
        behind = len(self.disks)
        disks = "one disk" if behind == 1 else f"all {behind} disks" if behind == all_disks else f"{behind} disks"
        return (
            f"{title(self.bus)}: {self.carries_bytes_per_s / MB:.0f} MB/s,"
            f" {disks} behind it {self.wanted_bytes_per_s / MB:.0f} MB/s"
        )


def narrowest(buses_above: Sequence[Sequence[Bus]], bytes_per_s: Sequence[float]) -> Narrow | None:
    """The link with the least of the demand of its disks; None if all suffice. `buses_above`: links of each disk, from
    the disk upwards; `bytes_per_s`: of each disk alone. Ties: the link nearest to the disks.
    """
    disks_by_bus: dict[tuple[BusKind, str], list[int]] = {}
    by_name: dict[tuple[BusKind, str], Bus] = {}
    for disk, links in enumerate(buses_above):
        for bus in links:
            disks_by_bus.setdefault((bus.kind, bus.name), []).append(disk)
            by_name.setdefault((bus.kind, bus.name), bus)
    narrow = [
        Narrow(bus, tuple(disks_by_bus[key]), carries, sum(bytes_per_s[disk] for disk in disks_by_bus[key]))
        for key, bus in by_name.items()
        if (carries := carries_bytes_per_s(bus))
    ]
    tight = [bus for bus in narrow if bus.wanted_bytes_per_s > bus.carries_bytes_per_s]
    return max(tight, key=lambda bus: bus.wanted_bytes_per_s / bus.carries_bytes_per_s, default=None)


def dealt(buses_above: Sequence[Sequence[Bus]], groups: int) -> list[int]:
    """The disks of each group after those of the one before, so that each has as few behind a link as can be: those
    behind one link are neighbours in the tree of links, and go to the groups in turn.
    """
    named = [[(bus.kind, bus.name) for bus in reversed(links)] for links in buses_above]
    in_tree = sorted(range(len(named)), key=named.__getitem__)
    return [disk for group in range(groups) for disk in sorted(in_tree[group::groups])]


def most_behind(groups: Sequence[Sequence[Sequence[Bus]]]) -> tuple[int, Bus]:
    """Of the links of each group's disks: the most that are behind one, and which that is."""
    links = ((number, bus) for number, group in enumerate(groups) for above in group for bus in above)
    (((_, bus), most),) = Counter(links).most_common(1)
    return most, bus


def carries_together_bytes_per_s(buses_above: Sequence[Sequence[Bus]]) -> float | None:
    """Total rate through the links if each disk does its share; None: unknown. A link with k of n disks carries k/n."""
    disks_by_bus: dict[tuple[BusKind, str], int] = {}
    by_name = {}
    for links in buses_above:
        for bus in links:
            disks_by_bus[bus.kind, bus.name] = disks_by_bus.get((bus.kind, bus.name), 0) + 1
            by_name[bus.kind, bus.name] = bus
    rates = [
        carries * len(buses_above) / disks_by_bus[key]
        for key, bus in by_name.items()
        if (carries := carries_bytes_per_s(bus))
    ]
    return min(rates, default=None)


def number_of(text: str) -> float | None:
    try:
        return float(text.split()[0])
    except (IndexError, ValueError):  # "Unknown", "<unknown>", nothing
        return None


def _lane(kind: BusKind, speed: str) -> float | None:
    number = number_of(speed)
    mb_per_s = _MB_PER_S[kind].get(number) if number is not None else None
    return mb_per_s * MB if mb_per_s else None


def _rate(bus: Bus) -> str:
    """`8.0 GT/s x4`, `6.0 Gbps`, without the bus' name."""
    speed = f"{bus.speed} Mbit/s" if bus.kind == "usb" else bus.speed.removesuffix(" PCIe")
    return f"{speed} x{bus.width}" if bus.kind == "pcie" or bus.width > 1 else speed
