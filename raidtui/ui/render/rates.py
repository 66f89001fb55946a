"""Rates of a run's devices: of the newest second, and of each column of the time axis from the samples at its edges.

What is kept depends on the columns, not on how long the run takes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import Protocol

import msgspec

from raidtui.core.fio.measurement import DiskRates
from raidtui.core.run.samples import ARRAY, Sample, rates
from raidtui.ui.render.axis import AxisPiece

Pair = tuple[float, float]  # read and write a second: bytes, or requests of a random test
Look = Callable[[Sequence[float]], Sequence[Sample | None]]  # the first sample at each moment or after it


class Measured(Protocol):
    """Which rates tell of a test, and whose."""

    @property
    def is_random(self) -> bool: ...
    @property
    def on_array(self) -> bool: ...


class Track:
    """The newest second of every slot; None where the device was absent."""

    def __init__(self, slots: Sequence[str]) -> None:
        self.slots = tuple(slots)
        self.members = tuple(slot for slot in self.slots if slot != ARRAY)
        self.newest: Sample | None = None
        self._latest: dict[str, DiskRates | None] = {}
        self._moved_ns = 0

    def take(self, history: Sequence[Sample]) -> None:
        """Takes in those samples of `history` (oldest first) that are newer than what was seen."""
        after_ns = self.newest.monotonic_ns if self.newest else -1
        first = next((n for n in reversed(range(len(history))) if history[n].monotonic_ns <= after_ns), -1) + 1
        for sample in history[max(first, len(history) - 60) :]:
            if self.newest is not None:
                self._latest = dict(zip(self.slots, rates(self.newest, sample), strict=True))
                if any(d.read_bytes_per_s or d.write_bytes_per_s for s, d in self._latest.items() if d and s != ARRAY):
                    self._moved_ns = sample.monotonic_ns
            self._moved_ns = self._moved_ns or sample.monotonic_ns
            self.newest = sample

    @property
    def wall_s(self) -> float:
        return self.newest.wall_ns / 1e9 if self.newest else 0.0

    @property
    def has_rates(self) -> bool:
        return bool(self._latest)

    def latest(self, slot: str) -> DiskRates | None:
        return self._latest.get(slot)

    def now(self, piece: AxisPiece | None) -> Pair:
        """The array's newest second in the unit of `piece`, or all disks'."""
        return whole(self._latest, piece)

    @property
    def still_s(self) -> float:
        """How long, to the newest sample, no disk has moved a byte."""
        return (self.newest.monotonic_ns - self._moved_ns) / 1e9 if self.newest else 0.0


class AxisColumn(msgspec.Struct, frozen=True):
    """`whole`: the array, or all disks; `disks`: each member, () if nobody asked for them."""

    whole: Pair
    disks: tuple[Pair | None, ...] = ()


def pair_of(found: DiskRates, piece: Measured | None) -> Pair:
    return pairs_of((found,), piece)[0] or (0.0, 0.0)


def pairs_of(found: Iterable[DiskRates | None], piece: Measured | None) -> list[Pair | None]:
    if piece is not None and piece.is_random:
        return [(one.reads_per_s or 0.0, one.writes_per_s or 0.0) if one else None for one in found]
    return [(one.read_bytes_per_s, one.write_bytes_per_s) if one else None for one in found]


def whole(found: Mapping[str, DiskRates | None], piece: Measured | None) -> Pair:
    """The array, in a test of it, else the sum of all disks. `found`: by slot."""
    array = found.get(ARRAY)
    if piece is not None and piece.on_array and array is not None:
        return pair_of(array, piece)
    pairs = [pair for pair in pairs_of((one for slot, one in found.items() if slot != ARRAY), piece) if pair]
    return sum(read for read, _ in pairs), sum(write for _, write in pairs)


class Columns:
    """Of each piece, made once: of the present one only the newest column is made again."""

    def __init__(self, slots: Sequence[str], look: Look, with_disks: bool) -> None:
        self._slots = tuple(slots)
        self._look = look
        self._with_disks = with_disks
        self._over: dict[object, tuple[AxisColumn | None, ...]] = {}
        self._present: object = None
        self._edges: list[Sample] = []
        self._done: list[AxisColumn | None] = []

    def of(self, piece: AxisPiece, columns: int, now_s: float, newest: Sample | None) -> tuple[AxisColumn | None, ...]:
        """As many as have begun."""
        if not piece.began_s or newest is None:
            return ()
        edges_s = piece.edges_s(columns, now_s)
        made_for = (piece.name, piece.began_s, edges_s[-1], columns)
        if piece.ended_s:
            if made_for not in self._over:
                seen = [sample for sample in self._look(edges_s) if sample is not None]
                made = [self._column(*pair, piece) for pair in pairwise(seen)]
                self._over[made_for] = tuple(_carried(made))
            return self._over[made_for]
        begun_s = [moment_s for moment_s in edges_s if moment_s <= now_s] or edges_s[:1]
        if made_for != self._present or len(begun_s) > len(self._edges) + 1:
            self._present = made_for
            self._edges = [sample or newest for sample in self._look(begun_s)]
            self._done = [self._column(*pair, piece) for pair in pairwise(self._edges)]
        elif len(begun_s) > len(self._edges):
            self._done.append(self._column(self._edges[-1], newest, piece))
            self._edges.append(newest)
        return tuple(_carried([*self._done, self._column(self._edges[-1], newest, piece)]))[:columns]

    def _column(self, older: Sample, newer: Sample, piece: AxisPiece) -> AxisColumn | None:
        """None: not a second has passed."""
        if newer.monotonic_ns <= older.monotonic_ns:
            return None
        found = dict(zip(self._slots, rates(older, newer), strict=True))
        of_all = whole(found, piece)
        found.pop(ARRAY, None)
        return AxisColumn(of_all, tuple(pairs_of(found.values(), piece)) if self._with_disks else ())


def _carried(columns: Sequence[AxisColumn | None]) -> list[AxisColumn | None]:
    """A column without a sample of its own is as the one before it, the first ones as the one after."""
    made: list[AxisColumn | None] = []
    for column in columns:
        made.append(column or (made[-1] if made else None))
    first = next((column for column in made if column), None)
    return [column or first for column in made]


def steady(columns: Sequence[AxisColumn | None], member: int) -> Pair | None:
    """What a disk did in a test that is over: the column of its upper third, as a test begins slowly."""
    pairs = sorted((pair for column in columns if column and (pair := column.disks[member])), key=sum)
    return pairs[len(pairs) * 2 // 3] if len(pairs) > 1 else pairs[0] if pairs else None


class Unlike(msgspec.Struct, frozen=True):
    """Disks of this second against their median. `off`: member -> share above or below it; `out`: of the array, on
    purpose; `absent`: in words, why a disk has no value.
    """

    values: tuple[float | None, ...]
    middle: float = 0.0
    off: dict[int, float] = {}
    is_judged: bool = False
    out: frozenset[int] = frozenset()
    absent: str = "gone"


_OFF = 0.25
_LEAST_BYTES, _LEAST_IOPS = 1e6, 20.0  # a second in the median, below which nothing is compared


def unlike(track: Track, piece: AxisPiece | None, apart: int, out: frozenset[int] = frozenset()) -> Unlike:
    """In a test of all disks alone: a resync reads some and writes others. Nothing of the last `apart` members, which
    wait as spares or keep a journal, nor of those that are `out`.
    """
    pairs = pairs_of(map(track.latest, track.members), piece)
    values = tuple(pair and sum(pair) for pair in pairs)
    in_array = [(at, value) for at, value in enumerate(values[: len(values) - apart]) if at not in out]
    judged = [value for _, value in in_array if value is not None]
    middle = median(judged) if judged else 0.0
    least = _LEAST_IOPS if piece is not None and piece.is_random else _LEAST_BYTES
    if len(judged) < 2 or middle < least or piece is None or not piece.rw or piece.of_one:
        return Unlike(values, middle, out=out, absent="gone" if track.has_rates else "")
    off = {
        number: value / middle - 1 for number, value in in_array if value is not None and abs(value / middle - 1) > _OFF
    }
    return Unlike(values, middle, off, True, out)
