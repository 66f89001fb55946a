"""What a job should have given, and Little's law."""

import pytest

from raidtui.core.raid import theory
from raidtui.core.results.analysis import Comparison, ResultRow, compare
from tests.builders import handmade

PLAN = handmade.plan()


def row(comparison: Comparison, job: str, direction: str | None = None) -> ResultRow:
    (found,) = [r for r in comparison.rows if r.job == job and direction in (None, r.direction)]
    return found


def test_disks_without_seeks_have_a_theory_of_their_own() -> None:
    state = handmade.state(PLAN)
    assert row(compare(PLAN, state), "seq_read").predicted == pytest.approx(2 * 94.5e6)
    assert row(compare(PLAN, state, flash=True), "seq_read").predicted == pytest.approx(3 * 94.5e6)


def test_a_mix_is_predicted_as_a_whole_and_shown_by_direction() -> None:
    comparison = compare(PLAN, handmade.state(PLAN))
    reads, writes = row(comparison, "mix", "read"), row(comparison, "mix", "write")
    model = theory.predict("5", 3, 0, 100, read_share=0.7)
    assert reads.predicted and writes.predicted and model.rand_mixed_iops
    assert reads.predicted + writes.predicted == pytest.approx(model.rand_mixed_iops)
    assert reads.predicted == pytest.approx(0.7 * model.rand_mixed_iops)


def test_littles_law_is_checked() -> None:
    assert not row(compare(PLAN, handmade.state(PLAN)), "rand_read").little_off
    off = row(compare(PLAN, handmade.state(PLAN, filesystem_rand_read=of_latency(0.5))), "rand_read")
    assert off.little_off and off.queue == 128


def of_latency(factor: float) -> dict[str, object]:
    trial = PLAN.trial("filesystem-rand_read")
    assert trial
    return {"read": handmade.measurement(trial, 300, latency=factor).read}
