"""The journal of a run: events appended a line each, synced to the disk where a step begins or ends."""

import os
import sys
from pathlib import Path

from raidtui.core import events
from raidtui.core.events import AnyEvent
from raidtui.core.state import RunState, fold, fold_all

# Progress may be lost in a crash; everything else may not.
_UNSYNCED = (events.SyncProgress,)


class Journal:
    """Append-only; `state` is what its events fold to. A torn last line of an earlier worker is cut off on opening."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self.lost = 0
        past = path.read_bytes()
        found, whole = events.read(past)
        if whole < len(past):
            os.ftruncate(self._file, whole)
        self.state = fold_all(found)

    def add(self, event: AnyEvent) -> None:
        """Write `event`, sync unless it is mere progress, and fold it.

        A full disk must not keep a run from clearing away: the line is left out, whole, and `lost` counts it.
        """
        self.state = fold(self.state, event)
        before = os.fstat(self._file).st_size
        try:
            line = events.encode(event)
            while line:
                line = line[os.write(self._file, line) :]
            if not isinstance(event, _UNSYNCED):
                os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, before)
            self.lost += 1
            print(f"not journalled ({error.strerror}): {event}", file=sys.stderr, flush=True)

    def close(self) -> None:
        os.close(self._file)


def read_state(path: Path) -> RunState:
    """The folded journal in the file `path`; an empty state where there is none yet."""
    try:
        return fold_all(events.read(path.read_bytes())[0])
    except FileNotFoundError:
        return RunState()
