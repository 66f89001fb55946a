"""Cards: a test's figure, its verdict by sign and word, three bars on one scale; a sweep's best setups."""

import re

import pytest
from msgspec.structs import replace

from raidtui.core.answer.mark import AtAGlance, glance
from raidtui.core.answer.values import Penalties, WritePenalty
from raidtui.core.report.context import RunContext
from raidtui.core.results.analysis import compare
from raidtui.core.results.figure import NOT_RUN, Figure
from raidtui.core.units import Units
from raidtui.demo.recording import load
from raidtui.ui.render.card_lines import HIGH, LOW, Card, card, setup_cards, verdict_bars
from raidtui.ui.render.cells import ASCII, MONO, UNICODE, Glyphs
from tests.recordings.reports import kept
from tests.replay import RUNS
from tests.ui.glyphs import drawn_in
from tests.ui.pages import texts

RECORDING = load(RUNS / "raid5-of-3")
ROWS = compare(RECORDING.plan, RECORDING.view().state).rows
WRITE = next(row for row in ROWS if row.job == "rand_write")
READ = next(row for row in ROWS if row.job == "seq_read")


def text_of(shown: Card) -> str:
    return "\n".join(texts(shown.lines))


@pytest.mark.parametrize("high, most, width", [(True, HIGH, 24), (True, HIGH, 46), (False, LOW, 34), (False, LOW, 38)])
@pytest.mark.parametrize("glyphs", [UNICODE, MONO, ASCII], ids=["unicode", "mono", "ascii"])
def test_no_card_is_larger_than_its_place(high: bool, most: int, width: int, glyphs: Glyphs) -> None:
    for row in ROWS:
        with drawn_in(glyphs):
            lines = card(row, Units.DECIMAL, width, high).lines
        assert len(lines) == most and max(map(len, texts(lines))) <= width


def test_each_test_has_its_figure_its_verdict_and_what_it_is_over_one_disk() -> None:
    high, low = (card(WRITE, Units.DECIMAL, 30, high) for high in (True, False))
    assert (high.title, high.beside) == ("Random 4K write", "IOPS") and low.beside == "0.09× one disk"
    for told in ("▼ 91 % below expected", "one disk", "3103", "expected", "~3043", "array", "269"):
        assert told in text_of(high) and told in text_of(low)
    assert "0.09× one disk" in text_of(high) and "269 IOPS" in text_of(low)
    assert "▀▀▀█" in text_of(high)  # a large 2
    good = card(READ, Units.DECIMAL, 30, False)
    assert "281.6 MB/s ✓ as expected" in text_of(good) and good.edge == ""


def test_bars_are_on_one_scale() -> None:
    lines = texts(card(WRITE, Units.DECIMAL, 48, False).lines)
    one, expected, array = lines[1].count("▒"), lines[2].count("╌") + 1, len(re.findall("[▄▖]", lines[3]))
    assert (one, expected, array) == (31, 30, 3)  # 3103, 3043 and 269


def test_a_failed_test_is_red_and_names_the_reason() -> None:
    failed = replace(WRITE, array=Figure(standing="failed", error="fio: no space left on the device"))
    for high in (True, False):
        shown = card(failed, Units.DECIMAL, 30, high)
        assert shown.edge == "-bad" and "no space left" in text_of(shown) and "✗ no result" in text_of(shown)
        assert len(shown.lines) <= (HIGH if high else LOW)
    not_run = card(replace(WRITE, array=NOT_RUN), Units.DECIMAL, 30, True)
    assert not_run.edge == "" and text_of(not_run) == "· not run"


def test_an_excluded_figure_is_no_success() -> None:
    shown = card(READ, Units.DECIMAL, 40, False, {(READ.stage, READ.job)})
    assert "! implausible" in text_of(shown) and "as expected" not in text_of(shown)
    assert shown.lines[0][0][1] == "*warn"


def test_bars_beside_a_list_have_the_verdict_in_their_heading() -> None:
    lines = texts(verdict_bars(WRITE, Units.DECIMAL, 40))
    assert lines[0] == "Random 4K write  ▼ 91 % below expected" and len(lines) == 4
    long = replace(WRITE, title="Random 4K write, without write throttling, one at a time")
    lines = texts(verdict_bars(long, Units.DECIMAL, 40))
    assert max(map(len, lines)) <= 40 and "one at a time" in " ".join(lines)


def test_the_look_of_a_verdict_is_its_grade() -> None:
    grades = {row.job: glance(row) for row in ROWS}
    assert grades["seq_read"] == AtAGlance("✓", "as expected", "ok")
    assert {one.grade for one in grades.values()} == {"ok", "warn"}


def test_a_sweep_has_its_best_setup_the_best_that_survives_and_the_write_penalty() -> None:
    run = RunContext(*kept.load("levels-random-4k"))
    penalties = next(one for one in run.answer.findings if isinstance(one, Penalties))
    best, safe, costs = setup_cards(run.ranking.ranked, penalties, Units.DECIMAL, 36, True)
    assert (best.title, safe.title, costs.title) == ("Best setup", "Survives a failure", "Write penalty")
    assert "RAID 0 512K" in text_of(best) and "✗ survives no failure" in text_of(best)
    assert "RAID 10 n2 64K" in text_of(safe) and "✓ survives any 1" in text_of(safe) and safe.edge == "-good"
    assert safe.beside == "−6 % n.s." and best.beside == ""
    assert text_of(costs).count("■") == 1 + 2 + 4 + 6 and "model: 1, 2, 4, 6" in text_of(costs)
    low = setup_cards(run.ranking.ranked, penalties, Units.DECIMAL, 36, False)
    assert len(low) == 2 and all(len(one.lines) <= LOW for one in low) and "291" in text_of(low[0])


def test_where_nobody_can_tell_which_is_best_no_card_says_best() -> None:
    run = RunContext(*kept.load("jbod-vs-raid0-zfs"))
    first, *_ = setup_cards(run.ranking.ranked, None, Units.DECIMAL, 36, True)
    assert first.title == "First, no best"


def test_without_a_model_a_penalty_is_measured_alone() -> None:
    run = RunContext(*kept.load("levels-random-4k"))
    found = Penalties((WritePenalty(subject="RAID 5", low=3.0, high=4.0),))
    shown = text_of(setup_cards(run.ranking.ranked, found, Units.DECIMAL, 36, True)[-1])
    assert "3.0–4.0" in shown and "model" not in shown


def test_a_long_name_goes_on_below_its_figure() -> None:
    long = replace(READ, title="Random 4K, iodepth 8, numjobs 2")
    high, low = (card(long, Units.DECIMAL, width, high) for width, high in ((26, True), (38, False)))
    assert (high.title, high.beside) == ("4K, iodepth 8", "MB/s") and "numjobs 2 (reads) 3.0×" in text_of(high)
    assert (low.title, low.beside) == ("4K, iodepth 8, numjobs 2 (reads)", "")
