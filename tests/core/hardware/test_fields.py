"""A field that is missing, or of another type, is told by nobody."""

import pytest

from raidtui.core.hardware import fields


@pytest.mark.parametrize(
    "value, count",
    [(0, 0), (7, 7), (-1, None), (2**63, None), (True, None), ("7", None), (1.5, None), (None, None), ([7], None)],
)
def test_a_count_is_a_whole_number_of_63_bits(value: object, count: int | None) -> None:
    assert fields.count({"a": {"b": value}}, "a", "b") == count


@pytest.mark.parametrize(
    "value, words",
    [(" a  b\n", "a b"), ("NA", ""), ("-", ""), (12, "12"), ("x\x1b[2J", "x[2J"), (None, ""), (["a"], ""),
     ("L" * 999, "L" * 120)],
)  # fmt: skip
def test_words_are_one_clean_line(value: object, words: str) -> None:
    assert fields.words({"a": value}, "a") == words


def test_what_stands_in_no_object_or_list_is_nothing() -> None:
    assert fields.at({"a": [1]}, "a", "b") is None
    assert [*fields.rows({"a": [{"b": 1}, 2, None]}, "a")] == [{"b": 1}]
    assert [*fields.rows({"a": {"b": 1}}, "a")] == []
    assert fields.flag({"a": 1}, "a") is None and fields.flag({"a": False}, "a") is False


@pytest.mark.parametrize(
    "text, sentence",
    [
        (" \n", "x printed nothing where JSON was asked for"),
        ("x: permission denied", "what x printed is not JSON: "),
        ("[" * 100_000, "what x printed is not JSON: "),
        ("[]", "what x printed is JSON, but no object"),
    ],
)
def test_what_is_no_object_is_refused_in_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ValueError) as refused:
        fields.decode(text, "x")
    assert str(refused.value).startswith(sentence)
