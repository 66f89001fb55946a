"""Collected folders: found at any depth, read one by one; what cannot be read is named and stops nothing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from raidtui.demo.recording import load
from raidtui.runs import collected, directory
from raidtui.runs.collected import all_samples
from raidtui.runs.directory import JOURNAL, PLAN, SAMPLES
from raidtui.runs.journal import read_state
from tests.replay import RUNS


def test_runs_are_found_at_any_depth_and_named_by_their_folder(tmp_path: Path) -> None:
    for host in ("a", "b"):
        for part in (PLAN, JOURNAL):
            target = tmp_path / host / "runs" / f"run-{host}" / part
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(RUNS / "raid5-of-3" / part, target)
    (tmp_path / "a" / "runs" / "run-a" / "fio").mkdir()
    shutil.copy(RUNS / "raid5-of-3" / PLAN, tmp_path / "a" / "runs" / "run-a" / "fio" / PLAN)  # in a run: not looked at
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / PLAN).write_text("{")
    (tmp_path / "early").mkdir()
    shutil.copy(RUNS / "raid5-twice" / PLAN, tmp_path / "early" / PLAN)  # its worker never came
    found = collected.fleet(tmp_path)
    assert [[run.host for run in experiment.runs] for experiment in found.experiments] == [["a", "b"], [tmp_path.name]]
    assert found.experiments[1].runs[0].outcome == "not begun"
    assert len(found.not_read) == 1 and "broken/plan.json" in found.not_read[0]


def test_many_are_read_by_several_processes_with_the_same_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(2):
        shutil.copytree(RUNS / "raid5-of-3", tmp_path / f"host{number}" / "run")
    alone = collected.fleet(tmp_path)
    monkeypatch.setattr(collected, "_MANY_RUNS", 2)
    assert collected.fleet(tmp_path) == alone and alone.hosts == 2


@pytest.mark.parametrize("name", ["none", "empty", "file"])
def test_a_folder_without_runs_is_one_sentence(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=r"no such directory|no run is in there"):
        collected.fleet(tmp_path / name)


@pytest.mark.parametrize("part", [PLAN, JOURNAL])
def test_a_pipe_is_no_run_and_is_not_waited_for(tmp_path: Path, part: str) -> None:
    run = tmp_path / "run"
    shutil.copytree(RUNS / "raid5-of-3", run)
    (run / part).unlink()
    os.mkfifo(run / part)
    shutil.copytree(RUNS / "raid5-of-3", tmp_path / "whole")
    assert f"{part}: no plain file" in collected.fleet(tmp_path).not_read[0]


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
from raidtui.cli.app import main
sys.argv[1:] = {words}
main()
"""


def limited(*words: str) -> "subprocess.CompletedProcess[str]":
    """A command under a limit of 2 GiB of memory."""
    program = LIMITED.format(words=list(words))
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)


def test_a_journal_of_4_gib_is_a_row_of_its_own_and_one_sentence(tmp_path: Path) -> None:
    for host in ("good", "huge"):
        shutil.copytree(RUNS / "raid5-of-3", tmp_path / host / "run")
    with (tmp_path / "huge" / "run" / JOURNAL).open("r+b") as file:
        file.truncate(4 << 30)
    done = limited("fleet", str(tmp_path))
    assert done.returncode == 0 and "good" in done.stdout
    assert f"huge/run/{JOURNAL}: too large (4.00 GiB, at most 2.00 GiB)" in done.stdout, done.stdout
    run = tmp_path / "huge" / "run"
    run.chmod(0o700)
    for words in (("report", str(run)), ("compare", str(tmp_path / "good" / "run"), str(run))):
        done = limited(*words)
        assert (done.returncode, done.stdout) == (2, "") and "too large" in done.stderr and "\n" not in done.stderr[:-1]


def test_a_journal_without_an_end_of_line_is_read_in_the_memory_of_a_line(tmp_path: Path) -> None:
    shutil.copytree(RUNS / "raid5-of-3", run := tmp_path / "host" / "run")
    run.chmod(0o700)
    with (run / JOURNAL).open("r+b") as file:
        file.truncate(1 << 30)
    done = limited("report", str(run))
    assert done.returncode == 0 and "RAID 5" in done.stdout


@pytest.mark.parametrize("part", [PLAN, JOURNAL])
def test_no_command_waits_for_a_pipe_or_follows_a_link(tmp_path: Path, part: str) -> None:
    shutil.copytree(RUNS / "raid5-of-3", run := tmp_path / "run")
    shutil.copytree(RUNS / "raid5-of-3", other := tmp_path / "other")
    for make in (os.mkfifo, lambda path: path.symlink_to(other / part)):
        (run / part).unlink()
        make(run / part)
        with pytest.raises(ValueError, match=f"{part}: no plain file"):
            directory.read_plan(run)
            read_state(run / JOURNAL)


def test_all_are_read_but_a_torn_one(tmp_path: Path) -> None:
    shutil.copy(RUNS / "raid5-of-3" / SAMPLES, tmp_path)
    with (tmp_path / SAMPLES).open("ab") as file:
        file.write(b"torn")
    known = load(RUNS / "raid5-of-3")
    assert all_samples(tmp_path) == (known.header, known.samples)


def test_a_run_without_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has no samples yet"):
        all_samples(tmp_path)
