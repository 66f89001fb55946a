"""Chunk by keys: one list at a time, layout and bitmap in place of the sizes for as long as they are chosen of."""

from typing import Any

import pytest

from raidtui.core.raid.purposes import Workload
from raidtui.ui.screens.chunk import ChunkScreen
from raidtui.ui.screens.filesystem import FilesystemScreen
from raidtui.ui.screens.level import LevelScreen
from raidtui.ui.widgets.bars import KeyBar
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.pick_list import OptionPick, PickList
from tests.seeds import paired
from tests.ui.machines import RecordedServices, rack
from tests.ui.pilots import LARGE, SMALL, Size, opened_on, said, turned_to


async def test_the_row_under_the_cursor_is_the_choice() -> None:
    async with opened_on("Chunk", rack(8), LARGE, level="6") as (app, pilot):
        assert said(app, "#question") == "Which chunk size? RAID 6, 8 disks, 24.0 TB = 21.8 TiB usable"
        assert app.draft.chunk == "" and "full stripe 3 MiB = 6 × 512 KiB of data" in said(app, "#drawing")
        await pilot.press("up", "up")
        assert app.draft.chunk == "128KiB" and "full stripe 768 KiB" in said(app, "#drawing")
        assert "»" in said(app, "#drawing") and "128 KiB 64K reads: 1200 IOPS" in said(app, "#why")
        await pilot.click("#chunk", offset=(8, 2))
        await pilot.pause()
        assert app.draft.chunk == "16KiB"


async def test_the_purposes_chunk_is_proposed_and_a_chunk_of_ones_own_has_a_row() -> None:
    services = RecordedServices(rack(24))
    async with opened_on("Level", services, LARGE, use=Workload.FILES, after="keep") as (app, pilot):
        await pilot.press("enter")
        assert app.draft.chunk == "128KiB" and "▸◆ 128 KiB" in app.screen.query_one("#chunk", PickList).text
        await turned_to("Chunk", app, pilot, level="6", chunk="32KiB")
        assert "▸  32 KiB" in app.screen.query_one("#chunk", PickList).text
        await pilot.press("enter")
        assert app.answers.setup.chunk == "32KiB"


@pytest.mark.parametrize("back", ["enter", "escape", "l"])
async def test_layouts_come_in_place_of_the_sizes_and_go(back: str) -> None:
    async with opened_on("Chunk", rack(3), level="5") as (app, pilot):
        bar = app.screen.query_one(KeyBar).text
        assert "l layout" in bar and "b bitmap" in bar
        await pilot.press("l")
        layouts = app.screen.query_one("#layout", OptionPick)
        assert layouts.has_focus and layouts.display and not app.screen.query_one("#chunk").display
        first = said(app, "#drawing")
        await pilot.press("down")
        assert app.draft.layout == "left-asymmetric" and said(app, "#drawing") != first
        assert said(app).startswith("Layout left-asymmetric: parity moves left, data from the first disk on · After a")
        await pilot.press(back)
        chunks = app.screen.query_one("#chunk", PickList)
        assert isinstance(app.screen, ChunkScreen) and chunks.has_focus and not layouts.display
        await pilot.press("enter")
        assert isinstance(app.screen, FilesystemScreen)


async def test_tab_goes_through_the_lists() -> None:
    async with opened_on("Chunk", rack(3), level="5") as (app, pilot):
        seen = []
        for _ in range(4):
            assert app.focused
            seen.append(app.focused.id)
            await pilot.press("tab")
        assert seen == ["chunk", "layout", "bitmap", "chunk"]


async def test_every_layout_is_offered_also_those_without_a_row_on_level() -> None:
    async with opened_on("Chunk", rack(3), level="10") as (app, pilot):
        await pilot.press("l", "home", "down", "down", "down")
        assert app.draft.layout == "o3"
    async with opened_on("Chunk", rack(3), level="0") as (app, _):
        assert "layout" not in app.screen.query_one(KeyBar).text and len(app.screen.query(PickList)) == 1


async def test_a_mirrors_bitmap_is_one_key_from_level() -> None:
    async with opened_on("Level", rack(2), level="1") as (app, pilot):
        await pilot.press("c")
        assert isinstance(app.screen, ChunkScreen) and app.focused is app.screen.query_one("#bitmap")
        await pilot.press("down")
        assert app.draft.bitmap == "none" and said(app) == "After a crash: nothing"
        await pilot.press("escape")
        assert isinstance(app.screen, LevelScreen)


async def test_a_partial_parity_log_is_offered_where_it_can_be() -> None:
    async with opened_on("Chunk", rack(4), level="5") as (app, pilot):
        assert "partial parity log" in app.screen.query_one("#bitmap", OptionPick)._options()[2].title
        await pilot.press("b", "home", "down", "down", "enter")
        assert app.draft.bitmap == "ppl" and "Expected speeds ignore this log" in said(app)
        await turned_to("Chunk", app, pilot, level="6")
        await pilot.press("b")
        assert "partial parity log" not in app.screen.query_one("#bitmap", OptionPick).text


async def test_a_journal_is_offered_for_an_array_that_stays_where_a_disk_is_left_for_it() -> None:
    async with opened_on("Chunk", rack(4), level="5", after="keep") as (app, pilot):
        before = said(app, "#question")
        await pilot.press("b", "end", "enter")
        assert app.draft.bitmap == "journal" and app.draft.array_disks == 3
        assert said(app, "#question") != before and "3 disks" in said(app, "#question")
        assert app.answers.setup.bitmap == "journal"

    for level, after in (("5", "teardown"), ("1", "keep")):
        async with opened_on("Chunk", rack(4), level=level, after=after) as (app, pilot):
            await pilot.press("b")
            assert "journal" not in app.screen.query_one("#bitmap", OptionPick).text


@pytest.mark.parametrize(
    "disks, choices, why", [(4, {"level": "6"}, "RAID 6 needs"), (4, {"level": "5", "spares": 2}, "RAID 5 needs")]
)
async def test_why_a_journal_cannot_be_stands_beside_it(disks: int, choices: dict[str, Any], why: str) -> None:
    async with opened_on("Chunk", rack(disks), after="keep", **choices) as (app, pilot):
        await pilot.press("b")
        picks = app.screen.query_one("#bitmap", OptionPick)
        assert picks.text.count(why) == 1
        await pilot.press("end", "enter", "enter")
        assert app.screen.query_one("#bitmap") is picks and why in said(app)


@pytest.mark.parametrize(
    "size, array",
    paired([SMALL, (100, 32), LARGE, (200, 60)], [(3, "5"), (8, "10"), (24, "6"), (60, "0"), (2, "1")]),
)
async def test_nothing_is_cut(size: Size, array: tuple[int, str]) -> None:
    disks, level = array
    async with opened_on("Chunk", rack(disks), size, level=level, after="keep") as (app, pilot):
        for key in ("up", "l", "down", "b"):
            await pilot.press(key)
            for lines in app.screen.query(Lines):
                if lines.display and lines.region.height:
                    assert "…" not in lines.text, lines.id
                    assert max(map(len, lines.text.splitlines() or [""])) <= lines.size.width, lines.id
            assert not any("…" in pick.text for pick in app.screen.query(PickList))
