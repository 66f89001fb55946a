"""Recorded runs, drawn out to a day, or carried on at their own pace.

`python -m tests.replay RECORDING TARGET TRIAL [DISKS]` carries a recording on from a trial as if its worker were at
work now, with so many disks: what the bench looks at. Figures are the recorded ones; only times and the worker's
process are this one's.
"""

import os
import struct
import sys
import time
from collections.abc import Iterator
from itertools import accumulate, cycle, islice, pairwise
from pathlib import Path

import msgspec
from msgspec.structs import replace

from raidtui.core.plan import model
from raidtui.core.report.context import RunContext
from raidtui.core.run import events, journal_lines, samples
from raidtui.core.run.events import AnyEvent
from raidtui.core.run.samples import Counters, Sample
from raidtui.demo.recording import Recording, load
from raidtui.runs.directory import JOURNAL, PLAN, SAMPLES
from raidtui.system import block

RUNS = Path(__file__).parent / "recordings" / "runs"


def recorded(name: str) -> RunContext:
    """A recorded run, as it was in the end."""
    view = load(RUNS / name).view()
    return RunContext(view.plan, view.state)


def draw_out(recording: Recording, target: Path, seconds: int) -> None:
    """Write a run of so many seconds, going on, that ends now: the recording's own events and steps, repeated."""
    began_s = time.time() - seconds
    first, last = recording.events[0].at_s, recording.events[-1].at_s
    target.mkdir(parents=True)
    (target / PLAN).write_bytes(model.encode(recording.plan))
    with (target / JOURNAL).open("wb") as journal:
        for repetition in range(1 + int(seconds / (last - first))):
            shift_s = began_s + repetition * (last - first) - first
            for event in recording.events[1 if repetition else 0 :]:
                if event.at_s + shift_s <= began_s + seconds and not isinstance(event, events.RunEnded):
                    journal.write(journal_lines.encode(_as_of_now(event, shift_s)))
    numbers = [_numbers(step) for step in _steps(recording.samples)]
    with (target / SAMPLES).open("wb") as file:
        file.write(samples.encode_header(recording.header))
        width = len(numbers[0])
        totals = accumulate(islice(cycle(numbers), seconds), _sum)
        for second, counters in enumerate(totals):
            wall_ns = int((began_s + second) * 1e9)
            file.write(struct.pack(f"<{2 + width}Q", wall_ns, second * 10**9, *counters))


def of_disks(recording: Recording, count: int) -> Recording:
    """The same run with more disks: its own several times over, under names that nothing is built of."""
    plan, slots = recording.plan, recording.header.slots
    many = len(plan.members)
    members = tuple(
        plan.members[number]
        if number < many
        else replace(plan.members[number % many], id=f"wwn-{number}", name=f"sd{number}")
        for number in range(count)
    )
    places = [slots.index(plan.members[number % many].id) for number in range(count)]
    rest = [place for place, slot in enumerate(slots) if slot not in {member.id for member in plan.members}]
    header = replace(recording.header, slots=(*(member.id for member in members), *(slots[place] for place in rest)))
    counted = tuple(
        replace(sample, counters=tuple(sample.counters[place] for place in (*places, *rest)))
        for sample in recording.samples
    )
    return Recording(replace(plan, members=members), recording.events, header, counted)


def carry_on(recording: Recording, target: Path, trial: str) -> None:
    """Write the run into `target` as far as `trial`, then at its own pace, a sample a second, until killed.

    Of the recorded seconds only those are taken, over and over, in which every device moved: all rates change.
    """
    begun = next(i for i, e in enumerate(recording.events) if isinstance(e, events.TrialStarted) and e.trial == trial)
    began_s = time.time()
    shift_s = began_s - recording.events[begun].at_s
    past, rest = recording.events[: begun + 1], recording.events[begun + 1 :]
    waiting = [_as_of_now(event, shift_s) for event in rest if not isinstance(event, events.RunEnded)]
    steps = [_numbers(step) for step in _steps(recording.samples)]
    transferred = slice(0, None, samples.FIELDS), slice(1, None, samples.FIELDS)
    busy = [step for step in steps if all(a + b for a, b in zip(*(step[one] for one in transferred), strict=True))]
    target.mkdir(parents=True, exist_ok=True)
    (target / PLAN).write_bytes(model.encode(recording.plan))
    with (target / JOURNAL).open("wb", buffering=0) as journal, (target / SAMPLES).open("wb", buffering=0) as file:
        journal.write(b"".join(journal_lines.encode(_as_of_now(event, shift_s)) for event in past))
        file.write(samples.encode_header(recording.header))
        totals = accumulate(cycle(busy), _sum)
        for second, counters in enumerate(totals, 1):
            while waiting and waiting[0].at_s <= time.time():
                journal.write(journal_lines.encode(waiting.pop(0)))
            file.write(struct.pack(f"<{2 + len(counters)}Q", time.time_ns(), time.monotonic_ns(), *counters))
            time.sleep(max(0.0, began_s + second * recording.header.interval_s - time.time()))


def _as_of_now(event: AnyEvent, shift_s: float) -> AnyEvent:
    """The event at another time, and a worker's start as this process's, in this boot."""
    event = replace(event, at_s=event.at_s + shift_s)
    if isinstance(event, events.WorkerStarted):
        pid = os.getpid()
        return replace(event, pid=pid, boot_id=block.boot_id(), start_ticks=block.start_ticks(pid) or 0)
    return event


def _steps(records: tuple[Sample, ...]) -> Iterator[tuple[Counters, ...]]:
    """What each recorded second added to every device's counters."""
    for older, newer in pairwise(records):
        yield tuple(_between(a, b) for a, b in zip(older.counters, newer.counters, strict=True))


def _between(a: Counters | None, b: Counters | None) -> Counters:
    if a is None or b is None:
        return Counters(*[0] * 10)
    numbers = zip(msgspec.structs.astuple(a), msgspec.structs.astuple(b), strict=True)
    return Counters(*(None if x is None or y is None else max(0, y - x) for x, y in numbers))  # type: ignore[arg-type]


def _numbers(step: tuple[Counters, ...]) -> list[int]:
    """Those that a record holds."""
    numbers = (number for counters in step for number in msgspec.structs.astuple(counters))
    return [samples.ABSENT if number is None else number for number in numbers]


def _sum(a: list[int], b: list[int]) -> list[int]:
    return [x if x == samples.ABSENT else x + y for x, y in zip(a, b, strict=True)]


if __name__ == "__main__":
    recording = load(Path(sys.argv[1]))
    disks = int(sys.argv[4]) if len(sys.argv) > 4 else len(recording.plan.members)
    carry_on(of_disks(recording, disks), Path(sys.argv[2]), sys.argv[3])
