"""Array rate at queue depth Q: a closed network of disks, simulated by events. A finished request is replaced at once
(`iodepth_batch_complete`: N together). Each disk is FIFO and serves at x(q), q operations being there. Placement is in
`placement`.

Checked against 6 throttled disks, 107 cells: median error 1.3 %, worst 9 % (table in the tests). Not modelled: host
costs, writeback throttling (as if off), volatile caches, the extra rotation before a write of just-read data. Latency:
L = Q / X (Little 1961).
"""

import enum
import functools
import math
import random
from collections import deque
from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from itertools import islice, pairwise
from statistics import fmean, stdev

import msgspec

from raidtui.core.raid.depth_curve import DepthCurve, DiskCurves
from raidtui.core.raid.placement import (
    Placements,
    RequestShape,
    WriteExtent,
    WriteGroup,
    full_queue_iops,
    merged,
)

SIMULATED_QUEUE = 64  # the longest that is simulated
_REQUESTS, _FEWEST_REQUESTS = 1000, 200
_MOST_OPERATIONS = 6000  # of a run, so that it stays under 50 ms where each request writes to many disks
_ERROR_PARTS = 10  # of a run, whose spread tells its error
_UNIFORM = math.sqrt(3) / 3  # half-width of an even spread whose standard deviation is a third of its mean


class Service(enum.Enum):
    """Variation of an operation's time around 1 / x(q)."""

    EVEN = "even"  # throttled disks and flash
    ROTATING = "rotating"  # a third of the mean: assumed
    EXPONENTIAL = "exponential"  # what closed forms know; of real disks up to 46 % low


class Load(msgspec.Struct, frozen=True):
    """`queue` = iodepth x numjobs; `read_share` of requests; `batch`: replaced together."""

    queue: int
    read_share: float = 1.0
    batch: int = 1


class QueuedRate(msgspec.Struct, frozen=True):
    """User IOPS; standard error as a share; busy share of each disk (0 to 1); mean latency."""

    iops: float
    error_share: float
    disk_utilisation: tuple[float, ...]
    latency_s: float


class _Request:
    """Pending reads by group, running operations, writes that may still be merged."""

    __slots__ = ("groups", "operations", "reads_left", "writes")

    def __init__(self, groups: tuple[WriteGroup, ...]) -> None:
        self.groups = groups
        self.reads_left = [group.reads for group in groups]
        self.operations = 0
        self.writes: list[_Write] = []


class _Operation:
    """At one disk, with the groups that need it (reads)."""

    __slots__ = ("groups", "request", "writes")

    def __init__(self, request: _Request, groups: tuple[int, ...], writes: bool) -> None:
        self.request = request
        self.groups = groups
        self.writes = writes


class _Write(_Operation):
    """Mergeable while it is queued."""

    __slots__ = ("extent",)

    def __init__(self, request: _Request, extent: WriteExtent) -> None:
        super().__init__(request, (), True)
        self.extent = extent


class _Disk:
    """A server: its queue (front first), the front's remaining work, rate and start."""

    __slots__ = ("began", "busy_s", "ends", "left", "operations", "rate", "since")

    def __init__(self) -> None:
        self.operations: deque[_Operation] = deque()
        self.left = self.rate = self.since = self.ends = self.began = self.busy_s = 0.0


class _Rates(dict[int, float]):
    """Cache of x(q): a curve may be a million deep; a queue of 64 uses few depths."""

    def __init__(self, curve: DepthCurve) -> None:
        super().__init__()
        self._curve = curve

    def __missing__(self, depth: int) -> float:
        self[depth] = rate = self._curve.at(depth)
        return rate


class _Network:
    def __init__(self, shape: RequestShape, curves: DiskCurves, load: Load, service: Service, seed: int) -> None:
        self.now = 0.0
        self.disks = [_Disk() for _ in range(shape.disks)]
        self._events: list[tuple[float, int]] = []
        self._chance = random.Random(seed).random
        self._placements = Placements(shape)
        self._rotating, self._start, self._block = shape.rotating, shape.start_bytes, shape.block_bytes
        self._positions = shape.positions
        self._read_share, self._service = load.read_share, service
        self._varies = curves.varies
        self._deepest = max(curves.reads.deepest, curves.writes.deepest) if self._varies else 1
        self._rates = _Rates(curves.reads), _Rates(curves.writes)

    def issue(self) -> None:
        writes = self._read_share < 1 and self._chance() >= self._read_share
        address = self._start + int(self._chance() * self._positions) * self._block
        placement = self._placements.at(address, writes)
        request = _Request(placement.groups)
        request.operations = len(placement.reads)
        for disks, groups in placement.reads:
            self._arrive(disks[0] if len(disks) == 1 else self._copy(disks), _Operation(request, groups, False))
        if not placement.reads:
            self._write(request, range(len(placement.groups)))

    def next_done(self) -> int:
        """Advances to the next finished operation; returns the number of requests finished: 0 or 1."""
        while True:
            now, number = heappop(self._events)
            disk = self.disks[number]
            if disk.ends == now:  # else it was timed anew since
                break
        self.now = now
        operations = disk.operations
        operation = operations.popleft()
        disk.busy_s += now - disk.began
        if operations:
            self._begin_operation(number, disk)
        request = operation.request
        request.operations -= 1
        if operation.groups:
            ready = []
            for group in operation.groups:
                request.reads_left[group] -= 1
                if not request.reads_left[group]:
                    ready.append(group)
            if ready:
                self._write(request, ready)
        return not request.operations

    def busy_s(self) -> list[float]:
        return [disk.busy_s + (self.now - disk.began if disk.operations else 0.0) for disk in self.disks]

    def _copy(self, disks: tuple[int, ...]) -> int:
        """As `read_balance`: fewest pending. Rotating: an idle disk, else the nearer head (random here)."""
        pending = [len(self.disks[number].operations) for number in disks]
        least_served = min(pending)
        if not (self._rotating and least_served):
            disks = tuple(number for number, count in zip(disks, pending, strict=True) if count == least_served)
        return disks[int(self._chance() * len(disks))]

    def _write(self, request: _Request, ready: Sequence[int]) -> None:
        """A write next to a queued one of the same request is merged."""
        if len(request.groups) == 1:
            extents = request.groups[0].writes
            request.operations += len(extents)
            for extent in extents:
                self._arrive(extent.disk, _Operation(request, (), True))
            return
        open_to_join = [write for write in request.writes if write in self._waiting(write.extent.disk)]
        issued = []
        for extent in merged(extent for group in ready for extent in request.groups[group].writes):
            for write in open_to_join:
                pair = merged((write.extent, extent))
                if len(pair) == 1:
                    write.extent = pair[0]
                    break
            else:
                issued.append(_Write(request, extent))
        request.writes += issued
        request.operations += len(issued)
        for write in issued:
            self._arrive(write.extent.disk, write)

    def _waiting(self, number: int) -> Iterable[_Operation]:
        return islice(self.disks[number].operations, 1, None)

    def _arrive(self, number: int, operation: _Operation) -> None:
        disk = self.disks[number]
        disk.operations.append(operation)
        if len(disk.operations) == 1:
            self._begin_operation(number, disk)
        elif self._varies and len(disk.operations) <= self._deepest:
            # The one in front is served at the rate of the new depth from now on.
            disk.left -= (self.now - disk.since) * disk.rate
            self._serve(number, disk)

    def _begin_operation(self, number: int, disk: _Disk) -> None:
        disk.began = self.now
        if self._service is Service.EVEN:
            disk.left = 1.0
        elif self._service is Service.ROTATING:
            disk.left = 1 + (2 * self._chance() - 1) * _UNIFORM
        else:
            disk.left = -math.log(1 - self._chance())
        self._serve(number, disk)

    def _serve(self, number: int, disk: _Disk) -> None:
        operations = disk.operations
        depth = len(operations)
        disk.rate = rate = self._rates[operations[0].writes][depth if depth < self._deepest else self._deepest]
        disk.since = now = self.now
        disk.ends = ends = now + disk.left / rate
        heappush(self._events, (ends, number))


def simulate(
    shape: RequestShape,
    curves: DiskCurves,
    load: Load,
    service: Service = Service.EVEN,
    requests: int | None = None,
    seed: int = 0,
) -> QueuedRate:
    """`requests` after a warm-up of 2Q (default 1,000, fewer if each is many operations: 3 to 40 ms); deterministic by
    `seed`. Error: from ten batches; between seeds at worst 2 % for reads and parity writes, 3 % for mirrored writes.
    JBOD: sum of x(q), Q split evenly over the disks.
    """
    if shape.key == "jbod":
        return _dealt_out(shape.disks, curves, load)
    network = _Network(shape, curves, load, service, seed)
    if requests is None:
        requests = min(_REQUESTS, max(_FEWEST_REQUESTS, _MOST_OPERATIONS // _operations(shape, load)))
    for _ in range(load.queue):
        network.issue()
    batch = min(load.batch, load.queue)
    finished = owed = 0
    marks: list[tuple[float, int]] = []  # time and requests done, from the end of the warm-up on
    busy_s = network.busy_s()
    warm, part_requests = 2 * load.queue, max(1, requests // _ERROR_PARTS)
    while not marks or finished < marks[0][1] + requests or owed:
        if not network.next_done():
            continue
        finished += 1
        owed += 1
        if owed < batch:
            continue
        if not marks and finished >= warm:
            busy_s = network.busy_s()
        if finished >= (marks[-1][1] + part_requests if marks else warm):
            marks.append((network.now, finished))
        for _ in range(owed):
            network.issue()
        owed = 0
    span_s = marks[-1][0] - marks[0][0]
    parts_s = [(later[0] - sooner[0]) / (later[1] - sooner[1]) for sooner, later in pairwise(marks)]
    iops = (marks[-1][1] - marks[0][1]) / span_s
    return QueuedRate(
        iops=iops,
        error_share=stdev(parts_s) / fmean(parts_s) / math.sqrt(len(parts_s)) if len(parts_s) > 1 else 1.0,
        disk_utilisation=tuple(
            min(1.0, (busy_after - busy_before) / span_s)
            for busy_before, busy_after in zip(busy_s, network.busy_s(), strict=True)
        ),
        latency_s=load.queue / iops,
    )


# Every queue beyond 64 rests on the same simulation, and each page and table asks for the same cells.
simulated_once = functools.lru_cache(maxsize=1024)(simulate)


def rate_at(shape: RequestShape, curves: DiskCurves, load: Load, service: Service = Service.EVEN) -> QueuedRate:
    """Any queue depth in under 50 ms: simulated up to 64, then Q / (Q + a) of the full rate, as closed networks behave
    (Reiser, Lavenberg 1980; a = n - 1 for exponential service); a is fitted at 64, so there is no step.
    """
    simulated = min(load.queue, SIMULATED_QUEUE)
    batch = max(1, round(load.batch * simulated / load.queue))
    network = simulated_once(shape, curves, Load(simulated, load.read_share, batch), service)
    most_iops = full_queue_iops(shape, curves.reads.best_iops, curves.writes.best_iops, load.read_share)
    iops = min(network.iops, most_iops)
    if load.queue > simulated:
        if shape.key == "jbod":
            return _dealt_out(shape.disks, curves, load)
        idle = SIMULATED_QUEUE * (_full_at(shape, curves, load, simulated) / iops - 1)
        iops = min(most_iops, _full_at(shape, curves, load, load.queue) * load.queue / (load.queue + idle))
    return msgspec.structs.replace(
        network,
        iops=iops,
        disk_utilisation=tuple(min(1.0, share * iops / network.iops) for share in network.disk_utilisation),
        latency_s=load.queue / iops,
    )


def _full_at(shape: RequestShape, curves: DiskCurves, load: Load, queue: int) -> float:
    """Rate of never idle disks, each with its share of the queue."""
    depth = max(1.0, queue * _operations(shape, load) / shape.disks)
    return full_queue_iops(shape, curves.reads.at(depth), curves.writes.at(depth), load.read_share)


def _operations(shape: RequestShape, load: Load) -> int:
    """Disks that the first request of the costlier kind uses at once."""
    placement = Placements(shape).at(shape.start_bytes, load.read_share < 1)
    return max(len(placement.reads), sum(len(group.writes) for group in placement.groups))


def _dealt_out(disks: int, curves: DiskCurves, load: Load) -> QueuedRate:
    depths = [load.queue // disks + (number < load.queue % disks) for number in range(disks)]
    times_s = [load.read_share / curves.reads.at(q) + (1 - load.read_share) / curves.writes.at(q) for q in depths if q]
    iops = sum(1 / time_s for time_s in times_s)
    return QueuedRate(iops, 0.0, tuple(float(depth > 0) for depth in depths), load.queue / iops)
