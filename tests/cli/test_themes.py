"""`raidtui themes`: every theme by its name, colours where a terminal has them, what cannot be read named."""

from pathlib import Path

import pytest

from raidtui.ui import themes
from tests.cli.conftest import Command


def test_each_theme_has_its_line(command: Command) -> None:
    code, printed, err = command("themes")
    assert code == 0 and "\x1b" not in printed and "/themes" in err
    assert [line.split()[0] for line in printed.splitlines()] == [theme.name for theme in themes.load().themes]


def test_a_terminal_shows_their_colours(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"FORCE_COLOR": "1", "COLORTERM": "truecolor", "TERM": "xterm-256color"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NO_COLOR", raising=False)
    code, printed, _ = command("themes")
    accent_on_its_ground = "\x1b[38;2;135;215;255;48;2;18;18;18m"  # of raidtui-dark
    assert code == 0 and accent_on_its_ground in printed


def test_one_that_cannot_be_read_is_named(tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUDO_USER", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "raidtui" / "themes").mkdir(parents=True)
    (tmp_path / "raidtui" / "themes" / "mine.toml").write_text('name = "mine"')
    code, printed, err = command("themes")
    assert code == 2 and "mine.toml" in err and "primary" in err and "raidtui-dark" in printed
