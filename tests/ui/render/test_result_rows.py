"""The rows of figures: sorted by any column, one over another with the base named."""

import pytest
from msgspec.structs import replace

from raidtui.core.answer import numbers
from raidtui.core.report.context import RunContext
from raidtui.core.results.figure import NOT_RUN
from raidtui.core.units import Units
from raidtui.demo.recording import load
from raidtui.runs.follow import View
from raidtui.ui.render import result_rows
from raidtui.ui.render.result_rows import Order, Page, describe, in_order, ranked_sheet
from tests.builders import handmade
from tests.recordings.reports import kept
from tests.replay import RUNS
from tests.ui.pages import page_of, repeated, sweep_view, text_of, texts


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
    assert "FAILED" in text_of(page, 80)[1] and "no space" in describe(page.named[0], page.named[1], alone=False)


def test_one_cell_over_another_names_the_base() -> None:
    page = page_of(sweep_view())
    (one, first), (two, second) = page.named[5], page.named[2]
    assert first.array.value and second.array.value
    share = first.array.value / second.array.value - 1
    assert describe((one, first), (two, second), alone=False).startswith(
        f"{one} vs {two} (base): n.s. ({numbers.percent(share + 1)}"  # each was measured once
    )
    shown = text_of(page, 80, base=2)
    assert shown[3].endswith("base") and numbers.percent(share + 1) in shown[6]


def one_way(page: Page) -> Page:
    """The page with all its rows taken for reads, so that they are compared."""
    rows = ((name, replace(row, direction="read")) for name, row in page.named)
    return replace(page, named=tuple(rows))


def test_reads_are_not_compared_with_writes() -> None:
    page = repeated(280, 290, 285)
    read = page.named[1][0]
    assert "over base" not in text_of(page, 120)[0]
    assert "over base" in text_of(one_way(page), 120)[0]
    unlike = describe(page.named[1], page.named[0], alone=False)
    assert f"{read} vs" not in unlike


def test_differences_that_repetitions_cannot_tell_are_marked() -> None:
    apart, together = one_way(repeated(280, 290, 285)), one_way(repeated(150, 185, 168))
    assert "n.s." not in text_of(apart, 80)[2]
    assert " n.s." in text_of(together, 80)[2]
    assert "21 %" in text_of(together, 180)[2]  # 35 of 168
    assert " n.s. (" in describe(together.named[1], together.named[0], alone=False)


def test_columns_without_any_figure_are_left_out_and_more_stand_where_there_is_room() -> None:
    page = page_of(sweep_view())
    narrow, wide = text_of(page, 60)[0], text_of(page, 130)[0]
    assert "spread" not in narrow and "expected" not in narrow and "spread" not in wide
    assert "array, IOPS" in narrow and "over base" in narrow
    assert "expected" in wide and "one disk" in wide and "▼ 64 % below expected" in text_of(page, 160)[1]
    for width in (79, 119):
        assert {len(line) for line in text_of(page, width)} == {width}


def test_tests_of_both_units_are_one_table_with_a_verdict_each() -> None:
    recording = load(RUNS / "raid5-of-3")
    page = page_of(View(recording.plan, recording.view().state, (), (), False))
    head, *lines = text_of(page, 116)
    assert page.kind is None and head.startswith(" Test MB/s, IOPS") and "p99 ms" in head
    assert [line.split("  ")[0].strip() for line in lines] == [name for name, _ in page.named]
    assert "▼ 91 % below expected" in lines[2] and "✓ as expected" in lines[1] and "−91 %" in lines[2]
    assert "below expected" not in "".join(text_of(page, 79)) and "−91 %" in text_of(page, 79)[3]


@pytest.mark.parametrize("width, tests", [(78, 2), (115, 2), (195, 2)])
def test_setups_ranked_fill_the_width_and_name_what_they_survive(width: int, tests: int) -> None:
    run = RunContext(*kept.load("levels-random-4k"))
    laid = ranked_sheet(run.ranking, Units.DECIMAL, width)
    head, *lines = texts((laid.heading, *(row.lines[0] for row in laid.rows)))
    assert head.count("IOPS") == tests and len(lines) == 12
    assert lines[0].startswith("✓  1  RAID 0 512K") and "best" in lines[0] and "✗ none" in lines[0]
    assert lines[3].startswith("✓  4  RAID 10 n2 64K") and "−6 % n.s." in lines[3] and "any 1" in lines[3]
    assert lines[4].startswith("   5") and "−7 %" in lines[4] and "n.s." not in lines[4]
    assert max(map(len, (head, *lines))) <= width
    bars = [line.count("▄") for line in lines]
    assert width < 100 or bars[0] > bars[-1] > 0


def bars_of(page: Page, width: int) -> tuple[int, list[str]]:
    """Where bars begin, and the bars; -1 and none where there is no room."""
    heading, *lines = text_of(page, width)
    starts_at = heading.find("  array, | expected") + 2
    return (starts_at, [line[starts_at:] for line in lines]) if starts_at > 1 else (-1, [])


def test_what_room_is_left_is_filled_by_bars_on_one_scale_with_theory_in_them() -> None:
    page = page_of(sweep_view())
    rows = [row for _, row in page.named]
    top = max(value for row in rows for value in (row.array.value, row.predicted) if value)
    starts_at, lines = bars_of(page, 200)
    for row, drawn in zip(rows, lines, strict=True):
        width = 200 - starts_at
        assert row.array.value and row.predicted and drawn.count("|") == 1
        assert abs(drawn.index("|") - row.predicted / top * width) <= 1
        assert abs(len(drawn.rstrip(" |")) - row.array.value / top * width) <= 2
    assert any("|" in line[: line.rindex("█")] for line in lines) and any(line.endswith("|") for line in lines)


def test_bars_are_drawn_where_their_heading_has_room() -> None:
    page = page_of(sweep_view())
    drawn = {width: any("█" in line for line in text_of(page, width)) for width in range(60, 160)}
    assert drawn == {width: bars_of(page, width)[0] > 0 for width in drawn}
    assert set(drawn.values()) == {True, False}


def test_in_plain_letters_a_stroke_is_theory_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "linux")
    _, lines = bars_of(page_of(sweep_view()), 200)
    assert {line.count("|") for line in lines} == {1} and set("".join(lines)) == set("█| ")


def test_without_a_figure_there_is_no_bar_and_without_any_no_room_for_them() -> None:
    page = page_of(sweep_view())

    def lost(count: int) -> Page:
        rows = ((name, replace(row, array=NOT_RUN)) for name, row in page.named[:count])
        return replace(page, named=(*rows, *page.named[count:]))

    lines = text_of(lost(1), 200, base=1)
    assert "█" not in lines[1] and "█" in lines[2]
    assert not any("|" in line or "█" in line for line in text_of(lost(len(page.named)), 200))
