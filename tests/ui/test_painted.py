"""Every screen is sent once, and what was sent is all that it shows: nothing older stays on the terminal."""

from pathlib import Path

import pytest

from raidtui.demo.recording import load
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.background import Background
from raidtui.ui.screens.recipes import RecipesScreen
from tests.replay import RUNS
from tests.screenshots.recorded import Recorded, path_of
from tests.seeds import paired
from tests.ui.painted import painted, shown
from tests.ui.pilots import LARGE, SIZES, SMALL, Size, opened, press, ready

pytestmark = pytest.mark.usefixtures("looked_at")
_MOST_BYTES = {SMALL: 16_000, LARGE: 16_000, (200, 60): 35_000}  # on the terminal's own background
_MOST_PAINTED_BYTES = 25_000  # on the theme's, at 120x40
# back is to a screen that was painted before: what lay over it has to be gone
_WALKS = {
    "build": (
        "enter",
        "a",
        "enter",
        "right",
        "x",
        "enter",
        "enter",
        "tab",
        "enter",
        "enter",
        "pagedown",
        "escape",
        "b",
    ),
    "recipes": ("2", "down", "down", "question_mark", "escape", "d", "escape", "enter", "a", "escape", "escape"),
    "runs": ("3", "down", "space", "down", "space", "b", "escape", "F", "escape", "escape"),
}


@pytest.fixture(autouse=True)
def place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.chdir(tmp_path)


async def _walk(app: RaidtuiApp, keys: tuple[str, ...], size: Size, most_bytes: int) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch, painted(monkeypatch) as terminal:
        async with app.run_test(size=size) as pilot:
            for key in ("", *keys):
                if key:
                    terminal.bytes = 0
                    await pilot.press(key)
                await ready(pilot)
                screen = await shown(pilot)
                where = f"{type(app.screen).__name__} after {key!r}"
                assert terminal.text(*size) == screen, where
                if not isinstance(app.screen, RecipesScreen):  # whose costs come one by one, meanwhile
                    assert terminal.bytes <= most_bytes, where


@pytest.mark.parametrize("size, walk", paired([SMALL, (200, 60)], list(_WALKS)), ids=str)  # 120x40: on a painted one
async def test_a_walk_leaves_nothing_old_and_sends_little(walk: str, size: Size) -> None:
    app = RaidtuiApp(Recorded(), background=Background(own=True))
    await _walk(app, _WALKS[walk], size, _MOST_BYTES[size])


@pytest.mark.parametrize("size, run", paired(SIZES, ["raid10-of-6", "rack-of-24"]), ids=str)
async def test_results_leave_nothing_old_and_send_little(run: str, size: Size) -> None:
    view = load(RUNS / run).view()
    app = RaidtuiApp(Recorded(view=view), attach=path_of(view), background=Background(own=True))
    await _walk(app, ("2", "space", "l", "3", "4", "5", "end", "1", "down", "2", "escape"), size, _MOST_BYTES[size])


@pytest.mark.parametrize("walk", _WALKS)
async def test_on_a_painted_background_too(walk: str) -> None:
    await _walk(RaidtuiApp(Recorded()), _WALKS[walk], LARGE, _MOST_PAINTED_BYTES)


_RESIZED = {"results": "", "charts": "2", "why": "3", "runs": "escape R", "disks": "n enter"}


@pytest.mark.parametrize("sizes", [(SMALL, LARGE), (LARGE, SMALL), (LARGE, (100, 30))], ids=str)
async def test_a_window_of_another_size_shows_what_one_that_was_opened_so_does(sizes: tuple[Size, Size]) -> None:
    """Also if its theme changes in the same moment."""
    view = load(RUNS / "raid10-of-6").view()
    drawn: list[dict[str, str]] = []
    for size in sizes:
        app, told = RaidtuiApp(Recorded(view=view), attach=path_of(view)), {}
        async with app.run_test(size=size) as pilot:
            for name, keys in _RESIZED.items():
                for key in keys.split():
                    await press(pilot, key)
                if size != sizes[1]:
                    app.theme = "raidtui-light" if app.theme == "raidtui-dark" else "raidtui-dark"
                    await pilot.resize_terminal(*sizes[1])
                await ready(pilot)
                told[name] = await shown(pilot)
                await pilot.resize_terminal(*size)
        drawn.append(told)
    for name in _RESIZED:
        assert drawn[0][name] == drawn[1][name], name


async def test_all_is_sent_again_after_another_program_had_the_window_and_in_another_theme() -> None:
    app = RaidtuiApp(Recorded(), background=Background(own=True))
    with pytest.MonkeyPatch.context() as monkeypatch, painted(monkeypatch) as terminal:
        async with opened(app, LARGE) as pilot:
            await press(pilot, "enter")  # Disks: its text stays, costs do not come in
            screen = await shown(pilot)
            terminal.clear()
            app.app_resume_signal.publish(app)
            assert await shown(pilot) == screen == terminal.text(*LARGE)
            terminal.clear()
            app.theme = "raidtui-light"
            assert await shown(pilot) == screen == terminal.text(*LARGE)
