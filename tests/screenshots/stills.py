"""Every screen of the program as it looks in each theme and at each size."""

from collections.abc import Callable
from itertools import product

from textual.pilot import Pilot
from textual.screen import Screen

from raidtui.demo.film import still
from raidtui.demo.recording import load
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.screens.fleet import FleetScreen
from raidtui.ui.screens.live import LiveScreen
from raidtui.ui.screens.looking import LookingScreen
from raidtui.ui.screens.side_by_side import SideBySideScreen
from tests.replay import RUNS
from tests.screenshots.recorded import Recorded, path_of
from tests.seeds import cases
from tests.ui.pilots import opened, ready

THEMES = ("raidtui-dark", "raidtui-light")
SIZES = ((120, 40), (80, 24))
_LOOKS = tuple(product(THEMES, SIZES))


def _folder(theme: str, size: tuple[int, int]) -> str:
    return f"{theme.removeprefix('raidtui-')}-{size[0]}x{size[1]}"


# The keys that lead from the picture before to this one: all disks that are free, for virtual machines.
_STEPS = (
    ("start", ""),
    ("recipes", "2"),
    ("disks", "escape 1 a down down"),
    ("details", "d"),
    ("level", "escape enter right"),
    ("help", "question_mark"),
    ("chunk", "escape enter"),
    ("file-system", "enter"),
    ("tests", "enter"),
    ("review", "enter"),
    ("runs", "R"),
)
# Recorded runs, in the middle of which test (none: at their end), and again the keys from picture to picture.
_OF_RUNS = (
    ("rack-of-24", "filesystem-seq_read", (("live", ""),)),
    ("raid10-of-6", "s2-rand_write", (("live-6-disks", ""), ("live-iostat", "i"))),
    ("raid10-of-6", "", (("results", ""), ("charts", "2"), ("capacity", "4"))),
)


_BESIDE: dict[str, Callable[[], Screen[None]]] = {
    "compared": lambda: SideBySideScreen(RUNS / "raid5-of-3", RUNS / "rack-of-24"),
    "fleet": lambda: FleetScreen(RUNS),
}
FOLDERS = tuple(_folder(*look) for look in _LOOKS)
SCREENS = (*(name for name, _ in _STEPS), *_BESIDE, *(name for _, _, steps in _OF_RUNS for name, _ in steps))


async def of_wizard() -> dict[str, str]:
    """The steps, and what is opened from everywhere, by their paths without the ending."""
    drawn: dict[str, str] = {}
    app = RaidtuiApp(Recorded())
    async with opened(app, SIZES[0]) as pilot:
        for name, keys in _STEPS:
            await pilot.press(*keys.split())
            await reckoned(app, pilot)
            drawn |= await _looks(app, pilot, name)
        for name, screen in _BESIDE.items():
            app.push_screen(screen())
            drawn |= await _looks(app, pilot, name)
    return drawn


async def of_runs() -> dict[str, str]:
    """What is shown of a run, by the same paths."""
    drawn: dict[str, str] = {}
    for folder, trial, steps in _OF_RUNS:
        recording = load(RUNS / folder)
        view = recording.view(recording.at_s(trial, 0.6)) if trial else recording.view()
        app = RaidtuiApp(Recorded(view=view), attach=path_of(view))
        async with app.run_test(size=SIZES[0]) as pilot:
            for name, keys in steps:
                await pilot.press(*keys.split())
                drawn |= await _looks(app, pilot, name)
    return drawn


async def reckoned(app: RaidtuiApp, pilot: Pilot[int]) -> None:
    """What each choice costs is known, where that is shown."""
    screen = app.screen
    while isinstance(screen, LookingScreen) and screen.due:
        await pilot.pause(0.05)


async def _looks(app: RaidtuiApp, pilot: Pilot[int], screen: str) -> dict[str, str]:
    """The screen that is shown now, in each theme at each size: from the present look to the one furthest from it."""
    await ready(pilot)
    drawn = {}
    looks = _LOOKS[: cases(3, few=1, many=len(_LOOKS))]
    for theme, (width, height) in sorted(looks, key=lambda look: (look[0] != app.theme, look[1] != app.size)):
        if app.theme != theme:
            app.theme = theme
        if app.size != (width, height):
            await pilot.resize_terminal(width, height)
        await ready(pilot)
        if isinstance(app.screen, LiveScreen):
            app.screen.tick()
            await pilot.pause()
        drawn[f"{_folder(theme, (width, height))}/{screen}"] = still(app, screen)
    return drawn
