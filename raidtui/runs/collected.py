"""Collected run directories below a folder, read only: their content is untrusted."""

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from raidtui.core.fleet.fleet import Fleet, fleet_of
from raidtui.core.fleet.host_run import HostRun, host_run
from raidtui.core.run import samples
from raidtui.core.run.samples import Header, Sample
from raidtui.core.text import brief, clean
from raidtui.runs import directory
from raidtui.system.files import trusted

_MOST_SAMPLES_BYTES = 4 << 30
_MANY_RUNS = 16  # runs, from which on processes pay
_MOST_PROCESSES, _CHUNK = 8, 4


def fleet(folder: Path) -> Fleet:
    """ValueError if empty. Unreadable runs are named; runs of care are skipped."""
    if not folder.is_dir():
        raise ValueError(f"{folder}: no such directory")
    folders = list(run_folders(folder))
    runs_read = [*_read_each(_Reader(folder), folders)]
    runs = [run for run in runs_read if isinstance(run, HostRun)]
    not_read = [reason for reason in runs_read if isinstance(reason, str)]
    if not runs and not not_read:
        raise ValueError(f"{folder}: no run is in there; a run's folder holds plan.json and journal.jsonl")
    return fleet_of(runs, not_read)


class _Reader:
    """A run, the reason why it is unreadable, or None if it measures nothing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, path: Path) -> HostRun | str | None:
        try:
            plan = directory.read_plan(path)
            if plan.care:
                return None
            place = path.relative_to(self._folder)
            state = directory.read_state(path)
            return host_run(plan, state, clean(path.name), clean(str(place)), _host_of(self._folder, place))
        except (directory.NoSuchRun, OSError, ValueError) as error:
            return brief(error)


def _read_each(reader: _Reader, folders: Sequence[Path]) -> Iterable[HostRun | str | None]:
    """In order; in processes if many, as each takes up to 0.1 s."""
    if len(folders) < _MANY_RUNS:
        return map(reader, folders)
    with ProcessPoolExecutor(min(os.cpu_count() or 1, _MOST_PROCESSES)) as pool:
        return list(pool.map(reader, folders, chunksize=_CHUNK))


def run_folders(folder: Path) -> Iterator[Path]:
    """Folders with a plan at any depth, by name; no links, nothing inside of runs."""
    for parent, inner, files in os.walk(folder):
        if directory.PLAN in files:
            inner.clear()
            yield Path(parent)
        inner.sort()


def _host_of(folder: Path, place: Path) -> str:
    folders_above = place.parts[:-1]
    return clean(folders_above[0] if folders_above else folder.resolve().name)


def all_samples(path: Path) -> tuple[Header, tuple[Sample, ...]]:
    """ValueError if missing or unreadable. A torn last sample (running run) is left out."""
    file = path / directory.SAMPLES
    try:
        sample_bytes = trusted.read(file, _MOST_SAMPLES_BYTES)
    except FileNotFoundError:
        raise ValueError(f"{path.name} has no samples yet: {file} is not there") from None
    header, start = samples.decode_header(sample_bytes)
    width = header.record_bytes
    records = (sample_bytes[at : at + width] for at in range(start, len(sample_bytes) - width + 1, width))
    return header, tuple(samples.decode(record) for record in records)
