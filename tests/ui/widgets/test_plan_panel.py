"""The plan beside the choosing: its bar of capacity."""

from raidtui.ui.render.glyphs import UNICODE
from raidtui.ui.widgets.plan_panel import capacity_bar


def test_a_capacity_bar_fills_its_width() -> None:
    parts = {"usable": 8, "parity": 4, "metadata": 0}
    assert sum(len(text) for text, _ in capacity_bar(parts, 31, UNICODE)) == 31
