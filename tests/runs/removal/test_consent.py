"""What a person agreed to, as words of a worker's command line: the same on both sides, or refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.runs.removal.decision import Consent, of_words

NAMES = st.text(min_size=1).filter(lambda text: "\0" not in text)


@given(
    st.text("0123456789abcdef", min_size=8, max_size=8),
    st.booleans(),
    st.lists(NAMES, max_size=3),
    st.none() | st.integers(0),
    st.booleans(),
)
def test_it_is_read_as_it_was_written(
    code: str, typed: bool, names: list[str], number: int | None, again: bool
) -> None:
    consent = Consent(code=code, typed=typed, arrays=tuple(names), acknowledged=number, cut_again=again)
    assert of_words(consent.argv) == consent


def test_nobodys_is_no_code() -> None:
    assert Consent().argv == ("",)


@pytest.mark.parametrize(
    "words",
    [
        ("",),
        ("", "typed"),
        ("c0de", "typed", "typed"),
        ("c0de", "raidtui-1"),
        ("c0de", "erase=a", "typed"),
        ("c0de", "acknowledged=x"),
        ("c0de", "acknowledged=1", "acknowledged=2"),
        ("c0de", "acknowledged=-1"),
        ("c0de", "cut-again", "cut-again"),
    ],
)
def test_what_is_none_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="no consent"):
        of_words(words)
