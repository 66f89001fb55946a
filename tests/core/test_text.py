"""Text and figures from outside: what may be shown, how much of it, and which figures cannot be."""

import pytest

from raidtui.core.text import (
    MOST_COUNTED,
    OutOfBounds,
    brief,
    check_figures,
    clean,
    in_ascii,
    listed,
    spreadsheet_cell,
)


@pytest.mark.parametrize(
    "text, shown",
    [
        ("  ST4000  ", "ST4000"),
        ("a\x1b[31mb\x07", "a[31mb"),
        ("\u202eev\u2028il", "evil"),
        ("Käse 磁盘", "Käse 磁盘"),
        ("\ud800", ""),
    ],
)
def test_nothing_that_a_device_says_reaches_a_terminal_as_a_control(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    said = brief("begin " + "x" * 5000 + " at line 7")
    assert said.startswith("begin x") and said.endswith("at line 7") and len(said) <= 300
    assert brief("two\n  lines") == "two lines"


@pytest.mark.parametrize(
    "value, where",
    [
        ({"members": [{"size_bytes": -1}]}, "members[0].size_bytes is -1"),
        ({"at_s": float("nan")}, "at_s is nan"),
        ((1, MOST_COUNTED + 1), "[1] is 9223372036854775808"),
    ],
)
def test_a_figure_that_cannot_be_is_named_with_its_place(value: object, where: str) -> None:
    with pytest.raises(OutOfBounds) as refused:
        check_figures(value)
    assert str(refused.value) == f"{where}, which cannot be"


def test_figures_that_can_be_are_none_of_its_business() -> None:
    check_figures({"a": [0, 1.5, MOST_COUNTED], "b": "-1", "c": True})
    check_figures({"a": -3}, least=-3)


@pytest.mark.parametrize(
    "names, words", [("", ""), ("ab", "a, b"), ("abc", "a, b, c"), ("abcde", "a, b, c and 2 more")]
)
def test_many_names_are_cut_to_the_first_ones(names: str, words: str) -> None:
    assert listed(list(names), 3) == words


@pytest.mark.parametrize(
    "value, cell",
    [("=1+1", "'=1+1"), ("-x", "'-x"), ("a\x1b[2J\nb", "a[2J b"), (-1.5, -1.5), (None, None), ("a-b", "a-b")],
)
def test_no_cell_is_a_formula_or_obeyed(value: object, cell: object) -> None:
    assert spreadsheet_cell(value) == cell


def test_at_least_stays_at_least_and_as_wide() -> None:
    assert in_ascii("≥ 15 %, ≤ 3 │ › ±2") == ">=15 %, <=3 | > ~2"
