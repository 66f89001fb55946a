"""Cells of an answer's table."""

import pytest

from raidtui.core.answer import cells
from raidtui.core.answer.conclusions import Conclusion, Unit, Verdict


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [(45.4e6, "bytes/s", "45.4"), (3689.5e6, "bytes/s", "3690"), (211.2, "IOPS", "211"), (None, "IOPS", "")],
)
def test_figures_are_in_the_unit_of_their_column(value: float | None, unit: Unit, shown: str) -> None:
    assert cells.number(value, unit) == shown


@pytest.mark.parametrize(("verdict", "mark"), [("different", ""), ("equal", " ≈"), ("cannot tell", " ?")])
def test_what_is_no_difference_has_its_mark(verdict: Verdict, mark: str) -> None:
    found = Conclusion(kind="effect", figure=40.3e6, base_figure=80.2e6, unit="bytes/s", verdict=verdict)
    assert cells.over(found, "of", "{:.0%}".format) == f"40.3 of 80.2 (50%{mark})"


@pytest.mark.parametrize(("by_latency", "shares"), [(0.48, "50 or 48 %"), (0.502, "50 %")])
def test_what_is_in_doubt_has_both_its_shares(by_latency: float, shares: str) -> None:
    found = Conclusion(kind="effect", figure=40.0, base_figure=80.0, unit="IOPS", by_latency=by_latency)
    assert cells.over(found, "of", lambda share: f"{100 * share:.0f} %") == f"40 of 80 ({shares} !)"
