"""What the kernel counted on disks and array beside what fio's user got, in the same seconds."""

from collections.abc import Mapping, Sequence
from statistics import median

import msgspec

from raidtui.core.fio.job import directions
from raidtui.core.fio.measurement import Direction, DiskRates, Measurement
from raidtui.core.plan.model import Member, Trial
from raidtui.core.run.samples import ARRAY

_OF_COUNTERS = (
    0.30  # between fio's rate and the kernel's: with more, something else than the last straggler is in one of them
)
_APART_OF_SEVERAL = 1.00  # of several disks the slowest one's last requests are waited for by all
_LESS_THAN_USERS = 0.80  # of what the user got
_PAGE_BYTES = 4096
_AT_REST = 0.05  # of the busiest disk's bytes: a disk that moved less held next to nothing of what was asked for
_OTHER_WAY = 0.05


class DiskOperations(msgspec.Struct, frozen=True):
    """What the disks together did for one of the user's operations, on the mean."""

    reads: float
    writes: float

    @property
    def total(self) -> float:
        """Of a write: the measured write penalty."""
        return self.reads + self.writes


def with_counted(
    measurement: Measurement, trial: Trial, members: Sequence[Member], options: Mapping[str, str]
) -> Measurement:
    """The measurement with the kernel's operations; only direct random tests of one size whose rates agree
    with fio's.
    """
    rates = _measured_on(measurement, trial, members)
    one_size = trial.bs_bytes and "," not in options.get("bs", "") and not {"bsrange", "bssplit"} & set(options)
    if not rates or not one_size or not trial.rw.startswith("rand") or options.get("direct", "0") == "0":
        return measurement
    return msgspec.structs.replace(
        measurement,
        read=_counted(measurement.read, [disk_rates.read_bytes_per_s for disk_rates in rates], trial.bs_bytes or 1),
        write=_counted(measurement.write, [disk_rates.write_bytes_per_s for disk_rates in rates], trial.bs_bytes or 1),
    )


def _counted(transfers: Direction | None, bytes_per_s: Sequence[float], bs_bytes: int) -> Direction | None:
    iops = sum(bytes_per_s) / bs_bytes
    most_apart = _APART_OF_SEVERAL if len(bytes_per_s) > 1 else _OF_COUNTERS
    if transfers is None or not transfers.iops or not -_OF_COUNTERS <= iops / transfers.iops - 1 <= most_apart:
        return transfers
    return msgspec.structs.replace(transfers, counted_iops=iops)


def _measured_on(measurement: Measurement, trial: Trial, members: Sequence[Member]) -> list[DiskRates]:
    if trial.target not in ("member", "members") and ARRAY in measurement.disks:
        return [measurement.disks[ARRAY]]
    chosen = members if trial.member is None else [members[trial.member]]
    return [rates for member in chosen if (rates := measurement.disks.get(member.id))]


def simultaneous(measurement: Measurement) -> bool:
    """Are the disks' rates of the user's seconds? Then disks move at least what a user gets; the page cache may break
    this.
    """
    users = sum(
        transfers.steady_bytes_per_s
        for name, transfers in (("read", measurement.read), ("write", measurement.write))
        if transfers and name in directions(measurement.rw)
    )
    moved = sum(
        disk_rates.read_bytes_per_s + disk_rates.write_bytes_per_s
        for key, disk_rates in measurement.disks.items()
        if key != ARRAY
    )
    return not measurement.disks or moved >= _LESS_THAN_USERS * users


def median_operations(measurements: Sequence[Measurement]) -> DiskOperations | None:
    """Of the repetitions of a test the median, reads and writes each; None where none was counted."""
    counted = [operations for measurement in measurements if (operations := operations_of(measurement))]
    if not counted:
        return None
    return DiskOperations(
        median(operations.reads for operations in counted), median(operations.writes for operations in counted)
    )


def operations_of(measurement: Measurement) -> DiskOperations | None:
    """Disk I/Os for each of the user's; None: not counted. By bytes (4 KiB a page) in journals without operations."""
    disks = [disk_rates for key, disk_rates in measurement.disks.items() if key != ARRAY]
    users = measurement.steady_iops
    rates = [(disk_rates.reads_per_s, disk_rates.writes_per_s) for disk_rates in disks]
    if not all(reads is not None and writes is not None for reads, writes in rates):
        if measurement.bs_bytes != _PAGE_BYTES:
            return None
        rates = [
            (disk_rates.read_bytes_per_s / _PAGE_BYTES, disk_rates.write_bytes_per_s / _PAGE_BYTES)
            for disk_rates in disks
        ]
    if not disks or not users:
        return None
    return DiskOperations(
        sum(reads or 0.0 for reads, _ in rates) / users, sum(writes or 0.0 for _, writes in rates) / users
    )


class DisksAtWork(msgspec.Struct, frozen=True):
    """How many disks moved anything to speak of for the user, and what all disks together moved."""

    disks: int
    bytes_per_s: float


def at_work(measurements: Sequence[Measurement]) -> DisksAtWork | None:
    """By the median of each disk's repetitions; None where no disk was counted, or none moved anything."""
    moved = [
        median(rates.read_bytes_per_s + rates.write_bytes_per_s for rates in repetitions)
        for repetitions in _by_disk(measurements)
    ]
    busiest = max(moved, default=0.0)
    return DisksAtWork(sum(rate >= _AT_REST * busiest for rate in moved), sum(moved)) if busiest else None


def _by_disk(measurements: Sequence[Measurement]) -> list[list[DiskRates]]:
    by_disk: dict[str, list[DiskRates]] = {}
    for measurement in measurements:
        for key, rates in measurement.disks.items():
            by_disk.setdefault(key, []).append(rates)
    return [repetitions for key, repetitions in by_disk.items() if key != ARRAY]


def other_way(measurements: Sequence[Measurement]) -> float | None:
    """Disk I/Os against the test's direction over those in it, medians of repetitions; None up to 5 %, and of a mix."""
    by_direction = directions(measurements[0].rw) if measurements else ()
    if len(by_direction) != 1:
        return None
    disks = _by_disk(measurements)
    reads = sum(median(_or(rates.reads_per_s, rates.read_bytes_per_s) for rates in disk) for disk in disks)
    writes = sum(median(_or(rates.writes_per_s, rates.write_bytes_per_s) for rates in disk) for disk in disks)
    own_way, other_way_rates = (reads, writes) if by_direction == ("read",) else (writes, reads)
    return other_way_rates / own_way if own_way and other_way_rates / own_way > _OTHER_WAY else None


def _or(operations: float | None, bytes_per_s: float) -> float:
    return bytes_per_s if operations is None else operations
