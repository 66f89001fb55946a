"""Why a figure differs from the model: causes that a counter or a full resource proves, and suspects (settings).

An ablation tests suspects (see `ablation`)."""

import math
from collections.abc import Callable, Sequence
from statistics import median

import msgspec

from raidtui.core.fio.measurement import BUSIEST, Measurement
from raidtui.core.plan.model import Plan
from raidtui.core.plan.trials import options_of
from raidtui.core.plan.tunables import Case, Recorded, possible
from raidtui.core.raid.levels import layout10
from raidtui.core.raid.placement import parity_only_disks
from raidtui.core.results.deviation import (
    AlsoRead,
    BusyDisk,
    Cause,
    Causes,
    Cpu,
    Deviation,
    FullThreads,
    Hot,
    KernelMessages,
    Link,
    MirrorReads,
    NearBalancer,
    Other,
    OtherName,
    PageCache,
    Penalty,
    Resync,
    Shared,
    ShortStrokes,
    SlowedByDisk,
    Suspect,
    TunableValue,
    UnequalDisks,
    cell_of,
    named,
    tight_link,
)
from raidtui.core.results.differences import of_figures
from raidtui.core.results.disk_operations import at_work, disks_of, median_operations, other_way
from raidtui.core.results.expectation import Assumed, Expectation
from raidtui.core.results.figure import Figure, good
from raidtui.core.results.outliers import Compared
from raidtui.core.run.state import RunState

SHORT_STROKE = 0.10
_FAR = -0.7
_EQUAL = 0.02  # of an array, that unequal members put on fewer disks and nobody notices


_Rule = Callable[[Deviation], Suspect | None]


def _other(name: OtherName, is_so: Callable[[Deviation], bool]) -> _Rule:
    return lambda facts: Other(name) if is_so(facts) else None


def _is_far_off(facts: Deviation) -> bool:
    """At random; parity writes are far below by themselves."""
    return facts.deviation < _FAR and facts.job.kind == "random" and not (facts.parity and facts.is_write)


def _settings(facts: Deviation) -> list[Suspect]:
    rw = f"{'' if facts.job.kind == 'sequential' else 'rand'}{facts.job.name}"
    cell = cell_of(facts.plan, facts.stage) if facts.stage.setup else None
    case = Case(cell, {"rw": rw, "direct": not facts.buffered}, len(facts.members))
    values = {row.key: row.suspected(case, Recorded(facts.detail)) for row in possible(case)}
    return [TunableValue(key, value) for key, value in values.items() if value]


def _bus_not_full(facts: Deviation) -> Link | None:
    link, is_full = tight_link(facts)
    return None if is_full else link


def _zones(facts: Deviation) -> UnequalDisks | None:
    """Of RAID 0 alone: it takes all of unequal disks, the end of the larger ones striped over these only."""
    if facts.stage.array is None or facts.stage.array.level != "0" or facts.job.kind != "sequential":
        return None
    sizes = [member.size_bytes for member in facts.members]
    share = 1 - len(sizes) * min(sizes) / sum(sizes)
    return UnequalDisks(share, len(sizes)) if share >= _EQUAL else None


def _short_strokes(facts: Deviation) -> ShortStrokes | None:
    holds = facts.stage.array.capacity.array_bytes if facts.stage.array else 0
    share = facts.job.trial.span_bytes / holds if holds and facts.job.trial.span_bytes else 1.0
    if facts.flash or facts.job.kind == "sequential" or share >= SHORT_STROKE:
        return None
    return ShortStrokes(share)


def _balancer(facts: Deviation) -> NearBalancer | None:
    """Of sequential reads of RAID 10 near; of small ones the model knows the balancer."""
    array = facts.stage.array
    if array is None or array.level != "10" or facts.is_write or facts.job.kind != "sequential":
        return None
    return NearBalancer(lucky=facts.deviation > 0) if layout10(array.layout or None).kind == "near" else None


def _mirrors(facts: Deviation) -> MirrorReads | None:
    queue = (facts.job.trial.iodepth or 1) * (facts.job.trial.numjobs or 1)
    mirror = facts.stage.array is not None and facts.stage.array.level == "1"
    if not mirror or facts.is_write or facts.job.kind != "sequential" or queue < 2:
        return None
    return MirrorReads(queue)


def _are_write_caches_on(facts: Deviation) -> bool:
    return facts.is_write and facts.job.kind == "random" and facts.write_caches != {"write through"}


_OF_SLOWER: tuple[_Rule, ...] = (
    _other("file-start", lambda facts: facts.file_start),
    _bus_not_full,
    _other("controller", _is_far_off),
    _other("journal", lambda facts: facts.is_write and bool(facts.stage.journals)),
    _zones,
    _balancer,
    _other("read-ahead", lambda facts: facts.buffered and not facts.is_write),
)
_OF_FASTER: tuple[_Rule, ...] = (
    _short_strokes,
    _other("buffered", lambda facts: facts.buffered),
    _balancer,
    _mirrors,
    _other("zeros", lambda facts: facts.flash and "zero_buffers" in facts.options),  # some SSDs do not store them
    _other("write-caches", _are_write_caches_on),
)


def suspects(facts: Deviation) -> tuple[Suspect, ...]:
    slower = facts.deviation < 0
    others = (rule(facts) for rule in (_OF_SLOWER if slower else _OF_FASTER))
    return (*(_settings(facts) if slower else ()), *filter(None, others))


OFF = 0.05  # within it nothing is said
_CPU_FULL = 0.9
_ONE_FULL, _OTHERS_IDLE = 0.9, 0.75  # a disk at its limit; the others' work, as a share of its
_MORE_WORK = 1.25  # than the model has the disks do for a write
_CACHED = 0.05  # of what a program got, that the disks did not read
_MOST_OF_IT = 0.5  # of what a CPU did: less, and fio and md did not do most of it
_LEAST_TOLD = 0.005  # of a CPU
_BUSY = 0.85  # of a trial's time: fio's own start and end are in it
_NEAR_LIMIT, _PART_OF_LIMIT = 0.85, 0.5  # of what all disks at once let through
_FEWEST_DISKS = 3  # that have others to be told apart from


def likely_causes(
    plan: Plan,
    state: RunState,
    number: int,
    job: Compared,
    deviation: float | None,
    together_share: float | None,
    flash: bool,
    chance: bool,
    expected: Expectation,
) -> Causes:
    """Of a deviation of more than 5 %; what is suspected where it is more than `chance`."""
    if deviation is None or abs(deviation) <= OFF:
        return Causes()
    stage = plan.stages[number]
    built = state.arrays.get(number)
    trials = [trial.id for trial in stage.trials if trial.job == job.trial.job]
    queues = [
        queue for trial_state in state.trials if trial_state.trial in trials for queue in trial_state.queues.values()
    ]
    facts = Deviation(
        plan,
        stage,
        job,
        options_of(stage, job.trial.id),
        built.detail if built else {},
        tuple(good(job.array)),
        together_share,
        flash,
        deviation,
        expected.operations,
        tuple(message for trial in trials for message in state.kernel.get(trial, ())),
        Assumed.FILE_START in expected.assumed,
        _slowest(plan, expected),
        frozenset(queue["write cache"] for queue in queues if "write cache" in queue),
    )
    if chance:  # then nothing was the limit
        return Causes(deviation, chance=True)
    causes = _SLOWER if deviation < 0 else _FASTER
    evident = tuple(cause for rule in causes if (cause := rule(facts)) is not None)
    is_all = any(isinstance(cause, SlowedByDisk) and 1 + deviation >= (1 - OFF) * cause.left for cause in evident)
    return Causes(deviation, evident, () if is_all else suspects(facts))


def _slowest(plan: Plan, expected: Expectation) -> SlowedByDisk | None:
    slowest = expected.slowest
    if slowest is None or not expected.figure:
        return None
    return SlowedByDisk(named(plan.disks[slowest.index]), slowest.share, slowest.figure / expected.figure)


def may_be_chance(deviation: float, array: Figure, alone: Figure) -> bool:
    """May an array be off theory by so much, though theory is right? By the spread of the repetitions of both."""
    if not array.runs or not alone.runs:
        return True
    pooled = of_figures(tuple(msgspec.structs.replace(figure, blocks=()) for figure in (array, alone)))
    error = math.sqrt(1 / array.runs + 1 / alone.runs)
    return pooled.judged(math.log1p(deviation), error, min(array.runs, alone.runs)).conclusion != "different"


def _reads_too(facts: Deviation) -> AlsoRead | None:
    """Of small writes the model counts the reads already."""
    share = other_way(facts.measured) if facts.is_write and facts.job.kind == "sequential" else None
    return AlsoRead(share, facts.parity, *(_all_they_do(facts) or ())) if share else None


def _all_they_do(facts: Deviation) -> tuple[float, float] | None:
    """Reads and writes together, (bytes/s, share), where that is all that the disks do without md; not of emulated
    disks.
    """
    if any(disk.emulator for disk in facts.plan.disks):
        return None
    without_md = [value for measurement in good(facts.job.all_at_once) if (value := facts.job.value(measurement))]
    work = at_work(facts.measured)
    share = work.bytes_per_s / median(without_md) if work and without_md else 0.0
    if not work or abs(share - 1) > OFF:  # more is of disks that read and write at once: no limit is seen
        return None
    return work.bytes_per_s, share


def also_read(share: float, parity: bool) -> str:
    """That disks read in a test of writes, so many operations as a share of their writes."""
    why = " (parity of partial stripes)" if parity else ""
    return f"disks also read {100 * share:.0f} % as many I/Os as they wrote{why}"


def _slow_disk(facts: Deviation) -> SlowedByDisk | None:
    """Where the array gives no more than that disk lets it."""
    slowest = facts.slowest
    return slowest if slowest and 1 + facts.deviation <= (1 + OFF) * slowest.left else None


def _kernel(facts: Deviation) -> KernelMessages | None:
    return KernelMessages(facts.kernel_messages) if facts.kernel_messages else None


def _penalty(facts: Deviation) -> Penalty | None:
    """The measured write penalty, where it is larger than the model's."""
    model = facts.model_operations
    measured = median_operations(facts.measured)
    if not facts.is_write or facts.job.mixed or facts.job.kind == "sequential" or model is None or measured is None:
        return None
    return Penalty(measured, model) if measured.total > _MORE_WORK * model.total else None


def _sync(facts: Deviation) -> Resync | None:
    running = any("was running in the array" in text for measurement in facts.measured for text in measurement.warnings)
    return Resync() if running else None


def _shared(facts: Deviation) -> Shared | None:
    """What all disks at once lack: the cause where the array comes near that limit, a part of it where it uses half."""
    share = facts.together_share
    left = 1 + facts.deviation  # of theory, which is made of what a disk does alone
    if share is None or not _PART_OF_LIMIT * share <= left <= (1 + OFF) * share:  # more: the limit let more through
        return None
    return Shared(share, facts.deviation if left < _NEAR_LIMIT * share else None)


def of_cpu(
    measured: Sequence[Measurement], ratio: float, at_once: Sequence[Measurement] = ()
) -> FullThreads | Cpu | None:
    """The CPU as the limit of an array at `ratio` of expected. `at_once`: how busy with all disks, without md.

    Of fio its busiest thread, of md its one thread: each has one CPU at most. Utilisation law: headroom = 1 / busy
    share.
    """
    names = dict.fromkeys(name for measurement in measured for name in measurement.cpu)
    most_cpu = {name: max(measurement.cpu.get(name, 0.0) for measurement in measured) for name in names}
    busiest = most_cpu.pop(BUSIEST, 0.0)
    if full := tuple((name, share) for name, share in most_cpu.items() if share >= max(_CPU_FULL, ratio)):
        return FullThreads(full)
    if busiest < _BUSY or ratio > busiest:
        return None
    return Cpu(
        busiest,
        tuple((name, share) for name, share in most_cpu.items() if share >= _LEAST_TOLD),
        bool(most_cpu) and sum(most_cpu.values()) < _MOST_OF_IT * busiest,
        max((measurement.cpu.get(BUSIEST, 0.0) for measurement in at_once), default=0.0),
    )


def _cpu(facts: Deviation) -> FullThreads | Cpu | None:
    return of_cpu(facts.measured, 1 + facts.deviation, good(facts.job.all_at_once))


def _hot(facts: Deviation) -> Hot | None:
    """A disk that ended a trial at the heat from which it slows itself down."""
    for measurement in facts.measured:
        for member in facts.plan.members:
            heat = measurement.temperatures.get(member.id)
            if heat and heat.after_c is not None and heat.limit_c is not None and heat.after_c >= heat.limit_c:
                return Hot(named(member), heat.after_c, heat.limit_c)
    return None


def _bus(facts: Deviation) -> Link | None:
    link, is_full = tight_link(facts)
    return link if is_full else None


def _one_disk(facts: Deviation) -> BusyDisk | None:
    """One disk at its limit while the others wait, where all have the same share of the work."""
    array = facts.stage.array
    mirror_reads = array is not None and array.level in ("1", "10") and not facts.is_write
    if array is None or array.level == "linear" or mirror_reads:
        return None
    if parity_only_disks(array.level, array.layout, len(facts.members)):
        return None
    busy = {
        member: median(shares)
        for member in facts.members
        if (
            shares := [
                measurement.disks[member.id].util for measurement in facts.measured if member.id in measurement.disks
            ]
        )
    }
    if len(busy) < _FEWEST_DISKS:
        return None
    fullest = max(busy, key=lambda member: busy[member])
    other_shares = [share for member, share in busy.items() if member is not fullest]
    if busy[fullest] < _ONE_FULL or median(other_shares) > _OTHERS_IDLE * busy[fullest]:
        return None
    return BusyDisk(named(fullest), busy[fullest], min(other_shares), max(other_shares))


def _page_cache(facts: Deviation) -> PageCache | None:
    """The disks read less than the program got."""
    user_bytes_per_s = median([transfers.bytes_per_s for transfers in facts.direction] or [0.0])
    disks_measured = [disks for measurement in facts.measured if (disks := disks_of(measurement))]
    moved = median(
        [sum(disk_rates.read_bytes_per_s for disk_rates in disks.values()) for disks in disks_measured] or [0.0]
    )
    if (
        facts.is_write
        or not facts.buffered
        or not disks_measured
        or not user_bytes_per_s
        or moved >= (1 - _CACHED) * user_bytes_per_s
    ):
        return None
    return PageCache(moved / user_bytes_per_s)


_SLOWER: tuple[Callable[[Deviation], Cause | None], ...] = (
    *(_slow_disk, _kernel, _reads_too, _penalty, _sync, _one_disk, _cpu, _hot, _bus, _shared),
)
_FASTER: tuple[Callable[[Deviation], Cause | None], ...] = (_page_cache,)
