"""What a run that was stopped, killed or kept leaves, and how it goes on from there or is cleared away."""

import os
import signal
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import slots
from raidtui.runs import directory
from raidtui.runs.journal import read_state
from raidtui.system import md
from raidtui.system.discovery import read_machine
from tests.lab.guest import in_place
from tests.lab.guest.brief_runs import (
    READ,
    WRITE,
    code,
    ended,
    measured,
    measuring,
    newest,
    raidtui,
    start,
    typed,
    wait_for,
    write_answers,
    write_recipe,
)
from tests.lab.guest.disk_states import settle, until

RACK = dict(disks=3, size_mib=320, mbps=94)
BASELINE_TRIALS = 4  # a disk, and all at once
ON_FILE = "s2-endless"
ON_ARRAY = ("write-bare", "read-bare", "write", "read")  # the last two on a file
FOREIGN = "11111111-2222-4333-8444-555555555555"

pytestmark = pytest.mark.usefixtures("nothing_left", "forked_fio")


@pytest.fixture
def forked_fio() -> Iterator[None]:
    """It dies with its worker by what the product does between fork and exec."""
    in_place.FORKED.add("fio")
    yield
    in_place.FORKED.clear()


def test_stop_keeps_what_was_measured_and_clears_away(config: Path) -> None:
    """And `resume` goes on with what is missing, the interrupted trial included."""
    answers = write_answers(config, write_recipe(config, WRITE, READ), job={"write": {"runtime": "20s"}})
    path = start(answers)
    name = path.name
    wait_for(path, measuring("s2-write-bare"))
    wait_until_written(16 << 20)
    raidtui("stop", name)
    state = wait_for(path, ended)
    assert (state.outcome, state.left) == ("stopped", ())
    last = state.trials[-1].measurement
    assert last is not None and last.status == "interrupted"
    assert last.write is not None and last.write.io_bytes > 0
    kept = {trial.trial: trial.measurement.status for trial in state.trials if trial.measurement}
    assert len(kept.keys() - {"s2-write-bare"}) == BASELINE_TRIALS  # a busy machine may have cut one short, twice
    assert "ok" in kept.values() and kept["s2-write-bare"] == "interrupted"
    assert "nothing was done" in raidtui("resume", name, status=3)  # its disks may be somebody's by now
    report = raidtui("resume", name, "--confirm", directory.read_plan(path).code)
    state = read_state(path / directory.JOURNAL)
    assert (state.outcome, state.left) == ("finished", ())
    trials = measured(name)
    assert [trial["name"] for trial in trials][BASELINE_TRIALS:] == [f"s2-{job}" for job in ON_ARRAY]
    assert len(trials) == BASELINE_TRIALS + len(ON_ARRAY) and {trial["status"] for trial in trials} == {"ok"}
    assert "interrupted" not in report.lower()
    assert "is finished" in raidtui("resume", name, status=2)


def wait_until_written(size_bytes: int) -> None:
    """Until so much more was written to the first disk: fio takes its time to start."""
    stat = Path("/sys/block/sda/stat")
    before = int(stat.read_text().split()[6])
    until(lambda: int(stat.read_text().split()[6]) - before >= size_bytes // 512, stat.read_text)


def killed(config: Path) -> Path:
    """A run whose worker was killed while it measured a file; no fio goes on, or its test says so."""
    fio = READ["fio"] | {"runtime": "1h", "direct": False}  # such ones are on the file alone
    path = start(write_answers(config, write_recipe(config, WRITE, {"name": "endless", "baseline": False, "fio": fio})))
    state = wait_for(path, measuring(ON_FILE))
    assert state.worker is not None
    os.kill(state.worker.pid, signal.SIGKILL)
    until(lambda: subprocess.run(["pgrep", "-x", "fio"], stdout=subprocess.DEVNULL, check=False).returncode)
    return path


def test_a_killed_worker_leaves_no_fio(config: Path) -> None:
    """Its measurements stay; its array is cleared away by `raidtui clean`. On a bare array: test_explain.py."""
    path = killed(config)
    name = path.name
    assert f"{name}  interrupted" in raidtui("runs")
    assert "in use by the run" not in raidtui("disks")
    plan = slots.filled(directory.read_plan(path))
    assert plan.stages[-1].array is not None and md.find(plan.stages[-1].array.uuid) is not None
    raidtui("clean", name, typed=f"{plan.code}\n")
    kept = [trial.trial for trial in read_state(path / directory.JOURNAL).trials if trial.measurement]
    assert kept == ["s1-member0-write", "s1-members-write", "s2-write-bare", "s2-write"]


def test_a_disk_that_somebody_took_into_use_after_a_crash_is_left_alone(config: Path) -> None:
    """sfdisk leaves the superblock at 4 KiB as it was: that is no proof that the disk is still the run's."""
    path = killed(config)
    name = path.name
    plan = slots.filled(directory.read_plan(path))
    array = plan.stages[-1].array
    assert array is not None
    taken = next(disk for disk in disks_of(read_machine()) if disk.id == plan.members[1].id)
    subprocess.run(["umount", str(path / "mnt")], check=True)
    use = f"""
        mdadm --stop /dev/{md.find(array.uuid)}
        echo start=2048 | sfdisk --quiet --wipe=never --no-reread {taken.path}
        blockdev --rereadpt {taken.path}
        mkfs.ext4 -q -U {FOREIGN} {taken.path}1
    """
    # Under the lock, or udev puts the array together again.
    subprocess.run(["flock", taken.path, "sh", "-e", "-c", use], check=True)
    settle()
    assert md.superblock(taken.path) == array.uuid
    said = raidtui("resume", name, "--confirm", plan.code, status=3)
    assert f"to remove it: `--erase {array.name}`" in said and not read_state(path / directory.JOURNAL).left
    raidtui("resume", name, "--confirm", plan.code, "--erase", array.name, status=3)
    left = " ".join(read_state(path / directory.JOURNAL).left)
    assert taken.serial in left and "which this run did not make; it is left alone" in left
    with Path(taken.path).open("rb") as disk:  # also where the array holds it, and its partitions have no nodes
        disk.seek((1 << 20) + 1024 + 0x68)
        assert disk.read(16) == uuid.UUID(FOREIGN).bytes
    subprocess.run(["mdadm", "--stop", "--scan"], check=True)
    subprocess.run(["wipefs", "--all", "--quiet", "--force", taken.path], check=True)
    settle()
    raidtui("clean", name, typed=typed(path))


def test_an_array_that_is_kept_has_an_empty_file_system_and_clean_takes_it_apart(config: Path) -> None:
    recipe = write_recipe(config, WRITE, baseline="none")
    answers = write_answers(config, recipe, {"level": "10", "filesystem": "ext4"}, after="keep")
    raidtui("run", str(answers), "--confirm", code(answers))
    path = newest()
    state = read_state(path / directory.JOURNAL)
    assert (state.outcome, state.kept, state.left) == ("finished", True, ()) and state.array
    subprocess.run(["mount", "-o", "ro", state.array.node, "/mnt"], check=True)
    try:
        assert {one.name for one in Path("/mnt").iterdir()} == {"lost+found", ".raidtui-kept"}
    finally:
        subprocess.run(["umount", "/mnt"], check=True)
    asked = raidtui("clean", path.name, typed=f"{directory.read_plan(path).code}\n", status=3)
    assert "nothing was done" in asked
    raidtui("clean", path.name, typed=typed(path))
    assert {disk.found for disk in disks_of(read_machine()) if disk.name.startswith("sd")} == {"blank"}
    assert "active" not in Path("/proc/mdstat").read_text()
