"""The rates of a run's samples held against iostat's, by the counters that both read."""

import json
import subprocess
import time
from collections.abc import Sequence
from itertools import pairwise
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
INTERVAL_S = 16
COLUMNS = {"write": ("write_bytes", "kB_wrtn"), "read": ("read_bytes", "kB_read")}  # ours, iostat's
WAITS = {"write": ("write_await_ms", "w_await"), "read": ("read_await_ms", "r_await")}
ALIKE = 0.1  # waits and queues within this share of those between samples around iostat's looks
BUSY_NS, OF_BUSY_NS = 10**8, 10**9  # iostat so late is on a busy machine: its clock was then seen 0.8 s off its counts
SECTORS = {"write": 6, "read": 2}  # where /sys/block/*/stat has them

Rows = dict[str, dict[str, Any]]  # of a look, by device

pytestmark = pytest.mark.usefixtures("nothing_left")


def test_rates_and_waits_agree_with_iostat_between_the_same_counts(config: Path) -> None:
    """RAID 5 of three disks of 94 MB/s; per disk and for the array, rates within 1 %, waits and queues within 10 %.

    iostat tells what was counted at its first look and what came until its second one. The samples know between which
    two of them the same counts were reached: who looked at which moment does not matter, but that iostat reads its
    clock and its counts one after the other: on a busy machine up to a second apart. Of waits it tells no
    counts: its looks lie in a span that is as long as it was late, and so do the samples that they are held against.
    """
    endless = ({**job, "fio": job["fio"] | {"runtime": "1h", "rate": "1g"}} for job in (WRITE, READ))
    recipe = write_recipe(config, *endless, baseline="none")
    path = start(write_answers(config, recipe, {"level": "5", "filesystem": "none", "first_sync": "skip"}))
    looks: dict[str, tuple[Rows, Rows, Rows, int, int]] = {}
    for trial in COLUMNS:
        wait_for(path, measuring(f"s1-{trial}"))
        wait_until_it_moves(SECTORS[trial])
        began_ns = time.monotonic_ns()
        of_each, of_waits = iostat("-dk"), iostat("-dkx")
        (first, then), (_, waits) = told(of_each), told(of_waits)
        looks[trial] = first, then, waits, began_ns, time.monotonic_ns()
        wait_until_it_moves(SECTORS[trial])  # so that a sample tells of more
        end_test(path)
    assert wait_for(path, ended).left == ()
    view = Follower(path, history_s=1000).poll()
    assert view is not None
    journal, _ = journal_lines.read((path / directory.JOURNAL).read_bytes())
    built = next(event for event in journal if isinstance(event, events.ArrayBuilt))
    nodes = {disk.id: disk.name for disk in disks_of(read_machine())} | {samples.ARRAY: Path(built.node).name}
    for trial, (first, then, waits, began_ns, ended_ns) in looks.items():
        late_ns = ended_ns - began_ns - INTERVAL_S * 10**9
        spans = [
            samples.times(begun, over)
            for begun in around(view.history, began_ns, began_ns + late_ns)
            for over in around(view.history, ended_ns - late_ns, ended_ns)
        ]
        (ours, theirs), (our_wait, their_wait) = COLUMNS[trial], WAITS[trial]
        for slot, device in nodes.items():
            counters = [(sample.monotonic_ns, sample.counters[view.slots.index(slot)]) for sample in view.history]
            counts = [(at_ns, getattr(counter, ours)) for at_ns, counter in counters if counter is not None]
            interval_bytes = then[device][theirs] * 1024
            began_bytes = first[device][theirs] * 1024
            begun, over = reached(began_bytes, counts), reached(began_bytes + interval_bytes, counts)
            shortest_ns, longest_ns = over[0] - begun[1], over[1] - begun[0]
            their_ns = interval_bytes / (then[device][f"{theirs}/s"] * 1024) * 1e9
            print(f"{trial} {device}: {shortest_ns / 1e9:.2f} to {longest_ns / 1e9:.2f} s, iostat {their_ns / 1e9:.2f}")
            slack_ns = late_ns if late_ns < BUSY_NS else OF_BUSY_NS
            assert 0.99 * shortest_ns - slack_ns < their_ns < 1.01 * longest_ns + slack_ns, (trial, device, late_ns)
            assert longest_ns < 3 * shortest_ns
            for mine, name in ((our_wait, their_wait), ("queue", "aqu-sz")):
                found, other = [getattr(times[view.slots.index(slot)], mine) for times in spans], waits[device][name]
                print(f"{trial} {device}: {name}: raidtui {min(found):.2f} to {max(found):.2f}, iostat {other:.2f}")
                assert (1 - ALIKE) * min(found) - 0.02 < other < (1 + ALIKE) * max(found) + 0.02, (trial, device, name)
    assert "finished" in raidtui("runs")


def iostat(*options: str) -> subprocess.Popen[str]:
    """It at work: a look now, and one that is so many seconds later."""
    return subprocess.Popen(("iostat", *options, "-o", "JSON", str(INTERVAL_S), "2"), stdout=subprocess.PIPE, text=True)


def told(process: subprocess.Popen[str]) -> list[Rows]:
    """What it has said in the end: of each look every device's row."""
    printed, _ = process.communicate()
    return [
        {row["disk_device"]: row for row in look["disk"]}
        for look in json.loads(printed)["sysstat"]["hosts"][0]["statistics"]
    ]


def wait_until_it_moves(field: int) -> None:
    """Until what a disk has read or written has grown twice: fio takes its time to start."""
    stat = Path("/sys/block/sda/stat")
    for _ in range(2):
        before = stat.read_text().split()[field]
        until(lambda before=before: stat.read_text().split()[field] != before)  # type: ignore[misc]


def around(history: Sequence[samples.Sample], from_ns: int, to_ns: int) -> Sequence[samples.Sample]:
    """The samples of this span, the last one before it and the first one after it."""
    first = max(index for index, sample in enumerate(history) if sample.monotonic_ns <= from_ns)
    last = min(index for index, sample in enumerate(history) if sample.monotonic_ns >= to_ns)
    return history[first : last + 1]


def reached(count: int, counts: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Between which moments (ns) a counter stood at `count`: on a busy machine much can come in a part of a second."""
    return next((low[0], high[0]) for low, high in pairwise(counts) if low[1] <= count < high[1])
