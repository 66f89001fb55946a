"""A run has begun once its worker has written a line; one that never comes is a sentence, and no silence."""

from collections.abc import Callable
from pathlib import Path

import pytest

from raidtui.runs import directory, launch
from raidtui.runs.directory import NotDone
from raidtui.runs.journal import Journal
from raidtui.runs.removal.consent import Consent
from tests.builders.journals import started
from tests.runs.rig import plan_of


def test_a_worker_that_never_begins_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "_start", lambda way, path, consent: lambda: False)
    with pytest.raises(NotDone, match=r"the worker of \S+ did not start; see \S+worker.log") as told:
        launch.start(plan_of(), tmp_path / "runs")
    assert not told.value.refused


def test_a_run_has_begun_with_its_first_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def begin(way: str, path: Path, consent: Consent) -> Callable[[], bool]:
        assert (way, consent) == ("--start", Consent(code=plan_of().code))
        journal = Journal(path / directory.JOURNAL)
        journal.add(started(path.name))
        journal.close()
        return lambda: False

    monkeypatch.setattr(launch, "_start", begin)
    path = launch.start(plan_of(), tmp_path / "runs")
    assert path.parent == tmp_path / "runs" and (path / directory.PLAN).is_file()
