"""Every screen as text at three sizes, device names of the worst kind on it: what changed is seen, line by line.

One program for all of them: a screen costs 0.2 s, and each start as much again.
`pytest tests/ui/test_snapshots.py --snapshot-update` takes what is shown now for what is right.
"""

import asyncio
import functools
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot
from textual.screen import Screen

from raidtui.core.plan.model import Plan
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.screens import looking
from raidtui.ui.screens.steps import screen_of
from raidtui.ui.services import RunView
from tests.storm.scenes import SCENES, Scene, place
from tests.ui.machines import RecordedServices
from tests.ui.pilots import SIZES, ready
from tests.ui.runs import START_S, View

AS_OTHERS = ("Review of a recipe", "Live, its worker dead", "Live in practice", "Results, kept", "Results, stopped")
MODEL, SERIAL = "X[/]Y :cd: 漢字 \u202egnp", "[b]RED[/b]"  # markup, an emoji's name, wide and turning characters


def hostile(plan: Plan) -> Plan:
    """The plan of a run whose disks say of themselves what no disk should."""
    members = tuple(replace(one, model=MODEL, serial=f"{SERIAL}{one.name}") for one in plan.members)
    return replace(plan, members=members)


def seen_as(plan: Plan, view: RunView) -> View:
    """The same run with this plan."""
    return View(plan, view.state, view.slots, view.history, view.alive, view.whole)


def shown(app: RaidtuiApp) -> str:
    """What stands in the window, line by line."""
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


@pytest.fixture(scope="module")
def program() -> Iterator[tuple[asyncio.Runner, Callable[[], Pilot[int]]]]:
    """Where the program goes on from test to test; and its pilot, once the first test's terminal has it started."""
    with asyncio.Runner() as runner:
        opened = AsyncExitStack()

        @functools.cache
        def pilot() -> Pilot[int]:
            app = RaidtuiApp(RecordedServices(), first_step="Disks")
            pilot = runner.run(opened.enter_async_context(app.run_test(size=SIZES[0])))
            runner.run(ready(pilot))
            return pilot

        yield runner, pilot
        runner.run(opened.aclose())


@pytest.fixture
def same_each_time(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One moment, in one time zone; one folder, which a screen names; no estimate, which may come late."""
    monkeypatch.setattr(time, "time", lambda: START_S + 60)
    monkeypatch.setattr(Screen, "_compositor_refresh", lambda screen: None)  # nobody looks but `shown`
    monkeypatch.setattr(looking, "_STILL_S", 1e6)
    monkeypatch.chdir("/tmp")
    with monkeypatch.context() as zone:
        zone.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


async def pictures(pilot: Pilot[int], scene: Scene) -> dict[str, str]:
    """The scene's screen, by size."""
    app = pilot.app
    assert isinstance(app, RaidtuiApp)
    services = scene.services()
    services.views = [seen_as(hostile(view.plan), view) for view in services.views]
    app.services = services
    app.looked(services.scan(), app.recipes)
    while len(app.screen_stack) > 1:
        app.pop_screen()
    place(app, scene)
    if scene.screen is None:
        app.push_screen(screen_of("Start"))
    if scene.keys:
        await ready(pilot)
        await pilot.press(*scene.keys)
    seen = {}
    for size in SIZES:
        await pilot.resize_terminal(*size)
        await ready(pilot)
        seen[f"{size[0]} x {size[1]}"] = text = shown(app)
        assert len(text.splitlines()) <= size[1]
        assert all(char.isprintable() for char in text.replace("\n", ""))
    return seen


@pytest.mark.usefixtures("same_each_time")
@pytest.mark.parametrize("scene", [one for one in SCENES if one.name not in AS_OTHERS], ids=lambda scene: scene.name)
def test_every_screen_at_three_sizes(program: Any, scene: Scene, snapshot: Any) -> None:
    runner, pilot = program
    assert runner.run(pictures(pilot(), scene)) == snapshot
