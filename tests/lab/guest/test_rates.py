"""A run's samples held against iostat, by counters of devices that stand still."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from raidtui.core.disks.verdicts import disks_of
from raidtui.core.run import events, journal_lines, samples
from raidtui.runs import directory
from raidtui.runs.follow import Follower
from raidtui.system.discovery import read_machine
from tests.lab.guest.brief_runs import (
    READ,
    WRITE,
    end_test,
    ended,
    measuring,
    raidtui,
    start,
    wait_for,
    write_answers,
    write_recipe,
)
from tests.lab.guest.disk_states import until

RACK = dict(disks=3, size_mib=128, mbps=94)
MOVES = {"write": 6, "read": 2}  # test, and where /sys/block/*/stat has its sectors
COUNTED = ("kB_read", "kB_wrtn", "r_await", "w_await")
ROUNDED = 0.006  # iostat prints two decimals

pytestmark = pytest.mark.usefixtures("nothing_left")


def test_samples_are_what_iostat_tells_since_boot(config: Path) -> None:
    """RAID 5 of three disks: bytes to the kB, waits to a hundredth of a ms, rates and queues between those of iostat
    before and after the sample. fio stands still meanwhile: who looks at which moment does not matter.
    """
    endless = ({**job, "fio": job["fio"] | {"runtime": "1h", "rate": "1g"}} for job in (WRITE, READ))
    recipe = write_recipe(config, *endless, baseline="none")
    path = start(write_answers(config, recipe, {"level": "5", "filesystem": "none", "first_sync": "skip"}))
    looks = {}
    for trial, field in MOVES.items():
        wait_for(path, measuring(f"s1-{trial}"))
        until_it_moves(field)
        with fio_standing():
            looks[trial] = look(path)
        end_test(path)
    assert wait_for(path, ended).left == ()
    journal, _ = journal_lines.read((path / directory.JOURNAL).read_bytes())
    built = next(event for event in journal if isinstance(event, events.ArrayBuilt))
    nodes = {disk.id: disk.name for disk in disks_of(read_machine())} | {samples.ARRAY: Path(built.node).name}
    for trial, (before, sample, slots, after) in looks.items():
        boot = samples.Sample(0, 0, (samples.Counters(*[0] * samples.FIELDS),) * len(slots))
        for slot, counted, since in zip(slots, sample.counters, samples.times(boot, sample), strict=True):
            theirs, later = before[nodes[slot]], after[nodes[slot]]
            assert counted is not None and since is not None
            moved = {"write": counted.write_bytes, "read": counted.read_bytes}
            assert (moved["read"] // 1024, moved["write"] // 1024) == (theirs["kB_read"], theirs["kB_wrtn"])
            assert moved[trial] > 2**20, (trial, slot)
            assert (since.read_await_ms or 0.0) == pytest.approx(theirs["r_await"], abs=ROUNDED), slot
            assert (since.write_await_ms or 0.0) == pytest.approx(theirs["w_await"], abs=ROUNDED), slot
            assert since.queue is not None
            for name, ours in {
                "rkB/s": since.rates.read_bytes_per_s / 1024,
                "wkB/s": since.rates.write_bytes_per_s / 1024,
                "r/s": since.rates.reads_per_s,
                "w/s": since.rates.writes_per_s,
                "aqu-sz": since.queue,
            }.items():
                assert later[name] - ROUNDED < ours < theirs[name] + ROUNDED, (trial, slot, name)
    assert "finished" in raidtui("runs")


@contextmanager
def fio_standing() -> Iterator[None]:
    subprocess.run(("pkill", "--signal", "STOP", "--exact", "fio"), check=True)
    try:
        yield
    finally:
        subprocess.run(("pkill", "--signal", "CONT", "--exact", "fio"), check=True)


def look(run: Path) -> tuple[dict[str, Any], samples.Sample, tuple[str, ...], dict[str, Any]]:
    """A sample with its slots, between two looks of iostat between which nothing moved: md goes on for a moment."""
    while True:
        before = iostat()
        begun = newest(run)[0].monotonic_ns
        until(lambda begun=begun: newest(run)[0].monotonic_ns > begun)  # type: ignore[misc]
        sample, slots = newest(run)
        after = iostat()
        if all(row[moved] == after[name][moved] for name, row in before.items() for moved in COUNTED):
            return before, sample, slots, after


def newest(run: Path) -> tuple[samples.Sample, tuple[str, ...]]:
    view = Follower(run).poll()
    assert view is not None and view.history
    return view.history[-1], view.slots


def iostat() -> dict[str, Any]:
    """By device, what there was since boot."""
    rows: dict[str, Any] = {}
    for options in ("-dk", "-dkx"):
        told = subprocess.run(("iostat", options, "-o", "JSON"), check=True, capture_output=True, text=True).stdout
        for row in json.loads(told)["sysstat"]["hosts"][0]["statistics"][0]["disk"]:
            rows[row["disk_device"]] = rows.get(row["disk_device"], {}) | row
    return rows


def until_it_moves(field: int) -> None:
    """Until what a disk has read or written has grown twice: fio takes its time to start."""
    stat = Path("/sys/block/sda/stat")
    for _ in range(2):
        before = stat.read_text().split()[field]
        until(lambda before=before: stat.read_text().split()[field] != before)  # type: ignore[misc]
