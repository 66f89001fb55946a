"""Two free disks of the same model and size: every screen where it matters shows what tells them apart."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from raidtui.core.disks.disk import Disk
from raidtui.core.plan.answers import Answers, Setup
from raidtui.core.run.samples import ARRAY
from raidtui.ui.screens.live import LiveScreen
from raidtui.ui.widgets.lines import Listing
from raidtui.ui.widgets.pick_list import PickList
from tests.ui.followed import disks_text
from tests.ui.machines import RecordedServices, disk
from tests.ui.pilots import opened, opened_on, press, said, wizard
from tests.ui.runs import view_of

TWINS = {
    "serials of their own": (disk("sdb"), disk("sdc")),
    "the same serial": (
        disk("sdb", serial="000000000001", id="wwn-0x5000c500aaaa0001"),
        disk("sdc", serial="000000000001", id="wwn-0x5000c500bbbb0002"),
    ),
    "no serial": (
        disk("vdb", serial="", id="path-pci-0000:00:04.0"),
        disk("vdc", serial="", id="path-pci-0000:00:05.0"),
    ),
}
# The part that has to be there: of an identity that is cut to the width, its end.
TELLING: dict[str, Callable[[Disk], str]] = {
    "serials of their own": lambda one: one.serial,
    "the same serial": lambda one: one.id[-8:],
    "no serial": lambda one: one.id[-8:],
}


@pytest.mark.parametrize("kind", TWINS)
async def test_twins_are_told_apart_from_the_list_to_the_run(kind: str) -> None:
    twins: tuple[Disk, ...] = TWINS[kind]
    assert len({(one.model, one.size_bytes) for one in twins}) == 1
    telling = [TELLING[kind](one) for one in twins]
    services = RecordedServices(twins)

    def shown(widget: type[PickList | Listing]) -> str:
        return " ".join(one.text for one in app.screen.query(widget))

    app = wizard(services)
    async with opened(app) as pilot:
        await pilot.press("right")  # alike disks are one row
        assert all(mark in shown(PickList) for mark in telling), "Disks"
    async with opened_on("Review", services) as (app, pilot):
        assert all(mark in shown(Listing) for mark in telling), "Review"
        await pilot.press("enter")
        assert "Type erase 2 disks of rack7" in said(app)
        assert all(mark in shown(Listing) for mark in telling), "the confirmation"
        members = tuple(one.id for one in twins)
        plan = services.plan(Answers(disks=members, setup=Setup(level="0")), services.scan())
        services.views = [replace(view_of(2, 5, level="0"), plan=plan, slots=(*members, ARRAY))]
        await press(pilot, *"erase", "space", *"2", "space", *"disks", "space", *"of", "space", *"rack7", "enter")
        assert isinstance(app.screen, LiveScreen)
        app.screen.tick()
        await pilot.pause()
        assert all(mark in disks_text(app) for mark in telling), "Live"
