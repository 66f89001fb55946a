"""The table of Results: sorted by any column, any two compared with the base named; its charts."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.core.run import events
from raidtui.core.run.state import fold_all
from raidtui.demo.recording import load
from raidtui.runs.follow import View
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.screens.figures import FiguresTable
from raidtui.ui.screens.results import ResultsScreen
from tests.builders import ablations, handmade
from tests.replay import RUNS
from tests.ui.machines import RecordedServices
from tests.ui.pages import page_of, sweep_view
from tests.ui.pilots import LARGE, SMALL, Size, on_screen, opened, press


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=str)
async def test_setups_are_ranked_then_compared_test_by_test(size: Size) -> None:
    view = sweep_view()
    app = RaidtuiApp(RecordedServices(views=[view]), attach=Path("/runs/r"))
    async with opened(app, size) as pilot:
        shown = await on_screen(pilot)
        assert "First, no best" in shown and "survives any 2" in shown and "vs best" in shown
        table = app.screen.query_one(FiguresTable)
        assert table.is_ranked and table.count == len(page_of(view).named) == len(table.rows)
        await pilot.press("tab", "home", "down", "down", "b", "s")
        base = table.base
        assert base[0] == page_of(view).named[2][0]
        assert [line for line in table.text.splitlines() if f"{'base':>14}" in line]
        await pilot.press("tab")
        assert table.page.heading == page_of(view, 1).heading
        assert table.base[0] == base[0] and table.base[1].job != base[1].job
        await pilot.press("B", "shift+tab")
        assert table.base[1].job != table.page.named[0][1].job  # this very cell, of another test
        await pilot.press("shift+tab", "2")
        shown = await on_screen(pilot)
        assert "By chunk, IOPS" in shown and ("Latency by percentile" in shown) is (size[0] > 100)


async def test_the_order_is_reversed() -> None:
    app = RaidtuiApp(RecordedServices(views=[load(RUNS / "raid5-of-3").view()]), attach=Path("/runs/r"))
    async with opened(app, LARGE) as pilot:
        table = app.screen.query_one(FiguresTable)
        names = [line.partition("  ")[0].strip() for line in table.text.splitlines()[1:]]
        await pilot.press("S")
        assert [line.partition("  ")[0].strip() for line in table.text.splitlines()[1:]] == names[::-1]


async def test_of_an_explanation_all_is_over_what_was_not_changed() -> None:
    view = View(ablations.PLAN, ablations.measured({"wbt": 0.5}), (), (), False)
    app = RaidtuiApp(RecordedServices(views=[view]), attach=Path("/runs/r"))
    async with opened(app, LARGE):
        table = app.screen.query_one(FiguresTable)
        (unchanged,) = [row for row in table.page.named if row[1].job == "rand_write"]
        assert table.base == unchanged and len(table.page.named) == 4


@pytest.mark.parametrize("keys", ["2", "3", "4", "5", "s b B tab down x"])
async def test_a_run_without_any_test_has_no_figures_to_show(keys: str) -> None:
    plan = handmade.plan()
    plan = replace(plan, stages=(replace(plan.stages[0], trials=()),))
    state = fold_all([events.RunEnded(at_s=1.8e9, outcome="failed", reason="no disk")])
    app = RaidtuiApp(RecordedServices(views=[View(plan, state, (), (), False)]), attach=Path("/runs/r"))
    async with opened(app) as pilot:
        assert "No test has a result" in await on_screen(pilot)
        await press(pilot, *keys.split())
        assert isinstance(app.screen, ResultsScreen)
