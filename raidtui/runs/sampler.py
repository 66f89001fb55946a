"""The sample file's writer: one record of kernel counters a tick, and the rates of a window of them."""

import os
import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path

from raidtui.core import samples
from raidtui.core.measurement import DiskRates
from raidtui.core.samples import ARRAY, Header, Sample
from raidtui.system.block import DiskCounters

_REMEMBERED = 7200  # records kept in memory, for the window of the trial that runs


class Sampler:
    """Appends a record a tick. `names` maps a slot (member identity, "array") to its kernel name in this boot."""

    def __init__(self, path: Path, identities: tuple[str, ...], interval_s: float = 1.0) -> None:
        self.slots = (*identities, ARRAY)
        self.names: dict[str, str | None] = dict.fromkeys(self.slots)
        self.interval_s = interval_s
        self._counters = DiskCounters()
        self._recent: deque[Sample] = deque(maxlen=_REMEMBERED)
        self._next_s = time.monotonic()
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        width = samples.record_bytes(len(self.slots))
        size = os.fstat(self._file).st_size
        if size == 0:
            os.write(self._file, samples.encode_header(Header(self.slots, interval_s)))
        else:  # an earlier worker's file: cut a torn last record
            _, start = samples.decode_header(os.pread(self._file, 1 << 20, 0))
            os.ftruncate(self._file, start + (size - start) // width * width)

    def due_s(self) -> float:
        """Seconds until the next record is due; 0 when it is."""
        return max(0.0, self._next_s - time.monotonic())

    def take(self) -> None:
        """Read the counters now and append them."""
        os.write(self._file, samples.encode(self.mark()))
        now = time.monotonic()
        while self._next_s <= now:
            self._next_s += self.interval_s

    def mark(self) -> Sample:
        """Read the counters now, for a window that begins or ends here; the file keeps its even pace."""
        sample = Sample(
            time.time_ns(), time.monotonic_ns(), self._counters.read(self.names[slot] for slot in self.slots)
        )
        self._recent.append(sample)
        return sample

    def rates(self, start_s: float, end_s: float, lasting_s: float) -> Mapping[str, DiskRates]:
        """Mean rates of each slot over the last `lasting_s` of the I/O between two moments (monotonic).

        A program's own starting and ending are no I/O: the window ends where the counters stopped to move. Its first
        and last interval are left out where enough remain. Empty where it holds fewer than two readings.
        """
        within = [s for s in self._recent if start_s <= s.monotonic_ns / 1e9 <= end_s]
        while len(within) > 2 and within[-1].counters == within[-2].counters:
            within.pop()
        if not within:
            return {}
        begin_ns = within[-1].monotonic_ns - lasting_s * 1e9
        within = [s for s in within if s.monotonic_ns >= begin_ns] if len(within) > 3 else within
        if len(within) > 3:
            within = within[:-1]
        if len(within) < 2:
            return {}
        found = samples.rates(within[0], within[-1])
        return {slot: rates for slot, rates in zip(self.slots, found, strict=True) if rates is not None}

    def close(self) -> None:
        self._counters.close()
        os.close(self._file)
