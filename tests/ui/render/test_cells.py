"""Text in cells of a terminal: it fits its width, loses no word, obeys no device."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from raidtui.ui.render.cells import fit, fit_end, fit_right, plain, wrap


@given(st.text(), st.integers(0, 60))
def test_fitted_text_has_exactly_its_width_and_no_controls(text: str, width: int) -> None:
    for fitted in (fit(text, width), fit_right(text, width)):
        assert cell_len(fitted) == width
        assert fitted == plain(fitted)


@given(st.text(alphabet=st.characters(max_codepoint=0x2FF)), st.integers(-3, 60))
def test_wrapped_lines_fit_and_lose_no_word(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert all(cell_len(line) <= max(1, width) for line in lines)
    assert "".join("".join(lines).split()) == "".join(plain(text).split())


def test_a_long_path_is_broken_behind_its_folders() -> None:
    path = "/home/somebody/.local/state/raidtui/runs/20260101T000000Z-abcd/report.md"
    assert wrap(f"Report: {path}.", 48) == [
        "Report: /home/somebody/.local/state/raidtui/",
        "runs/20260101T000000Z-abcd/report.md.",
    ]
    assert wrap("a " + "b" * 30, 20) == ["a " + "b" * 18, "b" * 12]


def test_a_long_serial_keeps_its_end() -> None:
    assert fit_end("WD-WCC4N1234567", 8) == "…1234567"
