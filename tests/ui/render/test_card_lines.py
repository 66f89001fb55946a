"""The card: the answer wrapped to the window, gains in large figures, bars whose role is seen without colours."""

import msgspec
import pytest

from raidtui.core.answer.answer import answer
from raidtui.core.answer.numbers import cells
from raidtui.core.answer.values import Next
from raidtui.core.results.analysis import compare
from raidtui.core.results.figure import TIMES
from raidtui.core.units import Units
from raidtui.ui.render.card_lines import answer_lines, bar_lines, tile_lines
from raidtui.ui.render.result_rows import pages
from tests.builders import sweeps
from tests.recordings.reports import kept
from tests.replay import RUNS, load
from tests.ui.pages import texts

RECORDING = load(RUNS / "raid5-of-3")
STATE = RECORDING.view().state
COMPARISON = compare(RECORDING.plan, STATE)


@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_nothing_is_wider_than_the_window(width: int) -> None:
    found = answer(RECORDING.plan, STATE, COMPARISON)
    lines = [*answer_lines(found, width, {}), *tile_lines(COMPARISON, set(), Units.DECIMAL, width)]
    for page in pages(COMPARISON):
        lines += bar_lines(page.named, Units.DECIMAL, width)
    assert max(map(len, texts(lines))) <= width
    shown = " ".join(line.strip() for line in texts(answer_lines(found, width, {})))
    assert all(one in shown for one in (found.title, *found.lines))


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_its_tables_stand_below_with_every_cell_and_none_is_too_wide(width: int) -> None:
    plan, state = kept.load("levels-94")
    found = answer(plan, state, compare(plan, state))
    lines = texts(answer_lines(found, width, {}))
    assert max(map(len, lines)) <= width
    shown = "\n".join(lines[lines.index("") :])
    assert found.table
    heads, rows = cells(found.table)
    assert all(cell in shown for row in (heads, *rows) for cell in row)


def test_the_first_line_is_strong_and_the_next_step_stands_out() -> None:
    lines = answer_lines(answer(RECORDING.plan, STATE, COMPARISON), 1000, {"further": "w"})
    looks = [line[0][1] for line in lines if line]
    assert looks[:7] == ["head", "strong", "", "", "", "accent", "dim"]


def test_each_test_has_its_gain_its_figure_and_its_verdict() -> None:
    text = "\n".join(texts(tile_lines(COMPARISON, set(), Units.DECIMAL, 120)))
    assert text.count("one disk") == 4 and "146.2 MB/s" in text and "\N{MINUS SIGN}91 % vs expected" in text
    assert "╶┐  ┌─╴" in text and f" │  └─┐ {TIMES}  one disk" in text and "╶┴╴.╶─┘" in text  # 1.5


def test_a_figure_in_doubt_is_no_headline() -> None:
    row = next(row for row in COMPARISON.rows if row.job == "rand_write")
    lines = tile_lines(COMPARISON, {(row.stage, row.job)}, Units.DECIMAL, 200)
    looks = [[look for text, look in line if text.strip()] for line in lines if line]
    large = [look for line in looks for look in line if look in ("array", "dim")]
    assert large.count("array") == 9 and large.count("dim") == 4  # three rows of each of four, and its figure
    text = "\n".join(texts(lines))
    assert "excluded" in text and "91 % vs expected" not in text


@pytest.mark.parametrize("width", [60, 120])
def test_a_long_title_of_a_tile_is_whole(width: int) -> None:
    rows = [msgspec.structs.replace(row, title=f"{row.title}, without write throttling") for row in COMPARISON.rows]
    long = msgspec.structs.replace(COMPARISON, rows=tuple(rows))
    lines = texts(tile_lines(long, set(), Units.DECIMAL, width))
    assert all("…" not in line and len(line) <= width for line in lines)
    assert "".join(lines).count("throttling") == len(rows)


def test_a_sweep_has_no_tiles() -> None:
    made = sweeps.plan("levels-random-4k", 6)
    assert tile_lines(compare(made, sweeps.state(made, lambda *_: 100.0)), set(), Units.DECIMAL, 120) == []


def test_bars_of_a_plain_terminal_are_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "linux")
    for page in pages(COMPARISON):
        assert all(line.isascii() for line in texts(bar_lines(page.named, Units.DECIMAL, 80)))
    text = texts(bar_lines(pages(COMPARISON)[0].named, Units.DECIMAL, 80))
    assert [line.split()[-3][0] for line in text if line.startswith("   ")][:4] == [":", "|", "#", "-"]


def test_the_next_step_names_the_key_of_a_screen_that_has_one() -> None:
    found = answer(RECORDING.plan, STATE, COMPARISON)
    lines = texts(answer_lines(found, 1000, {found.next.does: "x", "another": "y"}))
    assert found.next.does and f" - Next: x here, or `{found.next.command}` to {found.next.why}" in lines
    assert f" - {found.lines[-1]}" in texts(answer_lines(found, 1000, {"another": "y"}))


def test_a_step_that_would_end_the_array_comes_after_using_it() -> None:
    """With its keys, and no key as the step itself."""
    answered, step = answer(RECORDING.plan, STATE, COMPARISON), Next("use it; or remove it", does="explain")
    found = msgspec.structs.replace(answered, next=step, lines=(*answered.lines[:-1], f"Next: {step.why}"))
    assert " - Next: use it; or remove it (D, then x)" in texts(
        answer_lines(found, 1000, {"clear": "D", "explain": "x"})
    )
