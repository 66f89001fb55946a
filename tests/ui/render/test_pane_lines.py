"""A pane for each disk: all of them fit, as tall as they can be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.ui.render.pane_lines import grid


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
