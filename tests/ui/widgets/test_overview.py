"""The upper half of Results: how many cards are side by side, and that it takes the lines it says."""

import pytest

from raidtui.demo.recording import load
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.overview import CHARTS, RESULTS, TABS, WHY, Overview, TabLine, _across
from tests.replay import RUNS
from tests.ui.followed import live_app
from tests.ui.pilots import LARGE, SMALL, Size, opened, press


@pytest.mark.parametrize(
    "count, width, high, across",
    [(4, 120, True, 4), (4, 120, False, 2), (4, 160, False, 4), (4, 80, True, 2), (2, 80, True, 2), (1, 80, False, 1),
     (0, 80, False, 1), (3, 80, False, 2)],
)  # fmt: skip
def test_cards_are_side_by_side_where_they_have_room(count: int, width: int, high: bool, across: int) -> None:
    assert _across(count, width, high) == across


@pytest.mark.parametrize("size", [SMALL, (80, 40), (120, 24), LARGE, (160, 30), (200, 60)], ids=str)
async def test_no_card_and_no_sentence_is_cut(size: Size) -> None:
    app = live_app(load(RUNS / "rack-of-24").view())
    async with opened(app, size):
        overview = app.screen.query_one(Overview)
        for panel in [*overview.query(".card").results(Lines), overview.query_one("#sentence", Lines)]:
            assert len(panel.lines) == panel.size.height
            assert max(map(len, panel.text.split("\n"))) <= panel.size.width, panel.text
        last = overview.query_one(TabLine)
        assert last.region.bottom == overview.region.bottom and overview.region.bottom < size[1]


async def test_charts_have_the_room_of_cards_and_sentence() -> None:
    app = live_app(load(RUNS / "rack-of-24").view())
    async with opened(app, LARGE) as pilot:
        overview = app.screen.query_one(Overview)
        heights = {RESULTS: overview.size.height}
        for tab in (CHARTS, WHY):
            await press(pilot, str(tab))
            heights[tab] = overview.size.height
            assert f"{tab}[{TABS[tab - 1]}]" in overview.query_one(TabLine).text
        assert heights[CHARTS] == 1 < heights[WHY] < heights[RESULTS]
