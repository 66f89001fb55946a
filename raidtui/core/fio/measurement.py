"""What one trial gave, as it is printed in JSON. Rates are bytes/s, latencies ns; absent is None, never 0."""

from typing import Any, Literal

import msgspec

DirectionName = Literal["read", "write"]


FIO = "fio"  # in `Measurement.cpu`
BUSIEST = "busiest CPU"
Status = Literal["ok", "interrupted", "failed", "incomplete"]


class Direction(msgspec.Struct, frozen=True, kw_only=True):
    """One direction (reads or writes) of a measurement, joined over the jobs of its group.

    `lat_mean_of` and `lat_percentiles_of` tell which of fio's two latencies they are of: "lat" from submitting a
    request on, "clat" from when the kernel has it; "" where it is not known.
    `fio_iops` is what fio itself says, where `iops` is bytes / block because fio lost the operations that were in
    flight at the end of the ramp; else None. `counted_iops` are the completions that the kernel counted on what was
    measured in the whole seconds within the test, of direct tests at random: fio's own rate counts its last straggler.
    """

    iops: float
    bytes_per_s: float
    io_bytes: int
    lat_mean_ns: float | None = None
    lat_percentiles_ns: dict[str, float] | None = None  # "50" -> ns; None where jobs cannot be merged honestly
    fio_iops: float | None = None
    lat_max_ns: float | None = None
    lat_mean_of: str = ""
    lat_percentiles_of: str = ""
    counted_iops: float | None = None

    @property
    def steady_iops(self) -> float:
        """What it is compared by: of whole seconds, where they were counted."""
        return self.counted_iops or self.iops

    @property
    def steady_bytes_per_s(self) -> float:
        """The bytes of these operations."""
        return self.bytes_per_s * self.steady_iops / self.iops if self.iops else self.bytes_per_s

    @property
    def operations(self) -> float:
        """How many were measured."""
        return self.iops * self.io_bytes / self.bytes_per_s if self.bytes_per_s else 0.0


class DiskRates(msgspec.Struct, frozen=True):
    """Mean rates of one device over the measured window, from the kernel's counters. `util` is 0 to 1.

    `spread` is the standard deviation of what it moved in single intervals, over its mean; None where they are few.
    `stalls` counts the intervals in which it did less than half as many operations as in their median. The operations
    a second are None in journals of before they were counted.
    """

    read_bytes_per_s: float
    write_bytes_per_s: float
    util: float
    spread: float | None = None
    stalls: int = 0
    reads_per_s: float | None = None
    writes_per_s: float | None = None


class Temperature(msgspec.Struct, frozen=True):
    """Of one disk before and after a trial, and from where on it slows itself down; None where it does not tell."""

    before_c: float | None
    after_c: float | None
    limit_c: float | None = None


class Measurement(msgspec.Struct, frozen=True, kw_only=True):
    """One fio result after its jobs of one group are joined, with the disks' own rates beside it.

    `cpu`: the share of one CPU that fio's busiest thread and md's own thread ("md127_raid5") used, 0 to 1;
    and how busy the busiest CPU was with everything. `window_s` is when fio measured, ramp taken off, by the wall
    clock; None where fio does not tell.
    """

    name: str
    status: Status
    error: str | None = None
    fio_version: str = ""
    setup: dict[str, Any] | None = None
    rw: str = ""
    bs_bytes: int | None = None
    iodepth: int | None = None
    numjobs: int | None = None
    runtime_ms: int | None = None
    targets: tuple[str, ...] = ()
    read: Direction | None = None
    write: Direction | None = None
    disks: dict[str, DiskRates] = {}
    warnings: tuple[str, ...] = ()
    cpu: dict[str, float] = {}
    window_s: tuple[float, float] | None = None
    temperatures: dict[str, Temperature] = {}  # of members, as far as they tell it

    @property
    def steady_iops(self) -> float:
        """Reads and writes together, each as it is compared; 0 where nothing was moved."""
        return sum(direction.steady_iops for direction in (self.read, self.write) if direction)
