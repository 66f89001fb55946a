"""How long attaching takes: to a run of a day, against one of a minute; both of 24 disks, both going on."""

import sys
import tempfile
from pathlib import Path

from tests.bench.live import RECORDING
from tests.bench.starts import pairs
from tests.bench.table import Row, pair_ratio, verdict
from tests.bench.terminal import Terminal
from tests.replay import draw_out, load

_PAIRS = 7
_MINUTE_S, _DAY_S = 60, 86_400


def attach() -> Row:
    """First paint: the last disk's pane and the keys."""
    with tempfile.TemporaryDirectory() as scratch:
        runs = {seconds: Path(scratch) / f"20260101T000000Z-{seconds}" for seconds in (_MINUTE_S, _DAY_S)}
        recording = load(RECORDING)
        for seconds, path in runs.items():
            draw_out(recording, path, seconds)
        day, minute = pairs(lambda: _first_paint_s(runs[_DAY_S]), lambda: _first_paint_s(runs[_MINUTE_S]), _PAIRS)
    ratio = pair_ratio(day, minute)
    return Row(
        "attach to 24 h x 24 disks: first paint",
        day.text("ms", 1e3),
        "a run of one minute",
        minute.text("ms", 1e3),
        f"{ratio:.2f}x",
        "1.2x",
        verdict(ratio <= 1.2),
    )


def _first_paint_s(run: Path) -> float:
    with Terminal((sys.executable, "-m", "raidtui", "attach", str(run))) as terminal:
        return terminal.until((b"sdx", b"run goes on"))
