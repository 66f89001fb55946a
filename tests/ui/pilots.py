"""The wizard under a pilot: opened on any step with a draft in hand, so that no test has to walk there by keys."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from textual.pilot import Pilot

from raidtui.core.disks.disk import Disk, Usability
from raidtui.demo.film import settled
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.draft import Draft
from raidtui.ui.render.disk_rows import kind_of
from raidtui.ui.screens.disks import DisksScreen
from raidtui.ui.screens.steps import screen_of
from raidtui.ui.widgets.lines import Lines, Listing
from raidtui.ui.widgets.pick_list import PickList
from tests.ui.machines import RecordedServices

Size = tuple[int, int]
SMALL, LARGE = (80, 24), (120, 40)
SIZES = [SMALL, LARGE, (200, 60)]
ready = settled


def wizard(services: RecordedServices | tuple[Disk, ...] | None = None) -> RaidtuiApp:
    """The wizard as it is where its first question is answered: a quick look, and nothing stays."""
    if isinstance(services, tuple):
        services = RecordedServices(services)
    return RaidtuiApp(services or RecordedServices(), first_step="Disks")


async def press(pilot: Pilot[int], *keys: str) -> None:
    """These keys, and all the work that they began."""
    await pilot.press(*keys)
    await ready(pilot)


def said(app: RaidtuiApp, selector: str = "#detail") -> str:
    return " ".join(app.screen.query_one(selector, Lines).text.split())


async def listed(pilot: Pilot[int]) -> str:
    """The text of the screen's listing, once it is laid out: on a busy machine that takes more than one pause."""
    for _ in range(100):
        found = [listing.text for listing in pilot.app.screen.query(Listing)]
        if any(found):
            return found[0]
        await pilot.pause()
    raise AssertionError(f"nothing is listed on {pilot.app.screen}")


async def on_screen(pilot: Pilot[int]) -> str:
    """All that the window shows, once nothing is due any more."""
    await ready(pilot)
    return "\n".join(strip.text.rstrip() for strip in pilot.app.screen._compositor.render_strips())


async def at_disk(app: RaidtuiApp, pilot: Pilot[int], name: str) -> None:
    """The cursor on the row of this disk alone; alike ones are unfolded for it."""
    screen = app.screen
    assert isinstance(screen, DisksScreen)
    for _ in range(2):
        for number, row in enumerate(screen._entries):
            names = [one.name for one in row.disks]
            if name in names:
                screen.query_one(PickList).move_to(number)
                await pilot.pause()
                if len(names) > 1 and kind_of(row.disks[0]) not in screen._unfolded:
                    await pilot.press("right")
                    break
                if len(names) == 1:
                    return


@asynccontextmanager
async def opened(app: RaidtuiApp, size: Size = SMALL) -> AsyncIterator[Pilot[int]]:
    """Once all that it asks for at its start has come."""
    async with app.run_test(size=size) as pilot:
        await ready(pilot)
        yield pilot


@asynccontextmanager
async def opened_on(
    step: str,
    services: RecordedServices | tuple[Disk, ...] | None = None,
    size: Size = SMALL,
    **choices: Any,
) -> AsyncIterator[tuple[RaidtuiApp, Pilot[int]]]:
    """The wizard on the screen of `step`; all disks that are ok are chosen, unless `choices` of the draft differ."""
    app = wizard(services)
    async with opened(app, size) as pilot:
        await turned_to(step, app, pilot, **choices)
        yield app, pilot


async def turned_to(step: str, app: RaidtuiApp, pilot: Pilot[int], **choices: Any) -> None:
    """The same wizard on another step, with another draft: a start costs more than a step."""
    free = tuple(disk.id for disk in app.scan.disks if disk.verdict.standing is Usability.OK)
    app.draft = msgspec.structs.replace(Draft(disks=free), **choices)
    app.push_screen(screen_of(step))
    await ready(pilot)
