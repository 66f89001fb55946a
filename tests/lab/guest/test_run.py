"""A run by the commands: what is refused before it, a hang-up during it, and another that wants its disks."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from raidtui.core.disks.verdicts import disks_of
from raidtui.runs import directory, journal
from raidtui.runs.journal import read_state
from raidtui.system.discovery import read_machine
from tests.lab.guest.brief_runs import (
    RAIDTUI,
    WRITE,
    code,
    ended,
    newest,
    raidtui,
    start,
    wait_for,
    write_answers,
    write_recipe,
)
from tests.lab.guest.disk_states import settle, until

RACK = dict(disks=3, size_mib=320, mbps=94)

pytestmark = pytest.mark.usefixtures("nothing_left")


def test_the_wrong_code_and_no_code_are_refused(answers: Path) -> None:
    assert "confirmation code is missing" in raidtui("run", str(answers), status=3)
    assert "is not this plan's" in raidtui("run", str(answers), "--confirm", "00000000", status=3)


def test_a_disk_with_something_on_it_is_erased_only_if_it_is_named(answers: Path) -> None:
    disk = disks_of(read_machine())[1]
    subprocess.run(["mkfs.ext4", "-q", "-L", "old", disk.path], check=True)
    settle()
    said = raidtui("run", str(answers), "--confirm", code(answers), status=3)
    assert f"ext4 (old); it will be erased. To erase it anyway, add --erase {disk.serial}" in said
    assert disks_of(read_machine())[1].found == "ext4 (old)"
    (line,) = (line for line in raidtui("plan", str(answers)).splitlines() if line.startswith("    raidtui run "))
    assert line.endswith(f"--erase {disk.serial}")
    name = raidtui(*line.split()[1:], "--detach").strip()
    path = directory.find(name, directory.runs_root())
    wait_for(path, lambda state: state.trial)  # the baseline, on the bare disk
    raidtui("stop", name)
    assert wait_for(path, ended).outcome == "stopped"
    said = raidtui("resume", name, "--confirm", directory.read_plan(path).code, status=3)
    assert f"add --erase {disk.serial}" in said  # what was there may be there yet, but for its signature
    raidtui("resume", name, "--confirm", directory.read_plan(path).code, "--erase", disk.serial)


def test_a_disk_in_use_is_refused_and_why(answers: Path) -> None:
    node = disks_of(read_machine())[1].path
    subprocess.run(["mkfs.ext4", "-q", node], check=True)
    settle()
    subprocess.run(["mount", node, "/mnt"], check=True)
    try:
        said = raidtui("run", str(answers), "--confirm", "whatever", status=3)
        assert "mounted at /mnt" in said
    finally:
        subprocess.run(["umount", "/mnt"], check=True)
        subprocess.run(["wipefs", "-aq", node], check=True)
        settle()


def test_a_hang_up_of_its_terminal_does_not_end_a_run(answers: Path) -> None:
    confirmation = code(answers)
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [*RAIDTUI, "run", str(answers), "--confirm", confirmation])
    before = set(directory.list_runs(directory.runs_root()))
    until(lambda: set(directory.list_runs(directory.runs_root())) - before)
    (path,) = set(directory.list_runs(directory.runs_root())) - before
    wait_for(path, lambda state: state.trial)
    os.close(terminal)  # the kernel sends SIGHUP to the session
    os.waitpid(child, 0)
    state = read_state(path / directory.JOURNAL)
    assert journal.alive(state)
    assert f"{path.name}  running" in raidtui("runs")
    raidtui("stop", path.name)
    assert wait_for(path, ended).outcome == "stopped"


def test_two_runs_cannot_have_the_same_disk(config: Path) -> None:
    endless = {**WRITE, "fio": WRITE["fio"] | {"runtime": "1h"}}
    answers = write_answers(config, write_recipe(config, endless))
    (line,) = (line for line in raidtui("plan", str(answers)).splitlines() if line.startswith("    raidtui run "))
    first = start(answers)
    wait_for(first, lambda state: state.trial)
    in_use = f"in use by the run {first.name}"
    members = {member.id for member in directory.read_plan(first).members}
    assert members and listed_as(in_use) == {identity: first.name for identity in members}
    for words in (line.split()[1:], ["plan", str(answers)]):
        assert in_use in raidtui(*words, status=3)
    assert "another run holds the disk" in raidtui("disks", "--free", *members, status=3)
    raidtui("stop", first.name)
    wait_for(first, ended)
    assert listed_as(in_use) == {}


def listed_as(reason: str) -> dict[str, str]:
    """The disks that are refused for this, by identity, and the run that is said to have them."""
    disks = json.loads(raidtui("disks", "--json"))["disks"]
    refused = [disk for disk in disks if disk["verdict"]["standing"] == "refuse"]
    return {disk["id"]: disk["run"] for disk in refused if disk["verdict"]["reason"] == reason}


# A self-test runs at the first look at it and has ended at the second; sdb fails its later one, sdc has none.
SMARTCTL = """#!/bin/sh
for disk; do :; done
name=${disk#/dev/}
case "$*" in
  *--test=*) [ $name != sdc ] || { echo '{"smartctl": {"messages": [{"string": "not supported"}]}}'; exit 4; }
    echo >> /tmp/tested-$name; : > /tmp/runs-$name; value=0 ;;
  *) [ -e /tmp/runs-$name ] && value=249 || value=0; rm -f /tmp/runs-$name ;;
esac
passed=true
[ $name != sdb ] || [ "$(wc -l < /tmp/tested-sdb)" != 2 ] || [ $value != 0 ] || { value=121; passed=false; }
[ $value != 249 ] || passed=null
echo '{"smartctl": {}, "device": {"protocol": "ATA"}, "smart_status": {"passed": true},'
echo '"ata_smart_data": {"self_test": {"status": {"value": '$value', "string": "told", "passed": '$passed'}}}}'
"""


def test_a_burn_in_has_self_tests_before_and_after_and_one_verdict_a_disk(config: Path) -> None:
    smartctl = Path("/usr/local/sbin/smartctl")
    smartctl.parent.mkdir(parents=True, exist_ok=True)
    smartctl.write_text(SMARTCTL)
    smartctl.chmod(0o755)
    try:
        answers = write_answers(config, "burn-in", {})
        report = raidtui("run", str(answers), "--confirm", code(answers))
    finally:
        smartctl.unlink()
    state = read_state(newest() / directory.JOURNAL)
    assert state.outcome == "finished" and state.self_tests and state.self_tests_after
    assert [result.passed for result in state.self_tests.disks.values()] == [True, True, None]
    assert [result.passed for result in state.self_tests_after.disks.values()] == [True, False, None]
    (trial,) = (trial.measurement for trial in state.trials)
    assert trial and len(trial.each) == 3
    assert all(one.read_bytes == one.written_bytes == 319 << 20 and not one.error for one in trial.each.values())
    assert "Disks: 1 passed, 1 failed, 1 no self-test (of 3)" in report and "self-test after" in report
