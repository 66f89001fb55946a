"""Two runs side by side: like with like, each figure in its column, no line too wide."""

from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.plan.answers import Setup
from raidtui.core.report.sweep import markdown
from raidtui.core.results.comparison import Series, match, of_run
from raidtui.core.units import Units
from raidtui.ui.render.side_by_side_lines import side_by_side, side_by_side_lines
from tests.builders import handmade
from tests.ui.pages import texts
from tests.ui.runs import measurement


def series_of(name: str, rate: float) -> tuple[Series, ...]:
    plan = handmade.plan()
    figures = {trial.id.replace("-", "_"): measurement(rate, trial.rw) for trial in plan.trials}
    odd: dict[str, Any] = {name: {"read": one.read, "write": one.write} for name, one in figures.items()}
    *bare, array = of_run(plan, handmade.state(plan, **odd))
    return (*bare, Series(name, array.tests))


@pytest.mark.parametrize("width", [80, 120, 200])
def test_bare_disks_are_compared_with_bare_disks_and_array_with_array(width: int) -> None:
    first, other = series_of("RAID 5", 1e8), series_of("RAID 6", 2e8)
    lines = side_by_side_lines(side_by_side("one", "two", first, other), Units.DECIMAL, width)
    text = texts(lines)
    headings = [line.strip() for line in text if line.startswith((" One", " All", " The array"))]
    assert headings == ["The array of each", "One disk", "All disks at once"]
    assert all(len(line) <= width for line in text)
    assert text[0].rstrip() == " B against A, array: ▲ 5 faster   · 1 not compared"
    assert text[1].rstrip() == " B against A, disks without array: ▲ 10 faster   · 2 not compared"
    at = next(number for number, line in enumerate(text) if "write" in line)
    assert text[at].endswith(" 100 MB/s") and text[at + 1].endswith(" 200 MB/s") and "▲ +100 %" in text[at + 2]
    assert text[at].count("▒") == {80: 18}.get(width, 30) and "▒" not in text[at + 1]  # half of the longer bar


@pytest.mark.parametrize("times, told", [(2.0, True), (1.1, False)])
def test_what_single_runs_tell_is_marked_of_bare_disks_too(times: float, told: bool) -> None:
    first, other = series_of("RAID 5", 1e8)[:1], series_of("RAID 5", 1e8 * times)[:1]
    lines = side_by_side_lines(side_by_side("one", "two", first, other), Units.DECIMAL, 80)
    text = " ".join("".join(part for part, _ in line).strip() for line in lines)
    assert ("counts from about 15 % on (5 % from run to run assumed" in text) is told
    assert (
        "counts from about 15 % on (5 % from run to run assumed" in markdown(first, match((*first, *other)))
    ) is told


def text_of(first: tuple[Series, ...], other: tuple[Series, ...]) -> str:
    lines = side_by_side_lines(side_by_side("one", "two", first, other), Units.DECIMAL, 80)
    return " ".join("".join(part for part, _ in line).strip() for line in lines)


def test_what_the_names_of_two_setups_do_not_say_and_differs_is_said() -> None:
    """A kept array that was synced, and one that was not: what a write does on these is no difference of the disks'."""
    plan = handmade.plan(first_sync="wait")
    kept = replace(plan, answers=replace(plan.answers, after="keep"))
    synced, skipped = (of_run(one, handmade.state(one)) for one in (kept, handmade.plan(first_sync="skip", repeat=3)))
    text = text_of(synced, skipped)
    assert "initial resync waited for in A, initial resync skipped in B; kept in A, taken down again in B" in text
    assert text.count("each test measured once in A, each test measured 3 times in B.") == 3
    assert "differ besides" not in text_of(synced, synced)


def test_setups_that_one_of_the_two_runs_alone_has_are_named() -> None:
    (*bare, array), other = series_of("RAID 5", 1e8), series_of("RAID 5", 1e8)
    more = [Series(key, array.tests, place=Setup(level=key)) for key in ("0", "10", "6")]
    text = text_of((*bare, array), (*other, *more))
    assert text.endswith("Only in B: RAID 0, RAID 10 n2, RAID 6.") and "Only in A" not in text
    doubled = [Series(chunk, array.tests, place=Setup(level="0", chunk=chunk)) for chunk in ("64KiB", "4KiB")]
    assert text_of((*bare, array, *doubled), other).endswith("Only in A: 64KiB, 4KiB.")
    (matched, *_), (test, *_) = (bare, [*array.tests])
    assert "In both, without a test in common: one disk." in text_of(
        (Series("one disk", {test: array.tests[test]}), array),
        (Series("one disk", {key: v for key, v in matched.tests.items() if key.rw != test.rw}), array),
    )


def test_nothing_in_common_is_said() -> None:
    (only,) = side_by_side_lines(side_by_side("one", "two", (), ()), Units.DECIMAL, 80)[3:]
    assert "no test in common" in only[0][0]
