"""Bars in characters: four roles in four patterns on one scale."""

from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.page.blocks import Bar
from raidtui.core.page.characters import bar_lines, drawn


def test_each_role_has_a_pattern_of_its_own() -> None:
    shown = [drawn(role, 0.5, 8) for role in ("one", "all", "array", "theory")]
    assert shown == ["▒▒▒▒    ", "▌▌▌▌    ", "████    ", "╌╌╌┤    "]


def test_bars_share_one_scale_and_what_has_no_figure_has_no_bar() -> None:
    lines = bar_lines(
        (Bar("one disk", 50.0, "50 MB/s", "one"), Bar("array", 100.0, "100 MB/s"), Bar("x", None, "FAILED"))
    )
    assert [line.count("▒") + line.count("█") for line in lines] == [20, 40, 0]
    assert [line.split()[-1] for line in lines] == ["MB/s", "MB/s", "FAILED"]


@given(st.lists(st.one_of(st.none(), st.floats(0, 1e12)), max_size=6))
def test_a_larger_value_has_no_shorter_bar(values: list[float | None]) -> None:
    lines = bar_lines([Bar(str(i), value, "") for i, value in enumerate(values)])
    lengths = [line.count("█") for line in lines]
    assert all(length <= 40 for length in lengths)
    assert [length for _, length in sorted(zip([v or 0 for v in values], lengths, strict=True))] == sorted(lengths)
