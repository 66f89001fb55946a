"""A demo as one moving picture: from the question to the answer, of a recorded machine and the run on it."""

import asyncio

from textual.pilot import Pilot

from raidtui.demo import recording
from raidtui.demo.services import SPEED, DemoServices
from raidtui.demo.svg import Frame, moving, still
from raidtui.ui.app import RaidtuiApp

_SIZE = (112, 32)
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
_TYPED_S = 1.5
_LIVE_FRAMES, _LIVE_S = 5, 2.0
_READ_S = (8.0, 5.0)  # the results, and their charts


def film(name: str) -> str:
    """SVG of the recording `name`."""
    return asyncio.run(walked(name))


async def walked(name: str) -> str:
    now_s = 0.0
    recorded = recording.load(recording.folder_of(name))
    services = DemoServices(name, lambda: now_s)
    app = RaidtuiApp(services)
    frames: list[Frame] = []

    def take(seconds: float, pressed: str = "") -> None:
        title = f"raidtui demo    {pressed}" if pressed else "raidtui demo"
        if seconds:
            frames.append(Frame(still(app, "path", title), seconds))

    async with app.run_test(size=_SIZE) as pilot:
        await settled(pilot)
        for key, seconds in _WALK:
            await _pressed(pilot, key)
            take(seconds, key)
        phrase = f"erase {len(recorded.plan.members)} disks of {services.host()}"
        await _pressed(pilot, *("space" if char == " " else char for char in phrase))
        take(_TYPED_S, phrase)
        await _pressed(pilot, "enter")
        lasts_s = (recorded.events[-1].at_s - recorded.events[0].at_s) / SPEED
        for number in range(1, _LIVE_FRAMES + 1):
            now_s = lasts_s * number / _LIVE_FRAMES + (number == _LIVE_FRAMES)
            app.screen.tick()  # type: ignore[attr-defined]  # Live
            await settled(pilot)
            if number < _LIVE_FRAMES:
                take(_LIVE_S)
        for key, seconds in zip(("", "2"), _READ_S, strict=True):
            await _pressed(pilot, key)
            take(seconds, key)
    return moving(frames)


async def _pressed(pilot: Pilot[int], *keys: str) -> None:
    await pilot.press(*(key for key in keys if key))
    await settled(pilot)


async def settled(pilot: Pilot[int]) -> None:
    """What was asked of threads has come back, and what was asked for on its account, too."""
    await pilot.pause()
    while any(not worker.is_finished for worker in pilot.app.workers):
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
