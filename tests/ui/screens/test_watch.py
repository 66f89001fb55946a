"""A machine at work: a line a device, sorted, frozen, in a window of any size."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from raidtui.demo.recording import load
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.screens.watch import WatchScreen
from raidtui.ui.widgets.lines import Lines, Listing, Sliced
from tests.replay import RUNS
from tests.ui.at_work import RecordedAtWork
from tests.ui.machines import RecordedServices
from tests.ui.pilots import LARGE, SIZES, Size, opened

_RECORDING = load(RUNS / "rack-of-24")


@asynccontextmanager
async def _watching(size: Size, missing: int = 0) -> AsyncIterator[WatchScreen]:
    app = RaidtuiApp(RecordedServices(), alone=lambda: WatchScreen(RecordedAtWork(_RECORDING, missing=missing)))
    async with opened(app, size):
        screen = app.screen
        assert isinstance(screen, WatchScreen)
        for _ in range(150):
            screen.tick()
        yield screen


def _table(screen: WatchScreen) -> list[list[str]]:
    return [line.split() for line in screen.query_one(Listing).text.splitlines()]


@pytest.mark.parametrize("size", SIZES)
async def test_every_device_has_a_line_and_the_graph_its_seconds(size: Size) -> None:
    async with _watching(size) as screen:
        heading, array, *disks = _table(screen)
        assert heading[0] == "device" and array[0] == "md127" and len(disks) == 24
        assert "raid6 of 24" in screen.query_one(Listing).text
        assert "24 disks, 1 md array" in screen.query_one("#disks-title", Lines).text
        assert any("now" in lines.text for lines in screen.query_one("#watch-hero", Sliced).query(Lines))


async def test_a_degraded_array_says_so() -> None:
    async with _watching(LARGE, missing=2) as screen:
        assert "raid6 2 missing" in screen.query_one(Listing).text


async def test_keys_sort_hide_and_freeze() -> None:
    async with _watching(LARGE) as screen:
        screen.action_arrays()
        assert [line[0] for line in _table(screen)] == ["device", "md127"]
        screen.action_arrays()
        screen.action_order()
        assert "by busy" in screen.query_one("#disks-title", Lines).text
        busy = [float(line[-2]) for line in _table(screen)[1:] if line[-1] == "%"]
        assert busy == sorted(busy, reverse=True) and len(busy) >= 24
        screen.action_freeze()
        frozen = screen.query_one(Listing).text
        for _ in range(20):
            screen.tick()
        assert screen.query_one(Listing).text == frozen
        assert "FROZEN" in screen.query_one("#hero-title", Lines).text
        screen.action_freeze()
        for _ in range(4):
            screen.tick()
        assert "FROZEN" not in screen.query_one("#hero-title", Lines).text


async def test_figures_only_are_iostats() -> None:
    async with _watching(LARGE) as screen:
        screen.action_figures()
        heading, array, *_ = _table(screen)
        assert heading[:5] == ["device", "r/s", "w/s", "rMB/s", "wMB/s"] and array[0] == "md127"


async def test_a_machine_without_disks_says_so() -> None:
    class Nothing(RecordedAtWork):
        def devices(self) -> tuple[()]:
            return ()

    app = RaidtuiApp(RecordedServices(), alone=lambda: WatchScreen(Nothing(_RECORDING)))
    async with opened(app):
        assert app.screen.query_one(Listing).text == " No disk and no md array here."
