"""What a prediction takes: simulated up to a queue of 64, three figures of `raidtui predict` at one of 4,096."""

import time
from collections.abc import Callable

from raidtui.core.raid.depth_curve import assumed_curves
from raidtui.core.raid.placement import RequestShape
from raidtui.core.raid.queueing import Load, rate_at, simulated_once
from raidtui.core.raid.theory import predict
from tests.bench.table import Figures, Row

_TIMES = 5
_BUDGET_S = {64: 0.05, 4096: 0.2}
_HDD = assumed_curves("hdd")
_HARDEST = RequestShape("10", 24)  # writes: two disks a request


def prediction() -> tuple[Row, ...]:
    """A row for each budget; what is computed once for an array is not in it."""
    return (
        _row("one figure, RAID 10 of 24, QD64", 64, lambda: rate_at(_HARDEST, _HDD, Load(64, 0.0))),
        _row(
            "raidtui predict, RAID 6 of 24, QD4096",
            4096,
            lambda: predict("6", 24, 94e6, _HDD, queue_depth=4096, read_share=0.5),
        ),
    )


def _row(figure: str, queue: int, predicts: Callable[[], object]) -> Row:
    predicts()
    took = Figures(tuple(_took_s(predicts) for _ in range(_TIMES)))
    budget_s = _BUDGET_S[queue]
    verdict = "ok" if took.median < budget_s else "over"
    return Row(figure, took.text("ms", 1000), "", "", "", f"{1000 * budget_s:.0f} ms", verdict)


def _took_s(predicts: Callable[[], object]) -> float:
    simulated_once.cache_clear()
    before = time.process_time()
    predicts()
    return time.process_time() - before
