"""Arrays that are proved, with real md: every state verified, cut off and continued, planted faults found and named."""

import os
import signal
from pathlib import Path

import pytest

from raidtui.core.run.proof import result
from raidtui.runs import directory
from raidtui.runs.journal import read_state
from tests.lab.guest.brief_runs import raidtui, start, wait_for, write_answers

RACK = dict(disks=4, size_mib=200, mbps=60)
RAID5 = {"level": "5", "chunk": "64KiB", "filesystem": "ext4"}

pytestmark = pytest.mark.usefixtures("nothing_left")


def test_a_proof_cut_off_in_a_rebuild_is_continued_on_its_array(tmp_path: Path) -> None:
    path = write_answers(tmp_path, "proof", RAID5)
    run = start(path)
    state = wait_for(run, lambda state: any(step.role == "add" for step in state.steps))
    assert state.worker
    os.kill(state.worker.pid, signal.SIGKILL)
    print(raidtui("resume", run.name, typed=f"{directory.read_plan(run).code}\n2000\n"))
    plan, state = directory.read_plan(run), read_state(run / directory.JOURNAL)
    assert (state.outcome, state.reason, state.left) == ("finished", "", ())
    assert len([step for step in state.steps if step.role == "create"]) == 1
    proved = result(plan, state)
    assert proved and proved.holds
    assert [one.words for one in proved.verified] == [
        "healthy", "1 disk out", "rebuilt", "1 other disk out", "assembled again",
    ]  # fmt: skip
    print(raidtui("report", run.name))
