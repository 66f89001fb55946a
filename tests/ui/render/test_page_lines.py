"""A page as it is read on the screen: all of its words, nothing beyond the window."""

import re
import subprocess
from collections import Counter
from html import unescape
from itertools import pairwise

import pytest
from rich.cells import cell_len

from raidtui.core.page.blocks import Bars, Block, Bullets, Code, Fenced, Heading, PageTable, Text
from raidtui.core.page.html import html
from raidtui.core.report.context import RunContext
from raidtui.core.report.markdown import report
from raidtui.ui.render.page_lines import BROKEN, page_lines
from tests.builders import handmade
from tests.ui.pages import texts

PLAN = handmade.plan()
_TAG = re.compile(r"<[^>]*>")


@pytest.mark.parametrize("width", [60, 78, 118, 198])
def test_a_long_page_is_shown_with_all_its_words_and_nothing_cut(width: int) -> None:
    page = [block for block in report(RunContext(PLAN, handmade.state(PLAN))) if not isinstance(block, Bars)]
    shown, body = texts(page_lines(page, width)), html("", page).partition("<body>")[2]
    assert max(map(cell_len, shown)) <= width
    told, drawn = (Counter(filter(str.isalnum, text)) for text in (unescape(_TAG.sub("", body)), "".join(shown)))
    assert not told - drawn  # the first columns stand again in each part of a wide table
    assert "" not in (shown[0], shown[-1])
    assert all(line or after for line, after in pairwise(shown))


def test_parts_have_the_looks_of_the_screens() -> None:
    text, table = Text(("Say ", Code("raidtui runs"), ", *not* more.")), PageTable(["What", "MB/s"], [["a", "94.0"]])
    page: list[Block] = [Heading("Top", 1), text, Heading("Part"), Bullets(["one"]), Fenced(["mdadm  --stop"]), table]
    assert page_lines(page, 40) == [
        (("Top", "head"),),
        (),
        (("Say ", ""), ("raidtui runs", "accent"), (", *not* more.", "")),
        (),
        (("Part", "head"),),
        (),
        ((" - ", ""), ("one", "")),
        (),
        (("  ", ""), ("mdadm  --stop", "accent")),
        (),
        (("What", "dim"), ("  ", ""), ("MB/s", "dim")),
        (("a   ", ""), ("  ", ""), ("94.0", "")),
    ]


def test_a_line_wider_than_the_window_is_in_parts_that_no_shell_takes() -> None:
    line = "sfdisk --wipe=always /dev/NEW <<< 'start=1MiB,  size=3814697MiB, type=A19D880F'  # " + "a" * 60
    parts = texts(page_lines([Fenced([line, "mdadm --stop"])], 40))
    assert parts.pop() == "  mdadm --stop" and len(parts) == 5
    assert "".join(part.removeprefix(f"  {BROKEN}") for part in parts).replace(" ", "") == line.replace(" ", "")
    for part in parts:
        refused = subprocess.run(["bash", "-n", "-c", part], capture_output=True, check=False)
        assert refused.returncode and b"unexpected token" in refused.stderr


def test_nothing_reaches_the_terminal_that_it_would_obey() -> None:
    assert texts(page_lines([Text("a \x1b]0;b\x07 c")], 40)) == ["a ?]0;b c"]
