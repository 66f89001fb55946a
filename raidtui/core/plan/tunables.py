"""Tunables that may limit an array: one row each, and the arms of an ablation (one test unchanged, and with one suspect
changed at a time, on one array, in blocks). Results are in `core/results/ablation`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from raidtui.core.fio import job as fio_job
from raidtui.core.fio.biases import SYNCHRONOUS
from raidtui.core.fio.job import FioOptions, Job, directions
from raidtui.core.plan.answers import PlanRefused
from raidtui.core.plan.fields import FIELDS, Bitmap, Setup, given_fields
from raidtui.core.plan.parsed_setup import ParsedSetup
from raidtui.core.plan.steps import Command, Step, Write, array_nodes, put_back
from raidtui.core.raid.after_crash import AFTER_CRASH
from raidtui.core.text import brief

BLOCKS = 5  # at a spread of 3 % an effect of 10 % is found in 96 to 98 of 100
QUICK: FioOptions = {"time_based": True, "ramp_time": "2s", "runtime": "5s"}  # as short as a figure can be
ENOUGH_STRIPE_CACHE = 4096  # pages of a member, that a test has instead of fewer
_THREADS = 4
_BUSY_THREAD = 0.3  # of a CPU, from which on more threads of md's may help
_QUEUE_PER_DISK = 4  # requests, that keep nearly every disk at work


class Case(msgspec.Struct, frozen=True):
    """Where a suspect is judged: setup, fio options as run, disks. `existing`: a target, not built."""

    cell: ParsedSetup | None
    options: FioOptions
    disks: int
    existing: bool = False

    @property
    def setup(self) -> Setup:
        return self.cell.setup if self.cell else Setup()

    @property
    def writes(self) -> bool:
        return "write" in directions(str(self.options.get("rw", "read")))

    @property
    def sequential(self) -> bool:
        return fio_job.is_sequential(str(self.options.get("rw", "read")))

    @property
    def buffered(self) -> bool:
        return self.options.get("direct") in (None, False, 0, "0")

    @property
    def queue(self) -> int:
        return fio_job.count(self.options, "iodepth") * fio_job.count(self.options, "numjobs")

    @property
    def parity(self) -> bool:
        return bool(self.cell and self.cell.level.parity_disks and self.cell.level.md_name)


class Recorded(msgspec.Struct, frozen=True):
    """Recorded around a test: array settings, each disk's queue settings, busiest md thread (share of a CPU)."""

    settings: Mapping[str, str]
    queues: tuple[Mapping[str, str], ...] = ()
    thread: float = 0.0
    flash: bool = False
    predicted: bool = False  # the model knows this queue depth


class Tunable(msgspec.Struct, frozen=True):
    """Values that a suspect has: fields of a Setup, fio options, or per-disk measurement."""

    key: str
    cause: str  # blamed
    changed: str  # the test without it
    advice: str
    price: str  # of the advice
    why_not: Callable[[Case], str]  # cannot be changed there; "" if it can
    setup: dict[str, Any] = {}
    fio: Callable[[Case], FioOptions] = lambda case: {}
    disks: bool = False  # no change: each disk measured alone
    ruled_out: Callable[[Recorded], bool] = lambda recorded: False  # by the run's records
    suspected: Callable[[Case, Recorded], str] = lambda case, recorded: ""  # value that raises suspicion, or ""
    unit: str = ""  # of that value
    abbreviates: str = ""  # what `cause` is short for

    @property
    def spelled(self) -> str:
        """`writeback throttling (wbt)`."""
        return f"{self.abbreviates} ({self.cause})" if self.abbreviates else self.cause

    def describe(self, value: str) -> str:
        """`stripe cache (256 pages)`, `write-intent bitmap`."""
        return f"{self.cause} ({value} {self.unit})" if self.unit else self.cause


class Arm(msgspec.Struct, frozen=True):
    """One job in one arm; steps that apply the change before and revert it after."""

    job: Job
    suspect: str = ""  # its key; "" for the unchanged one
    before: tuple[Step, ...] = ()
    after: tuple[Step, ...] = ()


def _wbt(case: Case) -> str:
    """Throttled: writes without REQ_SYNC and REQ_IDLE (direct ones have both). RAID 0 and linear pass them on; other
    levels' own writes lack REQ_IDLE, as buffered ones do. kernel block/blk-wbt.c, wbt_should_throttle;
    drivers/md/raid10.c, raid10_write_one_disk.
    """
    own_writes = case.existing or (case.cell and case.cell.level.md_name and case.cell.level.key not in ("0", "linear"))
    if not case.writes:
        return "it throttles writes, and the test reads"
    if not own_writes and not case.buffered:
        return "direct writes are throttled only where md makes its own"
    return "it is off already" if case.setup.wbt_lat_usec == 0 else ""


def _wbt_is_off(recorded: Recorded) -> bool:
    """By the disks' queues during the test, else when the array was built."""
    of_queues = {queue.get("wbt_lat_usec", "0") for queue in recorded.queues}
    return (of_queues or {recorded.settings.get("wbt_lat_usec", "?")}) == {"0"}


def _wbt_is_on(case: Case, recorded: Recorded) -> str:
    value = recorded.settings.get("wbt_lat_usec", "")
    return value if value.strip("0") else ""


def _kept_by(case: Case, policy: Bitmap) -> str:
    """Why this crash-consistency policy cannot be removed; "" if it can."""
    level = case.cell.level if case.cell else None
    if not (level and level.has_bitmap and level.md_name and case.setup.bitmap == policy):
        return "there is none"
    return "" if case.writes else "it costs writes, and the test reads"


def _stripe_cache(case: Case) -> str:
    if not (case.parity and case.writes):
        return "only writes with parity go through it"
    return "it is that large already" if case.setup.stripe_cache_size >= ENOUGH_STRIPE_CACHE else ""


def _pages(recorded: Recorded) -> int:
    pages = recorded.settings.get("stripe_cache_size", "")
    return int(pages) if pages.isdigit() else 0


def _small_cache(case: Case, recorded: Recorded) -> str:
    pages = _pages(recorded)
    return str(pages) if case.sequential and 0 < pages < ENOUGH_STRIPE_CACHE else ""


def _threads(case: Case) -> str:
    if not (case.parity and case.writes):
        return "only writes with parity have them"
    return "they are as many already" if (case.setup.group_thread_cnt or 0) >= _THREADS else ""


def _queue(case: Case) -> str:
    if case.options.get("ioengine") in SYNCHRONOUS:
        return "this engine of fio's has one request at a time"
    return "it is long enough" if case.queue >= _QUEUE_PER_DISK * case.disks else ""


TUNABLES = {
    row.key: row
    for row in (
        Tunable(
            "disks",
            "slow disk",
            "each disk by itself",
            "check its SMART values, cable and slot; replace it",
            "a rebuild, and a disk",
            lambda case: "they are part of the measured storage" if case.existing else "",
            disks=True,
        ),
        Tunable(
            "stripe-cache",
            "stripe cache",
            f"stripe cache of {ENOUGH_STRIPE_CACHE} pages",
            f"write {ENOUGH_STRIPE_CACHE} to md/stripe_cache_size, after each assembly",
            f"{ENOUGH_STRIPE_CACHE * 4 // 1024} MiB of memory a disk",
            _stripe_cache,
            setup={"stripe_cache_size": ENOUGH_STRIPE_CACHE},
            ruled_out=lambda recorded: _pages(recorded) >= ENOUGH_STRIPE_CACHE,
            suspected=_small_cache,
            unit="pages",
        ),
        Tunable(
            "wbt",
            "wbt",
            "without wbt",
            "write 0 to queue/wbt_lat_usec of each disk (udev rule)",
            "longer latency behind queued writes",
            _wbt,
            setup={"wbt_lat_usec": 0},
            ruled_out=_wbt_is_off,
            suspected=_wbt_is_on,
            unit="µs",
            abbreviates="writeback throttling",
        ),
        Tunable(
            "bitmap",
            "write-intent bitmap",
            "without the bitmap",
            "`mdadm --grow --bitmap=none`, or a bitmap with larger chunks",
            "full resync after a crash",
            lambda case: _kept_by(case, "internal"),
            setup={"bitmap": "none"},
            suspected=lambda case, recorded: case.setup.bitmap,
        ),
        Tunable(
            "parity-log",
            "partial parity log",
            "without the partial parity log",
            "`mdadm --grow --consistency-policy=resync`, then `mdadm --grow --bitmap=internal`",
            "write hole: data may be lost after a crash while degraded",
            lambda case: _kept_by(case, "ppl"),
            setup={"bitmap": "none"},
            suspected=lambda case, recorded: case.setup.bitmap,
        ),
        Tunable(
            "threads",
            "single md write thread",
            f"{_THREADS} threads of md's",
            f"write {_THREADS} to md/group_thread_cnt, after each assembly",
            "their CPU time",
            _threads,
            setup={"group_thread_cnt": _THREADS},
            ruled_out=lambda recorded: not recorded.flash and recorded.thread < _BUSY_THREAD,
        ),
        Tunable(
            "queue",
            "short queue",
            "a longer queue",
            "raise iodepth or numjobs",
            "longer latency",
            _queue,
            fio=lambda case: {"iodepth": -(-_QUEUE_PER_DISK * case.disks // fio_job.count(case.options, "numjobs"))},
            ruled_out=lambda recorded: recorded.predicted,
        ),
        Tunable(
            "direct",
            "page cache",
            "direct, without the page cache",
            "direct I/O, where the program can",
            "repeated reads go to the disks",
            lambda case: "" if case.buffered else "it is direct already",
            fio=lambda case: {"direct": True},
        ),
    )
}


def tunable(key: str) -> Tunable:
    if key not in TUNABLES:
        raise PlanRefused(f"{brief(repr(key))} is no suspect; they are {', '.join(TUNABLES)}", "explain")
    return TUNABLES[key]


def possible(case: Case) -> tuple[Tunable, ...]:
    return tuple(row for row in TUNABLES.values() if not row.why_not(case))


def arms(keys: Sequence[str], job: Job, case: Case, members: Sequence[str]) -> tuple[Arm, ...]:
    """Unchanged arm first; PlanRefused if a suspect cannot be changed. `members`: placeholders of the array's disks."""
    arms_made = [Arm(job)]
    for row in map(tunable, dict.fromkeys(keys)):
        if row.disks:
            continue
        if reason := row.why_not(case):
            raise PlanRefused(f"{row.key} cannot be changed: {reason}; leave it out", "explain")
        changed = msgspec.structs.replace(
            job,
            name=f"{job.name}-{row.key}",
            title=f"{job.title or job.name}, {row.changed}",
            fio={**job.fio, **row.fio(case)},
            family="",
            baseline=False,
        )
        arms_made.append(Arm(changed, row.key, *_switched(row.setup, case.setup, members)))
    return tuple(arms_made)


def _switched(changes: dict[str, Any], setup: Setup, members: Sequence[str]) -> tuple[tuple[Step, ...], ...]:
    """Steps that apply the changes to the running array, to all groups, and revert them: to the setup's values, or the
    former ones.
    """
    if "bitmap" in changes:
        kept, nodes = AFTER_CRASH[setup.bitmap], array_nodes(setup.groups)
        away = [_policy_step(f"Take the {kept.name}{_of(node)} away", kept.away, node) for node in nodes]
        return tuple(away), tuple(
            _policy_step(f"Make the {kept.name}{_of(node)} again", kept.option, node) for node in reversed(nodes)
        )
    settings_before = settings(Setup(groups=setup.groups, **changes), members)
    steps = {step.path: step for step in settings(setup, members)}
    settings_after = [steps.get(step.path) or put_back(step) for step in reversed(settings_before)]
    return tuple(settings_before), tuple(settings_after)


def _policy_step(what: str, option: str, node: str) -> Command:
    return Command(what=what, role="bitmap", argv=("mdadm", "--grow", option, node))


def _of(device: str) -> str:
    return "" if device == "{array}" else f" of {device}"


def settings(setup: Setup, members: Sequence[str]) -> list[Write]:
    """md's settings, of each group, and those of the members' queues, a step each."""
    given = given_fields(setup)
    of_setting = {"queue": members, "md": array_nodes(setup.groups)}
    return [
        Write(
            what=f"Set {name}{_of(device)} to {getattr(setup, name)}",
            path=f"/sys/block/{device}/{row.folder}/{name}",
            value=str(getattr(setup, name)),
            optional=row.setting == "queue",  # a kernel may be built without it
        )
        for name, row in FIELDS.items()
        if row.setting and name in given
        for device in of_setting.get(row.setting, ("{array}",))
    ]
