"""A list of which one is taken: the taken one is marked, one that cannot be taken says why and cannot be chosen."""

from raidtui.ui.render.choice_rows import Option, option_sheet

OPTIONS = (Option("64KiB", "64 KiB", "databases"), Option("8KiB", "8 KiB", "small", problem="too small here"))


def test_rows() -> None:
    sheet = option_sheet("Chunk", OPTIONS, "64KiB", 40)
    texts = ["".join(text for line in row.lines for text, _ in line) for row in sheet.rows]
    assert "databases" in texts[0] and "too small here" in texts[1] and "small" not in texts[1].replace("too small", "")
    assert texts[0][:3] != texts[1][:3]
    assert all(len(text) == 40 for text in texts)
