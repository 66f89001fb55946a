"""A name for a file is typed over what stands there; a path in practice is the one outside."""

from pathlib import Path

import pytest
from textual.events import Paste

from raidtui.ui.widgets.lines import Lines
from tests.ui.followed import RUN, ended, live_app, text
from tests.ui.machines import rack
from tests.ui.pilots import LARGE, opened, opened_on


async def test_paths_in_practice_are_those_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAIDTUI_PRACTICE", "1")
    monkeypatch.setenv("RAIDTUI_PRACTICE_RESULTS", "/home/me/practice")
    app = live_app(ended())
    async with opened(app, LARGE) as pilot:
        assert f"/home/me/practice/runs/{RUN.name}/report.md" in text(app, "#detail")
        await pilot.press("e", *"/home/other.md", "enter")
        assert "/home/other.md would be lost with the practice machine" in text(app, "#detail")


@pytest.mark.parametrize("step", ["Disks", "File system", "Review"])
async def test_p_makes_a_picture_of_every_screen(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened_on(step, rack(3)) as (app, pilot):
        await pilot.press("p", "enter")
        (picture,) = tmp_path.glob("*.svg")
        assert picture.name == f"raidtui-{step.lower().replace(' ', '-')}.svg" and "</svg>" in picture.read_text()
        assert [note.message for note in app._notifications] == [f"Written to {picture}"]


async def test_typing_replaces_the_name_that_stands_there_and_an_error_is_whole(tmp_path: Path) -> None:
    app = live_app(ended())
    long = tmp_path / "a-folder-that-is-not-there" / ("n" * 60) / "report.md"
    async with opened(app) as pilot:
        await pilot.press("e")
        keys = app.screen.query_one("KeyBar", Lines).text
        assert keys.strip().startswith("enter write  esc back") and "u units" not in keys
        first, rest = str(long)[0], str(long)[1:]
        await pilot.press(first)
        app.post_message(Paste(rest))
        await pilot.pause()
        await pilot.press("enter")
        shown = app.screen.query_one("#detail", Lines)
        assert str(long) in shown.text.replace("\n ", "") and shown.text.endswith("place.")
        assert shown.size.height == len(shown.lines)
