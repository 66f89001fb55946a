"""The sample file: kernel counters per second. A JSON header line names the slots (member identities, "array"); records
hold 2 + 10 x slots unsigned 64-bit little-endian numbers: wall clock ns, monotonic ns; per slot bytes read, bytes
written, reads, writes, ms busy (io_ticks), ms of reads, ms of writes, ms of all outstanding requests (time in queue),
discards, flushes. ABSENT: not given; all ABSENT: no device."""

import struct
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import fmean, median, pstdev

import msgspec

from raidtui.core.fio.measurement import DiskRates
from raidtui.core.run.state import RunState

ABSENT = 2**64 - 1
ARRAY = "array"
CLOCKS_BYTES = 16  # of the two clocks, at the beginning of a record
_SCHEMA, FIELDS = 2, 10  # numbers of a slot
_GIVEN = 5  # of these by every kernel
_WRAPS = 2**32  # the kernel counts ms in so many bits
_FEWEST_INTERVALS = 3  # that have a spread
_FEWEST_OPERATIONS = 50  # a second, below which half of them may be chance


class Header(msgspec.Struct, frozen=True):
    """`interval_s`: intended."""

    slots: tuple[str, ...]
    interval_s: float = 1.0
    schema: int = _SCHEMA

    @property
    def record_bytes(self) -> int:
        return 8 * (2 + FIELDS * len(self.slots))


class Counters(msgspec.Struct, frozen=True):
    """Cumulative, since the device appeared; from `read_ms` on None if not given. `read_ms`, `write_ms`: total latency
    of finished requests; `queue_ms`: of outstanding ones too.
    """

    read_bytes: int
    write_bytes: int
    reads: int
    writes: int
    busy_ms: int
    read_ms: int | None = None
    write_ms: int | None = None
    queue_ms: int | None = None
    discards: int | None = None
    flushes: int | None = None


class DeviceTimes(msgspec.Struct, frozen=True):
    """`iostat -x` without `rates`; None if not counted, or nothing finished. `queue`: mean depth (aqu-sz)."""

    rates: DiskRates
    read_await_ms: float | None = None
    write_await_ms: float | None = None
    queue: float | None = None
    discards_per_s: float | None = None
    flushes_per_s: float | None = None


class Sample(msgspec.Struct, frozen=True):
    """Counters by slot (None: no device)."""

    wall_ns: int
    monotonic_ns: int
    counters: tuple[Counters | None, ...]


def encode_header(header: Header) -> bytes:
    return msgspec.json.encode(header) + b"\n"


def decode_header(header_bytes: bytes) -> tuple[Header, int]:
    """Header and its length; ValueError if incomplete."""
    line_end = header_bytes.find(b"\n")
    if line_end < 0:
        raise ValueError("the sample file has no whole header yet")
    try:
        header = msgspec.json.decode(header_bytes[:line_end], type=Header)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(f"the sample file's header is damaged: {error}") from error
    if header.schema != _SCHEMA:
        raise ValueError(f"the sample file is of schema {header.schema}, which this raidtui does not know")
    return header, line_end + 1


def encode(sample: Sample) -> bytes:
    numbers = [sample.wall_ns, sample.monotonic_ns]
    for counters in sample.counters:
        if counters is None:
            numbers += [ABSENT] * FIELDS
        else:
            numbers += [ABSENT if number is None else number for number in msgspec.structs.astuple(counters)]
    return struct.pack(f"<{len(numbers)}Q", *numbers)


def decode(record: bytes) -> Sample:
    wall_ns, moment_ns = struct.unpack_from("<QQ", record)
    groups = struct.iter_unpack(f"<{FIELDS}Q", record[CLOCKS_BYTES:])
    return Sample(wall_ns, moment_ns, tuple(map(_counters, groups)))


def _counters(numbers: tuple[int, ...]) -> Counters | None:
    if ABSENT not in numbers:  # as nearly all are
        return Counters(*numbers)
    if ABSENT in numbers[:_GIVEN]:
        return None
    return Counters(*numbers[:_GIVEN], *(None if number == ABSENT else number for number in numbers[_GIVEN:]))


def monotonic_ns(clocks: bytes) -> int:
    """From a record's first `CLOCKS_BYTES`."""
    moment: int = struct.unpack("<QQ", clocks)[1]
    return moment


def rates(older: Sample, newer: Sample) -> tuple[DiskRates | None, ...]:
    """By slot; None if absent, or counters went back."""
    elapsed_s = (newer.monotonic_ns - older.monotonic_ns) / 1e9
    if elapsed_s <= 0:
        return (None,) * len(newer.counters)
    return tuple(_rates_between(a, b, elapsed_s) for a, b in zip(older.counters, newer.counters, strict=True))


def moved(rates: DiskRates) -> float:
    return rates.read_bytes_per_s + rates.write_bytes_per_s


def first_at(history: Sequence[Sample], moments_s: Sequence[float]) -> tuple[Sample | None, ...]:
    """The first sample at each moment (UTC) or after it, else the last."""
    found = (bisect_left(history, moment_s * 1e9, key=lambda sample: sample.wall_ns) for moment_s in moments_s)
    return tuple(history[min(at, len(history) - 1)] if history else None for at in found)


def spreads(readings: Sequence[Sample]) -> tuple[float | None, ...]:
    """By slot: SD of bytes/s over its mean. None without transfers, if absent, or under three intervals."""
    rates_by_second = [rates(older, newer) for older, newer in pairwise(readings)]
    return (
        tuple(map(_spread, zip(*rates_by_second, strict=True)))
        if rates_by_second
        else (None,) * len(readings[0].counters)
    )


def _spread(disks_rates: tuple[DiskRates | None, ...]) -> float | None:
    in_all = [moved(disk_rates) for disk_rates in disks_rates if disk_rates]
    if len(in_all) < len(disks_rates) or len(in_all) < _FEWEST_INTERVALS:
        return None
    mean = fmean(in_all)
    return pstdev(in_all, mean) / mean if mean else None


def steps(first: tuple[Sample, Sample], last: tuple[Sample, Sample]) -> tuple[float | None, ...]:
    """By slot: bytes/s between the last two samples over that between the first two, less 1. None without transfers."""
    return tuple(map(_step, rates(*first), rates(*last)))


def _step(first: DiskRates | None, last: DiskRates | None) -> float | None:
    before, later = (moved(rate) if rate else 0.0 for rate in (first, last))
    return later / before - 1 if before and last else None


def stalls(readings: Sequence[Sample]) -> tuple[int, ...]:
    """By slot: intervals under half of the median rate, if 50/s or more. 0: absent, under three intervals."""
    operations_by_second = [_operations(older, newer) for older, newer in pairwise(readings)]
    return (
        tuple(map(_stalls, zip(*operations_by_second, strict=True)))
        if operations_by_second
        else (0,) * len(readings[0].counters)
    )


def _operations(older: Sample, newer: Sample) -> tuple[float | None, ...]:
    elapsed_s = (newer.monotonic_ns - older.monotonic_ns) / 1e9
    return tuple(
        (b.reads + b.writes - a.reads - a.writes) / elapsed_s if a and b and elapsed_s > 0 else None
        for a, b in zip(older.counters, newer.counters, strict=True)
    )


def _stalls(per_second: tuple[float | None, ...]) -> int:
    operations_done = [operations for operations in per_second if operations is not None]
    if (
        len(operations_done) < max(len(per_second), _FEWEST_INTERVALS)
        or (middle := median(operations_done)) < _FEWEST_OPERATIONS
    ):
        return 0
    return sum(operations < middle / 2 for operations in operations_done)


def _rates_between(earlier: Counters | None, later: Counters | None, elapsed_s: float) -> DiskRates | None:
    if (
        earlier is None
        or later is None
        or later.read_bytes < earlier.read_bytes
        or later.write_bytes < earlier.write_bytes
        or later.busy_ms < earlier.busy_ms
    ):
        return None
    return DiskRates(
        read_bytes_per_s=(later.read_bytes - earlier.read_bytes) / elapsed_s,
        write_bytes_per_s=(later.write_bytes - earlier.write_bytes) / elapsed_s,
        util=min(1.0, (later.busy_ms - earlier.busy_ms) / 1000 / elapsed_s),
        reads_per_s=max(0, later.reads - earlier.reads) / elapsed_s,
        writes_per_s=max(0, later.writes - earlier.writes) / elapsed_s,
    )


def times(older: Sample, newer: Sample) -> tuple[DeviceTimes | None, ...]:
    elapsed_s = (newer.monotonic_ns - older.monotonic_ns) / 1e9
    return tuple(
        _times_between(a, b, rate, elapsed_s) if a and b and rate else None
        for a, b, rate in zip(older.counters, newer.counters, rates(older, newer), strict=True)
    )


def _times_between(earlier: Counters, later: Counters, rate: DiskRates, elapsed_s: float) -> DeviceTimes:
    queue_ms = _grown(earlier.queue_ms, later.queue_ms)
    return DeviceTimes(
        rates=rate,
        read_await_ms=_await_ms(_grown(earlier.read_ms, later.read_ms), later.reads - earlier.reads),
        write_await_ms=_await_ms(_grown(earlier.write_ms, later.write_ms), later.writes - earlier.writes),
        queue=None if queue_ms is None else queue_ms / 1000 / elapsed_s,
        discards_per_s=_per_s(earlier.discards, later.discards, elapsed_s),
        flushes_per_s=_per_s(earlier.flushes, later.flushes, elapsed_s),
    )


def _grown(earlier_ms: int | None, later_ms: int | None) -> int | None:
    return None if earlier_ms is None or later_ms is None else (later_ms - earlier_ms) % _WRAPS


def _await_ms(took_ms: int | None, ended: int) -> float | None:
    return took_ms / ended if took_ms is not None and ended > 0 else None


def _per_s(earlier: int | None, later: int | None, elapsed_s: float) -> float | None:
    return None if earlier is None or later is None else max(0, later - earlier) / elapsed_s


class Second(msgspec.Struct, frozen=True, kw_only=True):
    """`at_s`: end, Unix time. `device`: member identity or "array". `trial`: "" between tests."""

    at_s: float
    device: str
    trial: str
    read_bytes_per_s: float
    write_bytes_per_s: float
    reads_per_s: float | None
    writes_per_s: float | None
    util: float


def seconds(header: Header, samples: Sequence[Sample], state: RunState) -> Iterator[Second]:
    trials = [trial for trial in state.trials if trial.ended_at_s is not None]
    running = [trial for trial in state.trials if trial.ended_at_s is None]
    at = 0
    for older, newer in pairwise(samples):
        now_s = newer.wall_ns / 1e9
        while at < len(trials) and (trials[at].ended_at_s or 0.0) < now_s:
            at += 1
        current = trials[at] if at < len(trials) else running[-1] if running else None
        trial = current.trial if current and current.started_at_s <= older.wall_ns / 1e9 else ""
        for device, moved in zip(header.slots, rates(older, newer), strict=True):
            if moved is not None:
                yield Second(
                    at_s=now_s,
                    device=device,
                    trial=trial,
                    read_bytes_per_s=moved.read_bytes_per_s,
                    write_bytes_per_s=moved.write_bytes_per_s,
                    reads_per_s=moved.reads_per_s,
                    writes_per_s=moved.writes_per_s,
                    util=moved.util,
                )
