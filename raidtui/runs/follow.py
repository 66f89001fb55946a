"""Follows a run's journal and samples: reads and folds only new parts, for live and old runs."""

import os
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec

from raidtui.core.plan.model import Plan
from raidtui.core.run import events, journal_lines, samples
from raidtui.core.run.samples import Sample
from raidtui.core.run.state import RunState, condensed, fold_all
from raidtui.runs import directory, journal
from raidtui.runs.status import disks_elsewhere
from raidtui.system.files import trusted

_PIECE_BYTES = 4 << 20  # of a week's journal no more than this is held at a time
_MOST_BYTES = 1 << 40  # of which a piece is held
_STARTED = b'{"event":"worker-started"'
_LONG_BYTES = 1 << 20  # a journal that takes longer to read than a frame


class View(msgspec.Struct, frozen=True):
    """`history`: newest, oldest first. Not `whole`: newest worker start only. `not_here`: other practice machine."""

    plan: Plan
    state: RunState
    slots: tuple[str, ...]
    history: tuple[Sample, ...]
    alive: bool
    whole: bool = True
    not_here: bool = False


class _Records:
    """The records of an open sample file, in order of their wall clock."""

    def __init__(self, file: BinaryIO) -> None:
        self.header, self._start = samples.decode_header(file.read(1 << 20))
        self._file = file
        self._width = self.header.record_bytes
        self.numbers = range((file.seek(0, 2) - self._start) // self._width)

    def wall_s(self, number: int) -> float:
        self._file.seek(self._start + number * self._width)
        return int.from_bytes(self._file.read(8), "little") / 1e9

    def read(self, first: int, end: int) -> tuple[Sample, ...]:
        self._file.seek(self._start + first * self._width)
        sample_bytes = self._file.read(max(0, end - first) * self._width)
        return tuple(
            samples.decode(sample_bytes[start : start + self._width])
            for start in range(0, len(sample_bytes), self._width)
        )


@contextmanager
def _records(path: Path) -> Iterator[_Records | None]:
    """None if there are none yet."""
    with ExitStack() as opened:
        try:
            file = opened.enter_context(trusted.opened(path / directory.SAMPLES, _MOST_BYTES))
        except OSError:
            yield None
            return
        try:
            records = _Records(file)
        except ValueError:
            records = None
        yield records


def window(path: Path, start_s: float, end_s: float) -> tuple[tuple[str, ...], tuple[Sample, ...]]:
    """Slots and samples between two times (UTC); empty if none."""
    with _records(path) as records:
        if records is None:
            return (), ()
        first = bisect_left(records.numbers, start_s, key=records.wall_s)
        end = bisect_right(records.numbers, end_s, key=records.wall_s)
        return records.header.slots, records.read(first, end)


def samples_at(path: Path, moments_s: Sequence[float]) -> tuple[tuple[str, ...], tuple[Sample | None, ...]]:
    """Slots, and the first sample at each moment (UTC) or after it, else the last: however long the file is."""
    with _records(path) as records:
        if records is None or not records.numbers:
            return (), (None,) * len(moments_s)
        found = (bisect_left(records.numbers, moment_s, key=records.wall_s) for moment_s in moments_s)
        last = len(records.numbers) - 1
        return records.header.slots, tuple(records.read(at, at + 1)[0] for at in (min(at, last) for at in found))


class Follower:
    """In any process; `history_s`: seconds read back."""

    def __init__(self, path: Path, history_s: int = 300) -> None:
        self.path = path
        self.plan = directory.read_plan(path)
        self._state = RunState()
        self._journal_end = 0
        self._end: tuple[events.RunEnded, ...] = ()  # read, and held back while its worker lives
        self._samples_end = 0
        self._header: samples.Header | None = None
        self._history: deque[Sample] = deque(maxlen=history_s)
        self._alive: bool | None = None
        self._live = False  # is it condensed?

    def poll(self) -> View | None:
        """None if unchanged. Ends with the worker: its report follows the last event, if it lived that long."""
        grown = self._read_journal() | self._read_samples()
        alive = journal.alive(self._state)
        if not alive:  # nobody writes any more: what came since the look above, and what was held back
            grown |= self._read_journal() or bool(self._end)
            self._state, self._end = fold_all(self._end, self._state), ()
            alive = journal.alive(self._state)  # its worker's first words may have come meanwhile
        if not grown and alive == self._alive:
            return None
        self._alive = alive
        return View(
            self.plan,
            self._state,
            self._slots,
            tuple(self._history),
            alive,
            not_here=disks_elsewhere(self.path, self._state),
        )

    def at(self, moments_s: Sequence[float]) -> tuple[Sample | None, ...]:
        return samples_at(self.path, moments_s)[1]

    @property
    def _slots(self) -> tuple[str, ...]:
        return self._header.slots if self._header else ()

    def _read_journal(self) -> bool:
        grown, piece_bytes = False, _PIECE_BYTES
        while piece := _from(self.path / directory.JOURNAL, self._journal_end, piece_bytes):
            new_events, length = journal_lines.read(piece)
            if not new_events:
                if len(piece) < piece_bytes:
                    break  # a line that is not whole yet
                piece_bytes *= 2
            self._journal_end += length
            events_read = (*self._end, *new_events)
            last = events_read[-1] if events_read else None
            self._end = (last,) if isinstance(last, events.RunEnded) else ()
            state = fold_all(events_read[: len(events_read) - len(self._end)], self._state)
            self._state = condensed(state) if self._live else state
            grown |= bool(new_events)
        return grown

    def _read_samples(self) -> bool:
        path = self.path / directory.SAMPLES
        try:
            if self._header is None:
                self._header, self._samples_end = samples.decode_header(_from(path, 0, 1 << 20))
        except ValueError:  # its writer has not come that far
            return False
        width = self._header.record_bytes
        assert self._history.maxlen is not None
        size = path.stat().st_size if path.exists() else 0  # its folder may have been deleted meanwhile
        records_behind = (size - self._samples_end) // width
        if records_behind <= 0:
            return False
        self._samples_end += max(0, records_behind - self._history.maxlen) * width
        sample_bytes = _from(path, self._samples_end)
        whole_records = len(sample_bytes) // width
        self._samples_end += whole_records * width
        self._history.extend(samples.decode(sample_bytes[i * width : (i + 1) * width]) for i in range(whole_records))
        return whole_records > 0


class Viewer(Follower):
    """For a screen: first only disks and rates, at once. `live`: condensed until the run ends, then whole."""

    def __init__(self, path: Path, *, live: bool = False) -> None:
        super().__init__(path)
        self._live = live

    def poll(self) -> View | None:
        lines = self.path / directory.JOURNAL
        if self._slots or not lines.exists() or lines.stat().st_size < _LONG_BYTES or not self._read_samples():
            view = super().poll()
            if self._live and view and view.state.ended:
                self._live, self._state, self._journal_end = False, RunState(), 0
                return super().poll()
            return view
        state = fold_all(_newest_start(lines))
        self._live = self._live and journal.alive(state)
        return View(self.plan, state, self._slots, tuple(self._history), journal.alive(state), whole=False)


def _newest_start(journal: Path) -> tuple[events.AnyEvent | events.Unknown | events.Damaged, ...]:
    """Newest worker start, searched from the end in pieces (a mapped file counts as memory)."""
    with trusted.opened(journal, _MOST_BYTES) as file:
        end = file.seek(0, os.SEEK_END)
        while end:
            start = max(0, end - _PIECE_BYTES)
            file.seek(start)
            if (at := file.read(end - start + len(_STARTED)).rfind(_STARTED)) >= 0:
                file.seek(start + at)
                return journal_lines.read(file.readline(_LONG_BYTES))[0]
            end = start
    return ()


def _from(path: Path, offset: int, limit: int = -1) -> bytes:
    try:
        with trusted.opened(path, _MOST_BYTES) as file:
            file.seek(offset)
            return file.read(limit)
    except FileNotFoundError:
        return b""
