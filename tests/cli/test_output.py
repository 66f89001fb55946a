"""How a command ends: one sentence on stderr without controls, and its code; no full screen without a terminal."""

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
    ("terminal", "kind", "reason"),
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
