"""Lines of the first screen: nothing is cut, states are told by words."""

import pytest
from rich.cells import cell_len

from raidtui.ui.render import start_lines
from raidtui.ui.render.cells import ASCII, MONO, UNICODE, Glyphs, Line
from raidtui.ui.render.start_lines import Door, door_lines, shelf_lines, unread_lines
from tests.ui.glyphs import drawn_in
from tests.ui.machines import MIXED, rack, unread


def texts(lines: tuple[Line, ...]) -> list[str]:
    return ["".join(text for text, _ in line) for line in lines]


@pytest.mark.parametrize("width, low, rows", [(36, False, 15), (78, True, 3)])
def test_a_choice_fills_its_panel(width: int, low: bool, rows: int) -> None:
    words, graph = "Speed of one disk, of all disks. " * 3, start_lines.graph()
    door = Door("Measure", "disks", words, "a recipe", "2 min", "the disks", graph)
    lines = texts(door_lines(door, width, low, has_focus=True))
    assert len(lines) <= rows and max(map(cell_len, lines)) <= width
    assert "takes" in lines[-2 if not low else -1] and "erases" in lines[-1]


@pytest.mark.parametrize("glyphs", [UNICODE, MONO, ASCII])
def test_drawings_are_three_lines_with_and_without_colours(glyphs: Glyphs) -> None:
    with drawn_in(glyphs):
        placement, graph = start_lines.placement(), start_lines.graph()
    for drawing in (placement, graph, start_lines.boxed("md0", "kept", "ok")):
        assert len(drawing) == 3
    letters = "".join(texts(placement))
    assert letters.count("P") == letters.count("Q") == 3


@pytest.mark.parametrize("width", [78, 116, 196])
@pytest.mark.parametrize("count", [1, 6, 24, 48, 100, 1000])
def test_a_shelf_has_its_lines_at_every_width(width: int, count: int) -> None:
    lines = texts(shelf_lines(rack(min(count, 40)) * max(1, count // 40), width, True))
    assert len(lines) == 4 and max(map(cell_len, lines)) <= width


def test_a_state_is_a_word_and_counted() -> None:
    lines = texts(shelf_lines(MIXED, 116, False))
    assert "in use" in lines[2] and "data!" in lines[2] and "free" in lines[2]
    assert "with data" in lines[-1]


@pytest.mark.parametrize("count, word", [(4, "unread"), (10, "?"), (40, "?")])
def test_what_was_not_read_is_no_data(count: int, word: str) -> None:
    lines = texts(shelf_lines(unread(count), 78, True))
    assert lines[-1].strip() == f"? {count} not checked" and "data" not in "".join(lines)
    assert "".join(lines[:3]).split().count(word) == count


def test_how_to_read_it_is_said_whole_where_root_is_the_remedy() -> None:
    assert texts(unread_lines(unread(1), "sudo raidtui", 78)) == ["Contents need root: `sudo raidtui`"]
    assert unread_lines(unread(1), "", 78) == unread_lines(MIXED, "sudo raidtui", 78) == ()
    path = f"sudo /home/{'x' * 50}/.venv/bin/raidtui"
    assert " ".join(texts(unread_lines(unread(1), path, 78))) == f"Contents need root: `{path}`"
