"""The journal: whole lines count, a torn one waits, what is not known passes through."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.fio.measurement import Direction, DiskRates, Measurement
from raidtui.core.run import events
from raidtui.core.run.state import RunState, fold, fold_all

MEASURED = Measurement(
    name="array-seq_read",
    status="ok",
    read=Direction(iops=100.0, bytes_per_s=1e8, io_bytes=10**9),
    disks={"wwn-0x1": DiskRates(1e6, 0.0, 0.5)},
)
JOURNAL = (
    events.WorkerStarted(at_s=1.0, schema=1, run="r", boot_id="b", pid=7, start_ticks=9),
    events.StageStarted(at_s=2.0, stage=0),
    events.StepStarted(at_s=3.0, stage=0, what="Create the array", line="mdadm --create"),
    events.StepEnded(at_s=4.0, what="Create the array", output="mdadm: array started"),
    events.ArrayBuilt(at_s=4.0, node="/dev/md127", size_bytes=10**9),
    events.SyncProgress(at_s=5.0, action="recover", done_bytes=1, total_bytes=2, bytes_per_s=3.0),
    events.TrialStarted(at_s=6.0, trial="array-seq_read", expected_s=6.0),
    events.TrialEnded(at_s=12.0, trial="array-seq_read", measurement=MEASURED),
    events.SettingChanged(at_s=13.0, path="/sys/x", old="1", new="2"),
    events.Warned(at_s=14.0, text="a warning"),
    events.StopAsked(at_s=15.0),
    events.SettingRestored(at_s=16.0, path="/sys/x", value="1"),
    events.RunEnded(at_s=17.0, outcome="stopped", reason="stopped on request"),
)
WRITTEN = b"".join(events.encode(event) for event in JOURNAL)


def test_every_event_reads_back_as_written() -> None:
    assert events.read(WRITTEN) == (JOURNAL, len(WRITTEN))


@given(st.integers(min_value=0, max_value=len(WRITTEN)))
def test_a_journal_cut_at_any_byte_is_its_whole_lines(cut: int) -> None:
    found, end = events.read(WRITTEN[:cut])
    assert found == JOURNAL[: len(found)]
    assert end == len(b"".join(events.encode(event) for event in JOURNAL[: len(found)]))


@given(st.binary(max_size=200))
def test_any_line_at_all_is_read_without_an_exception(line: bytes) -> None:
    found, _ = events.read(line + b"\n" + WRITTEN)
    assert found[-len(JOURNAL) :] == JOURNAL
    fold_all(found)


def test_an_event_of_a_newer_worker_changes_nothing() -> None:
    newer = events.decode(b'{"event": "teleported", "at_s": 3.5, "where": "mars"}')
    assert newer == events.Unknown("teleported", 3.5)
    assert fold(RunState(), newer) == RunState()


def test_a_field_of_a_newer_worker_is_passed_over() -> None:
    line = msgspec.json.encode({**msgspec.to_builtins(JOURNAL[1]), "colour": "red"})
    assert events.decode(line) == JOURNAL[1]


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


@given(st.lists(st.sampled_from(JOURNAL), max_size=30))
def test_the_fold_takes_events_in_any_order(journal: list[events.AnyEvent]) -> None:
    fold_all(journal)


@given(st.integers(min_value=0, max_value=len(JOURNAL)))
def test_folding_in_two_parts_is_folding_at_once(cut: int) -> None:
    assert fold_all(JOURNAL[cut:], fold_all(JOURNAL[:cut])) == fold_all(JOURNAL)
