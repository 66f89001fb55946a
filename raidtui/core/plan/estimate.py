"""Time and bytes written of a plan, from assumed disk speeds and measured step times. The model is `theory`."""

from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from typing import Literal, NamedTuple

import msgspec

from raidtui.core.disks.identity import Emulator, sync_share
from raidtui.core.fio import job
from raidtui.core.fio.job import FioOptions, directions
from raidtui.core.plan.model import Plan, Stage, steps_of, teardown_of
from raidtui.core.plan.parsed_setup import ParsedSetup
from raidtui.core.plan.steps import Command, Step, Wait, role_of
from raidtui.core.plan.tunables import ENOUGH_STRIPE_CACHE
from raidtui.core.raid.capacity import Capacity
from raidtui.core.raid.disk_kinds import DiskKind
from raidtui.core.raid.filesystems import filesystem
from raidtui.core.raid.levels import Level, copies
from raidtui.core.units import format_duration

Kind = Literal[
    "trial", "sync", "fill", "build", "filesystem", "mount", "look", "setting", "boot", "self-test", "person"
]
Part = Kind | Literal["teardown", "between"]
Times = defaultdict[Part, float]  # seconds

_DIRTY_SHARE = 0.2  # of memory that may be dirty when a buffered job ends: vm.dirty_ratio
# Of the model's parity writes, with a stripe cache of the usual 256 pages, where the kernel does not throttle writes:
# measured 394 of 470 MB/s on RAID 5 of six disks, 340 of 379 on RAID 6.
_PARTIAL_STRIPES = 0.85


class Cost(NamedTuple):
    """A step besides its work: `own_s`, plus `starts` (and `starts_each` per member) times the run time of a short
    program here; `gap_before`: between the previous step and it.
    """

    kind: Kind
    own_s: float = 0.0
    starts: float = 1.0
    starts_each: float = 0.0
    gap_before: float = 0.1


# Medians of runs on kernels where `fio --version` took 0.3 to 1 s, in which all but `own_s` grew with it; that is what
# a fast machine still takes: disks that are written to, fio's own start and end.
_COSTS: dict[str, Cost] = {
    "measure": Cost("trial", 0.6, 2.0),
    "fill": Cost("fill", 1.5, 3.0),
    "sync-finished": Cost("sync", 1.0, 0.0),
    "create": Cost("build", 1.0, 2.5, 0.1),
    "stop": Cost("build", 0.1),
    "fail": Cost("build", 0.1),
    "take-out": Cost("build", 0.5),
    "add": Cost("build", 0.5, 2.0),
    "rebuild-began": Cost("build", 1.0, 0.0),
    "rebuild-alone": Cost("sync", 0.0, 0.0),
    "check-ended": Cost("sync", 1.0, 0.0),
    "rebuild-ended": Cost("sync", 1.0, 0.0),
    "growth-ended": Cost("sync", 1.0, 0.0),
    "power-cut": Cost("person", 0.0, 0.0),
    "acknowledged": Cost("look", 0.0, 0.0),
    "short-self-tests-ended": Cost("self-test"),
    "long-self-tests-ended": Cost("self-test"),
    "zero": Cost("build", 0.0, 0.7, gap_before=1.3),
    "wipe": Cost("build", 0.0, 0.7, gap_before=0.2),
    "partition": Cost("build", 0.3, 3.0),
    "bitmap": Cost("setting", 0.1, 2.0),
    "reshape": Cost("build", 0.5, 2.0),
    "grow-filesystem": Cost("filesystem"),
    "pvcreate": Cost("filesystem"),
    "vgcreate": Cost("filesystem"),
    "lvcreate": Cost("filesystem"),
    "encrypt": Cost("person", 0.0, 0.0),
    "unlock": Cost("person", 0.0, 0.0),
    "container-aligned": Cost("look"),
    "create-pool": Cost("build", 0.5, 3.0, 0.5),
    "destroy-pool": Cost("build", 0.5, 2.0),
    "clear-label": Cost("build", 0.0, 0.7, gap_before=1.3),
    "pool-made": Cost("look", 0.0, 5.0),
    "mkfs": Cost("filesystem"),  # and what its file system takes
    "mount": Cost("mount", 0.0, 1.0, gap_before=1.0),
    "unmount": Cost("mount", 0.0, 1.6),
    "settled": Cost("look", 0.0, 1.0, 0.45),
    "array-built": Cost("look", 0.0, 0.15),
    "groups-built": Cost("look", 0.0, 0.3),
    "copies-agree": Cost("look", 0.0, 0.0),
    "geometry": Cost("look"),
    "mounted": Cost("look", 0.0, 0.05),
    "volume-aligned": Cost("look"),
    "members-free": Cost("look", 0.0, 2.2, 0.12),
    "members-blank": Cost("look", 0.0, 0.0, 1.0),
    "partitions-own": Cost("look", 0.0, 0.0, 0.1),
    "target-same": Cost("look", 0.0, 2.0, 0.1),
    "sync-caches": Cost("setting", 0.0, 0.8),
    "set": Cost("setting", 0.0, 0.2),
    "put-back": Cost("setting", 0.0, 0.2),
    "edit": Cost("boot"),
    "initramfs": Cost("boot"),
    "initramfs-holds": Cost("boot"),
    "assemble": Cost("boot"),
    "deactivate": Cost("boot"),
    "lock": Cost("boot"),
    "activate": Cost("boot"),
    "reload": Cost("boot"),
    "enable": Cost("boot"),
    "test-mail": Cost("boot"),
    "header-backup": Cost("boot"),
    "make-folder": Cost("boot"),
    "place-free": Cost("boot"),
    "came-back": Cost("boot"),
    "boot-mounts": Cost("boot"),
    "own-mounted": Cost("boot"),
}
_OTHER_COST = Cost("build")


class DiskSpeed(msgspec.Struct, frozen=True):
    """One disk: bytes/s, IOPS; memory of the machine in bytes (0: unknown)."""

    bytes_per_s: float
    iops: float
    memory_bytes: int = 0


class Work(msgspec.Struct, frozen=True):
    """One trial: duration, and bytes of all its jobs before parity and copies."""

    duration_s: float
    written_bytes: float


NO_WORK = Work(0.0, 0.0)


def assumed(kind: DiskKind, memory_bytes: int = 0, bytes_per_s: float = 0.0, iops: float = 0.0) -> DiskSpeed:
    """Default speed of this kind of disk where a value is 0."""
    return DiskSpeed(bytes_per_s or kind.bytes_per_s, iops or kind.iops, memory_bytes)


def work_of(
    options: FioOptions, cell: ParsedSetup | None, disks: int, span_bytes: int, speed: DiskSpeed, queue: int = 0
) -> Work:
    """One job on a cell (None: on bare disks). `span_bytes`: of all its jobs together. The job ends by time, or by size
    before; after its time fio waits for the `queue` of outstanding requests. With an offered rate it writes that.
    """
    reading, writing = _rates(options, cell, disks, speed)
    directions_used = directions(str(options.get("rw", "read")))
    share = ("write" in directions_used) / len(directions_used)
    rate = 1 / ((1 - share) / reading + share / writing)
    by_size = span_bytes / rate
    runtime = job.seconds(options, "runtime")
    by_time = options.get("time_based") or 0 < runtime < by_size
    lasts = runtime + queue * job.block_bytes(options) / rate if by_time else by_size
    lasts += job.seconds(options, "ramp_time")
    verified = options.get("verify") and options.get("do_verify", True) and "write" in directions_used
    offered = (job.rate_percent(options) or 100) / 100 if by_time else 1.0
    written_bytes = rate * share * lasts * offered
    if written_bytes and options.get("end_fsync") and not options.get("direct"):
        lasts += min(written_bytes, span_bytes, _DIRTY_SHARE * speed.memory_bytes) / rate
    return Work(lasts + (written_bytes / reading if verified else 0.0), written_bytes)


def mkfs_work(cell: ParsedSetup | None, disks: int, device_bytes: int, speed: DiskSpeed, kind: str = "") -> Work:
    """Inode tables, journal or log, which mkfs writes: to all members. `kind`: where there is no cell."""
    own_bytes = filesystem(cell.setup.filesystem if cell else kind).own_bytes(device_bytes)
    work = work_of({"rw": "write", "bs": "1m"}, cell, disks, own_bytes, speed)
    return Work(work.duration_s, written_of(cell, disks, own_bytes))


def _rates(options: FioOptions, cell: ParsedSetup | None, disks: int, speed: DiskSpeed) -> tuple[float, float]:
    from raidtui.core.raid import theory  # late: a worker, which has its plan, estimates nothing

    on_md = cell is not None and cell.level.md_name is not None
    key = cell.level.key if cell and on_md else "jbod"
    model = theory.predict(
        key,
        disks,
        speed.bytes_per_s,
        speed.iops,
        layout=cell.layout if cell and on_md else None,
        groups=cell.setup.groups if cell and on_md else 1,
    )
    partial = cell and on_md and cell.level.parity_disks and cell.setup.stripe_cache_size < ENOUGH_STRIPE_CACHE
    writing = model.seq_write_bytes_per_s * (_PARTIAL_STRIPES if partial else 1.0)
    if cell and cell.setup.journals:  # to which all of it goes first, parity too; taken for as fast as the others
        writing = min(writing, theory.journalled_bytes_per_s(key, disks, speed.bytes_per_s))
    if job.is_sequential(str(options.get("rw", "read"))):
        return model.seq_read_bytes_per_s, writing
    block = job.block_bytes(options)
    # Small transfers are bound by operations, large ones by the disks' speed.
    return (
        min(model.rand_read_iops * block, model.seq_read_bytes_per_s),
        min(model.rand_write_iops * block, writing),
    )


def written_of(cell: ParsedSetup | None, disks: int, user_bytes: float, random_bytes: int = 0) -> int:
    """Bytes written to all members for `user_bytes`, parity of full stripes included, or of requests of `random_bytes`;
    a journal counts once more.
    """
    if cell is None:
        return int(user_bytes)
    stored = copies(cell.level.key, cell.layout, disks)
    parities = cell.level.parity_disks
    with_each = 1 / (disks // cell.setup.groups - parities)  # so much of a parity is written for a byte of data
    if random_bytes and cell.chunk_bytes:
        with_each = max(with_each, min(1.0, cell.chunk_bytes / random_bytes))
    return int(user_bytes * stored * (1 + parities * with_each) * (1 + cell.setup.journals))


def first_sync_s(row: Level, holds: Capacity, speed: DiskSpeed, emulators: Set[Emulator]) -> float:
    """Idle array: each disk read or written once. A run that waits lifts md's speed limit."""
    return holds.member_used_bytes / (sync_share(emulators, parity=bool(row.parity_disks)) * speed.bytes_per_s)


def sync_bytes(row: Level, layout: str, disks: int, holds: Capacity) -> int:
    """Initial resync: every copy but the first, each parity, of all groups."""
    if holds.outer:
        return int(holds.member_used_bytes * row.parity_disks * holds.outer.groups)
    redundant = row.parity_disks or disks * (1 - 1 / copies(row.key, layout or None, disks))
    return int(holds.member_used_bytes * redundant)


class Doing(NamedTuple):
    role: str
    filesystem: str = ""
    names_members: bool = False


def kind_of(role: str) -> Kind:
    return _COSTS.get(role, _OTHER_COST).kind


def besides_s(doing: Doing, members: int, command_s: float) -> float:
    """Seconds besides its work (fio's run time, resync) if a short program takes `command_s`."""
    cost = _cost(doing)
    return cost.own_s + (cost.starts + cost.starts_each * members) * command_s


def between_s(doing: Doing, members: int, command_s: float) -> float:
    """Seconds before a step: journal, identity checks; all of the latter before writes to bare disks."""
    look_cost = _COSTS["members-free"]
    bare = doing.names_members and doing.role in ("fill", "measure")
    looks_s = look_cost.starts + look_cost.starts_each * members if bare else 0.0
    return (_cost(doing).gap_before + looks_s) * command_s


def _cost(doing: Doing) -> Cost:
    cost = _COSTS.get(doing.role, _OTHER_COST)
    if doing.role != "mkfs" or not doing.filesystem:
        return cost
    return cost._replace(**filesystem(doing.filesystem).mkfs_time._asdict())


def stages(plan: Plan) -> tuple[Times, ...]:
    return tuple(by_part(_planned(plan, number)) for number in range(len(plan.stages)))


def whole(plan: Plan) -> Times:
    return by_part(pair for times in stages(plan) for pair in times.items())


def one_block_s(plan: Plan) -> float:
    return sum(sum(times.values()) for stage, times in zip(plan.stages, stages(plan), strict=True) if stage.block <= 1)


def _planned(plan: Plan, number: int) -> Iterator[tuple[Part, float]]:
    """(part, seconds) of each step of a stage, then of its teardown."""
    expected = {trial.id: trial.expected_s for trial in plan.stages[number].trials}
    members = len(plan.members)
    for step in steps_of(plan, number):
        work_s = expected[step.trial] if isinstance(step, Command) and step.trial else _work_s(step)
        doing = doing_of(plan, number, step)
        yield "between", between_s(doing, members, plan.command_s)
        yield kind_of(doing.role), work_s + besides_s(doing, members, plan.command_s)
    for step in teardown_of(plan, number):
        doing = doing_of(plan, number, step)
        yield "between", between_s(doing, members, plan.command_s)
        yield "teardown", _work_s(step) + besides_s(doing, members, plan.command_s)


def _work_s(step: Step) -> float:
    return step.estimate_s if isinstance(step, Command | Wait) else 0.0


def by_part(pairs: Iterator[tuple[Part, float]] | Sequence[tuple[Part, float]]) -> Times:
    times: Times = defaultdict(float)
    for part, seconds in pairs:
        times[part] += seconds
    return times


def doing_of(plan: Plan, number: int, step: Step) -> Doing:
    return Doing(role_of(step), filesystem_of(plan, number), isinstance(step, Command) and bool(step.members))


def filesystem_of(plan: Plan, number: int) -> str:
    filesystem = plan.stages[number].filesystem if 0 <= number < len(plan.stages) else None
    return filesystem.kind if filesystem else ""


def sync_notes(
    cells: Sequence[ParsedSetup], stages: Sequence[Stage], speed: DiskSpeed, emulators: Set[Emulator]
) -> list[str]:
    """Skipped initial resyncs: duration saved, and why results hold without them."""
    skipped = {cell.setup: cell.level for cell in cells if cell.level.has_sync and cell.setup.first_sync == "skip"}
    if not skipped:
        return []
    arrays = {
        stage.array.uuid: first_sync_s(skipped[stage.setup], stage.array.capacity, speed, emulators)
        for stage in stages
        if stage.array and stage.setup in skipped
    }
    why = ["copies are read and written the same"] if any(not row.parity_disks for row in skipped.values()) else []
    if any(row.parity_disks for row in skipped.values()):
        why.append("a write reads and writes the same blocks whether parity is valid or not (it is not)")
    of_arrays = "" if len(arrays) == 1 else f" of {len(arrays)} arrays"
    duration = format_duration(sum(arrays.values()))
    return [f"Initial resync{of_arrays} skipped ({duration}). Results are valid without it: {', and '.join(why)}."]
