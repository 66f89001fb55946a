"""The expected figure of a job from one disk's own (model: `theory`), and the latency by Little's law."""

import enum
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from statistics import median

import msgspec
from msgspec.structs import replace

from raidtui.core.disks.buses import carries_together_bytes_per_s
from raidtui.core.disks.extents import start_on_grid
from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan import sweep
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Member, Plan, Stage
from raidtui.core.plan.parsed_setup import level_of
from raidtui.core.plan.trials import options_of
from raidtui.core.raid import theory
from raidtui.core.raid.capacity import SECTOR_BYTES
from raidtui.core.raid.ceilings import ASSUMED_OF_HOST, NO_LIMITS, HostLimits, Limit, md_parities
from raidtui.core.raid.confidence import WORDS, Asked, Confidence, confidence
from raidtui.core.raid.depth_curve import CurveSource, DepthCurve, DiskCurves
from raidtui.core.raid.filesystems import filesystem
from raidtui.core.raid.levels import DEFAULT_CHUNK_BYTES
from raidtui.core.raid.placement import PAGE_BYTES, RequestShape, demands, parity_only_disks
from raidtui.core.raid.queueing import Load
from raidtui.core.results.disk_operations import AtOnce, DiskLimit, DiskOperations, SlowestDisk, host_limits, limits
from raidtui.core.results.disk_speeds import Values, curve_of, disk_curves, kind_of, queue_of, values_of
from raidtui.core.results.figure import good
from raidtui.core.results.outliers import Compared
from raidtui.core.run.events import FilePlaced
from raidtui.core.units import format_rate

LITTLE_OFF = 0.10
LITTLE_DIFFERS = f"latency and QD / IOPS differ by over {100 * LITTLE_OFF:.0f} %"
_FIOS_MIX = 50  # % of writes, where a job does not say
_BY_ALL = ("jbod", "linear")  # one disk does not wait for another
_PACED = ("rate", "rate_iops", "thinktime")
_SEVERAL_SIZES = ("bsrange", "bssplit")
_rate = lru_cache(maxsize=1024)(theory.random_rate)


class Outside(enum.Enum):
    """Why there is no figure of theory's, as the end of a sentence."""

    NO_BASELINE = "no disk was measured alone"
    DISTURBED = "the disk's baseline was disturbed"
    WRITE_MOSTLY = "write-mostly disks are not in the model"
    DISK_FAILED = "the model covers healthy arrays only"
    OWN_RAID = "the file system spreads data itself"
    COPY_ON_WRITE = "the file system is copy-on-write"
    PAGE_CACHE = "buffered I/O: the page cache merges requests"
    ENCRYPTED = "LUKS encryption is not in the model"
    SEQUENTIAL_MIX = "sequential mixes are not in the model"
    SIZES = "requests have several sizes"
    PACED = "the job limits its rate"
    UNEVEN = "requests are not uniform"
    FLUSHED = "flushes after writes are not in the model"


class Assumed(enum.Enum):
    """What a figure of theory's hangs on that nobody measured."""

    DEPTHS = "depths"  # what a disk does with fewer requests at it than in its own test
    DEPTHS_AT_TIMES = "depths at times"  # the same, of disks that have as many in the mean
    READS_AS_WRITES = "reads as writes"  # what is read before parity, or the other way round
    FILE_START = "file start"  # that the file begins on the grid of its requests
    HOST = "host"  # the processor seconds that the limit comes of


_PASSED = 0.05  # by so much a measured rate refutes an assumed limit of the host


class Expectation(msgspec.Struct, frozen=True, kw_only=True):
    """bytes/s of a sequential job, IOPS of a random one; `figure` None: `outside` gives the reason.

    `figure`: the least of what `queue` circulating requests get and the ceilings; `limited_by`: which. `disks_figure`:
    disks and queue alone; `ceiling`: disks that are always busy. `error_share`: standard error of the simulation;
    `slowest`: what the slowest disk allows, where that is less.
    `operations`: disk I/Os for one of the user's; `measured_depths`: of disks alone; `kind`: of disk, below these.
    """

    figure: float | None = None
    limited_by: Limit | None = None
    disks_figure: float | None = None
    ceiling: float | None = None
    error_share: float | None = None
    queue: int | None = None
    outside: Outside | None = None
    assumed: tuple[Assumed, ...] = ()
    measured_depths: tuple[int, ...] = ()
    kind: CurveSource | None = None
    operations: DiskOperations | None = None
    file_start_bytes: int | None = None  # on the grid of chunks and requests, where the run looked
    shares: AtOnce | None = None  # of the other disks, where it is not of one disk alone
    slowest: SlowestDisk | None = None
    in_bytes: bool = False
    confidence: Confidence | None = None

    @property
    def mark(self) -> str:
        """Before the figure where it hangs on disks that were not measured as the model needs them."""
        return "~" if {Assumed.DEPTHS, Assumed.DEPTHS_AT_TIMES, Assumed.READS_AS_WRITES} & set(self.assumed) else ""

    @property
    def words(self) -> tuple[str, ...]:
        """What is to be known about the figure, each as a sentence."""
        if self.figure is None:
            silent = (None, Outside.NO_BASELINE, Outside.DISTURBED)  # what the row itself says
            return () if self.outside in silent else (f"no expected value: {self.outside.value}",)
        sentences = [_LIMITS[self.limited_by].format(self)] if self.limited_by in _LIMITS else []
        sentences += [_ASSUMED[assumed].format(self) for assumed in self.assumed]
        sentences += [f"expected is an {WORDS[Confidence.UPPER]}"] if self.confidence is Confidence.UPPER else []
        sentences += [self.shares.words] if self.shares else []
        sentences += [self.slowest.words] if self.slowest else []
        return tuple(sentences)

    def __format__(self, spec: str) -> str:
        """One of its values in a sentence."""
        values = {
            "depths": ", ".join(map(str, self.measured_depths)),
            "kind": _KINDS[self.kind] if self.kind else "",
            "queue": str(self.queue),
            "ceiling": self._rate(self.ceiling),
            "disks": self._rate(self.disks_figure),
        }
        return values[spec]

    def _rate(self, value: float | None) -> str:
        return format_rate(value or 0) if self.in_bytes else f"{value or 0:.0f} IOPS"


_KINDS = {
    CurveSource.ASSUMED_HDD: "usual rotating disks",
    CurveSource.ASSUMED_SATA_SSD: "usual SATA SSDs",
    CurveSource.ASSUMED_NVME: "usual NVMe drives",
}
_LIMITS = {
    Limit.QUEUE: "expected is limited by QD{0:queue}: always busy disks give {0:ceiling}",
    Limit.LINK: "expected is limited by the narrowest link above the disks",
    Limit.CPU: "expected is limited by the submitting CPUs; disks and queue alone give {0:disks}",
    Limit.MD_LOCK: "expected is limited by md's lock on reads; disks and queue alone give {0:disks}",
    Limit.MD_THREAD: "expected is limited by md's write threads; disks and queue alone give {0:disks}",
}
_ASSUMED = {
    Assumed.DEPTHS: "one disk was measured at QD{0:depths}, each disk of the array has fewer: expected uses {0:kind}",
    Assumed.DEPTHS_AT_TIMES: "one disk was measured at QD{0:depths}; for lower depths expected uses {0:kind}",
    Assumed.READS_AS_WRITES: "expected assumes reads as fast as writes: only one was measured",
    Assumed.FILE_START: "expected assumes an aligned test file",
    Assumed.HOST: "CPU time per I/O is assumed",
}


def expected(
    plan: Plan,
    stage: Stage,
    job: Compared,
    flash: bool,
    disturbed: bool = False,
    placed: Sequence[FilePlaced] = (),
    kernel: str = "",
) -> Expectation:
    """From the typical member alone, else the first one measured, by the shares of all at once; beside it what the
    slowest one allows. `placed`: test files as they lay; `kernel`: its release.
    """
    setup, options = stage.setup, options_of(stage, job.trial.id)
    members_taken = sweep.taken(setup, plan.disks) if setup else plan.disks
    outside = Outside.DISTURBED if disturbed else _outside_theory(stage, job, options, len(members_taken))
    if outside or setup is None:
        return Expectation(outside=outside)
    shape, file_start_bytes = _shape(stage, setup, job, options, members_taken, flash, placed)
    alone = _rates_alone(job, len(members_taken))
    by_mean = setup.level in _BY_ALL
    by_disk = limits(plan, job, members_taken, alone, by_mean=by_mean)
    link = carries_together_bytes_per_s([member.buses for member in members_taken])
    data = shape.disks - md_parities(shape.key)
    pages = shape.block_bytes / (data * PAGE_BYTES) if job.kind == "sequential" else 0.0
    processes, threads = job.trial.numjobs or 1, setup.group_thread_cnt
    host = host_limits(good(job.array), options, processes, threads, kernel, pages)
    endless = replace(host, parity_pages_per_s=math.inf)
    reached = median([rate for measurement in good(job.array) if (rate := job.value(measurement))] or [0.0])
    chunk_bytes = (stage.array.chunk_bytes if stage.array else None) or DEFAULT_CHUNK_BYTES
    stream = replace(shape, chunk_bytes=chunk_bytes)
    # Buffered streams are read ahead and written behind at a depth of the kernel's.
    direct_queue = queue_of(job.trial, options) if options.get("direct", "0") != "0" else None

    def by(disk: DiskLimit, host: HostLimits = host) -> Expectation:
        if job.kind == "sequential":
            each = alone[min(alone) if disk.member is None else disk.member]
            writes = job.name == "write"
            rate = theory.sequential_rate(stream, each * disk.share, writes, link, host, direct_queue)
            by_disks = theory.sequential_rate(stream, each * disk.share, writes, None, endless).value
            return Expectation(
                figure=rate.value,
                limited_by=rate.limit,
                disks_figure=by_disks,
                ceiling=by_disks,
                queue=direct_queue,
                in_bytes=True,
                assumed=(Assumed.HOST,) if rate.limit in host.assumed else (),
                confidence=_confidence(stream, True, writes, rate.limit, host),
                shares=disk.shares,
            )
        return _random(job, options, members_taken, shape, link, flash, file_start_bytes, disk, host)

    usual, slowest, limited = by(by_disk.typical), None if by_mean else by_disk.slowest, host
    if Assumed.HOST in usual.assumed and usual.figure and reached > (1 + _PASSED) * usual.figure:
        limited = NO_LIMITS  # what was passed is no limit
        usual = by(by_disk.typical, limited)
    figure = by(slowest, limited).figure if slowest else None
    if not slowest or slowest.disk is None or not figure:
        return usual
    return replace(usual, slowest=SlowestDisk(slowest.disk, by_disk.of_typical, figure, job.kind))


def _outside_theory(stage: Stage, job: Compared, options: dict[str, str], members: int) -> Outside | None:
    """Why the model does not speak of the job; None where it does."""
    if (setup := stage.setup) is None:
        return Outside.NO_BASELINE
    random, on_file = job.kind == "random", job.trial.target == "filesystem"
    buffered = bool(options) and options.get("direct", "0") == "0"
    several = any(key in options for key in _SEVERAL_SIZES) or "," in options.get("bs", "") or not job.trial.bs_bytes
    reasons = {
        Outside.NO_BASELINE: not _rates_alone(job, members),
        Outside.WRITE_MOSTLY: setup.write_mostly > 0,
        Outside.DISK_FAILED: setup.failed > 0,
        Outside.OWN_RAID: level_of(setup).pool,
        Outside.ENCRYPTED: setup.between == "luks",
        Outside.SEQUENTIAL_MIX: not random and job.mixed,
        Outside.FLUSHED: any(options.get(key, "0") != "0" for key in ("fdatasync", "fsync")),
        Outside.PACED: any(key in options for key in _PACED),
        Outside.COPY_ON_WRITE: random and on_file and filesystem(setup.filesystem).copy_on_write,
        Outside.PAGE_CACHE: random and buffered,
        Outside.SIZES: random and several,
        Outside.UNEVEN: random and not options.get("random_distribution", "random").startswith("random"),
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def _rates_alone(job: Compared, members: int) -> dict[int, float]:
    """What each of the first members did alone in this very test, as the job is judged."""
    return {member: rate for member, rate in job.rates_alone.items() if member < members}


def _shape(
    stage: Stage,
    setup: Setup,
    job: Compared,
    options: dict[str, str],
    members_taken: Sequence[Member],
    flash: bool,
    placed: Sequence[FilePlaced],
) -> tuple[RequestShape, int | None]:
    """The array and the job's requests by their true addresses, as far as they are known; and where the file begins on
    the grid of chunks and requests, None where that is not known.
    """
    disks = len(members_taken)
    if setup.level == "linear" and stage.array and job.trial.span_bytes:  # one disk after the other is used
        disks = min(disks, -(-job.trial.span_bytes * disks // stage.array.capacity.array_bytes))
    layout = (stage.array.layout if stage.array else setup.layout) or None
    offset = options.get("offset", "0")
    parity_only = parity_only_disks(setup.level, layout, disks // setup.groups)
    shape = RequestShape(
        key=setup.level,
        disks=disks,
        layout=layout if setup.level == "10" or parity_only else None,
        chunk_bytes=(stage.array.chunk_bytes if stage.array else None) or DEFAULT_CHUNK_BYTES,
        block_bytes=job.trial.bs_bytes or PAGE_BYTES,
        start_bytes=setup.partition_start_sectors * SECTOR_BYTES + (int(offset) if offset.isdigit() else 0),
        rotating=not flash,
        groups=setup.groups,
    )
    grid_bytes = math.gcd(shape.chunk_bytes, shape.block_bytes)  # requests fall on chunks alike from any point of it
    start_bytes = start_on_grid(tuple(extent for file in placed for extent in file.extents), grid_bytes)
    shape = replace(shape, start_bytes=shape.start_bytes + (start_bytes or 0))
    if shape.split:
        return shape, start_bytes
    # Where nothing is split, neither the chunk nor the start makes a difference: such setups share a simulation.
    return replace(shape, chunk_bytes=DEFAULT_CHUNK_BYTES, start_bytes=0), start_bytes


def _random(
    job: Compared,
    options: dict[str, str],
    members_taken: Sequence[Member],
    shape: RequestShape,
    link: float | None,
    flash: bool,
    file_start_bytes: int | None,
    disk: DiskLimit,
    host: HostLimits,
) -> Expectation:
    curves, curves_alike = _curves(job, members_taken, flash, disk.member)
    if curves is None:
        return Expectation(outside=Outside.NO_BASELINE)
    if disk.shares:
        curves = curves.times(disk.share)
    reads = _asked_read_share(options) if job.mixed else float(job.name == "read")
    queue = queue_of(job.trial, options)
    batch = options.get("iodepth_batch_complete_min") or options.get("iodepth_batch_complete") or "1"
    load = Load(queue, reads, max(1, int(batch)) if batch.isdigit() else 1)
    rate = _rate(shape, curves, load, host, link)
    direction_share = 1.0  # of a mix: the part of this direction
    if job.mixed:
        direction_share = reads if job.name == "read" else 1 - reads
    disks_rate = theory.disks_rate(shape, curves, load) if rate.limit not in (Limit.DISKS, Limit.QUEUE) else rate
    queues = 1 if shape.key != "jbod" else shape.disks  # separate disks have queues of their own
    deep = curves.measured_depths[0] <= queue // queues and (shape.disks == 1 or shape.key == "jbod")
    assumed = {
        Assumed.DEPTHS_AT_TIMES if job.trial.disk_queue else Assumed.DEPTHS: curves.assumed_below is not None
        and not deep,
        Assumed.READS_AS_WRITES: curves_alike and job.name == "write" and theory.small_write(shape).read_before > 0,
        Assumed.FILE_START: (
            job.trial.target == "filesystem"
            and file_start_bytes is None
            and shape.block_bytes > PAGE_BYTES
            and shape.striped
        ),
        Assumed.HOST: rate.limit in host.assumed,
    }
    by_disk = rate.limit is Limit.QUEUE and job.trial.disk_queue  # no short queue: a disk alone has no other
    return Expectation(
        figure=rate.value * direction_share or None,
        limited_by=Limit.DISKS if by_disk else rate.limit,
        disks_figure=disks_rate.value * direction_share,
        ceiling=theory.full_rate(shape, curves, reads) * direction_share,
        error_share=rate.error_share,
        confidence=_confidence(shape, False, reads < 1, rate.limit, host),
        queue=queue,
        assumed=tuple(assumption for assumption, holds in assumed.items() if holds),
        measured_depths=curves.measured_depths,
        kind=curves.assumed_below,
        operations=_operations(shape, reads),
        file_start_bytes=file_start_bytes,
        shares=disk.shares,
    )


def _confidence(shape: RequestShape, sequential: bool, writes: bool, limit: Limit, host: HostLimits) -> Confidence:
    """A host's limit that the run measured is none of elsewhere."""
    if limit in ASSUMED_OF_HOST - host.assumed:
        return Confidence.CONFIRMED
    return confidence(Asked(shape, sequential, writes, limit, host.parity_threads))


def _operations(shape: RequestShape, read_share: float) -> DiskOperations:
    """What the disks do for a mean request, by the model."""
    of_read, of_write = (demands(shape, writes) for writes in (False, True))
    return DiskOperations(
        read_share * sum(operations.reads for operations in of_read)
        + (1 - read_share) * sum(operations.reads for operations in of_write),
        (1 - read_share) * sum(operations.writes for operations in of_write),
    )


def _curves(
    job: Compared, members_taken: Sequence[Member], flash: bool, member: int | None
) -> tuple[DiskCurves | None, bool]:
    """One disk's reads and writes by depth; and whether one stands for the other. Of a mix both are the mix's own."""
    kind, members = kind_of(members_taken, flash), len(members_taken)
    if job.mixed:
        all_at_once = _curve(values_of(job.tests, None, members), member)
        return (disk_curves(all_at_once, all_at_once, kind) if all_at_once else None), False
    reads, writes = (_curve(values_of(job.tests, name, members), member) for name in ("read", "write"))
    either = reads or writes
    if either is None:
        return None, False
    return disk_curves(reads or either, writes or either, kind), not (reads and writes)


def _curve(values: Values, member: int | None) -> DepthCurve | None:
    """The member's; else of the first that was measured."""
    measured = {of for by_member in values.values() for of in by_member}
    chosen = member if member in measured else min(measured, default=None)
    return None if chosen is None else curve_of(values, chosen)


class Little(msgspec.Struct, frozen=True):
    """Little's law: mean latency `mean_ns` must be `expected_ns` = queue / IOPS; `test_ns`: how long was measured."""

    queue: int | None = None
    expected_ns: float | None = None
    mean_ns: float | None = None
    test_ns: float | None = None

    @property
    def off(self) -> bool:
        """Do they differ by more than 10 %, whatever the reason?"""
        return self.by_latency is not None and abs(1 / self.by_latency - 1) > LITTLE_OFF

    @property
    def by_latency(self) -> float | None:
        """What the latency makes of the rate, as a share of it; None where one of them is not known."""
        return self.expected_ns / self.mean_ns if self.mean_ns and self.expected_ns else None

    @property
    def waits(self) -> float | None:
        """How many times as long as one wait was measured."""
        return self.test_ns / self.mean_ns if self.mean_ns and self.test_ns else None


def little(measurements: Sequence[Measurement]) -> Little:
    """Of the medians, as they stand in tables: the rate that setups are compared by, and the mean latency."""
    measured_depths = [tried for tried in measurements if tried.iodepth and tried.numjobs and tried.steady_iops]
    if not measured_depths:
        return Little()
    queue = (measured_depths[0].iodepth or 1) * (measured_depths[0].numjobs or 1)
    expected_ns = queue / median(tried.steady_iops for tried in measured_depths) * 1e9
    waits = [wait for measurement in measured_depths if (wait := _mean_wait_ns(measurement)) is not None]
    times_ns = [measurement.runtime_ms * 1e6 for measurement in measured_depths if measurement.runtime_ms]
    if not waits:
        return Little(queue, expected_ns)
    return Little(queue, expected_ns, median(waits), median(times_ns) if times_ns else None)


def _mean_wait_ns(measurement: Measurement) -> float | None:
    """Of reads and writes together, with their flushes; None where one of them is not known."""
    rates = [direction for direction in (measurement.read, measurement.write) if direction]
    waits = [direction.lat_mean_ns * direction.iops for direction in rates if direction.lat_mean_ns is not None]
    operations, flushes = sum(direction.operations for direction in rates), measurement.flushes
    flushed_ns = flushes.mean_ns * flushes.count / operations if flushes and operations else 0.0
    iops = sum(direction.iops for direction in rates)
    return sum(waits) / iops + flushed_ns if len(waits) == len(rates) else None


def _asked_read_share(options: Mapping[str, str]) -> float:
    """Of a mix what was asked for: what fio drew in a short test is another share on every setup."""
    reads = options.get("rwmixread") or str(100 - int(options.get("rwmixwrite") or _FIOS_MIX))
    return int(reads) / 100
