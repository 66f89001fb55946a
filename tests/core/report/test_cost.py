"""What a run took beside its estimate, part by part."""

from msgspec.structs import replace

from raidtui.core.plan import estimate
from raidtui.core.plan.answers import Axes
from raidtui.core.report import markdown
from tests.builders import sweeps
from tests.builders.tables import tables_of

PLAN = sweeps.plan("levels-random-4k", 6, axes=Axes(chunk=("64KiB", "512KiB")))


def test_the_report_sets_the_estimate_beside_the_truth_part_by_part() -> None:
    state = sweeps.state(PLAN)
    text = markdown.whole(PLAN, replace(state, written_bytes=6 * 10**12))
    found = next(table for table in tables_of(text) if table[0][0] == "Part")
    told = {row[0]: row[1:] for row in found[2:]}
    trials = len(PLAN.trials)
    expected_s = estimate.whole(PLAN)["trial"]
    whole_s = float(told["Total"][0])
    share = f"{100 * 60 * trials / whole_s:.1f}"
    assert told["fio, with its start and end"] == [f"{60 * trials:.1f}", share, f"{expected_s:.1f}"]
    assert told["Total"][1] == "100.0"
    assert told["Total"][2] == f"{PLAN.estimate_s:.1f}"
    assert float(told["Between steps: journal, reading disks again"][2]) > 0
    assert f"where a short program took {PLAN.command_s:.2f} s, took " in text
    assert "were written to the disks, 1.00 times their capacity" in text


def test_a_run_of_an_older_version_has_no_estimate_by_parts() -> None:
    older = replace(PLAN, estimated_s={})
    assert "Estimated, s" not in markdown.markdown(older, sweeps.state(PLAN))
