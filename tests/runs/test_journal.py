"""The journal on disk: appended, cut where a crash tore it, folded."""

from pathlib import Path

from raidtui.core.run import events, journal_lines
from raidtui.core.run.state import RunState
from raidtui.runs.journal import Journal, read_state


def test_what_was_added_is_there_for_the_next_reader(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j")
    journal.add(events.Warned(at_s=1.0, text="first"))
    assert read_state(tmp_path / "j") == journal.state
    journal.close()


def test_a_torn_last_line_is_cut_before_more_is_written(tmp_path: Path) -> None:
    path = tmp_path / "j"
    path.write_bytes(journal_lines.encode(events.Warned(at_s=1.0, text="first")) + b'{"event": "warn')
    journal = Journal(path)
    journal.add(events.Warned(at_s=2.0, text="second"))
    assert read_state(path).warnings == ("first", "second")
    journal.close()


def test_no_journal_yet_is_an_empty_state(tmp_path: Path) -> None:
    assert read_state(tmp_path / "none") == RunState()


def test_the_journal_is_its_owners_alone(tmp_path: Path) -> None:
    Journal(tmp_path / "j").close()
    assert (tmp_path / "j").stat().st_mode & 0o077 == 0
