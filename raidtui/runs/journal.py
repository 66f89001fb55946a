"""A run's journal: one event per line, synced where a step begins or ends; by it, whether its worker lives."""

import os
import sys
from contextlib import suppress
from pathlib import Path

from raidtui.core.run import events, journal_lines
from raidtui.core.run.events import AnyEvent, Damaged
from raidtui.core.run.state import RunState, fold, fold_all
from raidtui.system import block
from raidtui.system.files import durable, trusted

# Progress may be lost in a crash; everything else may not.
_UNSYNCED = (events.SyncProgress,)
_MOST_BYTES = 2 << 30  # five months of progress, a line a second
BEGIN_S = 120.0  # a worker that has not begun by then never will; a busy machine takes its time


class Journal:
    """Append-only; `state`: the fold. Opening truncates a torn last line. `reserve`: file freed for the journal when
    the disk is full, so that results are kept and teardown works; `full`: that happened.
    """

    def __init__(self, path: Path, reserve: Path | None = None) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._reserve = reserve
        self._waiting = b""  # lines that found no room
        self.full = False
        past = path.read_bytes()
        if not past:  # its name is to be there after a crash, too
            durable.sync_folder(path.parent)
        past_events, whole_bytes = journal_lines.read(past)
        if whole_bytes < len(past):
            os.ftruncate(self._file, whole_bytes)
        elif not past.endswith(b"\n") and past:  # damage, of which the next line is no part
            os.write(self._file, b"\n")
        self.state = fold_all(past_events)

    def add(self, event: AnyEvent) -> None:
        """Writes, syncs (not progress), folds. On a full disk whole lines wait in order, and teardown continues."""
        self.state = fold(self.state, event)
        self._waiting += journal_lines.encode(event)
        for make_room in (self._give_up_reserve, None):
            try:
                self._append(sync=not isinstance(event, _UNSYNCED))
                return
            except OSError as error:
                self.full = True
                if make_room:
                    make_room()
                else:
                    with suppress(OSError):  # the log lies on the same disk
                        print(f"not journalled yet ({error.strerror}): {event}", file=sys.stderr, flush=True)

    def _append(self, *, sync: bool) -> None:
        size_before = os.fstat(self._file).st_size
        try:
            written_bytes = 0
            while written_bytes < len(self._waiting):
                written_bytes += os.write(self._file, self._waiting[written_bytes:])
            if sync:
                os.fsync(self._file)
        except OSError:
            os.ftruncate(self._file, size_before)
            raise
        self._waiting = b""

    def _give_up_reserve(self) -> None:
        if self._reserve:
            self._reserve.unlink(missing_ok=True)

    def close(self) -> None:
        if self._waiting:  # a last time: there may be room by now
            with suppress(OSError):
                self._append(sync=True)
        os.close(self._file)


def why_lost(path: Path) -> str:
    """Half a sentence if the journal has contents and none is readable; else "" (also if empty)."""
    try:
        with trusted.opened(path, _MOST_BYTES) as file:
            size_bytes = os.fstat(file.fileno()).st_size
            read = any(not isinstance(event, Damaged) for event in journal_lines.of_file(file))
    except FileNotFoundError:
        return ""
    return f"of the {size_bytes} bytes of its journal none can be read" if size_bytes and not read else ""


def read_state(path: Path) -> RunState:
    """NotRead if it is no plain file, or too large."""
    try:
        with trusted.opened(path, _MOST_BYTES) as file:
            return fold_all(journal_lines.of_file(file))
    except FileNotFoundError:
        return RunState()
    except trusted.NotRead:
        raise
    except ValueError as error:
        raise trusted.NotRead(f"{path}: {error}") from error


def alive(state: RunState) -> bool:
    """By start time too: the pid may be reused."""
    worker = state.worker
    return worker is not None and of_this_boot(state) and block.start_ticks(worker.pid) == worker.start_ticks


def going_on(state: RunState) -> bool:
    return not state.ended and alive(state)


def of_this_boot(state: RunState) -> bool:
    return state.worker is not None and state.worker.boot_id == block.boot_id()
