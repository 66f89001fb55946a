"""Charts in characters: four roles in four patterns, and latencies from p1 to p99 on one scale."""

from raidtui.core.report.charts import Bar, Bars, Distribution, Percentiles, bar, text


def test_each_role_has_a_pattern_of_its_own() -> None:
    drawn = [bar(role, 0.5, 8) for role in ("one", "all", "array", "theory")]
    assert drawn == ["▒▒▒▒    ", "▌▌▌▌    ", "████    ", "╌╌╌┤    "]


def test_bars_share_one_scale_and_what_has_no_figure_has_no_bar() -> None:
    chart = Bars(
        "t", (Bar("one disk", 50.0, "50 MB/s", "one"), Bar("array", 100.0, "100 MB/s"), Bar("x", None, "FAILED"))
    )
    lines = text(chart).splitlines()[1:-1]
    assert [line.count("▒") + line.count("█") for line in lines] == [20, 40, 0]
    assert [line.split()[-1] for line in lines] == ["MB/s", "MB/s", "FAILED"]


def test_a_tail_is_seen_from_p1_to_p99_with_the_median_between() -> None:
    late = Distribution("late", ((1.0, 1e6), (50.0, 1e7), (99.0, 1e8), (99.9, 1e9)))
    first, axis = text(Percentiles("t", (late,))).splitlines()[1:-1]
    at = [first.index(mark) for mark in ("├", "●", "┤", "p50 10 ms, p99 100 ms")]
    assert at == sorted(at) and "┄" in first[at[2] :]
    assert axis.split()[:4] == ["1", "ms", "1e+03", "ms"]


def test_nothing_measured_is_nothing_drawn() -> None:
    assert text(Percentiles("t", (Distribution("x", ()),))) == "```text\n```"
