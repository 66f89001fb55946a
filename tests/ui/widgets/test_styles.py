"""Titles of edges: quiet beside, in the terminal's characters, an equal one not sent again."""

import pytest
from textual.app import App, ComposeResult

from raidtui.ui.widgets.lines import Lines


class Edged(App[None]):
    def compose(self) -> ComposeResult:
        yield Lines()


async def test_an_equal_title_is_not_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "C.UTF-8")
    app = Edged()
    async with app.run_test():
        lines = app.query_one(Lines)
        sent: list[object] = []
        lines.entitle("6 disks", "times [1 disk] · QD32", "x fails")
        monkeypatch.setattr(lines, "refresh", lambda *given, **_: sent.append(given))
        lines.entitle("6 disks", "times [1 disk] · QD32", "x fails")
        assert not sent
        assert lines.border_title == "6 disks[$muted]  times [1 disk] · QD32[/$muted]"
        assert lines.border_subtitle == "x fails"


async def test_titles_are_ascii_where_the_terminal_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "C")
    app = Edged()
    async with app.run_test():
        lines = app.query_one(Lines)
        lines.entitle("a › b", "−12 % · ≈ 3×", "▼ 2")
        assert lines.border_title == "a > b[$muted]  -12 % . ~ 3x[/$muted]"
        assert lines.border_subtitle == "v 2"
