"""What attaching takes to a run of a day against one of a minute, of a week against one of a day: first paint, memory.

All of 24 disks, all going on.
"""

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from raidtui.demo.recording import load
from tests.bench.live import RECORDING
from tests.bench.starts import pairs
from tests.bench.table import Row, beside, verdict
from tests.bench.terminal import Terminal
from tests.replay import draw_out

_PAIRS = 7
_MINUTE_S, _DAY_S, _WEEK_S = 60, 86_400, 7 * 86_400
_WORDS = {_MINUTE_S: "a minute", _DAY_S: "24 h", _WEEK_S: "a week"}
_READ_S = 20.0  # by then all of its journal was read, after the first picture
_BUDGET = 1.2


def attach() -> tuple[Row, ...]:
    """First paint: the last disk's pane and the keys. Memory: the largest resident size, once all was read."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as scratch:
        runs = {seconds: Path(scratch) / f"20260101T000000Z-{seconds}" for seconds in _WORDS}
        recording = load(RECORDING)
        for seconds, path in runs.items():
            draw_out(recording, path, seconds)
        day = _paint_row(runs, _DAY_S, _MINUTE_S)
        week = _paint_row(runs, _WEEK_S, _DAY_S)
        sizes = {seconds: _memory_bytes(runs[seconds]) for seconds in (_WEEK_S, _DAY_S)}
    ratio = sizes[_WEEK_S] / sizes[_DAY_S]
    memory = Row(
        "attached to a week x 24 disks: memory",
        f"{sizes[_WEEK_S] / 1e6:.0f} MB",
        "a run of 24 h",
        f"{sizes[_DAY_S] / 1e6:.0f} MB",
        f"{ratio:.2f}x",
        f"{_BUDGET}x",
        verdict(ratio <= _BUDGET),
    )
    return day, week, memory


def _paint_row(runs: Mapping[int, Path], longer: int, shorter: int) -> Row:
    ours, theirs = pairs(lambda: _first_paint_s(runs[longer]), lambda: _first_paint_s(runs[shorter]), _PAIRS)
    figure = f"attach to {_WORDS[longer]} x 24 disks: first paint"
    return beside(figure, ours, f"a run of {_WORDS[shorter]}", theirs, _BUDGET)


def _first_paint_s(run: Path) -> float:
    with Terminal((sys.executable, "-m", "raidtui", "attach", str(run))) as terminal:
        return terminal.until((b"sdx", b"detach"))


def _memory_bytes(run: Path) -> int:
    with Terminal((sys.executable, "-m", "raidtui", "attach", str(run))) as terminal:
        terminal.until((b"sdx", b"detach"))
        terminal.listen(_READ_S)
        return terminal.memory_bytes()
