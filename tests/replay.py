"""Replays a recorded run into a run directory at its own pace: what the bench and the pictures are fed with.

`python -m tests.replay RECORDING TARGET [SPEED]`: the journal's events and the samples appear when they once did,
shifted to now; the samples are repeated from the start when they run out. The replay poses as the run's worker.
"""

import os
import sys
import time
from pathlib import Path

import msgspec

from raidtui.core import events, samples
from raidtui.core.samples import Counters, Sample
from raidtui.runs.directory import JOURNAL, PLAN, SAMPLES
from raidtui.system import block


def load(recording: Path) -> tuple[list[events.AnyEvent], samples.Header, list[Sample]]:
    """Events and samples of a recorded run."""
    found, _ = events.read((recording / JOURNAL).read_bytes())
    data = (recording / SAMPLES).read_bytes()
    header, start = samples.decode_header(data)
    width = samples.record_bytes(len(header.slots))
    records = [samples.decode(data[i : i + width]) for i in range(start, len(data) - width + 1, width)]
    return [event for event in found if not isinstance(event, events.Unknown)], header, records


def shifted(event: events.AnyEvent, seconds: float) -> events.AnyEvent:
    """The event at another time, as of this process and boot."""
    event = msgspec.structs.replace(event, at_s=event.at_s + seconds)
    if isinstance(event, events.WorkerStarted):
        own = {"pid": os.getpid(), "boot_id": block.boot_id(), "start_ticks": block.start_ticks(os.getpid()) or 0}
        return msgspec.structs.replace(event, **own)
    return event


def endless(records: list[Sample]) -> "list[Sample]":
    """The recorded samples as steps between neighbours: counters of each second, to be added up for ever."""
    steps = []
    for older, newer in zip(records, records[1:], strict=False):
        pairs = zip(older.counters, newer.counters, strict=True)
        steps.append(Sample(newer.wall_ns - older.wall_ns, newer.monotonic_ns - older.monotonic_ns, tuple(
            _between(a, b) for a, b in pairs
        )))  # fmt: skip
    return steps


def _between(a: Counters | None, b: Counters | None) -> Counters | None:
    if b is None or a is None:
        return b
    numbers = zip(msgspec.structs.astuple(a), msgspec.structs.astuple(b), strict=True)
    return Counters(*(max(0, y - x) for x, y in numbers))


def added(total: Sample, step: Sample) -> Sample:
    """`total` one recorded second later."""
    counters = tuple(
        b if a is None else a if b is None else Counters(*map(sum, zip(
            msgspec.structs.astuple(a), msgspec.structs.astuple(b), strict=True
        )))
        for a, b in zip(total.counters, step.counters, strict=True)
    )  # fmt: skip
    return Sample(total.wall_ns + step.wall_ns, total.monotonic_ns + step.monotonic_ns, counters)


def replay(recording: Path, target: Path, from_trial: str | None = None) -> None:
    """Write the run anew into `target`, a sample a second; runs until it is killed."""
    found, header, records = load(recording)
    first = next((i for i, e in enumerate(found) if isinstance(e, events.TrialStarted) and e.trial == from_trial), 0)
    target.mkdir(parents=True, exist_ok=True, mode=0o700)
    (target / PLAN).write_bytes((recording / PLAN).read_bytes())
    began = time.time()
    shift = began - found[first].at_s
    start = next((i for i, s in enumerate(records) if s.wall_ns / 1e9 >= found[first].at_s), 0)
    steps = endless(records)
    with (target / JOURNAL).open("ab", buffering=0) as journal, (target / SAMPLES).open("ab", buffering=0) as file:
        for event in found[: first + 1]:
            journal.write(events.encode(shifted(event, shift)))
        waiting = [shifted(event, shift) for event in found[first + 1 :] if not isinstance(event, events.RunEnded)]
        file.write(samples.encode_header(header))
        total = Sample(time.time_ns(), time.monotonic_ns(), records[start].counters)
        for index in range(start, 1 << 62):
            while waiting and waiting[0].at_s <= time.time():
                journal.write(events.encode(waiting.pop(0)))
            total = added(total, steps[index % len(steps)])
            total = msgspec.structs.replace(total, wall_ns=time.time_ns(), monotonic_ns=time.monotonic_ns())
            file.write(samples.encode(total))
            time.sleep(max(0.0, began + (index - start + 1) * header.interval_s - time.time()))


if __name__ == "__main__":
    replay(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None)
