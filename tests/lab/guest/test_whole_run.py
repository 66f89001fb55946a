"""A whole run by the commands: plan, code, run, report; told once it has ended."""

import json
from pathlib import Path

import pytest

from raidtui.core.disks.verdicts import disks_of
from raidtui.runs import directory
from raidtui.runs.journal import read_state
from raidtui.system.discovery import read_machine
from tests.lab.guest.brief_runs import RAID5, code, measured, newest, raidtui, write_answers

RACK = dict(disks=3, size_mib=320, mbps=94)
BRIEF = {"runtime": "1s", "ramp_time": 0, "rate": "8m"}
SHORT = {name: BRIEF for name in ("seq_write", "seq_read", "rand_write", "rand_read")}

pytestmark = pytest.mark.usefixtures("nothing_left")


def test_a_whole_run_ends_in_its_report_and_is_told_once(tmp_path: Path, config: Path) -> None:
    heard = tmp_path / "heard"
    (config / "raidtui").mkdir(exist_ok=True)
    (config / "raidtui" / "config.toml").write_text(f'on_end = ["sh", "-c", "cat >> {heard}"]\n')
    answers = write_answers(tmp_path, "quick", RAID5 | {"first_sync": "wait"}, job=SHORT)
    report = raidtui("run", str(answers), "--confirm", code(answers))
    path = newest()
    assert report == (path / directory.REPORT).read_text()
    state = read_state(path / directory.JOURNAL)
    assert (state.outcome, state.left) == ("finished", ())
    assert len(state.trials) == 14
    assert {trial.measurement.status for trial in state.trials if trial.measurement} == {"ok"}
    assert "RAID 5" in report and "xfs" in report and "](attachments/commands.md)" in report
    assert "mdadm --create" in (path / "attachments/commands.md").read_text()
    trials = measured(path.name)
    assert [trial["name"] for trial in trials] == [trial.trial for trial in state.trials]
    counted = [set(trial["disks"]) for trial in trials if trial["disks"]]
    assert counted  # on a busy machine a test of a second may pass without two readings, and tells no rates then
    assert all(disks >= {disk.id for disk in disks_of(read_machine())} for disks in counted)
    assert "finished" in raidtui("runs")
    told = json.loads(heard.read_text())  # one line: once
    assert (told["run"], told["outcome"], told["measured"]) == (path.name, "finished", 14)
    assert told["answer"]["lines"] and state.warnings == read_state(path / directory.JOURNAL).warnings
