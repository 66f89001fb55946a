"""A running array with a file system in use is measured as it is, and nothing on it changes."""

import hashlib
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import tomli_w

from raidtui.runs import directory, journal
from tests.lab.guest import brief_runs
from tests.lab.guest.brief_runs import measuring, newest, raidtui, wait_for
from tests.lab.guest.disk_states import settle, until

RACK = dict(disks=3, size_mib=128, mbps=94)
NODE = "/dev/md/standing"


def sh(*argv: str) -> str:
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def data() -> Iterator[Path]:
    """A folder with something precious in it, on ext4 on RAID 5."""
    nodes = ["/dev/sda", "/dev/sdb", "/dev/sdc"]
    sh("mdadm", "--create", NODE, "--level=5", "--raid-devices=3", "--assume-clean", "--bitmap=none", "--run", *nodes)
    settle()
    sh("mkfs.ext4", "-q", NODE)
    settle()
    sh("mount", NODE, "/mnt")
    folder = Path("/mnt/data")
    folder.mkdir()
    (folder / "precious").write_bytes(os.urandom(8 << 20))
    yield folder
    sh("umount", "/mnt")
    sh("wipefs", "-aq", NODE)
    sh("mdadm", "--stop", NODE)
    for node in nodes:
        sh("mdadm", "--zero-superblock", node)
        sh("wipefs", "-aq", node)
    settle()


def tree(folder: Path) -> dict[str, str]:
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        for path in sorted(folder.rglob("*"))
    }


def answers(tmp_path: Path, target: str, runtime: str = "1s") -> Path:
    path = tmp_path / "answers.toml"
    said = {"target": target, "recipe": "existing", "fio": {"runtime": runtime, "ramp_time": 0, "rate": "8m"}}
    path.write_text(tomli_w.dumps(said))
    return path


def code(path: Path) -> str:
    sh("sync")  # what was removed is counted as free only once the journal is through, and the code knows the space
    return brief_runs.code(path)


def test_a_folder_is_measured_and_nothing_else_in_it_changes(data: Path, tmp_path: Path) -> None:
    before = tree(data)
    path = answers(tmp_path, str(data))
    report = raidtui("run", str(path), "--confirm", code(path))
    assert tree(data) == before
    assert "Disks below, not touched" in report and "mdadm" not in (newest() / "attachments/commands.md").read_text()
    measured = json.loads(raidtui("report", newest().name, "--json"))["measurements"]
    assert [one["status"] for one in measured] == ["ok"] * 5
    assert len({disk for one in measured for disk in one["disks"]}) == 4  # three disks and the array


def test_a_proof_of_a_folder_verifies_a_file_of_its_own_in_one_state(data: Path, tmp_path: Path) -> None:
    before = tree(data)
    path = tmp_path / "answers.toml"
    path.write_text(tomli_w.dumps({"target": str(data), "recipe": "proof"}))
    report = raidtui("run", str(path), "--confirm", code(path))
    assert tree(data) == before
    assert " written, verified in 1 state: 0 blocks differ" in report
    assert not [step for step in report.splitlines() if "mdadm" in step and "--fail" in step]


def test_a_raw_array_in_use_is_only_read(data: Path, tmp_path: Path) -> None:
    sh("sync")
    sh("fsfreeze", "--freeze", "/mnt")  # so that nobody else writes either
    try:
        before = sh("sha256sum", NODE)
        link = tmp_path / "by-path:0"  # at whose colon fio would split it
        link.symlink_to(NODE)
        path = answers(tmp_path, str(link))
        raidtui("run", str(path), "--confirm", code(path))
        assert sh("sha256sum", NODE) == before
    finally:
        sh("fsfreeze", "--unfreeze", "/mnt")
    measured = json.loads(raidtui("report", newest().name, "--json"))["measurements"]
    assert [(one["rw"], one["status"]) for one in measured] == [("read", "ok"), ("randread", "ok"), ("randread", "ok")]


def test_the_code_is_asked_and_memory_is_refused(data: Path, tmp_path: Path) -> None:
    assert "confirmation code is missing" in raidtui("run", str(answers(tmp_path, str(data))), status=3)
    assert "measures memory" in raidtui("plan", str(answers(tmp_path, "/dev/shm")), status=2)
    (data.parent / "a:b").mkdir()
    assert "as one name" in raidtui("plan", str(answers(tmp_path, str(data.parent / "a:b"))), status=2)


def test_a_stopped_run_removes_its_file(data: Path, tmp_path: Path) -> None:
    before = tree(data)
    path = answers(tmp_path, str(data), "20s")
    name = raidtui("run", str(path), "--confirm", code(path), "--detach").strip()
    run = directory.runs_root() / name
    wait_for(run, measuring("s1-rand_read"))
    assert (data / f"raidtui-{name}.fio").exists()
    raidtui("stop", name)
    state = wait_for(run, lambda state: state.ended)
    assert (state.outcome, state.left) == ("stopped", ()) and tree(data) == before


def test_after_a_kill_only_its_own_file_is_removed(data: Path, tmp_path: Path) -> None:
    before = tree(data)
    path = answers(tmp_path, str(data), "20s")
    typed = code(path)
    name = raidtui("run", str(path), "--confirm", typed, "--detach").strip()
    run = directory.runs_root() / name
    state = wait_for(run, measuring("s1-rand_read"))
    assert state.worker
    os.kill(state.worker.pid, signal.SIGKILL)
    until(lambda: not journal.alive(state))
    file, aside = data / f"raidtui-{name}.fio", data / "aside"
    file.rename(aside)
    file.write_text("somebody else's")
    said = raidtui("clean", name, typed=typed + "\n", status=3)
    assert "left alone" in said and file.read_text() == "somebody else's"
    file.unlink()
    aside.rename(file)
    sh("umount", "/mnt")
    assert f"{file} is not removed" in raidtui("clean", name, typed=typed + "\n", status=1)
    sh("mount", NODE, "/mnt")
    raidtui("clean", name, typed=typed + "\n")
    assert tree(data) == before
