"""The questions in lines: a purpose above its questions, times beside them, and all of one in any width."""

import pytest
from rich.cells import cell_len

from raidtui import recipes
from raidtui.core.units import Units
from raidtui.ui import question_rows, questions
from raidtui.ui.question_rows import Asking, QuestionCost
from raidtui.ui.questions import Purpose, Question

ALL = questions.questions(tuple(recipes.library().recipes.items()))
COST = QuestionCost(5000.0, 457 * 10**9, ("1 setup, built 1 time; 12 measurements",))


def asking(question: Question) -> Asking:
    return Asking(question, COST, on="8 free disks", open_steps=("Disks", "Tests"))


def test_each_purpose_stands_once_above_its_questions() -> None:
    laid = question_rows.rows(ALL, is_high=False)
    purposes = [purpose for purpose in Purpose if purpose is not Purpose.AS_LAST_TIME]  # its one row is its own heading
    assert [row for row in laid if isinstance(row, Purpose)] == purposes and None not in laid
    assert tuple(row for row in laid if isinstance(row, Question)) == ALL
    assert question_rows.rows(ALL, is_high=True).count(None) == len(purposes) - 1


@pytest.mark.parametrize(("width", "timed", "has_bytes"), [(47, 22, False), (60, 22, False), (75, 22, True)])
def test_time_and_bytes_stand_beside_a_question_where_no_title_is_cut_for_them(
    width: int, timed: int, has_bytes: bool
) -> None:
    sheet = question_rows.question_sheet(question_rows.rows(ALL, is_high=True), asking, width, Units.DECIMAL)
    lines = ["".join(text for text, _ in row.lines[0]) for row in sheet.rows if not row.is_heading]
    assert all(question.title in line for question, line in zip(ALL, lines, strict=True))
    with_recipe = [line for question, line in zip(ALL, lines, strict=True) if question.recipe]
    assert sum("1 h 23 min" in line for line in with_recipe) == timed
    assert all(("457 GB" in line) is has_bytes for line in with_recipe)
    assert max(map(cell_len, lines)) <= width


@pytest.mark.parametrize("width", [37, 55, 130])
def test_all_of_a_question_fits_its_width(width: int) -> None:
    for question in ALL:
        lines = question_rows.question_lines(asking(question), width, 47)
        assert max(sum(cell_len(text) for text, _ in line) for line in lines) <= width
        text = " ".join("".join(text for text, _ in line) for line in lines)
        assert question.title.split()[0] in text


@pytest.mark.parametrize("list_width", [47, 60])
def test_the_time_that_the_list_has_no_room_for_stands_first_beside_it(list_width: int) -> None:
    sheet = question_rows.question_sheet(question_rows.rows(ALL, is_high=True), asking, list_width, Units.DECIMAL)
    rows = ["".join(text for text, _ in row.lines[0]) for row in sheet.rows if not row.is_heading]
    for question, row in zip(ALL, rows, strict=True):
        if question.recipe:
            lines = question_rows.question_lines(asking(question), 31, list_width)
            first = " ".join("".join(text for text, _ in line).strip() for line in lines[:5])
            assert ("Time: 1 h 23 min" in first) is ("1 h 23 min" not in row)
