"""The time axis: a piece for each test, where it lies, its moments, its names."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from raidtui.core.run.events import StageStarted, SyncProgress
from raidtui.core.run.state import fold_all
from raidtui.demo.recording import load
from raidtui.ui.render import axis
from raidtui.ui.render.axis import AxisPiece
from tests.builders import proofs, sweeps
from tests.builders.journals import started
from tests.replay import RUNS
from tests.ui.pages import texts


def test_every_test_and_the_build_has_a_piece_and_the_present_one_is_marked() -> None:
    recording = load(RUNS / "rack-of-24")
    view = recording.view(recording.at_s("filesystem-seq_read", 0.5))
    pieces = axis.pieces_of(view.plan, view.state, 80)
    assert [piece.name for piece in pieces if piece.rw] == [trial.id for trial in view.plan.trials]
    assert [piece.name for piece in pieces if piece.present] == ["filesystem-seq_read"]
    assert [piece.group for piece in pieces[::4]] == ["one disk alone", "all 24 at once", "build", "array with xfs"]
    failed = [piece.name for piece in pieces if piece.fault]
    assert failed == ["members-seq_write", "members-seq_read"] and "3 jobs were killed" in pieces[4].fault
    names, groups = (
        texts([axis.names_line(pieces, spans := axis.laid_out(pieces, 80, 120), 0.0)])[0],
        axis.groups_line(pieces, spans),
    )
    assert names.split() == [
        *["seqW", "seqR", "4KW", "4KR", "✗seqW", "✗seqR", "4KW", "4KR", "build", "seqW", "seqR", "4KW", "4KR"]
    ]
    assert "one disk alone" in texts([groups])[0] and "array with xfs" in texts([groups])[0]


@pytest.mark.parametrize(
    "width, name", [(60, "sW"), (72, "sW"), (80, "seqW"), (90, "seqW"), (140, "seq write"), (220, "sequential write")]
)
def test_a_test_has_one_name_on_an_axis(width: int, name: str) -> None:
    recording = load(RUNS / "rack-of-24")
    view = recording.view(recording.at_s("filesystem-seq_read", 0.5))
    pieces = axis.pieces_of(view.plan, view.state, width)
    line = texts([axis.names_line(pieces, axis.laid_out(pieces, width, width + 20), 0.0)])[0]
    assert f"  {line}  ".replace("✗", " ").count(f" {name} ") == 3
    if " " not in name:
        assert len({*line.replace("✗", " ").split()} - {"build", "+"}) == 4


def test_of_a_sweep_one_setup_at_a_time_is_on_the_axis() -> None:
    plan = sweeps.plan("levels-random-4k", 6)
    state = fold_all([
        started("r"), StageStarted(at_s=1.0, stage=4),
    ])  # fmt: skip
    tests = sum(len(stage.trials) for stage in plan.stages)
    few, all_of_it = (axis.pieces_of(plan, state, width) for width in (60, 3 * (tests + 2 * len(plan.stages))))
    assert [piece.name for piece in few if piece.rw] == [trial.id for trial in plan.stages[4].trials]
    assert sum(bool(piece.rw) for piece in all_of_it) == tests


def test_a_sync_of_hours_has_the_axis_alone_in_hours() -> None:
    recording = load(RUNS / "rack-of-24")
    view = recording.view(recording.at_s("filesystem-seq_write", 0.0) - 1)
    state = replace(view.state, trials=view.state.trials[:8])
    sync = SyncProgress(at_s=0, action="resync", done_bytes=1, total_bytes=9, bytes_per_s=1.0)
    began = next(step.started_at_s for step in state.steps if step.stage == 1)
    for gone_s, alone in ((60.0, False), (30_000.0, True)):
        pieces = axis.pieces_of(view.plan, replace(state, sync=sync, now_s=began + gone_s), 80)
        assert (len(pieces) == 1) == alone
    line = texts([axis.names_line(pieces, axis.laid_out(pieces, 80, 120), began + 30_000)])[0]
    assert line.split("  ")[0] == "0" and "2 h" in line and "min" not in line


@given(st.integers(1, 45), st.integers(0, 3), st.integers(60, 200), st.sampled_from([80, 120, 200]))
def test_pieces_lie_one_after_the_other_within_the_axis(tests: int, builds: int, width: int, screen: int) -> None:
    pieces = [AxisPiece(str(n), "a", ("x",), 1.0, "read") for n in range(min(tests, width // 3))]
    pieces += [
        AxisPiece(f"b{n}", f"build{n}", ("build",), 1.0) for n in range(builds if len(pieces) * 4 < width else 0)
    ]
    places = axis.laid_out(pieces, width, screen)
    assert all(first + columns <= following for (first, columns), (following, _) in pairwise(places))
    assert places[0][0] == 0 and sum(places[-1]) <= width + 1 and all(columns > 0 for _, columns in places)


@pytest.mark.parametrize("gone_s, length_s", [(0.0, 11.5), (11.0, 11.5), (11.4, 23.0), (40.0, 46.0)])
def test_while_a_test_runs_the_moments_of_its_columns_seldom_move(gone_s: float, length_s: float) -> None:
    piece = AxisPiece("x", "a", ("x",), 10.0, "read", began_s=100.0)
    edges = piece.edges_s(4, 100.0 + gone_s)
    assert edges[0] == 100.0 and edges[-1] == pytest.approx(100.0 + length_s) and len(edges) == 5
    assert replace(piece, ended_s=108.0).edges_s(4, 999.0) == [100.0, 102.0, 104.0, 106.0, 108.0]


def test_a_test_that_varies_its_depth_is_told_by_it() -> None:
    recording = load(RUNS / "queue-by-jobs")
    trial = next(trial for trial in recording.plan.trials if trial.iodepth == 8 and trial.numjobs == 2)
    assert axis.labels_of(trial)[:4] == ("random 4K read QD16", "4K read QD16", "4KR QD16", "QD16")


@pytest.mark.parametrize(
    "width, names",
    [
        (150, "build healthy 1 disk out rebuilt 1 other disk out assembled again"),
        (60, "+ h 1 disk out rebuilt 1 out assembled"),
        (40, "+ h 1 out rebuilt 1 out again"),
    ],
)
def test_the_pieces_of_a_proof_are_its_states_each_named_once(width: int, names: str) -> None:
    plan = proofs.plan()
    pieces = axis.pieces_of(plan, fold_all([started("r"), StageStarted(at_s=1.0, stage=0)]), width)
    line = texts([axis.names_line(pieces, axis.laid_out(pieces, width, width), 0.0)])[0]
    assert len(pieces) == 10 and " ".join(line.split()) == names
    failed = [replace(piece, fault="a block differs") if piece.name == "s1-verify-2b" else piece for piece in pieces]
    line = texts([axis.names_line(failed, axis.laid_out(failed, 150, 150), 0.0)])[0]
    assert "1 disk out      ✗1 disk out" in line
