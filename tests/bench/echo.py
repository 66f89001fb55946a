"""From a key to what it changes on the screen, while the other core is busy: the slowest of twenty."""

import statistics
import subprocess
import sys

from tests.bench.starts import KEYS, LAST_ROW
from tests.bench.table import Row, verdict
from tests.bench.terminal import Terminal

_KEYS, _BUDGET_S = 200, 0.05
_DOWN, _UP = b"\x1b[B", b"\x1b[A"
_BUSY = (sys.executable, "-c", "while True: pass")


def echo() -> Row:
    """The 95th percentile of 200 keys on the wizard's first screen, beside a core that computes and an idle one."""
    quiet = _echoes_s()
    busy = subprocess.Popen(_BUSY)
    try:
        beside = _echoes_s()
    finally:
        busy.kill()
        busy.wait()
    late_s, late_quiet_s = _p95(beside), _p95(quiet)
    return Row(
        "key to echo, p95, a core busy",
        f"{late_s * 1e3:.1f} ms",
        "the same, no core busy",
        f"{late_quiet_s * 1e3:.1f} ms",
        f"{late_s / late_quiet_s:.2f}x",
        f"{_BUDGET_S * 1e3:.0f} ms",
        verdict(late_s <= _BUDGET_S),
    )


def _echoes_s() -> list[float]:
    with Terminal((sys.executable, "-m", "tests.bench.wizard")) as terminal:
        terminal.until((LAST_ROW, KEYS))
        terminal.listen(3.0)  # all costs are reckoned by then: what comes now is the answer to a key
        return [terminal.echo_s(_DOWN if number % 2 == 0 else _UP) for number in range(_KEYS)]


def _p95(seconds: list[float]) -> float:
    return statistics.quantiles(seconds, n=20)[-1]
