"""The journal: whole lines count, a torn one waits, what is not known passes through."""

from io import BytesIO
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.fio.measurement import DiskRates, Measurement
from raidtui.core.run import events, journal_lines
from raidtui.core.run.state import RunState, fold, fold_all
from raidtui.runs.journal import Journal
from tests.builders.journals import JOURNAL

WRITTEN = b"".join(journal_lines.encode(event) for event in JOURNAL)


def test_every_event_reads_back_as_written() -> None:
    assert journal_lines.read(WRITTEN) == (JOURNAL, len(WRITTEN))


@given(st.integers(min_value=0, max_value=len(WRITTEN)))
def test_a_journal_cut_at_any_byte_is_its_whole_lines(cut: int) -> None:
    found, end = journal_lines.read(WRITTEN[:cut])
    assert found == JOURNAL[: len(found)]
    assert end == len(b"".join(journal_lines.encode(event) for event in JOURNAL[: len(found)]))


@given(st.binary(max_size=200))
def test_any_line_at_all_is_read_without_an_exception(line: bytes) -> None:
    found, _ = journal_lines.read(line + b"\n" + WRITTEN)
    assert found[-len(JOURNAL) :] == JOURNAL
    fold_all(found)


def test_an_event_of_a_newer_worker_changes_nothing() -> None:
    newer = journal_lines.decode(b'{"event": "teleported", "at_s": 3.5, "where": "mars"}')
    assert newer == events.Unknown("teleported", 3.5)
    assert fold(RunState(), newer) == RunState()


def test_a_field_of_a_newer_worker_is_passed_over() -> None:
    line = msgspec.json.encode({**msgspec.to_builtins(JOURNAL[1]), "colour": "red"})
    assert journal_lines.decode(line) == JOURNAL[1]


@pytest.mark.parametrize("tail", [b"\0" * 4096, b'{"event": "warn\0\0\0', b"x" * (2 << 20)])
def test_an_end_that_nobody_writes_is_damage_that_stays_and_is_counted(tmp_path: Path, tail: bytes) -> None:
    """As after a power cut, or of a root disk set back."""
    found, end = journal_lines.read(WRITTEN + tail)
    assert found == (*JOURNAL, events.Damaged()) and end == len(WRITTEN + tail)
    file = tmp_path / "journal.jsonl"
    file.write_bytes(WRITTEN + tail)
    journal = Journal(file)
    journal.add(JOURNAL[0])
    journal.close()
    found, _ = journal_lines.read(file.read_bytes())
    assert found == (*JOURNAL, events.Damaged(), JOURNAL[0])


@pytest.mark.parametrize("step, status", [(-0.44, "ok"), (0.3, "ok"), (-1.0, "ok"), (-1.2, "failed")])
def test_a_disk_that_gets_slower_in_a_test_is_believed(step: float, status: str) -> None:
    measured = Measurement(name="x", status="ok", disks={"wwn-1": DiskRates(0.0, 1e6, 0.9, step=step)})
    (event,), _ = journal_lines.read(journal_lines.encode(events.TrialEnded(at_s=1.0, trial="x", measurement=measured)))
    assert isinstance(event, events.TrialEnded) and event.measurement.status == status


def test_a_file_is_read_as_its_bytes_are_a_line_at_a_time() -> None:
    line = journal_lines.encode(events.StopAsked(at_s=1.0))
    for torn in (b"", b'{"event":"stop', b"\0\0", b"\0" * (3 << 20)):
        for middle in (b"", b"damage\n", b"\0" * 100 + b"\n", b"x" * (2 << 20) + b"\n"):
            past = line + middle + line + torn
            assert tuple(journal_lines.of_file(BytesIO(past))) == journal_lines.read(past)[0], (torn[:9], middle[:9])


def test_no_more_events_are_kept_than_any_run_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_lines, "_MOST_KEPT_BYTES", 10_000)
    line = journal_lines.encode(events.Warned(at_s=1.0, text="x" * 100))
    with pytest.raises(ValueError, match="events"):
        list(journal_lines.of_file(BytesIO(line * 1000)))
    progress = journal_lines.encode(
        events.SyncProgress(at_s=1.0, action="resync", done_bytes=1, total_bytes=2, bytes_per_s=1.0)
    )
    assert len(list(journal_lines.of_file(BytesIO(progress * 1000)))) == 1000
