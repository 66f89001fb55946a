"""The journal's events folded into one value, in any order and in parts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from raidtui.core.run import events
from raidtui.core.run.state import RunState, fold_all, offered
from tests.builders.journals import JOURNAL, MEASURED


def test_the_fold_tells_the_run_as_it_stands() -> None:
    building = fold_all(JOURNAL[:3])
    assert building.step is not None and building.step.what == "Create the array"
    measuring = fold_all(JOURNAL[:7])
    assert measuring.trial is not None and measuring.trial.expected_s == 6.0
    assert measuring.array is not None and measuring.array.node == "/dev/md127"
    changed = fold_all(JOURNAL[:9])
    assert changed.settings == {"/sys/x": "1"}
    whole = fold_all(JOURNAL)
    assert (whole.outcome, whole.settings, whole.warnings, whole.stopping) == ("stopped", {}, ("a warning",), True)
    assert whole.measured("array-seq_read") == MEASURED
    assert whole.step is None and whole.trial is None


def test_a_runs_name_holds_nothing_that_a_terminal_obeys() -> None:
    begun = next(event for event in JOURNAL if isinstance(event, events.WorkerStarted))
    assert fold_all([replace(begun, run="\u202820261121T1\x1b[2J")]).run == "20261121T1[2J"


@given(st.lists(st.sampled_from(JOURNAL), max_size=30))
def test_the_fold_takes_events_in_any_order(journal: list[events.AnyEvent]) -> None:
    fold_all(journal)


@given(st.integers(min_value=0, max_value=len(JOURNAL)))
def test_folding_in_two_parts_is_folding_at_once(cut: int) -> None:
    assert fold_all(JOURNAL[cut:], fold_all(JOURNAL[:cut])) == fold_all(JOURNAL)


def test_a_run_ended_when_its_measuring_did_not_when_its_array_was_taken_apart() -> None:
    end = events.RunEnded(at_s=500.0, outcome="finished", kept=True)
    worker = next(event for event in JOURNAL if isinstance(event, events.WorkerStarted))
    later = (replace(worker, at_s=900.0), replace(end, at_s=950.0, kept=False))
    assert fold_all([*JOURNAL[:7], end]).ended_at_s == 500.0
    assert fold_all([*JOURNAL[:7], end, *later]).ended_at_s == 500.0
    resumed = events.TrialStarted(at_s=920.0, trial="array-seq_read", expected_s=6.0)
    assert fold_all([*JOURNAL[:7], end, later[0], resumed, later[1]]).ended_at_s == 950.0


def test_of_a_test_that_gave_nothing_there_is_no_share() -> None:
    with pytest.raises(ValueError, match="a share of what s1-read gives is asked for, and that has no figure"):
        offered(RunState(), "s1-read", 50, 1)
