"""A whole run by the commands: plan, code, run, report; stop, hang-up, and the figures held against iostat."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
import tomli_w

from raidtui.core.disks.disk import Standing
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.run import events, samples
from raidtui.core.run.state import RunState
from raidtui.runs import directory, launch
from raidtui.runs.follow import Follower
from raidtui.runs.journal import read_state
from raidtui.system import leftovers, md
from raidtui.system.discovery import read_machine

RACK = dict(disks=3, size_mib=512, mbps=94)
RAIDTUI = (sys.executable, "-m", "raidtui")
FOREIGN = "11111111-2222-4333-8444-555555555555"
SHORT = {name: {"runtime": "1s", "ramp_time": 0} for name in ("seq_write", "seq_read", "rand_write", "rand_read")}


def raidtui(*arguments: str, status: int = 0) -> str:
    done = subprocess.run((*RAIDTUI, *arguments), input="", capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout if status == 0 else done.stderr


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    return write(tmp_path, level="5", filesystem="xfs")


def write(folder: Path, job: dict[str, dict[str, str | int]] | None = None, **setup: str) -> Path:
    disks = [disk.id for disk in disks_of(read_machine()) if disk.verdict.standing is Standing.OK]
    path = folder / "answers.toml"
    path.write_text(tomli_w.dumps({"disks": disks, "setup": setup, "job": SHORT | (job or {})}))
    return path


def code(answers: Path) -> str:
    return raidtui("plan", str(answers)).split()[-1]


def newest() -> Path:
    return directory.list_runs(directory.runs_root())[-1]


def wait_for(path: Path, condition: str, seconds: float = 180) -> RunState:
    """The state once `condition`, an expression over it, holds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        state = read_state(path / directory.JOURNAL)
        if eval(condition, {"state": state, "time": time}):
            return state
        time.sleep(0.2)
    raise AssertionError(f"{condition} did not come true: {state.outcome} {state.reason} {state.steps[-1:]}")


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    yield
    for disk in disks_of(read_machine()):
        assert disk.found in ("blank", "unknown data"), disk  # no signature; a stopped baseline leaves its blocks
        leftovers.remember(disk.name)
    assert subprocess.run(["pgrep", "-x", "fio"], check=False).returncode == 1


def test_a_whole_run_ends_in_its_report(answers: Path) -> None:
    report = raidtui("run", str(answers), "--confirm", code(answers))
    path = newest()
    assert report == (path / directory.REPORT).read_text()
    state = read_state(path / directory.JOURNAL)
    assert (state.outcome, state.left) == ("finished", ())
    assert len(state.trials) == 12
    assert {trial.measurement.status for trial in state.trials if trial.measurement} == {"ok"}
    assert "RAID 5" in report and "xfs" in report and "mdadm --create" in report
    measured = json.loads(raidtui("report", path.name, "--json"))
    assert [m["name"] for m in measured] == [trial.trial for trial in state.trials]
    assert all(set(m["disks"]) >= {d.id for d in disks_of(read_machine())} for m in measured)
    assert "finished" in raidtui("runs")


def test_the_wrong_code_and_no_code_are_refused(answers: Path) -> None:
    assert "confirmation code is missing" in raidtui("run", str(answers), status=3)
    assert "is not this plan's" in raidtui("run", str(answers), "--confirm", "00000000", status=3)


def test_a_disk_with_something_on_it_is_erased_only_if_it_is_named(answers: Path) -> None:
    disk = disks_of(read_machine())[1]
    subprocess.run(["mkfs.ext4", "-q", "-L", "old", disk.path], check=True)
    subprocess.run(["udevadm", "settle"], check=True)
    said = raidtui("run", str(answers), "--confirm", code(answers), status=3)
    assert f"ext4 (old); it will be erased. To erase it all the same add --erase {disk.serial}" in said
    assert disks_of(read_machine())[1].found == "ext4 (old)"
    (line,) = (line for line in raidtui("plan", str(answers)).splitlines() if line.startswith("    raidtui run "))
    assert line.endswith(f"--erase {disk.serial}")
    name = raidtui(*line.split()[1:], "--detach").strip()
    path = directory.find(name, directory.runs_root())
    wait_for(path, "state.trial")  # the baseline, on the bare disk
    raidtui("stop", name)
    assert wait_for(path, "state.ended").outcome == "stopped"
    said = raidtui("resume", name, "--confirm", directory.read_plan(path).code, status=3)
    assert f"add --erase {disk.serial}" in said  # what was there may be there yet, but for its signature
    raidtui("resume", name, "--confirm", directory.read_plan(path).code, "--erase", disk.serial)


def test_a_disk_in_use_is_refused_and_why(answers: Path) -> None:
    node = disks_of(read_machine())[1].path
    subprocess.run(["mkfs.ext4", "-q", node], check=True)
    subprocess.run(["udevadm", "settle"], check=True)
    subprocess.run(["mount", node, "/mnt"], check=True)
    try:
        said = raidtui("run", str(answers), "--confirm", "whatever", status=3)
        assert "mounted at /mnt" in said
    finally:
        subprocess.run(["umount", "/mnt"], check=True)
        subprocess.run(["wipefs", "-aq", node], check=True)
        subprocess.run(["udevadm", "settle"], check=True)


def test_stop_keeps_what_was_measured_and_clears_away(tmp_path: Path) -> None:
    """And `resume` goes on with what is missing, the interrupted trial included."""
    answers = write(tmp_path, {"seq_write": {"runtime": "5s", "ramp_time": 0}}, level="5", filesystem="xfs")
    name = raidtui("run", str(answers), "--confirm", code(answers), "--detach").strip()
    path = directory.runs_root() / name
    wait_for(path, "state.trial and state.trial.trial == 's2-seq_write' and time.time() - state.now_s > 2")
    raidtui("stop", name)
    state = wait_for(path, "state.ended")
    assert (state.outcome, state.left) == ("stopped", ())
    last = state.trials[-1].measurement
    assert last is not None and last.status == "interrupted"
    assert last.write is not None and last.write.io_bytes > 0
    assert len([t for t in state.trials if t.measurement and t.measurement.status == "ok"]) == 8
    assert "nothing was done" in raidtui("resume", name, status=3)  # its disks may be somebody's by now
    report = raidtui("resume", name, "--confirm", directory.read_plan(path).code)
    state = read_state(path / directory.JOURNAL)
    assert (state.outcome, state.left) == ("finished", ())
    measured = json.loads(raidtui("report", name, "--json"))
    assert len({m["name"] for m in measured}) == len(measured) == 12
    assert {m["status"] for m in measured} == {"ok"}
    assert "interrupted" not in report.lower()
    assert "is finished" in raidtui("resume", name, status=2)


def test_a_hang_up_of_its_terminal_does_not_end_a_run(answers: Path) -> None:
    confirmation = code(answers)
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [*RAIDTUI, "run", str(answers), "--confirm", confirmation])
    before = set(directory.list_runs(directory.runs_root()))
    end = time.monotonic() + 60
    while not (new := set(directory.list_runs(directory.runs_root())) - before) and time.monotonic() < end:
        time.sleep(0.2)
    path = new.pop()
    wait_for(path, "state.trial is not None")
    os.close(terminal)  # the kernel sends SIGHUP to the session
    os.waitpid(child, 0)
    state = read_state(path / directory.JOURNAL)
    assert launch.alive(state)
    assert f"{path.name}  going on" in raidtui("runs")
    raidtui("stop", path.name)
    assert wait_for(path, "state.ended").outcome == "stopped"


def test_two_runs_cannot_have_the_same_disk(answers: Path) -> None:
    confirmation = code(answers)
    first = raidtui("run", str(answers), "--confirm", confirmation, "--detach").strip()
    wait_for(directory.runs_root() / first, "state.steps")
    said = raidtui("run", str(answers), "--confirm", confirmation, status=1)
    assert "another run holds the disk" in said or "not free" in said
    raidtui("stop", first)
    wait_for(directory.runs_root() / first, "state.ended")


def test_rates_agree_with_iostat_on_the_same_interval(tmp_path: Path) -> None:
    """RAID 5 of three disks of 94 MB/s; per disk and for the array, within 2 %."""
    jobs = ("seq_write", "seq_read")
    answers = write(tmp_path, job={job: {"runtime": "16s"} for job in jobs}, level="5", filesystem="none")
    name = raidtui("run", str(answers), "--confirm", code(answers), "--detach").strip()
    path = directory.runs_root() / name
    intervals = {}
    for job in jobs:
        wait_for(path, f"state.trial and state.trial.trial == 's2-{job}'", 180)
        time.sleep(3)
        argv = ["iostat", "-xym", "-o", "JSON", "10", "1"]
        said = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
        ended = time.time_ns()  # just after its second look; the first one was ten seconds before, whenever it started
        intervals[job] = (ended - 10 * 10**9, ended, json.loads(said)["sysstat"]["hosts"][0]["statistics"][0]["disk"])
    raidtui("stop", name)
    array = wait_for(path, "state.ended")
    view = Follower(path, history_s=1000).poll()
    assert view is not None and array.left == ()
    built = next(event for event in read_events(path) if isinstance(event, events.ArrayBuilt))
    nodes = {disk.id: disk.name for disk in disks_of(read_machine())} | {samples.ARRAY: Path(built.node).name}
    for job, (began, ended, disks) in intervals.items():
        # Both read the same counters, each at its own moments: the samples nearest to iostat's ends are taken.
        nearest = [min(view.history, key=lambda s: abs(s.wall_ns - moment)) for moment in (began, ended)]
        ours = dict(zip(view.slots, samples.rates(*nearest), strict=True))
        theirs = {row["disk_device"]: row for row in disks}
        key, column = ("write_bytes_per_s", "wMB/s") if job == "seq_write" else ("read_bytes_per_s", "rMB/s")
        for slot, device in nodes.items():
            rates = ours[slot]
            assert rates is not None
            mine, other = getattr(rates, key) / 2**20, theirs[device][column]  # iostat's MB are MiB
            print(f"{job} {device}: raidtui {mine:.2f} MiB/s, iostat {other:.2f}")
            assert mine == pytest.approx(other, rel=0.02), (slot, device)


def read_events(path: Path) -> tuple[events.AnyEvent | events.Unknown | events.Damaged, ...]:
    return events.read((path / directory.JOURNAL).read_bytes())[0]


def killed(answers: Path) -> Path:
    """A run whose worker was killed while it measured its array; no fio goes on, or its test says so."""
    name = raidtui("run", str(answers), "--confirm", code(answers), "--detach").strip()
    path = directory.runs_root() / name
    state = wait_for(path, "any(t.trial.startswith('s2-') for t in state.trials)")
    assert state.worker is not None
    os.kill(state.worker.pid, signal.SIGKILL)
    end = time.monotonic() + 20
    while subprocess.run(["pgrep", "-x", "fio"], check=False).returncode == 0 and time.monotonic() < end:
        time.sleep(0.2)
    return path


def test_a_killed_worker_leaves_no_fio(answers: Path) -> None:
    """Its measurements stay; its array is cleared away by `raidtui clean`."""
    path = killed(answers)
    name = path.name
    assert f"{name}  cut off" in raidtui("runs")
    plan = directory.read_plan(path)
    assert plan.stages[-1].array is not None and md.find(plan.stages[-1].array.uuid) is not None
    done = subprocess.run(
        (*RAIDTUI, "clean", name), input=f"{plan.code}\n", text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert len([t for t in read_state(path / directory.JOURNAL).trials if t.measurement]) >= 8


def test_a_disk_that_somebody_took_into_use_after_a_crash_is_left_alone(answers: Path) -> None:
    """sfdisk leaves the superblock at 4 KiB as it was: that is no proof that the disk is still the run's."""
    path = killed(answers)
    name = path.name
    plan = directory.read_plan(path)
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
    subprocess.run(["udevadm", "settle"], check=True)
    assert md.superblock(taken.path) == array.uuid
    raidtui("resume", name, status=1)
    left = " ".join(read_state(path / directory.JOURNAL).left)
    assert taken.serial in left and "which this run did not make; it is left alone" in left
    with Path(taken.path).open("rb") as disk:  # also where the array holds it, and its partitions have no nodes
        disk.seek((1 << 20) + 1024 + 0x68)
        assert disk.read(16) == uuid.UUID(FOREIGN).bytes
    subprocess.run(["mdadm", "--stop", "--scan"], check=True)
    subprocess.run(["wipefs", "--all", "--quiet", "--force", taken.path], check=True)
    subprocess.run(["udevadm", "settle"], check=True)
    subprocess.run((*RAIDTUI, "clean", name), input=f"{plan.code}\n", text=True, check=True)


def test_an_array_that_is_kept_has_an_empty_file_system_and_clean_takes_it_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    own = tmp_path / "raidtui/recipes/one-job.toml"
    own.parent.mkdir(parents=True)
    job = {"name": "write", "baseline": False, "fio": {"rw": "write", "bs": "1m", "direct": True, "size": "16m"}}
    own.write_text(tomli_w.dumps({"title": "One job", "summary": "A file of 16 MiB.", "job": [job]}))
    disks = [disk.id for disk in disks_of(read_machine()) if disk.verdict.standing is Standing.OK]
    answers = tmp_path / "answers.toml"
    setup = {"level": "10", "filesystem": "ext4"}
    answers.write_text(tomli_w.dumps({"disks": disks, "recipe": own.stem, "setup": setup, "after": "keep"}))
    raidtui("run", str(answers), "--confirm", code(answers))
    path = newest()
    state = read_state(path / directory.JOURNAL)
    assert (state.outcome, state.kept, state.left) == ("finished", True, ()) and state.array
    subprocess.run(["mount", "-o", "ro", state.array.node, "/mnt"], check=True)
    try:
        assert [one.name for one in Path("/mnt").iterdir()] == ["lost+found"]
    finally:
        subprocess.run(["umount", "/mnt"], check=True)
    typed = f"{directory.read_plan(path).code}\n"
    subprocess.run((*RAIDTUI, "clean", path.name), input=typed, text=True, check=True)
    assert {disk.found for disk in disks_of(read_machine()) if disk.name.startswith("sd")} == {"blank"}
    assert "active" not in Path("/proc/mdstat").read_text()
