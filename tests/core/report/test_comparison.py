"""Measurements beside each other as markdown: the base named, what is over it, and what was in no table."""

from raidtui.core.report.sweep import markdown
from raidtui.core.results import comparison
from tests.builders import handmade
from tests.builders.tables import tables_of

PLAN = handmade.plan()


def test_a_row_of_each_series_with_its_figure_and_what_it_is_over_the_base() -> None:
    series = comparison.of_run(PLAN, handmade.state(PLAN))
    tables = tables_of(markdown(series, comparison.match(series)))
    header, _, *rows = next(one for one in tables if any("94.5" in cell for row in one for cell in row))
    assert header[0] == "Result" and header[-2].startswith("Over ")
    assert [row[1] for row in rows] == ["94.5", "281.0", "187.0"]
    assert rows[0][-2] == "base" and all(row[-1] for row in rows[1:])


def test_without_a_common_test_it_says_so() -> None:
    series = comparison.of_run(PLAN, handmade.state(PLAN))
    assert "No test is in more than one" in markdown(series[:1], ())


def test_what_no_name_says_of_a_setup_is_told_where_it_differs() -> None:
    plans = [handmade.plan(first_sync=sync) for sync in ("wait", "skip")]
    series = [results for number, plan in enumerate(plans)
              for results in comparison.of_run(plan, handmade.state(plan), f"run {number}", number)]  # fmt: skip
    page = markdown(series, comparison.match(series))
    assert "6 tests, initial resync waited for\n" in page and "6 tests, initial resync skipped\n" in page
    assert "initial resync" not in markdown(series[:3], comparison.match(series[:3]))
