"""A walk through the demo in an interpreter of its own: prints the modules it imported and the files it opened."""

import asyncio
import json
import sys

from textual.pilot import Pilot

OPENED: set[str] = set()


def _heard(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open":
        OPENED.add(str(arguments[0]))
    elif event in ("subprocess.Popen", "os.fork", "os.posix_spawn", "os.exec", "os.system", "socket.connect"):
        OPENED.add(f"{event} {arguments[0] if arguments else ''}")


class Clock:
    """Stands still until it is set."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


async def _settled(pilot: Pilot[int]) -> str:
    """All that the window shows, once nothing is due any more."""
    await pilot.pause()
    while any(not worker.is_finished for worker in pilot.app.workers):
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
    return "\n".join(strip.text.rstrip() for strip in pilot.app.screen._compositor.render_strips())


async def _walk(name: str, size: tuple[int, int]) -> dict[str, str]:
    from raidtui.demo.services import DemoServices
    from raidtui.ui.app import RaidtuiApp
    from raidtui.ui.screens.live import LiveScreen

    clock = Clock()
    app = RaidtuiApp(DemoServices(name, clock))
    shown: dict[str, str] = {}

    async def pressed(pilot: Pilot[int], *keys: str) -> None:
        await pilot.press(*keys)
        text = await _settled(pilot)
        shown[type(app.screen).__name__] = text

    def tick() -> None:
        assert isinstance(app.screen, LiveScreen), app.screen
        app.screen.tick()

    async with app.run_test(size=size) as pilot:
        await pressed(pilot)
        await pressed(pilot, "question_mark")
        await pressed(pilot, "escape")
        await pressed(pilot, "full_stop")
        phrase = app.screen._prompt.expected  # type: ignore[attr-defined]
        await pressed(pilot, "enter")
        await pressed(pilot, *("space" if char == " " else char for char in phrase), "enter")
        clock.now_s = 4.0
        tick()
        await pressed(pilot)
        await pressed(pilot, "s")
        await pressed(pilot, *"stop", "enter")
        shown["stopped"] = " ".join(str(note.message) for note in app._notifications)
        clock.now_s = 60.0
        tick()
        await pressed(pilot)
        for tab in "2345":
            await pilot.press(tab)
            shown[f"tab {tab}"] = await _settled(pilot)
        await pilot.press("R")
        shown["runs"] = await _settled(pilot)
        await pilot.press("q")
    shown["left with"] = f"{app.return_code} {app.return_value}"
    return shown


if __name__ == "__main__":
    sys.addaudithook(_heard)
    told = asyncio.run(_walk(sys.argv[1], (int(sys.argv[2]), int(sys.argv[3]))))
    ours = sorted(module for module in sys.modules if module.startswith(("raidtui", "pyudev", "psutil")))
    print(json.dumps({"shown": told, "modules": ours, "opened": sorted(OPENED)}))
