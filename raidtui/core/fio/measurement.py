"""Result of a trial, as in JSON. bytes/s, ns; unknown is None, never 0."""

from typing import Any, Literal

import msgspec

DirectionName = Literal["read", "write"]


FIO = "fio"  # in `Measurement.cpu`
BUSIEST = "busiest CPU"
Status = Literal["ok", "interrupted", "failed", "incomplete"]


class Direction(msgspec.Struct, frozen=True, kw_only=True):
    """Reads or writes, merged over a group's jobs. `lat_mean_of`, `lat_percentiles_of`: "lat" (from submission) or
    "clat" (in the kernel), "" if unknown. `fio_iops`: fio's own value if `iops` is bytes / block, because fio lost
    operations outstanding at the ramp's end. `counted_iops`: the kernel's completions in whole seconds of direct random
    tests, without fio's last stragglers.
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
        """Compared value: of whole seconds, if counted."""
        return self.counted_iops or self.iops

    @property
    def steady_bytes_per_s(self) -> float:
        return self.bytes_per_s * self.steady_iops / self.iops if self.iops else self.bytes_per_s

    @property
    def operations(self) -> float:
        return self.iops * self.io_bytes / self.bytes_per_s if self.bytes_per_s else 0.0


class Flushes(msgspec.Struct, frozen=True, kw_only=True):
    """Flushes (fdatasync, fsync) that a job waited for, beside its writes, whose latencies leave them out."""

    count: int
    mean_ns: float
    percentiles_ns: dict[str, float] = {}


class DiskRates(msgspec.Struct, frozen=True):
    """One device in the measured window, by the kernel. `util`: 0 to 1. `spread`: SD of the bytes per interval over
    their mean, None if few; `stalls`: intervals under half of the median operations. Rates of operations are None in
    older journals. `step`: bytes/s of the last 10 s over the first 10 s, less 1; None of short tests.
    """

    read_bytes_per_s: float
    write_bytes_per_s: float
    util: float
    spread: float | None = None
    stalls: int = 0
    reads_per_s: float | None = None
    writes_per_s: float | None = None
    step: float | None = None


class Temperature(msgspec.Struct, frozen=True):
    """Of a disk around a trial; `limit_c`: throttling. None if unknown."""

    before_c: float | None
    after_c: float | None
    limit_c: float | None = None


class OfTarget(msgspec.Struct, frozen=True, kw_only=True):
    """Jobs that have a target of their own. `error`: "" if all ended well. `percentiles_ns`: of the direction with more
    operations, "100" the largest.
    """

    read_bytes: int = 0
    written_bytes: int = 0
    error: str = ""
    percentiles_ns: dict[str, float] = {}


class Measurement(msgspec.Struct, frozen=True, kw_only=True):
    """A merged fio result, with the disks' rates. `cpu`: share of a CPU used by fio's busiest thread and md's
    ("md127_raid5"), 0 to 1, and load of the busiest CPU. `window_s`: wall clock without ramp, or None. `each`: by
    target, in a journal by member; of jobs that verify, and of several targets at once.
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
    mixed: Direction | None = None  # both as one (`unified_rw_reporting`), of fio from elsewhere
    disks: dict[str, DiskRates] = {}
    warnings: tuple[str, ...] = ()
    cpu: dict[str, float] = {}
    window_s: tuple[float, float] | None = None
    temperatures: dict[str, Temperature] = {}  # of members, as far as they tell it
    each: dict[str, OfTarget] = {}
    flushes: Flushes | None = None  # None: without, or of several jobs that cannot be merged
    level_s: float = 0.0  # at its end, in which the rate was level, and of which rates are; 0: of all

    @property
    def steady_iops(self) -> float:
        """Reads plus writes; 0 without transfers."""
        return sum(direction.steady_iops for direction in (self.read, self.write) if direction)
