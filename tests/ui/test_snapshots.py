"""Every screen as text at three sizes, device names of the worst kind on it: what changed is seen, line by line.

One program for all of them: a screen costs milliseconds, a start a third of a second.
`pytest tests/ui/test_snapshots.py --snapshot-update` takes what is shown now for what is right.
"""

import time
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from textual.screen import Screen

from raidtui.core.plan.model import Plan
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.screens import question
from raidtui.ui.screens.steps import screen_of
from raidtui.ui.services import RunView
from tests.storm.scenes import SCENES, place
from tests.ui.machines import RecordedServices
from tests.ui.pilots import ready
from tests.ui.runs import START_S, View

SIZES = ((80, 24), (120, 40), (200, 60))
AS_OTHERS = ("Review of a recipe", "Live, its worker dead", "Live in practice", "Results, kept", "Results, stopped")
MODEL, SERIAL = "X[/]Y :cd: 漢字 \u202egnp", "[b]RED[/b]"  # markup, an emoji's name, wide and turning characters


def hostile(plan: Plan) -> Plan:
    """The plan of a run whose disks say of themselves what no disk should."""
    members = tuple(msgspec.structs.replace(one, model=MODEL, serial=f"{SERIAL}{one.name}") for one in plan.members)
    return msgspec.structs.replace(plan, members=members)


def seen_as(plan: Plan, view: RunView) -> View:
    """The same run with this plan."""
    return View(plan, view.state, view.slots, view.history, view.alive, view.whole)


def shown(app: RaidtuiApp) -> str:
    """What stands in the window, line by line."""
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One moment, in one time zone."""
    monkeypatch.setattr(time, "time", lambda: START_S + 60)
    with monkeypatch.context() as zone:
        zone.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("clock")
async def test_every_screen_at_three_sizes(snapshot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pictures: dict[str, str] = {}
    monkeypatch.setattr(Screen, "_compositor_refresh", lambda screen: None)  # nobody looks but `shown`
    monkeypatch.setattr(question, "_STILL_S", 1e6)  # no cost is reckoned: when it came would be seen
    monkeypatch.chdir("/tmp")  # which the question for a file's name names
    app = RaidtuiApp(RecordedServices(), first_step="Disks")
    async with app.run_test(size=SIZES[0]) as pilot:
        await ready(pilot)
        for scene in (scene for scene in SCENES if scene.name not in AS_OTHERS):
            services = scene.services()
            services.views = [seen_as(hostile(view.plan), view) for view in services.views]
            app.services = services
            app.looked(services.scan(), app.recipes)
            while len(app.screen_stack) > 1:
                app.pop_screen()
            place(app, scene)
            if scene.screen is None:
                app.go_to(screen_of("Question"))
            if scene.keys:
                await ready(pilot)
                await pilot.press(*scene.keys)
            for size in SIZES:
                await pilot.resize_terminal(*size)
                await ready(pilot)
                text = shown(app)
                assert len(text.splitlines()) <= size[1]
                assert all(char.isprintable() for char in text.replace("\n", ""))
                pictures[f"{scene.name}, {size[0]} x {size[1]}"] = text
    assert pictures == snapshot
