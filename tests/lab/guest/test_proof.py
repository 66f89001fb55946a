"""An array that is proved, with real md, cut off and continued. Other levels, and planted faults: tests/torture."""

import os
import signal
from pathlib import Path

import pytest

from raidtui.core.run.proof import result
from raidtui.core.units import format_bytes
from raidtui.runs import directory
from raidtui.runs.journal import read_state
from tests.lab.guest.brief_runs import forget_runs, raidtui, start, wait_for, write_answers

RACK = dict(disks=3, size_mib=128, mbps=94)
RAID5 = {"level": "5", "chunk": "64KiB", "filesystem": "ext4"}

pytestmark = pytest.mark.usefixtures("nothing_left")


def test_a_proof_cut_off_in_a_rebuild_is_continued_on_its_array(tmp_path: Path) -> None:
    path = write_answers(tmp_path, "proof", RAID5, after="keep")
    run = start(path)
    state = wait_for(run, lambda state: any(step.role == "add" for step in state.steps))
    assert state.worker
    os.kill(state.worker.pid, signal.SIGKILL)
    plan = directory.read_plan(run)
    said = raidtui("resume", run.name, typed=f"{plan.code}\n2000\n")  # the disk that is out holds a test's data
    state = read_state(run / directory.JOURNAL)
    assert (state.outcome, state.reason, state.left, state.kept) == ("finished", "", (), True)
    assert len([step for step in state.steps if step.role == "create"]) == 1
    proved = result(plan, state)
    assert proved and proved.holds
    assert [one.words for one in proved.verified] == [
        "healthy", "1 disk out", "rebuilt", "1 other disk out", "assembled again",
    ]  # fmt: skip
    line = f"{format_bytes(proved.plan.written_bytes)} written, verified in 5"
    assert f"- {line} states of the array: 0 blocks differ" in said
    page = (run / "commissioning.md").read_text()
    assert f"| {line} of 5 states, 0 blocks differ, " in page and "| all copies and parity in 3 states " in page
    forget_runs()
