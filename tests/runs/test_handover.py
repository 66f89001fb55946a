"""What lies beside the report of a run that keeps its array, and goes with it."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.core.run.state import RunState
from raidtui.runs import after, directory
from tests.builders import sweeps
from tests.runs.rig import plan_permanent, run_in

KEPT = RunState(run="the-run", kept=True, outcome="finished")


def test_the_page_and_the_script_are_there_while_the_array_is(tmp_path: Path) -> None:
    run = run_in(tmp_path, directory.drawn(sweeps.linked(plan_permanent())), "the-run")
    page, script = run / "commissioning.md", run / "build.sh"
    after.write_documents(run, KEPT)
    assert page.read_text().startswith("# RAID 1 of 3 disks: raidtui-") and script.read_text().startswith("#!/bin/bash")
    after.write_documents(run, replace(KEPT, kept=False))
    assert not page.exists() and not script.exists()
    after.write_documents(run, replace(KEPT, kept=False))


def test_without_links_there_is_the_page_alone(tmp_path: Path) -> None:
    run = run_in(tmp_path, directory.drawn(plan_permanent()), "the-run")
    (run / "build.sh").touch()
    after.write_documents(run, KEPT)
    assert (run / "commissioning.md").exists() and not (run / "build.sh").exists()


def test_the_old_page_stays_where_the_new_one_cannot_be_written_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_in(tmp_path, directory.drawn(sweeps.linked(plan_permanent())), "the-run")
    after.write_documents(run, KEPT)
    before = {path.name: path.read_bytes() for path in run.iterdir()}

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        after.write_documents(run, replace(KEPT, outcome="failed"))
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before
