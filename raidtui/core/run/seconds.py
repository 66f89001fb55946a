"""A run per second, for other programs: rates by device (`samples.rates`), running test."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from raidtui.core.run.samples import Header, Sample, rates
from raidtui.core.run.state import RunState


class Second(msgspec.Struct, frozen=True, kw_only=True):
    """`at_s`: end, Unix time. `device`: member identity or "array". `trial`: "" between tests."""

    at_s: float
    device: str
    trial: str
    read_bytes_per_s: float
    write_bytes_per_s: float
    reads_per_s: float | None
    writes_per_s: float | None
    util: float


def seconds(header: Header, samples: Sequence[Sample], state: RunState) -> Iterator[Second]:
    trials = [trial for trial in state.trials if trial.ended_at_s is not None]
    running = [trial for trial in state.trials if trial.ended_at_s is None]
    at = 0
    for older, newer in pairwise(samples):
        now_s = newer.wall_ns / 1e9
        while at < len(trials) and (trials[at].ended_at_s or 0.0) < now_s:
            at += 1
        current = trials[at] if at < len(trials) else running[-1] if running else None
        trial = current.trial if current and current.started_at_s <= older.wall_ns / 1e9 else ""
        for device, moved in zip(header.slots, rates(older, newer), strict=True):
            if moved is not None:
                yield Second(
                    at_s=now_s,
                    device=device,
                    trial=trial,
                    read_bytes_per_s=moved.read_bytes_per_s,
                    write_bytes_per_s=moved.write_bytes_per_s,
                    reads_per_s=moved.reads_per_s,
                    writes_per_s=moved.writes_per_s,
                    util=moved.util,
                )
