"""The figures beside Results: sorted by any column, any two compared with the base named, charts of a test."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidtui.core.results.analysis import compare
from raidtui.core.run import events
from raidtui.core.run.state import fold_all
from raidtui.core.units import Units
from raidtui.runs.follow import View, window
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.render import charts, result_rows
from raidtui.ui.render.chart_lines import (
    chart_lines,
    disks_over_time,
    trial_of,
    when,
)
from raidtui.ui.render.charts import Curve, Group
from raidtui.ui.render.result_rows import (
    Order,
    Page,
    describe,
    in_order,
    sheet,
)
from raidtui.ui.screens.figures import ChartsScreen, FiguresScreen
from raidtui.ui.screens.results import ResultsScreen
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.listing import Listing
from raidtui.ui.widgets.pick_list import PickList
from tests.builders import handmade, sweeps
from tests.replay import RUNS, load
from tests.ui.machines import RecordedServices


def sweep_view() -> View:
    """4 levels x 9 chunks, each cell with a figure of its own."""
    made = sweeps.plan("levels-random-4k", 6)
    rates = {trial.id: 100.0 + number for number, trial in enumerate(made.trials)}
    return View(made, sweeps.state(made, lambda stage, trial: rates[trial.id]), (), (), False)


def page_of(view: View, number: int = 0) -> Page:
    return result_rows.pages(compare(view.plan, view.state))[number]


def repeated(*rates: float) -> Page:
    """RAID 5, sequential reads repeated with these rates, beside writes of 168 MB/s each time."""
    plan = handmade.plan(repeat=len(rates))
    odd: dict[str, Any] = {}
    for number, rate in enumerate(rates, 1):
        trial = plan.trial("filesystem-seq_read" + (f"-{number}" if number > 1 else ""))
        assert trial
        odd[trial.id.replace("-", "_")] = {"read": handmade.measurement(trial, rate).read}
    return page_of(View(plan, handmade.state(plan, **odd), (), (), False))


def text_of(page: Page, width: int, order: Order = Order(), base: int = 0) -> list[str]:  # noqa: B008
    laid = sheet(page, order, page.named[base][1], Units.DECIMAL, width, "v^")
    return ["".join(text for text, _ in line) for line in (laid.heading, *(row.lines[0] for row in laid.rows))]


@pytest.mark.parametrize("column", [column.name for column in result_rows.COLUMNS])
def test_every_column_sorts_both_ways(column: str) -> None:
    page = page_of(sweep_view())
    of = next(one for one in result_rows.COLUMNS if one.name == column)
    base = page.named[3][1]
    values = {
        rising: [of.value(row, base) for _, row in in_order(page, Order(column, rising), base)]
        for rising in (False, True)
    }
    for rising, found in values.items():
        known = [value for value in found if value is not None]
        assert known == sorted(known, reverse=not rising)
        assert found[: len(known)] == known and len(found) == len(page.named)


def test_the_keys_go_through_all_columns_and_back_to_the_order_of_measuring() -> None:
    page, order = page_of(sweep_view()), Order()
    seen = []
    for _ in result_rows.COLUMNS:
        order = order.next_column()
        seen.append(order.column)
    assert seen == [column.name for column in result_rows.COLUMNS]
    assert in_order(page, order.next_column(), page.named[0][1]) == page.named


def test_a_cell_without_a_figure_comes_last_whichever_end_is_first() -> None:
    plan = handmade.plan()
    state = handmade.state(plan, filesystem_seq_write={"status": "failed", "error": "no space", "write": None})
    page = page_of(View(plan, state, (), (), False))
    for rising in (False, True):
        assert in_order(page, Order("array", rising), page.named[0][1])[-1][0] == "Sequential write"
    assert "FAILED" in text_of(page, 80)[1] and "no space" in describe(page.named[0], page.named[1], Units.DECIMAL)


def test_one_cell_over_another_names_the_base() -> None:
    page = page_of(sweep_view())
    (one, first), (two, second) = page.named[5], page.named[2]
    assert first.array.value and second.array.value
    share = first.array.value / second.array.value - 1
    assert describe((one, first), (two, second), Units.DECIMAL).startswith(
        f"{one} over {two} (the base): cannot tell ({100 * share:+.1f} %)"  # each was measured once
    )
    shown = text_of(page, 80, base=2)
    assert shown[3].endswith("base") and f"{100 * share:+.1f} %" in shown[6]


def test_differences_that_repetitions_cannot_tell_are_marked() -> None:
    apart, together = repeated(280, 290, 285), repeated(150, 185, 168)
    assert "?" not in text_of(apart, 80)[2]
    assert "? " in text_of(together, 80)[2]
    assert "21 %" in text_of(together, 80)[2]  # 35 of 168
    assert "cannot tell" in describe(together.named[1], together.named[0], Units.DECIMAL)


def test_columns_without_any_figure_are_left_out_and_more_stand_where_there_is_room() -> None:
    page = page_of(sweep_view())
    narrow, wide = text_of(page, 79)[0], text_of(page, 130)[0]
    assert "spread" not in narrow and "theory" not in narrow
    assert "array, IOPS" in narrow and "over base" in narrow
    assert "theory" in wide and "one disk" in wide
    for width in (79, 119):
        assert {len(line) for line in text_of(page, width)} == {width}


def test_bars_have_one_scale() -> None:
    groups = [Group("a", (194.7, 258.4)), Group("b", (189.0, 258.4)), Group("c", (None, 516.8))]
    drawn = charts.bars(groups, ("array", "theory"), "IOPS", 68, "#")
    theories = [line.count("#") for line in drawn if "theory" in line]
    assert theories[0] == theories[1] == pytest.approx(theories[2] / 2, abs=1)


def test_lines_over_the_chunk_are_named_by_what_they_are_of() -> None:
    view = sweep_view()
    page = page_of(view)
    laid = chart_lines(page, page.named[0], page.named[1], (), Units.DECIMAL, 80, False)
    lines = ["".join(text for text, _ in line) for line in laid]
    at = lines.index(" By chunk, IOPS")
    assert any("4K" in line and "1M" in line and "64K" in line for line in lines[at:])
    assert {"RAID 0", "RAID 10 n2", "RAID 5", "RAID 6"} <= {line.strip()[2:] for line in lines[at:]}
    assert any(line.startswith(" Latency by percentile, ms") for line in lines)
    assert all(len(line) <= 80 for line in lines)


def test_a_chart_draws_each_line_in_its_own_number_and_nothing_without_points() -> None:
    drawn = charts.curves([Curve("a", ((0, 1), (1, 9))), Curve("b", ((0, 5), (1, 5)))], [(0, "x"), (1, "y")], 60, 10)
    assert drawn[-2:] == ["  1 a", "  2 b"]
    assert "1" in "".join(drawn[:-3]) and "2" in "".join(drawn[:-3])
    assert charts.curves([Curve("a", ())], [], 60, 10) == []
    assert charts.curves([Curve("a", ((0, 0.0), (1, 0.0)))], [], 60, 10) == []


@pytest.mark.parametrize(("name", "lines"), [("raid5-of-3", 3), ("rack-of-24", 3)])
def test_each_disk_over_a_trials_time_from_the_runs_samples(name: str, lines: int) -> None:
    """Of 24 disks the busiest, the middle and the idlest; the mean of all points is what the disks did."""
    recording = load(RUNS / name)
    view = recording.view()
    page = page_of(View(recording.plan, view.state, (), (), False))
    row = next(row for name, row in page.named if row.job == "seq_read")
    trial = trial_of(recording.plan, row)
    assert trial
    found = when(view.state, trial)
    assert found and found.ended_at_s
    slots, history = window(RUNS / name, found.started_at_s, found.ended_at_s)
    assert slots == recording.header.slots
    assert [s.wall_ns for s in history] == [
        s.wall_ns for s in recording.samples if found.started_at_s <= s.wall_ns / 1e9 <= found.ended_at_s
    ]
    drawn = disks_over_time(recording.plan, slots, history, Units.DECIMAL)
    assert len(drawn) == lines
    for curve in drawn:
        mean = sum(value for _, value in curve.points) / len(curve.points)
        assert curve.name.endswith(f", mean {mean:.1f}")
    measured = found.measurement
    assert measured
    fastest = max(disk.read_bytes_per_s for key, disk in measured.disks.items() if key != "array") / 1e6
    assert max(value for _, value in drawn[0].points) == pytest.approx(fastest, rel=0.35)


def test_no_samples_are_no_window(tmp_path: Path) -> None:
    assert window(tmp_path, 0, 1e12) == ((), ())
    (tmp_path / "samples.bin").write_bytes(b"{ torn")
    assert window(tmp_path, 0, 1e12) == ((), ())


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
        assert [line for line in app.screen.query_one(PickList).text.splitlines() if line.endswith(" base")]
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
        assert "this run has no test" in app.screen.query_one("#detail", Lines).text
