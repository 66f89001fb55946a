"""The lines of the live screen."""

import re

import pytest
from msgspec import structs

from raidtui.core.plan import estimate
from raidtui.core.run.events import StageStarted, TrialStarted
from raidtui.core.run.state import fold_all
from raidtui.core.units import Units, format_bytes
from raidtui.ui.render.axis import AxisPiece
from raidtui.ui.render.cells import ASCII
from raidtui.ui.render.live_lines import (
    figure_lines,
    left_words,
    scale_lines,
    status_pieces,
    title_pieces,
    trial_lines,
    without_what_is_cut,
)
from tests.builders import sweeps
from tests.builders.journals import started
from tests.ui.glyphs import drawn_in
from tests.ui.pages import texts


def test_the_live_screen_says_which_setup_is_measured() -> None:
    plan = sweeps.plan("levels-random-4k", 6)
    done = sweeps.state(plan)
    rows = texts(trial_lines(plan, done, (80, 80), Units.DECIMAL))
    said = [row for row in rows if "Random 4K write:" in row]
    assert len(said) == len({row[:50] for row in said}) > 1 and any(": RAID 5 " in row for row in said)


@pytest.mark.parametrize("width", [80, 120])
def test_a_name_is_whole_where_there_is_room(width: int) -> None:
    plan = sweeps.plan("quick", 6, level="5", filesystem="ext4", jobs=("rand_write",), explain=("wbt",))
    state = sweeps.state(plan)
    rows = texts(trial_lines(plan, state, (width, 80), Units.DECIMAL))
    assert any("without wbt on the array  " in row for row in rows)
    assert all(len(row) <= width and "…" not in row for row in rows)


def test_a_test_that_was_asked_for_again_says_so() -> None:
    plan = sweeps.plan("levels-random-4k", 6)
    done = sweeps.state(plan)
    *others, last = done.trials
    again = structs.replace(done, trials=(*others, last, *(structs.replace(last, times_asked=n) for n in (1, 2, 3))))
    rows = texts(trial_lines(plan, again, (80, 5), Units.DECIMAL))
    assert [row.count(f", {nth} time ") for nth, row in zip(("2nd", "3rd", "4th"), rows[2:], strict=True)] == [1, 1, 1]
    assert "time" not in rows[1]


def test_the_rate_of_a_random_test_is_that_of_the_operations_beside_it() -> None:
    plan = sweeps.plan("levels-random-4k", 6)
    *_, last = sweeps.state(plan).trials
    assert last.measurement and last.measurement.read
    fio = structs.replace(last.measurement.read, iops=20_000.0, bytes_per_s=81.92e6, counted_iops=10_000.0)
    counted = structs.replace(last, measurement=structs.replace(last.measurement, read=fio, write=None))
    state = structs.replace(sweeps.state(plan), trials=(counted,))
    _, row = trial_lines(plan, state, (80, 2), Units.DECIMAL)
    assert ("".join(words for words, _ in row)).split()[-2:] == ["41.0", "10.0k"]


def test_what_would_be_cut_is_left_out_whole() -> None:
    line = ((" Run  ", "dim"), ("3 min, about 4 min left", ""), ("   Quick look", "dim"))
    assert without_what_is_cut(line, 42) == line
    assert without_what_is_cut(line, 41) == line[:2]
    assert without_what_is_cut((("ab", ""), (" · ", "dim"), ("cd", "")), 6) == (("ab", ""),)


def test_what_nobody_has_timed_or_counted_yet_is_called_assumed() -> None:
    plan = sweeps.plan("levels-random-4k", 6)
    worker = started("r")
    state = fold_all([worker, StageStarted(at_s=1.0, stage=0)])
    expected = estimate.stages(plan)
    assert [left_words(plan, expected, state, now_s)[1].endswith("left (assumed)") for now_s in (2.0,)] == [True]
    early, late = (
        "".join(text for text, _ in status_pieces(plan, expected, state, now_s, Units.DECIMAL))
        for now_s in (2.0, 99_999.0)
    )
    assert early.startswith("total writes assumed ") and "slower" not in early
    assert re.match(r"\+1 d 0\d h: steps slower · total writes assumed", late)


def test_a_test_in_which_no_disk_moves_anything_says_so_after_some_seconds() -> None:
    plan = sweeps.plan("levels-random-4k", 6)
    begun = TrialStarted(at_s=2.0, trial=plan.trials[0].id, expected_s=60.0)
    worker = started("r")
    state = fold_all([worker, StageStarted(at_s=1.0, stage=0), begun])
    soon, later = (
        "".join(text for text, _ in status_pieces(plan, (), state, 20.0, Units.DECIMAL, still_s))
        for still_s in (3.0, 12.0)
    )
    assert "no I/O" not in soon and "no I/O for 12 s" in later


def test_where_less_is_written_than_was_assumed_both_are_told() -> None:
    plan = sweeps.plan("levels-random-4k", 6)
    state = sweeps.state(plan, lambda stage, trial: 1.0)
    state = structs.replace(
        state, outcome="", ended_at_s=None, trials=tuple(structs.replace(t, written_bytes=4096) for t in state.trials)
    )
    run = "".join(text for text, _ in status_pieces(plan, (), state, 20.0, Units.DECIMAL))
    assert f" (estimate {format_bytes(plan.written_bytes)})" in run


@pytest.mark.parametrize(
    "pair, rw, said",
    [
        ((475e6, 0.0), "read", ["475", "MB/s", "read"]),
        ((0.0, 12.5e9), "write", ["12.5", "GB/s", "write"]),
        ((210.0, 72.0), "randrw", ["210", "IOPS", "read", "72 IOPS write"]),
        ((0.0, 12_500.0), "randwrite", ["12.5", "k IOPS", "write"]),
        ((0.0, 0.0), "write", ["0.0", "MB/s", "write"]),
        (None, "read", ["–", "MB/s", "read"]),
    ],
)
def test_the_rate_now_has_its_unit_its_direction_and_the_other_one(
    pair: tuple[float, float] | None, rw: str, said: list[str]
) -> None:
    piece = AxisPiece("t", "array", ("x",), 10.0, rw)
    small = texts(figure_lines(pair, piece, (15, 4), Units.DECIMAL))
    brief = [f"W {said[3].split()[0]}"] if said[3:] else []
    assert [line.strip() for line in small if line.strip()] == [*said[:3], *brief]
    with drawn_in(ASCII):
        high = texts(figure_lines(pair, piece, (21, 7), Units.DECIMAL))
    assert [line.strip() for line in high if line.strip()] == [said[0], " ".join(said[1:3]), *said[3:]]
    assert len(figure_lines(pair, piece, (21, 9), Units.DECIMAL)) == 9


def test_both_scales_are_named_where_both_are_used() -> None:
    assert texts(scale_lines((500e6, 12_500.0), (True, True), (12, 7), Units.DECIMAL))[:3] == [
        " top",
        " 500 MB/s",
        " 12.5k IOPS",
    ]
    assert texts(scale_lines((500e6, 12_500.0), (False, True), (9, 4), Units.DECIMAL)) == [
        " top",
        " 12.5k",
        " IOPS",
        "",
    ]


def test_of_a_sweep_the_title_counts_the_setups() -> None:
    plan = sweeps.plan("levels-random-4k", 6)
    worker = started("r")
    built = [number for number, stage in enumerate(plan.stages) if stage.setup]
    state = fold_all([worker, StageStarted(at_s=1.0, stage=built[-1])])
    said = "".join(text for text, _ in title_pieces(plan, state))
    assert f"▰▰▰▰▰ {len(built)} of {len(built)}" in said and plan.title in said
