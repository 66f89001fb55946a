"""The pieces of a report: no text breaks its table, its list or its fence."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.page.blocks import Fenced
from raidtui.core.page.markdown import escape, markdown
from tests.builders import handmade

HOSTILE = st.one_of(st.just(handmade.HOSTILE), st.text(max_size=30), st.text("|`*_<>[]#\\\n\x1b\u202e ~x", max_size=12))


@given(HOSTILE)
def test_escaped_text_is_one_line_and_nothing_in_it_is_markdown(text: str) -> None:
    shown = escape(text)
    assert len(shown.splitlines()) <= 1
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*<>|\[\]]", re.sub(r"\\(.)", "", shown))


def test_a_serial_reads_as_it_is() -> None:
    assert escape("WD-WX_12 (ATA)") == "WD-WX_12 (ATA)"


@pytest.mark.parametrize("command", ["raidtui explain", "mdadm --monitor --scan --oneshot --test", "man msmtp", "mail"])
def test_a_command_to_type_stays_code_and_nothing_else_does(command: str) -> None:
    assert escape(f"so `{command}` tells; `rm *`") == rf"so `{command}` tells; \`rm \*\`"


@pytest.mark.parametrize(
    "text, shown", [("- x", r"\- x"), ("1. x", r"1\. x"), ("---", r"\---"), ("-1.5", "-1.5"), ("# x", r"\# x")]
)
def test_no_text_begins_a_list_or_a_heading(text: str, shown: str) -> None:
    assert escape(text) == shown


@given(st.text("`x\n", max_size=20))
def test_no_line_closes_its_fence(text: str) -> None:
    lines = markdown([Fenced([text])]).removesuffix("\n").split("\n")
    assert lines[0] == f"{lines[-1]}text" and lines[-1] not in "\n".join(lines[1:-1])
