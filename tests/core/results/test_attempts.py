"""Which figure a job is judged by: bytes/s in a row, IOPS at random, and none of a direction that moved nothing."""

import pytest

from raidtui.core.results.outliers import Compared
from tests.builders import handmade

PLAN = handmade.plan()


@pytest.mark.parametrize(
    "job, way, rate, value",
    [
        ("seq_read", "read", 187.0, 187e6),
        ("rand_write", "write", 96.0, 96.0),
        ("mix", "read", 100.0, 70.0),
        ("seq_read", "write", 187.0, None),
    ],
)
def test_the_figure_of_a_job(job: str, way: str, rate: float, value: float | None) -> None:
    trial = PLAN.trial(f"filesystem-{job}")
    assert trial
    compared = Compared(trial, way, {}, [], [])  # type: ignore[arg-type]
    assert compared.value(handmade.measurement(trial, rate)) == pytest.approx(value)
