"""An ablation on real md: settings switched between tests, put back after a kill, too; the kernel's own messages."""

import os
import signal
from pathlib import Path

import pytest

from raidtui.core.disks.verdicts import disks_of
from raidtui.core.run import kernel
from raidtui.runs import directory
from raidtui.runs.journal import read_state
from raidtui.system.discovery import read_machine
from raidtui.system.kmsg import KernelLog
from tests.lab.guest.brief_runs import (
    RAID5,
    WRITE,
    code,
    ended,
    measuring,
    newest,
    raidtui,
    start,
    wait_for,
    write_answers,
    write_recipe,
)

RACK = dict(disks=4, size_mib=200, mbps=20)
ARMS = ["wbt", "bitmap", "stripe-cache"]


@pytest.fixture
def ablation(config: Path) -> Path:
    """RAID 5 of all disks, written to for a second: unchanged and with three suspects changed, in two blocks."""
    setup = {**RAID5, "filesystem": "none"}
    return write_answers(config, write_recipe(config, WRITE, baseline="none"), setup, explain=ARMS, repeat=2)


@pytest.fixture(autouse=True)
def writes_held_back() -> None:
    """Writeback throttling as the kernel has it for flash: disks that are held to a speed have none in practice."""
    for path in Path("/sys/block").glob("sd*/queue/wbt_lat_usec"):
        path.write_text("2000")


def throttled() -> set[str]:
    return {path.read_text().strip() for path in Path("/sys/block").glob("sd*/queue/wbt_lat_usec")}


@pytest.mark.usefixtures("nothing_left")
def test_each_change_is_made_on_the_array_that_stands_and_put_back(ablation: Path) -> None:
    before = throttled()
    assert before and "0" not in before
    raidtui("run", str(ablation), "--confirm", code(ablation))
    state = read_state(newest() / directory.JOURNAL)
    assert state.outcome == "finished" and not state.settings and not state.warnings and throttled() == before
    of = {one.trial: {each["wbt_lat_usec"] for each in one.queues.values()} for one in state.trials}
    assert of["s1-write-wbt"] == of["s1-write-wbt.2"] == {"0"} and of["s1-write"] == of["s1-write-bitmap.2"] == before
    assert sum(one.role == "bitmap" and not one.error for one in state.steps) == 4
    assert "## Explained" in raidtui("report", newest().name)


@pytest.mark.usefixtures("nothing_left")
def test_after_a_kill_the_settings_are_put_back_by_clean(ablation: Path) -> None:
    before = throttled()
    path = start(ablation)
    state = wait_for(path, measuring("s1-write-wbt"))
    assert state.worker and throttled() == {"0"}
    os.kill(state.worker.pid, signal.SIGKILL)
    raidtui("clean", path.name, typed=f"{directory.read_plan(path).code}\n")
    assert throttled() == before and not wait_for(path, ended).settings


def test_the_kernel_tells_of_a_disk_that_is_gone() -> None:
    disk = disks_of(read_machine())[0]
    log = KernelLog()
    assert not log.why_not and log.read() == []
    state = Path(f"/sys/block/{disk.name}/device/state")
    node = os.open(disk.path, os.O_RDONLY)  # before: an offline disk cannot be opened, and nothing is said of that
    state.write_text("offline\n")
    try:
        with pytest.raises(OSError, match="Input/output"):
            os.pread(node, 4096, disk.size_bytes // 2)
    finally:
        state.write_text("running\n")
        os.close(node)
    found = kernel.messages(log.read(), {disk.name})
    log.close()
    assert {one.kind for one in found} & {"I/O error", "offline"}, found
