"""Writes the sample file, a record of kernel counters per tick; rates of a window."""

import errno
import os
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from raidtui.core.fio.measurement import DiskRates
from raidtui.core.run import samples
from raidtui.core.run.samples import ARRAY, Header, Sample
from raidtui.runs.host import Host

_MARKS = 16  # kept in memory; what is in the file is read from there
_SPREAD_OVER = 3600  # of a longer window the newest readings tell how evenly the disks worked
_LONG_S, _END_S = 30.0, 10.0  # of a test: its ends are compared where a third lies between
_FEW = 3  # readings: the ends of a window of more can be left out
_SHORT = 0.5  # of the usual interval: a mark beside a record


class Sampler:
    """`names`: slot (member identity, "array") -> kernel name in this boot."""

    def __init__(self, path: Path, identities: tuple[str, ...], host: Host, interval_s: float = 1.0) -> None:
        self.slots = (*identities, ARRAY)
        self.names: dict[str, str | None] = dict.fromkeys(self.slots)
        self.interval_s = interval_s
        self._counters = host.counters()
        self._clock = host.clock
        self._marks: deque[Sample] = deque(maxlen=_MARKS)
        self._next_s = self._clock.monotonic()
        self._last: Sample | None = None
        self._answered_s = self._next_s  # when a request had ended, or none was waiting
        self._others: tuple[tuple[int | None, int | None], ...] | None = None  # while requests wait
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._header = Header(self.slots, interval_s)
        size = os.fstat(self._file).st_size
        if size == 0:
            self._own = os.write(self._file, samples.encode_header(self._header))
        else:  # an earlier worker's file, in its schema: cut a torn last record
            self._header, start = samples.decode_header(os.pread(self._file, 1 << 20, 0))
            self._own = start + (size - start) // self._width * self._width
            os.ftruncate(self._file, self._own)

    @property
    def _width(self) -> int:
        return self._header.record_bytes

    def due_s(self) -> float:
        return max(0.0, self._next_s - self._clock.monotonic())

    def take(self) -> None:
        now_s = self._clock.monotonic()
        while self._next_s <= now_s:  # also where there is no room: the next try is a tick away
            self._next_s += self.interval_s
        sample = self._take_sample()
        if self._last is None or not _waits(self._last, sample):
            self._answered_s, self._others = now_s, None
        else:
            others_done = tuple((counters.discards, counters.flushes) for counters in sample.counters if counters)
            if self._others not in (None, others_done):
                self._answered_s = now_s
            self._others = others_done
        self._last = sample
        record = samples.encode(sample)
        size = os.fstat(self._file).st_size
        if os.write(self._file, record) < len(record):
            os.ftruncate(self._file, size)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def silent_s(self) -> float:
        """Seconds in which requests waited and no disk finished any."""
        return self._clock.monotonic() - self._answered_s

    def mark(self) -> Sample:
        """For a window's edge; the file keeps its interval."""
        sample = self._take_sample()
        self._marks.append(sample)
        return sample

    def written_bytes(self) -> int:
        return sum(counters.write_bytes for counters in self._take_sample().counters[:-1] if counters is not None)

    def rates_within(self, begin_s: float, end_s: float) -> Mapping[str, DiskRates]:
        """By slot, over whole intervals between two monotonic times; empty if none. The last one is dropped if enough
        remain: fio's threads end at different times.
        """
        readings = self._readings_within(begin_s, end_s)
        before_end = [reading for reading in readings if reading[0] <= end_s - self.interval_s]
        return self._rates_of(before_end if len(before_end) >= _FEW else readings)

    def rates(self, start_s: float, end_s: float, lasting_s: float) -> Mapping[str, DiskRates]:
        """By slot, over the last `lasting_s` of I/O between two monotonic times: the window ends where counters stop.
        First and last interval are dropped if enough remain. Empty with fewer than two readings.
        """
        readings = self._readings_within(start_s, end_s)
        last = self._sample_of(readings[-1][1]) if readings else None
        while len(readings) > 2 and (reading_before := self._sample_of(readings[-2][1])).counters == (
            last and last.counters
        ):
            last = reading_before
            readings.pop()
        if last is None:
            return {}
        if len(readings) > _FEW:
            begin_s = last.monotonic_ns / 1e9 - lasting_s
            readings = [reading for reading in readings if reading[0] >= begin_s]
        if len(readings) > _FEW:
            readings = readings[:-1]
        return self._rates_of(readings)

    def _rates_of(self, readings: Sequence[tuple[float, Sample | int]]) -> Mapping[str, DiskRates]:
        if len(readings) < 2:
            return {}
        disk_rates = samples.rates(self._sample_of(readings[0][1]), self._sample_of(readings[-1][1]))
        even = self._even(readings[-_SPREAD_OVER:])
        steady = zip(samples.spreads(even), samples.stalls(even), self._steps(readings), strict=True)
        return {
            slot: msgspec.structs.replace(rates, spread=spread, stalls=stalls, step=step)
            for slot, rates, (spread, stalls, step) in zip(self.slots, disk_rates, steady, strict=True)
            if rates is not None
        }

    def _steps(self, readings: Sequence[tuple[float, Sample | int]]) -> tuple[float | None, ...]:
        """By slot, from the first to the last 10 s; of tests of 30 s or more."""
        begin_s, end_s = readings[0][0], readings[-1][0]
        if end_s - begin_s < _LONG_S:
            return (None,) * len(self.slots)
        after = next(reading for reading in readings if reading[0] >= begin_s + _END_S)
        before = next(reading for reading in reversed(readings) if reading[0] <= end_s - _END_S)
        first, early, late, last = (self._sample_of(mark) for _, mark in (readings[0], after, before, readings[-1]))
        return samples.steps((first, early), (late, last))

    def close(self) -> None:
        self._counters.close()
        os.close(self._file)

    def _take_sample(self) -> Sample:
        counters = self._counters.read(self.names[slot] for slot in self.slots)
        return Sample(self._clock.time_ns(), self._clock.monotonic_ns(), counters)

    def _readings_within(self, start_s: float, end_s: float) -> list[tuple[float, Sample | int]]:
        """(time, mark or file position), oldest first, this worker's only: others used another clock."""
        marks: list[tuple[float, Sample | int]] = []
        for place in range(os.fstat(self._file).st_size - self._width, self._own - 1, -self._width):
            taken_s = samples.monotonic_ns(os.pread(self._file, samples.CLOCKS_BYTES, place)) / 1e9
            if taken_s < start_s:
                break
            marks.append((taken_s, place))
        marks += [(mark.monotonic_ns / 1e9, mark) for mark in self._marks]
        return sorted((mark for mark in marks if start_s <= mark[0] <= end_s), key=lambda mark: mark[0])

    def _even(self, readings: Sequence[tuple[float, Sample | int]]) -> list[Sample]:
        """About an interval apart: shorter ones give random rates."""
        readings_kept: list[tuple[float, Sample | int]] = []
        for taken_s, reading in readings:
            if not readings_kept or taken_s - readings_kept[-1][0] > _SHORT * self.interval_s:
                readings_kept.append((taken_s, reading))
        return [self._sample_of(reading) for _, reading in readings_kept]

    def _sample_of(self, reading: Sample | int) -> Sample:
        if isinstance(reading, Sample):
            return reading
        return samples.decode(os.pread(self._file, self._width, reading))


def _waits(before: Sample, now: Sample) -> bool:
    """Disks were busy and no request finished; the kernel counts waiting requests too."""
    pairs = [(old, new) for old, new in zip(before.counters, now.counters, strict=True) if old and new]
    ended = any((old.reads, old.writes) != (new.reads, new.writes) for old, new in pairs)
    return not ended and any(new.busy_ms > old.busy_ms for old, new in pairs)
