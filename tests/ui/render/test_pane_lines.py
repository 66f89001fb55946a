"""A pane for each disk: all of them fit, as tall as they can be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.units import Units, format_rate
from raidtui.ui.render.pane_lines import grid, grid_heading


@pytest.mark.parametrize(
    ("disks", "width", "height", "lines", "columns"),
    [
        (24, 79, 12, 1, 2),
        (24, 119, 24, 2, 2),
        (4, 79, 12, 5, 2),
        (1, 79, 12, 11, 1),
        (8, 119, 24, 7, 3),
        (24, 199, 40, 7, 5),
        (6, 199, 40, 15, 3),
        (6, 79, 12, 2, 1),
    ],
)
def test_the_tallest_panes_of_which_all_fit(disks: int, width: int, height: int, lines: int, columns: int) -> None:
    form = grid(disks, width, height)
    assert (form.lines, form.columns) == (lines, columns)
    assert form.height <= height and form.columns * form.rows >= disks


@given(st.integers(1, 200), st.integers(79, 300), st.integers(1, 80))
def test_every_disk_has_a_place(disks: int, width: int, height: int) -> None:
    form = grid(disks, width, height)
    assert form.columns * form.rows >= disks > form.columns * (form.rows - 1)


@pytest.mark.parametrize("lines", [1, 2, 5])
@pytest.mark.parametrize("units", list(Units))
@pytest.mark.parametrize("top", [50e6, 1e9, 50e9])
@pytest.mark.parametrize("shown", ["", "disks 1 to 24 of 100"])
def test_the_heading_fits_the_narrowest_window(lines: int, units: Units, top: float, shown: str) -> None:
    heading = grid_heading(lines, 60, top, units, 79, shown)
    text = "".join(words for words, _ in heading)
    assert len(text) <= 79 and format_rate(top, units) in text and shown in text
    assert "its top" in "".join(words for words, _ in grid_heading(lines, 60, top, units, 119, shown))
