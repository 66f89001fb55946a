"""What is told of a run in a list of runs: by its journal, and whether its worker lives."""

import os
import time
from pathlib import Path

import pytest

from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan.model import Plan
from raidtui.core.run import events
from raidtui.runs import directory
from raidtui.runs.status import status_of_run
from tests.builders import layered
from tests.runs.rig import BOOT, plan_of, run_in

GOES, STAYS, LOCKED = (directory.drawn(plan) for plan in (plan_of(), plan_of("1", "keep"), layered.made(layered.LUKS)))
WORKER = events.WorkerStarted(at_s=1.0, schema=1, run="run", boot_id=BOOT, pid=1, start_ticks=1)
ENDED, KEPT = (events.RunEnded(at_s=9.0, outcome="finished", kept=kept) for kept in (False, True))
LEFT = events.RunEnded(at_s=9.0, outcome="failed", reason="busy", left=("md127 is busy",))
SET = events.SettingChanged(at_s=2.0, path="/sys/x", old="1", new="2")
STAGE = events.StageEnded(at_s=5.0, stage=len(STAYS.stages) - 1, kept=True)
UNDONE = events.StepStarted(at_s=11.0, stage=1, what="Stop", line="mdadm", role="stop", undoing=True)
TAKEN = (UNDONE, events.StepEnded(at_s=12.0, what="Stop"))


def measured(plan: Plan) -> list[events.AnyEvent]:
    done = (Measurement(name=trial.id, status="ok") for trial in plan.trials)
    return [events.TrialEnded(at_s=4.0, trial=one.name, measurement=one) for one in done]


def step(plan: Plan, role: str) -> events.StepStarted:
    return events.StepStarted(at_s=3.0, stage=len(plan.stages) - 1, what="Wait", line="", role=role)


FLAGS = ("alive", "kept", "cleared", "permanent", "resumable", "unsettled", "cares", "not_here", "waits", "settled")


@pytest.mark.parametrize(
    "plan, told, alive, word, flags, sentence",
    [
        (GOES, [], False, "not begun", "resumable settled", "nothing measured; worker never started; see "),
        (GOES, [WORKER], True, "going on", "alive", "0 of 12 measured"),
        (GOES, [WORKER], False, "cut off", "resumable unsettled", "0 of 12 measured"),
        (GOES, [WORKER, step(GOES, "create")], False, "cut off", "resumable unsettled", "died at: Wait. Its array may"),
        (GOES, [WORKER, LEFT], False, "failed", "resumable unsettled", "; not removed: md127 is busy"),
        (GOES, [WORKER, *measured(GOES), ENDED], False, "finished", "settled", "12 of 12 measured"),
        (GOES, [WORKER, SET, *measured(GOES), ENDED], False, "finished", "unsettled", "; not restored: /sys/x"),
        (STAYS, [WORKER, *measured(STAYS), KEPT], False, "finished", "kept", "12 of 12 measured"),
        (STAYS, [WORKER, *measured(STAYS), STAGE], False, "cut off", "kept unsettled", "end was recorded. Array kept"),
        (STAYS, [WORKER, *measured(STAYS), KEPT, WORKER, *TAKEN, ENDED], False, "finished", "settled", "12 of 12"),
        (LOCKED, [WORKER, step(LOCKED, "encrypt")], True, "going on", "alive waits", "; now: Wait"),
        (LOCKED, [WORKER, step(LOCKED, "create")], True, "going on", "alive", "; now: Wait"),
        (LOCKED, [WORKER, step(LOCKED, "encrypt")], False, "cut off", "resumable unsettled", "died at: Wait"),
    ],
)
def test_a_run_is_told_by_its_journal_and_its_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plan: Plan, told: list[events.AnyEvent], alive: bool, word: str,
    flags: str, sentence: str,
) -> None:  # fmt: skip
    monkeypatch.setattr("raidtui.runs.journal.alive", lambda state: alive)
    path = run_in(tmp_path, plan, "run", *told)
    os.utime(path / directory.PLAN, (0, 0))
    found = status_of_run(path)
    assert (found.word, " ".join(name for name in FLAGS if getattr(found, name))) == (word, flags)
    assert sentence in found.sentence


@pytest.mark.parametrize(
    "age_s, journal, word, flags",
    [
        (100, b"", "starting", ""),
        (130, b"", "not begun", "resumable settled"),
        (130, b"no line\n", "unreadable", "unsettled"),
    ],
)
def test_a_run_without_a_journal_may_only_begin(
    tmp_path: Path, age_s: float, journal: bytes, word: str, flags: str
) -> None:
    path = run_in(tmp_path, GOES, "run")
    (path / directory.JOURNAL).write_bytes(journal)
    os.utime(path / directory.PLAN, (time.time() - age_s,) * 2)
    found = status_of_run(path)
    assert (found.word, " ".join(name for name in FLAGS if getattr(found, name))) == (word, flags)
    assert (found.code, found.trials, len(found.members)) == (GOES.code, len(GOES.trials), 3)
