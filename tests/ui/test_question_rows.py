"""Recipes in lines: a purpose above its recipes, times beside them, and all of one in any width."""

import msgspec
import pytest
from rich.cells import cell_len

from raidtui import recipes
from raidtui.core.units import Units
from raidtui.ui import questions
from raidtui.ui.questions import LISTED, Asking, Purpose, Question, QuestionCost

ALL = questions.questions(tuple(recipes.library().recipes.items()))
COST = QuestionCost(5000.0, 457 * 10**9, ("1 setup, built 1 time; 12 measurements",))


def asking(question: Question) -> Asking:
    return Asking(question, COST, on="8 free disks", open_steps=("Disks", "Tests"))


def lines_of(width: int) -> list[str]:
    sheet = questions.question_sheet(questions.rows(ALL, is_high=True), asking, width, Units.DECIMAL)
    return ["".join(text for text, _ in row.lines[0]) for row in sheet.rows if not row.is_heading]


def test_each_purpose_stands_once_above_its_recipes() -> None:
    laid = questions.rows(ALL, is_high=False)
    assert [row for row in laid if isinstance(row, Purpose)] == list(LISTED) and None not in laid
    assert tuple(row for row in laid if isinstance(row, Question)) == ALL
    assert questions.rows(ALL, is_high=True).count(None) == len(LISTED) - 1


@pytest.mark.parametrize("width", [68, 75, 120])
def test_title_time_and_bytes_stand_in_one_line_and_nothing_is_cut(width: int) -> None:
    for question, line in zip(ALL, lines_of(width), strict=True):
        assert question.title in line and line.endswith("1 h 23 min    457 GB") and cell_len(line) == width


def test_a_bar_is_of_the_logarithm_of_the_time() -> None:
    def costs(question: Question) -> Asking:
        return msgspec.structs.replace(asking(question), cost=QuestionCost(60.0 * 10 ** ALL.index(question)))

    sheet = questions.question_sheet(ALL, costs, 120, Units.DECIMAL)
    bars = [sum(len(text) for text, look in row.lines[0] if look == "/r4") for row in sheet.rows]
    assert (
        bars[0] < 2
        and bars == sorted(bars)
        and bars[(len(bars) - 1) // 2] in range(bars[-1] // 2 - 1, bars[-1] // 2 + 2)
    )


@pytest.mark.parametrize("width", [40, 55, 130])
def test_all_of_a_recipe_fits_its_width(width: int) -> None:
    for question in ALL:
        lines = questions.question_lines(asking(question), width)
        assert max(sum(cell_len(text) for text, _ in line) for line in lines) <= width
        text = " ".join("".join(text for text, _ in line) for line in lines)
        assert question.title in text and "the disks you select" in text and "12 measurements" in text
