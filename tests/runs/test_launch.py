"""A run has begun once its worker has written a line; one that never comes is a sentence, and no silence."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from raidtui.runs import directory, launch
from raidtui.runs.directory import NotDone
from raidtui.runs.journal import Journal
from raidtui.runs.removal.decision import Consent
from tests.builders.journals import started
from tests.runs.rig import plan_of


def test_a_worker_that_never_begins_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "_start", lambda way, path, consent: lambda: False)
    with pytest.raises(NotDone, match=r"the worker of \S+ did not start; see \S+worker.log") as told:
        launch.start(plan_of(), tmp_path / "runs")
    assert not told.value.refused


@pytest.mark.parametrize(("has_systemd", "fails"), [(True, False), (True, True), (False, False)])
def test_a_worker_is_a_unit_where_systemd_starts_one_and_else_a_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_systemd: bool, fails: bool
) -> None:
    """With what it has to know: its run, the code, what was typed."""
    path, started = directory.create(plan_of(), tmp_path / "runs"), list[tuple[str, ...]]()

    def run(argv: tuple[str, ...], **_: object) -> subprocess.CompletedProcess[bytes]:
        started.append(argv)
        return subprocess.CompletedProcess(argv, int(fails))

    monkeypatch.setattr(subprocess, "run", run)

    def session(path: Path, worker: tuple[str, ...]) -> SimpleNamespace:
        started.append(worker)
        return SimpleNamespace(poll=lambda: 1)

    monkeypatch.setattr(launch, "_as_session", session)
    monkeypatch.setattr(
        launch, "which", {"systemd-run": "/usr/bin/systemd-run"}.get if has_systemd else lambda name: None
    )
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(Path, "is_dir", lambda path: True)
    consent = Consent(code="abcd1234")
    worker = (sys.executable, "-P", "-m", "raidtui.runs.worker", "--clean", str(path), *consent.argv)
    unit = ("systemd-run", f"--unit=raidtui-{path.name}", "--collect", "--quiet")
    assert launch._start("--clean", path, consent)() is (has_systemd and not fails)
    assert [argv[:4] for argv in started[: int(has_systemd)]] == [unit] * has_systemd
    assert all(argv[-len(worker) :] == worker for argv in started) and len(started) == has_systemd + (
        not has_systemd or fails
    )
    assert consent.argv[0] == "abcd1234" and worker[:4] == launch.WORKER


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
