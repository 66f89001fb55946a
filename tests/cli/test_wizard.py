"""The wizard wants a terminal, and says what does without one."""

import pytest

from raidtui.cli import output
from tests.cli.conftest import Command


@pytest.mark.parametrize("terminal", ["", "dumb"])
def test_without_a_full_screen_it_names_the_commands_that_need_none(
    command: Command, monkeypatch: pytest.MonkeyPatch, terminal: str
) -> None:
    if terminal:
        monkeypatch.setenv("TERM", terminal)
        monkeypatch.setattr("sys.stdin.isatty", lambda: True)
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    status, out, err = command()
    assert (status, out) == (output.BAD_INPUT, "") and "raidtui plan ANSWERS.toml" in err
    assert ("TERM=dumb" in err) == bool(terminal)


def test_a_screen_is_opened_with_and_without_an_empty_command_line(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr("raidtui.ui.launch.wizard", lambda: 7)
    assert command()[0] == command("--")[0] == 7
