"""The figures beside Results: sorted by any column, any two compared with the base named, charts of a test."""

from pathlib import Path

import msgspec
import pytest

from raidtui.core.run import events
from raidtui.core.run.state import fold_all
from raidtui.runs.follow import View
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.screens.figures import ChartsScreen, FiguresScreen
from raidtui.ui.screens.results import ResultsScreen
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.listing import Listing
from raidtui.ui.widgets.pick_list import PickList
from tests.builders import ablations, handmade
from tests.ui.machines import RecordedServices
from tests.ui.pages import page_of, sweep_view


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=str)
async def test_from_results_to_the_charts_and_back(size: tuple[int, int]) -> None:
    view = sweep_view()
    app = RaidtuiApp(RecordedServices(views=[view]), attach=Path("/runs/r"))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await pilot.press("f")
        await pilot.pause()
        assert isinstance(app.screen, FiguresScreen)
        await pilot.press("down", "down", "b", "s")
        base = app.screen.base
        assert base[0] == page_of(view).named[2][0]
        assert [line for line in app.screen.query_one(PickList).text.splitlines() if f"{'base':>14}" in line]
        await pilot.press("tab")
        assert app.screen.page.heading == page_of(view, 1).heading
        assert app.screen.base[0] == base[0] and app.screen.base[1].job != base[1].job
        await pilot.press("tab", "B", "tab")
        assert app.screen.base[1].job != app.screen.page.named[0][1].job  # this very cell, of another test
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, ChartsScreen)
        shown = app.screen.query_one(Listing).text
        assert "By chunk, IOPS" in shown and "Latency by percentile" in shown
        await pilot.press("l")
        assert "(logarithmic)" in app.screen.query_one(Listing).text
        await pilot.press("escape", "escape")
        await pilot.pause()
        assert app.screen.query("#results")


async def test_of_an_explanation_all_is_over_what_was_not_changed() -> None:
    view = View(ablations.PLAN, ablations.measured({"wbt": 0.5}), (), (), False)
    app = RaidtuiApp(RecordedServices(views=[view]), attach=Path("/runs/r"))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press("f")
        await pilot.pause()
        assert isinstance(app.screen, FiguresScreen)
        (unchanged,) = [row for row in app.screen.page.named if row[1].job == "rand_write"]
        assert app.screen.base == unchanged and len(app.screen.page.named) == 4


async def test_a_run_without_any_test_has_no_figures_to_show() -> None:
    plan = handmade.plan()
    plan = msgspec.structs.replace(plan, stages=(msgspec.structs.replace(plan.stages[0], trials=()),))
    state = fold_all([events.RunEnded(at_s=1.8e9, outcome="failed", reason="no disk")])
    app = RaidtuiApp(RecordedServices(views=[View(plan, state, (), (), False)]), attach=Path("/runs/r"))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("f")
        await pilot.pause()
        assert isinstance(app.screen, ResultsScreen)
        assert "This run has no test" in app.screen.query_one("#detail", Lines).text
