"""Sets of tests: figures of their plans, one bar of the time, each test on its targets."""

import pytest

from raidtui import recipes
from raidtui.core.units import Units, format_bytes, format_duration
from raidtui.ui.render.walk.set_rows import SetOfTests, chosen_lines, matrix_lines, sets_sheet, time_lines
from tests.builders import sweeps
from tests.ui.pages import first_lines, texts

NAMES = ("quick", "latency-at-load", "qd-x-jobs")
PLANS = {name: sweeps.plan(name, 4, level="5", filesystem="xfs") for name in NAMES}
SETS = [SetOfTests(name, recipes.load(name), PLANS[name], "", name == "quick", name == "quick") for name in NAMES]


def lines(width: int, sets: list[SetOfTests] = SETS) -> list[str]:
    sheet = sets_sheet(sets, Units.DECIMAL, width)
    return first_lines(sheet)


@pytest.mark.parametrize("width", [75, 77, 95, 115, 195])
def test_a_set_has_its_tests_time_and_bytes(width: int) -> None:
    found = lines(width)
    assert found[0].split() == ["tests", "log", "scale", "until", "done", "written"]
    assert found[1].startswith("▸◆ Quick look") and ("▄" not in "".join(lines(width, SETS[:1])))
    for line, name in zip(found[1:], NAMES, strict=True):
        assert f" {format_duration(PLANS[name].estimate_s)} " in line
        assert f" {len(PLANS[name].trials)} " in line and len(line) <= width and "…" not in line


def test_what_is_not_known_yet_or_cannot_be_is_said() -> None:
    unknown = [
        SetOfTests("quick", recipes.load("quick")),
        SetOfTests("quick", recipes.load("quick"), None, "too few; add 1"),
    ]
    first, second = lines(77, unknown)[1:]
    assert "estimating" in first and second.rstrip().endswith("too few")


@pytest.mark.parametrize("width", [76, 116])
def test_time_is_one_bar_as_wide_as_the_panel(width: int) -> None:
    bar, sums = texts(time_lines(PLANS["quick"], Units.DECIMAL, width))
    assert len(bar) == width and "build 7.9 s" in sums and "tests 7 min 44 s" in sums and len(sums) <= width


def test_every_test_stands_on_its_targets() -> None:
    shown = [" ".join(line.split()) for line in texts(matrix_lines(recipes.load("quick"), PLANS["quick"], 76))]
    assert (
        shown[0] == "each 1 disk all array" and shown[1] == "Sequential write 1M QD32 5 s ● ● ● 3×" and len(shown) == 5
    )
    depths = texts(matrix_lines(recipes.load("latency-at-load"), PLANS["latency-at-load"], 60))
    assert any("20 s" in line and "● 10×" in line for line in depths)


def test_a_meaning_that_does_not_fit_beside_stands_below() -> None:
    rows = (("Spares", "none", "short"), ("Members", "whole disks", "replacements must be at least as large"))
    assert texts(chosen_lines(rows, 40)) == [
        "Spares        none  short",
        "Members       whole disks",
        "              replacements must be at",
        "              least as large",
    ]


def test_a_proof_has_its_states_and_all_that_it_writes() -> None:
    plan = sweeps.plan("proof", 4, level="6")
    states = [line.partition("  ")[0] for line in texts(matrix_lines(recipes.load("proof"), plan, 60))]
    assert states == [
        "Verify: healthy", "Verify: 1 disk out", "Verify: 2 disks out", "Verify: rebuilt",
        "Verify: 2 other disks out", "Verify: assembled again",
    ]  # fmt: skip
    table = first_lines(sets_sheet([SetOfTests("proof", recipes.load("proof"), plan)], Units.DECIMAL, 77))
    assert table[1].endswith(format_bytes(plan.written_bytes)) and plan.written_bytes > 0
