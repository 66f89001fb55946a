"""The newest second as iostat writes it: one key from Live, the same key back, and what an older file does not have."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.core.run.samples import ARRAY, Counters, Sample
from raidtui.demo.recording import load
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.screens.live import LiveScreen, TimesScreen
from raidtui.ui.widgets.lines import Lines, Listing
from tests.replay import RUNS
from tests.ui.machines import RecordedServices
from tests.ui.pilots import LARGE, SMALL, Size, opened, press, said
from tests.ui.runs import View, view_of


def counted(view: View) -> View:
    """The same run with a second in which each disk read 200 times, 5 ms each, and never wrote."""
    before = Counters(0, 0, 0, 0, 0, read_ms=0, write_ms=0, queue_ms=0, discards=0, flushes=0)
    after = Counters(819200, 0, 200, 0, 900, read_ms=1000, write_ms=0, queue_ms=1500, discards=0, flushes=4)
    many = len(view.slots)
    history = (Sample(0, 0, (before,) * many), Sample(10**9, 10**9, (after,) * (many - 1) + (None,)))
    return View(view.plan, view.state, view.slots, history, view.alive, view.whole)


@pytest.mark.parametrize("size, last", [(SMALL, "%util"), (LARGE, "f/s")])
async def test_each_device_has_its_line_without_what_none_does(size: Size, last: str) -> None:
    app = RaidtuiApp(RecordedServices(views=[counted(view_of(3, 40))]), attach=Path("/runs/20260101T000000Z-abcd"))
    async with opened(app, size) as pilot:
        await press(pilot, "i")
        assert isinstance(app.screen, TimesScreen)
        heading = app.screen.query_one("#times-heading", Lines).text.split()
        assert heading[:6] == ["device", "r/s", "rMB/s", "r_await", "aqu-sz", "%util"] and heading[-1] == last
        lines = [line.replace("▄", "").split() for line in app.screen.query_one(Listing).text.splitlines()]
        assert lines[0][:6] == ["sda", "200", "0.8", "5.00", "1.50", "90"]
        assert [line[0] for line in lines[:3]] == ["sda", "sdb", "sdc"]
        assert ["r/s", "reads", "completed", "per", "second"] in lines, "there is room to explain the columns"
        assert "90 to 90 % busy no writes, discards" in said(app, "#iostat")
        await pilot.press("i")
        assert isinstance(app.screen, LiveScreen)


async def test_the_disk_that_differs_is_named_and_marked() -> None:
    recording = load(RUNS / "raid10-of-6")
    view = recording.view(recording.at_s("s2-rand_write", 0.6))
    last = view.history[-1]
    slot = 1 if view.slots[0] == ARRAY else 0
    before, after = view.history[-2].counters[slot], last.counters[slot]
    assert before and after
    half = replace(after, writes=before.writes + (after.writes - before.writes) // 2)
    counters = (*last.counters[:slot], half, *last.counters[slot + 1 :])
    slow = View(view.plan, view.state, view.slots, (*view.history[:-1], replace(last, counters=counters)), True, True)
    app = RaidtuiApp(RecordedServices(views=[slow]), attach=Path("/runs/20260101T000000Z-abcd"))
    async with opened(app) as pilot:
        await press(pilot, "i")
        name = next(iter(said(app, "#iostat").partition("median: ")[2].split(" ")))
        assert "▼ 1 differs from the median" in said(app, "#iostat")
        marked = [line for line in app.screen.query_one(Listing).text.splitlines() if line.startswith("▼")]
        assert len(marked) == 1 and marked[0].split()[0] == f"▼{name}"


async def test_what_a_file_of_the_first_schema_does_not_have_is_a_dash() -> None:
    app = RaidtuiApp(RecordedServices(views=[view_of(100, 40)]), attach=Path("/runs/20260101T000000Z-abcd"))
    async with opened(app) as pilot:
        await press(pilot, "i")
        lines = [line.split() for line in app.screen.query_one(Listing).text.splitlines()]
        assert len(lines) == 100 and all(line.count("-") >= 2 for line in lines)
        await pilot.press("u")
        assert "rMiB/s" in app.screen.query_one("#times-heading", Lines).text
