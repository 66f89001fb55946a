"""The whole path as one moving picture: from the question to the answer, of a recorded machine and a run on it."""

from textual.pilot import Pilot

from raidtui.demo.recording import load
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.screens.live import LiveScreen
from raidtui.ui.screens.results import ResultsScreen
from tests.replay import RUNS
from tests.screenshots.recorded import Recorded
from tests.screenshots.stills import reckoned
from tests.screenshots.svg import Frame, moving, still
from tests.ui.pilots import ready

PATH = "whole-path"
_SIZE = (112, 32)
_RUN = RUNS / "raid10-of-6"
# Keys, one after the other, and for how long what they lead to stands. The window's title says which was pressed.
_WALK = (
    ("", 3.0),
    ("enter", 0.0),
    ("a", 2.0),
    ("enter", 0.0),
    ("right", 5.0),
    ("enter", 2.5),
    ("enter", 3.0),
    ("enter", 2.0),
    ("enter", 0.0),
    ("enter", 0.0),
)
_LIVE_FRAMES, _LIVE_S = 5, 2.0
_READ_S = (8.0, 5.0)  # the results, and their charts


async def whole_path() -> dict[str, str]:
    """It as SVG, by its path without the ending."""
    recording = load(_RUN)
    services = Recorded(machine=_RUN / "machine.json", view=recording.view(recording.events[1].at_s))
    app = RaidtuiApp(services)
    frames: list[Frame] = []

    def take(seconds: float, pressed: str = "") -> None:
        title = f"raidtui    {pressed}" if pressed else "raidtui"
        if seconds:
            frames.append(Frame(still(app, "path", title), seconds))

    async with app.run_test(size=_SIZE) as pilot:
        await ready(pilot)
        await reckoned(app, pilot)
        for key, seconds in _WALK:
            await _pressed(pilot, key)
            take(seconds, key)
        asked = f"erase {len(recording.plan.members)} disks of {services.host()}"
        await _pressed(pilot, *("space" if char == " " else char for char in asked))
        take(1.5, asked)
        await _pressed(pilot, "enter")
        assert isinstance(app.screen, LiveScreen), app.screen
        began_s, ended_s = recording.events[0].at_s, recording.events[-1].at_s
        for number in range(1, _LIVE_FRAMES):
            services.view = recording.view(began_s + (ended_s - began_s) * number / _LIVE_FRAMES)
            app.screen.tick()
            await ready(pilot)
            take(_LIVE_S)
        services.view = recording.view()
        app.screen.tick()
        await ready(pilot)
        assert isinstance(app.screen, ResultsScreen), app.screen
        for key, seconds in zip(("", "2"), _READ_S, strict=True):
            await _pressed(pilot, key)
            take(seconds, key)
    return {PATH: moving(frames)}


async def _pressed(pilot: Pilot[int], *keys: str) -> None:
    await pilot.press(*(key for key in keys if key))
    await ready(pilot)
