"""What the screens show, as text: grids of panes, strips, rows of disks, wrapped lines. No app."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from raidtui.core.units import Units
from raidtui.ui.render.cells import (
    fit,
    fit_end,
    plain,
    wrap,
)
from raidtui.ui.render.disk_rows import disk_sheet
from raidtui.ui.render.glyphs import (
    ASCII,
    UNICODE,
    bar,
    history_strip,
    of_terminal,
    round_top,
)
from raidtui.ui.render.pane_lines import grid
from raidtui.ui.render.rates import Track
from raidtui.ui.widgets.plan_panel import capacity_bar
from tests.ui.machines import MIXED, rack
from tests.ui.runs import samples_of


@given(st.text(), st.integers(0, 60))
def test_fitted_text_has_exactly_its_width_and_no_controls(text: str, width: int) -> None:
    for fitted in (fit(text, width), fit(text, width, right=True)):
        assert cell_len(fitted) == width
        assert fitted == plain(fitted)


@given(st.text(alphabet=st.characters(max_codepoint=0x2FF)), st.integers(8, 60))
def test_wrapped_lines_fit_and_lose_no_word(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(plain(text).split())


def test_a_long_serial_keeps_its_end() -> None:
    assert fit_end("WD-WCC4N1234567", 8) == "…1234567"


@pytest.mark.parametrize(
    ("disks", "width", "height", "lines", "columns"),
    [
        (24, 79, 12, 1, 2),
        (24, 119, 24, 2, 2),
        (4, 79, 12, 5, 2),
        (1, 79, 12, 5, 1),
        (8, 119, 24, 5, 2),
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


def test_a_strip_shows_the_newest_at_the_right_and_nothing_where_nothing_was() -> None:
    assert history_strip([None, 0.0, 50.0, 100.0], 6, 100.0, UNICODE) == "    ▄█"
    assert history_strip([1.0, 100.0], 1, 100.0, ASCII) == "#"
    assert history_strip([0.001], 1, 100.0, UNICODE) == "▁"


@given(st.floats(1, 1e13))
def test_a_round_scale_is_at_or_above_and_not_far(value: float) -> None:
    assert value <= round_top(value) <= value * 10


def test_the_console_of_linux_gets_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "linux")
    assert of_terminal() is ASCII
    assert all(one.isascii() for one in (ASCII.levels, ASCII.full, ASCII.empty, *ASCII.shares.values()))
    assert bar(0.5, 4, ASCII) == "##.."


def test_a_capacity_bar_fills_its_width() -> None:
    parts = {"usable": 8, "parity": 4, "metadata": 0}
    assert sum(len(text) for text, _ in capacity_bar(parts, 31, UNICODE)) == 31


@pytest.mark.parametrize("width", [58, 66, 79, 100, 120, 160])
@pytest.mark.parametrize("disks", [MIXED, rack(24), ()])
def test_rows_of_disks_fit_every_width(width: int, disks: tuple[object, ...]) -> None:
    sheet = disk_sheet(disks, (), width, Units.DECIMAL)  # type: ignore[arg-type]
    for line in (sheet.heading, *(row.lines[0] for row in sheet.rows)):
        assert sum(cell_len(text) for text, _ in line) <= width


def test_samples_become_rates_once_each() -> None:
    history = samples_of(3, 10)
    track = Track(("a", "b", "array"))
    track.take(history[:6])
    track.take(history[2:])
    assert len(track.of("a")) == 9
    assert track.now("a") == track.of("a")[-1]
    assert track.wall_s == history[-1].wall_ns / 1e9
    together = track.together()[-1]
    assert together is not None
    newest = [track.now(slot) for slot in ("a", "b")]
    assert together.read_bytes_per_s == sum(one.read_bytes_per_s for one in newest if one)
