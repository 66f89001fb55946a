"""How a command ends: one sentence on stderr without controls, and its code; no full screen without a terminal."""

import os
import sys

import pytest

from raidtui.cli import output


def test_an_error_is_one_line_that_obeys_no_device(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        output.end("two\nlines \x1b[31mof \u202ea label", output.REFUSED)
    assert ended.value.code == 3
    assert capsys.readouterr() == ("", "raidtui: two lines [31mof a label\n")


def test_json_stands_alone_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_json("disks", {"disks": []})
    assert capsys.readouterr() == ('{\n  "disks": []\n}\n', "")


@pytest.mark.parametrize(
    "terminal, kind, reason",
    [(False, "xterm", "no terminal here"), (True, "dumb", "TERM=dumb"), (True, "xterm", None)],
)
def test_what_keeps_a_full_screen_from_opening(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, kind: str, reason: str | None
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: terminal)
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    monkeypatch.setenv("TERM", kind)
    said = output.no_full_screen()
    assert said is reason is None or (reason and said and reason in said)


@pytest.mark.parametrize(
    "lines, pager, is_paged",
    [(30, "cat -n", True), (10, "cat -n", False), (30, "", False), (30, "/nosuch", False)],
)
def test_long_text_is_shown_by_the_pager_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], lines: int, pager: str, is_paged: bool
) -> None:
    monkeypatch.setenv("PAGER", pager)
    monkeypatch.setattr(output, "no_full_screen", lambda: None)
    monkeypatch.setattr("os.get_terminal_size", lambda _: os.terminal_size((80, 24)))
    with output.paged():
        for number in range(lines):
            print(f"line {number}")
    sys.stdout.flush()
    printed = capfd.readouterr().out.splitlines()
    assert len(printed) == lines and printed[-1].endswith(f"line {lines - 1}")
    assert printed[-1].lstrip().startswith(f"{lines}\t") == is_paged


def test_without_a_terminal_text_is_printed_at_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(output, "no_full_screen", lambda: "no terminal here")
    with output.paged():
        print("line")
        assert capsys.readouterr().out == "line\n"
