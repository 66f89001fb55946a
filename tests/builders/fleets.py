"""Run folders of many hosts, made of one that was recorded: RAID 0 of 24 disks, each of them measured alone.

    python -m tests.builders.fleets FOLDER HOSTS

Hosts differ by 1 % and disks by 2 % by chance; one disk is slow everywhere, one host on the whole, one firmware a
little, one run failed.
"""

import random
import sys
from pathlib import Path

import msgspec
from msgspec.structs import replace

from raidtui.core.answer.capacities import capacity_of
from raidtui.core.fio.measurement import Direction, DiskRates, Measurement
from raidtui.core.plan import model
from raidtui.core.plan.model import Plan, Stage, Trial
from raidtui.core.run import events, journal_lines
from raidtui.core.run.events import AnyEvent
from raidtui.runs.directory import JOURNAL, PLAN
from tests.recordings.reports import kept

SIZE_BYTES = 8_001_563_222_016
MODEL, FIRMWARE, OTHER_FIRMWARE = "ST8000NM000A", "SN02", "SN01"
SLOW_DISK = (2, 3)  # host, member
SLOW_HOST, FAILED_HOST = 6, 5
_SLOW, _SLOW_HOST, _FIRMWARE = 0.70, 0.75, 0.94


class Recorded(msgspec.Struct):
    """The run that all are made of."""

    plan: Plan
    events: tuple[AnyEvent, ...]


def recorded() -> Recorded:
    plan, _ = kept.load("raid0-gain")
    found = journal_lines.read(kept.journal("raid0-gain"))[0]
    return Recorded(plan, tuple(one for one in found if not isinstance(one, events.Unknown | events.Damaged)))


def name(host: int) -> str:
    return f"node{host:03}"


def serial(host: int, member: int) -> str:
    return f"ZR{host:03}{member:02}"


def write(folder: Path, hosts: int, source: Recorded | None = None) -> None:
    """A folder a host below `folder`, with one run each."""
    source = source or recorded()
    for host in range(hosts):
        plan, journal = _of_host(source, host)
        run = folder / name(host) / f"20261120T{host // 60:02}{host % 60:02}00Z-{host:04x}"
        run.mkdir(parents=True)
        (run / PLAN).write_bytes(model.encode(plan))
        (run / JOURNAL).write_bytes(b"".join(map(journal_lines.encode, journal)))


def _of_host(source: Recorded, host: int) -> tuple[Plan, list[AnyEvent]]:
    chance = random.Random(host)
    firmwares = [OTHER_FIRMWARE if host % 4 == 0 else FIRMWARE for _ in source.plan.members]
    whole = chance.gauss(1, 0.01) * (_SLOW_HOST if host == SLOW_HOST else 1.0)
    speeds = [
        chance.gauss(1, 0.02)
        * (_SLOW if (host, member) == SLOW_DISK else 1.0)
        * (_FIRMWARE if firmware == OTHER_FIRMWARE else 1.0)
        for member, firmware in enumerate(firmwares)
    ]
    members = tuple(
        replace(
            disk, serial=serial(host, member), model=MODEL, firmware=firmware, slot=f"0:{member}", size_bytes=SIZE_BYTES
        )
        for member, (disk, firmware) in enumerate(zip(source.plan.members, firmwares, strict=True))
    )
    plan = replace(source.plan, members=members, machine=f"{host:016x}")
    stages = [_with_capacity(plan, stage) for stage in plan.stages]
    plan = replace(plan, stages=tuple(stages))
    ids = {disk.id: speed for disk, speed in zip(members, speeds, strict=True)}
    trials = {trial.id: trial for trial in plan.trials}
    journal = [_event(event, host, trials, speeds, ids, whole) for event in source.events]
    return plan, [event for event in journal if event is not None]


def _with_capacity(plan: Plan, stage: Stage) -> Stage:
    """The stage with what its array holds on disks of this size."""
    holds = stage.array and stage.setup and capacity_of(plan, stage.setup)
    if not stage.array or not holds:
        return stage
    return replace(stage, array=replace(stage.array, capacity=holds))


def _event(
    event: AnyEvent, host: int, trials: dict[str, Trial], speeds: list[float], ids: dict[str, float], whole: float
) -> AnyEvent | None:
    if isinstance(event, events.WorkerStarted):
        return replace(event, host=name(host))
    if isinstance(event, events.RunEnded) and host == FAILED_HOST:
        return replace(event, outcome="failed", reason="mdadm --create failed")
    if not isinstance(event, events.TrialEnded):
        return event
    trial = trials[event.trial]
    if host == FAILED_HOST and trial.target == "array":
        return None
    together = min(speeds) if trial.target == "array" else sum(speeds) / len(speeds)
    factor = whole * (speeds[trial.member] if trial.member is not None else together)
    return replace(event, measurement=_scaled(event.measurement, factor, ids, whole))


def _scaled(told: Measurement, factor: float, ids: dict[str, float], whole: float) -> Measurement:
    disks = {id_: _rates(rates, whole * ids.get(id_, 1.0)) for id_, rates in told.disks.items()}
    return replace(told, read=_way(told.read, factor), write=_way(told.write, factor), disks=disks)


def _way(way: Direction | None, factor: float) -> Direction | None:
    if way is None:
        return None
    counted = way.counted_iops and way.counted_iops * factor
    faster = {"iops": way.iops * factor, "bytes_per_s": way.bytes_per_s * factor, "counted_iops": counted}
    return replace(way, io_bytes=int(way.io_bytes * factor), **faster)


def _rates(rates: DiskRates, factor: float) -> DiskRates:
    reads, writes = ((many and many * factor) for many in (rates.reads_per_s, rates.writes_per_s))
    moved = {"read_bytes_per_s": rates.read_bytes_per_s * factor, "write_bytes_per_s": rates.write_bytes_per_s * factor}
    return replace(rates, reads_per_s=reads, writes_per_s=writes, **moved)


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]))
