"""Rates of a run's devices over the last minutes from its samples, each taken in once."""

from collections import deque
from collections.abc import Sequence

from raidtui.core.fio.measurement import DiskRates
from raidtui.core.run.samples import ARRAY, Sample, rates
from raidtui.ui.render.glyphs import round_top

RATES_KEPT = 240  # rates a device
COARSE_S = 4  # samples of which one coarse rate is the mean
_MANY_SLOTS = 9  # slots, the array's among them


class Track:
    """The newest rates of every slot, oldest first; None where the device was absent."""

    def __init__(self, slots: Sequence[str]) -> None:
        self.slots = tuple(slots)
        self.wall_s = 0.0
        self._highest = self._highest_sum = 1.0
        self._newest: Sample | None = None
        self._rates: dict[str, deque[DiskRates | None]] = {slot: deque(maxlen=RATES_KEPT) for slot in slots}
        self._coarse: dict[str, deque[DiskRates | None]] = {slot: deque(maxlen=RATES_KEPT) for slot in slots}
        self._sums: deque[DiskRates | None] = deque(maxlen=RATES_KEPT)
        self._taken = 0
        self._moved_ns = 0

    def take(self, history: Sequence[Sample]) -> None:
        """Takes in those samples of `history` (oldest first) that are newer than what was seen."""
        fresh = [s for s in history if self._newest is None or s.monotonic_ns > self._newest.monotonic_ns]
        for sample in fresh[-RATES_KEPT - 1 :]:
            if self._newest is not None:
                at_once = dict(zip(self.slots, rates(self._newest, sample), strict=True))
                moved = _sum([rate for slot, rate in at_once.items() if slot != ARRAY])
                self._sums.append(moved)
                if moved is None or moved.read_bytes_per_s or moved.write_bytes_per_s:
                    self._moved_ns = sample.monotonic_ns
                for slot, rate in at_once.items():
                    self._rates[slot].append(rate)
                    if rate is not None and slot != ARRAY:
                        read, write = rate.read_bytes_per_s, rate.write_bytes_per_s
                        self._highest = max(self._highest, read, write)
                        self._highest_sum = max(self._highest_sum, read + write)
                self._taken += 1
                if self._taken % COARSE_S == 0:
                    for slot, slot_rates in self._rates.items():
                        self._coarse[slot].append(_mean(list(slot_rates)[-COARSE_S:]))
            self._moved_ns = self._moved_ns or sample.monotonic_ns
            self._newest = sample
            self.wall_s = sample.wall_ns / 1e9

    @property
    def members(self) -> tuple[str, ...]:
        return tuple(slot for slot in self.slots if slot != ARRAY)

    def of(self, slot: str) -> Sequence[DiskRates | None]:
        return self._rates.get(slot, ())

    def latest(self, slot: str) -> DiskRates | None:
        slot_rates = self._rates.get(slot)
        return slot_rates[-1] if slot_rates else None

    def history(self, slot: str) -> Sequence[DiskRates | None]:
        """What a strip shows of one slot. Of many disks the means of some seconds: a strip that changes less often
        costs a slow line less."""
        return (self._coarse if len(self.slots) > _MANY_SLOTS else self._rates).get(slot, ())

    @property
    def cell_s(self) -> int:
        """How many samples one place of a `history` stands for."""
        return COARSE_S if len(self.slots) > _MANY_SLOTS else 1

    def top(self, of_sum: bool) -> float:
        """A round scale for histories, bytes/s: of reads and writes apart, or `of_sum`; the highest seen so far."""
        return round_top(self._highest_sum if of_sum else self._highest)

    @property
    def still_s(self) -> float:
        """How long, to the newest sample, no disk has moved a byte."""
        return (self._newest.monotonic_ns - self._moved_ns) / 1e9 if self._newest else 0.0

    @property
    def sums(self) -> Sequence[DiskRates | None]:
        return self._sums


def _mean(at_once: Sequence[DiskRates | None]) -> DiskRates | None:
    total = _sum(at_once)
    count = sum(rate is not None for rate in at_once)
    if total is None:
        return None
    return DiskRates(total.read_bytes_per_s / count, total.write_bytes_per_s / count, total.util)


def _sum(at_once: Sequence[DiskRates | None]) -> DiskRates | None:
    rates = [rate for rate in at_once if rate is not None]
    if not rates:
        return None
    return DiskRates(
        read_bytes_per_s=sum(rate.read_bytes_per_s for rate in rates),
        write_bytes_per_s=sum(rate.write_bytes_per_s for rate in rates),
        util=sum(rate.util for rate in rates) / len(rates),
    )
