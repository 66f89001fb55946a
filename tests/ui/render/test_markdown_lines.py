"""A markdown page as it is read on the screen: all of its words, none of its marks, nothing beyond the window."""

import re
import subprocess
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from rich.cells import cell_len

from raidtui.ui.render.cells import Line
from raidtui.ui.render.markdown_lines import BROKEN, markdown_lines

_PAGE = Path(__file__).parents[2] / "core" / "report" / "report_handmade.md"
_FENCE = re.compile(r"```\w+")


def texts(lines: list[Line]) -> list[str]:
    return ["".join(text for text, _ in line).rstrip() for line in lines]


@pytest.mark.parametrize("width", [60, 78, 118, 198])
def test_a_long_page_is_shown_with_all_its_words_and_nothing_cut(width: int) -> None:
    page = _PAGE.read_text()
    shown = texts(markdown_lines(page, width))
    assert max(map(cell_len, shown)) <= width
    told, drawn = (Counter(filter(str.isalnum, text)) for text in (_FENCE.sub("", page), "".join(shown)))
    assert drawn == told  # in order it is not: a cell may go on below its neighbours
    assert not any(line.startswith(("|", "#", "- ", "```")) for line in shown)
    assert "" not in (shown[0], shown[-1])
    assert all(line or after for line, after in pairwise(shown))


def test_parts_have_the_looks_of_the_screens() -> None:
    page = "# Top\n\nSay `raidtui runs`, \\*not\\* more.\n\n## Part\n\n```text\nmdadm  --stop\n```\n"
    assert markdown_lines(page, 40) == [
        (("Top", "head"),),
        (),
        (("Say ", ""), ("raidtui runs", "accent"), (", *not* more.           ", "")),
        (),
        (("Part", "head"),),
        (),
        (("  ", ""), ("mdadm  --stop", "accent")),
    ]


def test_a_line_wider_than_the_window_is_in_parts_that_no_shell_takes() -> None:
    line = "sfdisk --wipe=always /dev/NEW <<< 'start=1MiB,  size=3814697MiB, type=A19D880F'  # " + "a" * 60
    parts = texts(markdown_lines(f"```text\n{line}\nmdadm --stop\n```\n", 40))
    assert parts.pop() == "  mdadm --stop" and len(parts) == 5
    assert "".join(part.removeprefix(f"  {BROKEN}").ljust(0) for part in parts).replace(" ", "") == line.replace(
        " ", ""
    )
    for part in parts:
        refused = subprocess.run(["bash", "-n", "-c", part], capture_output=True, check=False)
        assert refused.returncode and b"unexpected token" in refused.stderr


def test_nothing_reaches_the_terminal_that_it_would_obey() -> None:
    assert texts(markdown_lines("a \x1b]0;b\x07 c", 40)) == ["a ?]0;b c"]


def test_a_terminal_of_ascii_alone_gets_tables_of_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    page = "| What | Which |\n| ---- | ----- |\n| a    | b     |\n"
    monkeypatch.setenv("TERM", "linux")
    shown = texts(markdown_lines(page, 40))
    assert all(line.isascii() for line in shown) and "|a    |b    |" in shown
