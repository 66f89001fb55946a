"""What is it for? A purpose fills in the next steps, with its reasons; who wants none presses Enter."""

from typing import Any

import msgspec
import pytest

from raidtui.core.disks.disk import Disk
from raidtui.core.raid.purposes import Workload
from raidtui.ui.screens.level import LevelScreen
from raidtui.ui.screens.use import UseScreen
from raidtui.ui.widgets.key_bar import KeyBar
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.number_line import NumberLine
from raidtui.ui.widgets.pick_list import PickList
from tests.builders.labels import nominal_bytes
from tests.ui.machines import RecordedServices, disk, rack
from tests.ui.pilots import LARGE, SMALL, opened_on, ready, said, turned_to


def box(count: int, gigabytes: int, **fields: object) -> tuple[Disk, ...]:
    return tuple(disk(f"sd{chr(97 + at)}", size_bytes=nominal_bytes(gigabytes), **fields) for at in range(count))


async def test_who_chooses_without_a_proposal_presses_enter_once() -> None:
    chosen: dict[str, Any] = {"level": "5", "chunk": "64KiB", "after": "keep"}  # by hand, before coming back here
    async with opened_on("Use", RecordedServices(rack(6)), **chosen) as (app, pilot):
        before = app.draft
        assert "Preselected: RAID 5" in said(app) and app.screen.query_one(NumberLine).text == ""
        await pilot.press("2", "enter")
        await pilot.pause()
        assert isinstance(app.screen, LevelScreen) and app.draft == before


async def test_a_purpose_is_filled_into_the_steps_that_follow() -> None:
    async with opened_on("Use", RecordedServices(box(6, 8000)), after="keep") as (app, pilot):
        await ready(pilot)
        assert "survive" not in app.screen.query_one(KeyBar).text
        await pilot.press("down", "down")
        await ready(pilot)
        assert "survive" in app.screen.query_one(KeyBar).text
        assert (app.draft.use, app.draft.level, app.draft.filesystem) == (Workload.MEDIA, "6", "xfs")
        assert said(app).startswith("Proposed: RAID 6, chunk 512 KiB, xfs: 32.0 TB = 29.1 TiB usable")
        await pilot.press("0")
        assert (app.draft.survive, app.draft.level) == (0, "0") and "loses all data" in said(app)
        await pilot.press("2")
        assert (app.draft.survive, app.draft.level) == (2, "6")
        await pilot.press("home")
        assert (app.draft.use, app.draft.level, app.draft.filesystem) == (None, "", "")
        assert app.draft.filesystem_or_default == "xfs"


async def test_each_purpose_has_its_own_number_of_failures() -> None:
    async with opened_on("Use", RecordedServices(rack(6)), use=Workload.BACKUP, after="keep") as (app, pilot):
        await pilot.press("2", "end")
        assert (app.draft.use, app.draft.survive, app.draft.level) == (Workload.SCRATCH, 0, "0")
        await pilot.press("1", "up")
        assert (app.draft.use, app.draft.survive) == (Workload.DATABASES, 1)
        await pilot.press("home", "down")
        assert (app.draft.use, app.draft.survive) == (Workload.BACKUP, 2)
        await pilot.press("end")
        assert (app.draft.use, app.draft.survive) == (Workload.SCRATCH, 1)


async def test_the_number_of_failures_is_chosen_by_a_click_too() -> None:
    async with opened_on("Use", RecordedServices(rack(6)), use=Workload.VMS, after="keep") as (app, pilot):
        line = app.screen.query_one(NumberLine)
        assert "[1]" in line.text
        await pilot.click(NumberLine, offset=(line.text.index(" 2 ") + 1, 0))
        await pilot.pause()
        assert app.draft.survive == 2 and app.draft.layout == "n3" and "[2]" in line.text


async def test_what_nothing_survives_is_said_and_not_gone_on_with() -> None:
    chosen: dict[str, Any] = {"use": Workload.VMS, "survive": 2, "level": "6", "after": "keep"}
    async with opened_on("Use", RecordedServices(rack(2)), **chosen) as (app, pilot):
        await pilot.press("enter")
        assert isinstance(app.screen, UseScreen)
        assert "add 1, or survive fewer" in said(app)
        assert "more" not in said(app, "#plan-panel")  # of a level that was proposed of more disks
        await pilot.press("1", "enter")
        await pilot.pause()
        assert isinstance(app.screen, LevelScreen) and app.draft.level == "1"


async def test_what_was_changed_since_stays_and_is_said() -> None:
    async with opened_on("Use", RecordedServices(rack(6)), use=Workload.VMS, after="keep") as (app, pilot):
        await pilot.press("enter")
        await pilot.pause()
        levels = app.screen.query_one(PickList)
        assert app.draft.level == "10" and levels.cursor == 5
        await pilot.press("up")
        assert app.draft.level == "6" and app.draft.filesystem == "xfs"
        await pilot.press("escape")
        await pilot.pause()
        assert said(app).startswith("Your choice: RAID 6 (kept until the purpose changes). Proposed: RAID 10 n2")
        assert app.draft.level == "6"


async def test_what_was_changed_after_a_purpose_stays_when_the_way_back_leads_over_it() -> None:
    chosen: dict[str, Any] = {"use": Workload.BACKUP, "survive": 2, "after": "keep"}
    async with opened_on("Use", RecordedServices(rack(6)), **chosen) as (app, pilot):
        assert app.draft.level == "6"
        changed = msgspec.structs.replace(
            app.draft, layout="right-symmetric", bitmap="journal", filesystem="ext4", spares=1
        )
        await turned_to("Use", app, pilot, **msgspec.structs.asdict(changed))
        assert app.draft == changed
        assert "Your choice: right-symmetric, ext4 (kept until the purpose changes)" in said(app)
        assert "Proposed for the 4 data disks: " in said(app)
        fewer = msgspec.structs.replace(changed, disks=changed.disks[:4])
        await turned_to("Use", app, pilot, **msgspec.structs.asdict(fewer))
        assert (app.draft.layout, app.draft.bitmap, app.draft.filesystem) != ("right-symmetric", "journal", "ext4")


async def test_the_proposed_level_comes_back_with_its_layout_and_a_click_on_it_changes_nothing_more() -> None:
    async with opened_on("Level", RecordedServices(rack(6)), use=Workload.SCRATCH, level="5", after="keep") as (
        app,
        pilot,
    ):
        await pilot.press("end", "up", "up")
        assert (app.draft.level, app.draft.layout, app.draft.filesystem) == ("10", "f2", "xfs")
        assert isinstance(app.screen, LevelScreen)
        app.screen.change(chunk="64KiB")
        await pilot.click(PickList, offset=(5, 6))
        await pilot.pause()
        assert (app.draft.level, app.draft.chunk) == ("10", "64KiB")


@pytest.mark.parametrize("size", [SMALL, LARGE])
@pytest.mark.parametrize(
    ("disks", "use", "survive", "words"),
    [
        (box(6, 8000), Workload.MEDIA, 1, "RAID 6"),
        (box(4, 2000, rotational=False, transport="nvme"), Workload.DATABASES, 1, "RAID 10 n2"),
        (box(24, 1200), Workload.VMS, 1, "RAID 10 n2"),
        (box(4, 2000), Workload.MEDIA, 1, "RAID 5"),  # the longest: what its rebuild risks is told
    ],
)
async def test_all_reasons_are_in_view(
    size: tuple[int, int], disks: tuple[Disk, ...], use: Workload, survive: int, words: str
) -> None:
    services = RecordedServices(disks)
    async with opened_on("Use", services, size, use=use, survive=survive, after="keep") as (app, _):
        detail = app.screen.query_one("#detail", Lines)
        assert detail.text.strip().startswith(f"Proposed: {words}") and "Second best, " in said(app)
        assert len(detail.lines) <= detail.size.height
        assert max(map(len, detail.text.splitlines())) < detail.size.width
