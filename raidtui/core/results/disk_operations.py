"""What the kernel counted on disks and array beside what fio's user got, in the same seconds."""

import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, median
from typing import Literal

import msgspec
from msgspec.structs import replace

from raidtui.core.fio.job import Kind, directions
from raidtui.core.fio.measurement import BUSIEST, FIO, Direction, DiskRates, Measurement
from raidtui.core.plan.model import Member, Plan, Stage, Trial
from raidtui.core.plan.steps import Command, Write
from raidtui.core.plan.trials import is_discarded
from raidtui.core.raid.ceilings import HostLimits, Limit, parity_reads_per_s
from raidtui.core.results.differences import OF_ONE_RUN
from raidtui.core.results.disturbance import own_rate
from raidtui.core.results.figure import Figure, good
from raidtui.core.results.outliers import Compared
from raidtui.core.run.samples import ARRAY, moved
from raidtui.core.run.state import RunState
from raidtui.core.units import format_iops, format_rate

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
    return replace(
        measurement,
        read=_counted(measurement.read, [disk_rates.read_bytes_per_s for disk_rates in rates], trial.bs_bytes or 1),
        write=_counted(measurement.write, [disk_rates.write_bytes_per_s for disk_rates in rates], trial.bs_bytes or 1),
    )


def _counted(transfers: Direction | None, bytes_per_s: Sequence[float], bs_bytes: int) -> Direction | None:
    iops = sum(bytes_per_s) / bs_bytes
    most_apart = _APART_OF_SEVERAL if len(bytes_per_s) > 1 else _OF_COUNTERS
    if transfers is None or not transfers.iops or not -_OF_COUNTERS <= iops / transfers.iops - 1 <= most_apart:
        return transfers
    return replace(transfers, counted_iops=iops)


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
    in_all = sum(map(moved, disks_of(measurement).values()))
    return not measurement.disks or in_all >= _LESS_THAN_USERS * users


def disks_of(measured: Measurement) -> dict[str, DiskRates]:
    return {key: rates for key, rates in measured.disks.items() if key != ARRAY}


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
    disks = disks_of(measurement).values()
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
    rates = [median(map(moved, repetitions)) for repetitions in _by_disk(measurements)]
    busiest = max(rates, default=0.0)
    return DisksAtWork(sum(rate >= _AT_REST * busiest for rate in rates), sum(rates)) if busiest else None


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


Side = Literal["one disk", "all at once", "the array"]
FlashState = Literal["written", "unknown"]
WriteCache = Literal["", "exhausted", "not exhausted"]  # "": off, emulated, or of no concern
_TARGETS: dict[Side, tuple[str, ...]] = {
    "one disk": ("member",),
    "all at once": ("members",),
    "the array": ("array", "filesystem"),
}
_LEVEL = 0.05  # from the first to the last 10 s of a test of 30 s or more


def flash_states(plan: Plan, state: RunState, number: int, job: Compared) -> dict[Side, FlashState]:
    """Of all that the job goes over, by what was measured."""
    baselines = [stage for stage in plan.stages if stage.setup is None]
    stages: dict[Side, Sequence[Stage]] = {
        "one disk": baselines if job.alone else (),
        "all at once": baselines if job.all_at_once else (),
        "the array": [plan.stages[number]] if job.array else (),
    }
    states: dict[Side, FlashState] = {}
    for side, of_side in stages.items():
        written = [_was_written(stage, state, trial) for stage in of_side if (trial := _first(stage, job, side))]
        if written:
            states[side] = "written" if all(written) else "unknown"
    return states


def flash_flags(
    states: Mapping[Side, FlashState], job: Compared, array: Figure, gain: float | None, *, emulated: bool
) -> Iterator[str]:
    """Reads only of what was written, writes in the state in which it stays, gains of one state."""
    if job.name == "write" and array.steady:
        yield array.steady.words
    unsure = [side for side, state in states.items() if state == "unknown"]
    if job.name == "read" and unsure:
        where_words = " and ".join(filter(None, (", ".join(unsure[:-1]), unsure[-1])))
        yield f"of {where_words} blocks read may be unwritten; flash may be slower on written ones"
    sides = [states.get(side) for side in ("one disk", "the array")]
    if gain is not None and not emulated and None not in sides and len(set(sides)) > 1:
        yield f"gain compares flash of two states: one disk {sides[0]}, the array {sides[1]}"


def discard_flags(plan: Plan, stage: Stage, job: Compared) -> tuple[str, ...]:
    on_file = job.trial.target == "filesystem" and is_discarded(stage, plan.disks)
    return ("mkfs had discarded the array: blocks never written",) if on_file else ()


def _first(stage: Stage, job: Compared, side: Side) -> Trial | None:
    name = job.trial.job if side == "the array" else job.trial.baseline_job
    return next((trial for trial in stage.trials if trial.job == name and trial.target in _TARGETS[side]), None)


def _was_written(stage: Stage, state: RunState, trial: Trial) -> bool:
    """Had the run written all that this trial goes over: by filling it, or by a sequential test in full before it?"""
    for step in stage.steps:
        if isinstance(step, Command) and step.role == "fill":
            return True
        if isinstance(step, Command) and step.trial == trial.id:  # what is filled later is a file
            break
    for earlier in stage.trials[: stage.trials.index(trial)]:
        measured = (
            state.measured(earlier.id) if (earlier.target, earlier.member) == (trial.target, trial.member) else None
        )
        if earlier.rw == "write" and measured and measured.write and 0 < trial.span_bytes <= measured.write.io_bytes:
            return True
    return False


def write_cache(plan: Plan, stage: Stage, job: Compared) -> WriteCache:
    """Of rotating disks in random writes: a cache takes some seconds of them. A short test cannot exhaust it."""
    measured = good(job.array)
    is_off = any(isinstance(step, Write) and step.value == "write through" for step in stage.steps)
    if (
        job.kind != "random"
        or job.name != "write"
        or not measured
        or is_off
        or any(disk.emulator for disk in plan.disks)
    ):
        return ""
    steps = [rates.step if (rates := one.disks.get(ARRAY)) else None for one in measured if not one.level_s]
    return "exhausted" if all(step is not None and abs(step) <= _LEVEL for step in steps) else "not exhausted"


def cache_flags(cache: WriteCache) -> tuple[str, ...]:
    return ("cache not exhausted: the rate was not level for 30 s",) if cache == "not exhausted" else ()


_ALIKE = 0.05  # what several runs make of equal disks
_DEVIATIONS = 3  # of a count of requests


class AtOnce(msgspec.Struct, frozen=True):
    """`share`: what each of `disks` gives, of the disk alone (number `alone`); `disk`: number of the one that gives it,
    or None: mean of all.
    """

    share: float
    disks: int
    alone: int
    disk: int | None

    @property
    def words(self) -> str:
        of = f"{self.share:.2f}× disk {self.alone}, all at once"
        which = f"the typical of {self.disks} disks, disk {self.disk}" if self.disk else f"{self.disks} disks"
        return f"expected uses {which} ({of})"


class DiskLimit(msgspec.Struct, frozen=True):
    """`member`: index of the disk whose own figures count (None: of the first that was measured), times those of
    `shares`. `disk`: index of the limiting one.
    """

    member: int | None = None
    shares: AtOnce | None = None
    disk: int | None = None

    @property
    def share(self) -> float:
        return self.shares.share if self.shares else 1.0


class DiskLimits(msgspec.Struct, frozen=True):
    """`slowest`: None where it is no slower than the typical disk by more than chance; `of_typical`: its share."""

    typical: DiskLimit
    slowest: DiskLimit | None = None
    of_typical: float = 1.0


class SlowestDisk(msgspec.Struct, frozen=True):
    """The disk (`index` of the members) that gives `share` of the typical one, and the `figure` that it allows."""

    index: int
    share: float
    figure: float
    kind: Kind

    @property
    def words(self) -> str:
        rate = format_rate(self.figure) if self.kind == "sequential" else f"{format_iops(self.figure)} IOPS"
        return f"with the slowest disk, number {self.index + 1} ({self.share:.2f}× the typical one): {rate}"


def typical(rates: Mapping[int, float], members: Sequence[Member]) -> int:
    """Index of the median disk of each model and size; of several such kinds the slowest one's."""
    kinds: dict[tuple[str, int], list[int]] = {}
    for index in sorted(rates, key=rates.__getitem__):
        kinds.setdefault((members[index].model, members[index].size_bytes), []).append(index)
    return min([indices[(len(indices) - 1) // 2] for indices in kinds.values()], key=rates.__getitem__)


def limits(
    plan: Plan, job: Compared, members: Sequence[Member], alone: Mapping[int, float], *, by_mean: bool
) -> DiskLimits:
    """`alone`: rates by index of the disks that were measured alone. Of all at once nothing is made where nobody
    counted each, and of a mix, whose reads and writes wait for each other.
    """
    if alone and len(alone) >= len(members):
        usual, slowest = typical(alone, members), min(alone, key=alone.__getitem__)
        of_typical = alone[slowest] / alone[usual]
        is_slower = of_typical < 1 / (1 + _noise(job.alone[slowest]))
        return DiskLimits(DiskLimit(usual), DiskLimit(slowest, disk=slowest) if is_slower else None, of_typical)
    rates = {index: own_rate(plan, job, index) or 0.0 for index in range(len(members))}
    if not alone or not all(rates.values()) or job.mixed:
        return DiskLimits(DiskLimit())
    first = min(alone)
    chance = _chance(job, min(rates.values()))

    def limit(share: float, disk: int | None) -> DiskLimit:
        number = None if disk is None else disk + 1
        differs = abs(share - 1) >= chance
        return DiskLimit(None, AtOnce(share, len(members), first + 1, number) if differs else None, disk)

    if by_mean:
        return DiskLimits(limit(fmean(rates.values()) / rates[first], None))
    usual, slowest = typical(rates, members), min(rates, key=rates.__getitem__)
    of_typical = rates[slowest] / rates[usual]
    is_slower = 1 - of_typical >= chance
    return DiskLimits(
        limit(rates[usual] / rates[first], usual),
        limit(rates[slowest] / rates[first], slowest) if is_slower else None,
        of_typical,
    )


def _noise(attempts: Sequence[object]) -> float:
    return OF_ONE_RUN if len(attempts) == 1 else _ALIKE


def _chance(job: Compared, iops: float) -> float:
    """Of a random test also by the number of requests of a disk."""
    measured = good(job.all_at_once)
    seconds = sum((measurement.runtime_ms or 0) / 1000 for measurement in measured)
    if job.kind == "sequential" or not seconds:
        return _noise(measured)
    return max(_noise(measured), _DEVIATIONS * math.sqrt(2 / (iops * seconds)))


_FEWEST = 0.5  # of a processor: less says little about what an operation costs
_POLLING = "hipri"  # of fio: a thread that polls is always busy


def host_limits(
    measured: Sequence[Measurement],
    options: Mapping[str, str],
    processes: int,
    threads: int | None,
    kernel: str = "",
    stripe_pages: float = 0.0,
) -> HostLimits:
    """From the array's own tests: service demand law, X <= 1 / D (Denning, Buzen 1978), D = busy share / rate.
    `processes` submit, `threads`: md's `group_thread_cnt` (None: not set); `stripe_pages` of parity work an operation
    of full stripes is, 0 of a small one.
    """
    limits = HostLimits(processes=processes, parity_threads=threads or 1, parity_reads_per_s=parity_reads_per_s(kernel))
    if options.get(_POLLING, "0") == "0" and (fio := _seconds_each(measured, FIO)):
        # A thread's system time has md's part of submitting in it.
        measured_limits = replace(limits, fio_s_per_operation=fio * processes, md_s_per_operation=0.0)
        limits = _measured(measured_limits, Limit.CPU)
    md = {name for measurement in measured for name in measurement.cpu if name not in (FIO, BUSIEST)}
    # With threads of its own group, others than md's named one do the work.
    if not threads and len(md) == 1 and (seconds_each := _seconds_each(measured, md.pop(), writes_only=True)):
        of_thread = "parity_pages_per_s" if stripe_pages else "parity_writes_per_s"
        measured_rate = {of_thread: (stripe_pages or 1) / seconds_each}
        limits = _measured(replace(limits, **measured_rate), Limit.MD_THREAD)
    return limits


def _measured(limits: HostLimits, limit: Limit) -> HostLimits:
    return replace(limits, assumed=limits.assumed - {limit})


def _seconds_each(measured: Sequence[Measurement], thread: str, *, writes_only: bool = False) -> float | None:
    """Seconds of a processor for each of the user's operations, where the thread was busy enough to tell."""
    seconds_each = []
    for measurement in measured:
        by_direction = [measurement.write] if writes_only else [measurement.read, measurement.write]
        rate = sum(transfers.iops for transfers in by_direction if transfers)
        share = measurement.cpu.get(thread, 0.0)
        if rate and share >= _FEWEST:
            seconds_each.append(share / rate)
    return median(seconds_each) if seconds_each else None
