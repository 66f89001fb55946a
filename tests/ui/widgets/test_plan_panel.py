"""The plan beside the choosing: its bar of capacity."""

import pytest

from raidtui import recipes
from raidtui.ui.render.glyphs import UNICODE
from raidtui.ui.widgets.plan_panel import PlanLine, capacity_bar


def test_a_capacity_bar_fills_its_width() -> None:
    parts = {"usable": 8, "parity": 4, "metadata": 0}
    assert sum(len(text) for text, _ in capacity_bar(parts, 31, UNICODE)) == 31


@pytest.mark.parametrize("name", [name for name, recipe in recipes.library().recipes.items() if recipe.sweeps])
def test_what_a_recipe_builds_is_said_to_its_end_in_three_lines(name: str) -> None:
    line = PlanLine()
    line.present_recipe(recipes.load(name), 4)
    text = line.text.splitlines()
    assert len(text) <= 3 and max(map(len, text)) <= 80
    assert "Arrays differ in" not in line.text or " ".join(line.text.split()).endswith("(list: Question)")
