"""Why a figure is not what the model says: causes that a counter or a resource at its limit shows, each as a sentence,
and suspects, which are settings that happen to be so.

Knows where the model ends (see `theory`). Refuses to call a cause what nothing was measured of: whether a suspect is
one, an ablation tells (see `ablation`).
"""

import math
from collections.abc import Callable, Sequence
from statistics import median

import msgspec

from raidtui.core.fio.job import directions
from raidtui.core.fio.measurement import BUSIEST, Measurement
from raidtui.core.plan.model import Plan
from raidtui.core.plan.trials import options_of
from raidtui.core.raid.stripes import parity_only_disks
from raidtui.core.results import suspicions
from raidtui.core.results.attempts import Compared
from raidtui.core.results.deviation import Deviation, disks_of, named, tight_link
from raidtui.core.results.differences import of_figures
from raidtui.core.results.disk_operations import at_work, median_operations, other_way
from raidtui.core.results.expectation import Assumed, Expectation
from raidtui.core.results.figure import Figure, good
from raidtui.core.run import kernel
from raidtui.core.run.state import RunState
from raidtui.core.units import MB, signed_percent

OFF = 0.05  # within it nothing is said
_CPU_FULL = 0.9
_ONE_FULL, _OTHERS_IDLE = 0.9, 0.75  # a disk at its limit; the others' work, as a share of its
_MORE_WORK = 1.25  # than the model has the disks do for a write
_CACHED = 0.05  # of what a program got, that the disks did not read
_MOST_OF_IT = 0.5  # of what a CPU did: less, and fio and md did not do most of it
_LEAST_TOLD = 0.005  # of a CPU
_BUSY = 0.85  # of a trial's time: fio's own start and end are in it
_FEWEST_DISKS = 3  # that have others to be told apart from

_WHAT_EXPLAINS = "`raidtui explain` (on Results f, then x on its line)"


class Causes(msgspec.Struct, frozen=True):
    """Of one deviation. `evident` are causes with their evidence, `suspects` what could be, and nobody has tried.

    `chance`: so few repetitions may be off by as much without a cause; nothing is suspected then. `deviation` is None
    where it is small, and nothing is said. `of_a_disk`: one of the evident ones is a disk's own, or of its link;
    `of_a_cpu`: one is a CPU that had no time for what is missing.
    """

    deviation: float | None = None
    evident: tuple[str, ...] = ()
    suspects: tuple[str, ...] = ()
    chance: bool = False
    of_a_disk: bool = False
    of_a_cpu: bool = False

    @property
    def single(self) -> tuple[str, ...]:
        """As `sentences`, but each suspect by itself."""
        if self.chance:
            return self.sentences
        return (*self.evident, *(f"could be {text}" for text in self.suspects)) or self.sentences

    @property
    def sentences(self) -> tuple[str, ...]:
        """Each cause, then what could be one; that it may be chance; or that nothing recorded explains it."""
        if self.deviation is None:
            return ()
        if self.chance:
            return (*self.evident, "may be chance: so few repetitions differ by as much")
        besides = "besides it " if self.evident else ""
        could = f"{besides}could be {'; or '.join(self.suspects)}: {_WHAT_EXPLAINS} would tell" if self.suspects else ""
        causes = (*self.evident, *((could,) if could else ()))
        return causes or (f"nothing that was recorded explains it: {_WHAT_EXPLAINS} looks further",)


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
        frozenset(queue["write cache"] for queue in queues if "write cache" in queue),
    )
    causes, suspected = (_SLOWER, suspicions.OF_SLOWER) if deviation < 0 else (_FASTER, suspicions.OF_FASTER)
    if chance:  # then nothing was the limit
        causes = tuple(cause for cause in causes if cause is not _cpu)
    return Causes(
        deviation,
        _causes_told(causes, facts),
        () if chance else _causes_told(suspected, facts),
        chance,
        of_a_disk=deviation < 0 and bool(_causes_told(_OF_A_DISK, facts)),
        of_a_cpu=_cpu in causes and bool(_cpu(facts)),
    )


def _causes_told(causes: Sequence[Callable[[Deviation], str]], facts: Deviation) -> tuple[str, ...]:
    return tuple(text for cause in causes if (text := cause(facts)))


def may_be_chance(deviation: float, array: Figure, alone: Figure) -> bool:
    """May an array be off theory by so much, though theory is right? By the spread of the repetitions of both."""
    if not array.runs or not alone.runs:
        return True
    pooled = of_figures(tuple(msgspec.structs.replace(figure, blocks=()) for figure in (array, alone)))
    error = math.sqrt(1 / array.runs + 1 / alone.runs)
    return pooled.judged(math.log1p(deviation), error, min(array.runs, alone.runs)).conclusion != "different"


def _reads_too(facts: Deviation) -> str:
    """Of small writes the model counts the reads already."""
    share = other_way(facts.measured) if facts.is_write and facts.job.kind == "sequential" else None
    return f"{also_read(share, facts.parity)}{_all_they_do(facts)}" if share else ""


def _all_they_do(facts: Deviation) -> str:
    """That reads and writes together are what the disks do at once without md; "" where they are not.

    Nor of emulated disks, whose reads and writes may be held to a speed each.
    """
    if any(disk.emulator for disk in facts.plan.disks):
        return ""
    without_md = [value for measurement in good(facts.job.all_at_once) if (value := facts.job.value(measurement))]
    work = at_work(facts.measured)
    share = work.bytes_per_s / median(without_md) if work and without_md else 0.0
    if not work or abs(share - 1) > OFF:  # more is of disks that read and write at once: no limit is seen
        return ""
    moved = f"{work.bytes_per_s / MB:.0f} MB/s in all"
    return f"; so they moved {moved}, {100 * share:.0f} % of what they do at once without md"


def also_read(share: float, parity: bool) -> str:
    """That disks read in a test of writes, so many operations as a share of their writes."""
    why = ", as parity may need of stripes that are not written whole" if parity else ""
    return f"the disks also read, {100 * share:.0f} % as many operations as they wrote{why}"


def _kernel(facts: Deviation) -> str:
    return kernel.words(facts.kernel_messages)


def _penalty(facts: Deviation) -> str:
    """The measured write penalty, where it is larger than the model's."""
    mixed = len(directions(facts.job.trial.rw)) > 1
    model = facts.model_operations
    did = median_operations(facts.measured)
    if not facts.is_write or mixed or facts.job.kind == "sequential" or model is None or did is None:
        return ""
    if did.total <= _MORE_WORK * model.total:
        return ""
    return (
        f"the disks did {did.total:.1f} operations for each write ({did.reads:.1f} reads + {did.writes:.1f} writes),"
        f" the model has {model.total:.1f} ({model.reads:.1f} + {model.writes:.1f})"
    )


def _sync(facts: Deviation) -> str:
    running = any("was running in the array" in text for measurement in facts.measured for text in measurement.warnings)
    return "a sync or check was running" if running else ""


def _shared(facts: Deviation) -> str:
    share = facts.together_share
    left = 1 + facts.deviation  # of theory, which is made of what a disk does alone
    if share is None or left > (1 + OFF) * share:  # what they share let more through under the array
        return ""
    of_alone = f"only {100 * share:.0f} % of what they do alone in this test, added up"
    lesser = 0 < left < share**2
    small = f", which explains only a part of the {signed_percent(facts.deviation)} %" if lesser else ""
    return f"without the array all disks at once reach {of_alone}: a shared link, controller or CPU{small}"


def of_cpu(measured: Sequence[Measurement], ratio: float, at_once: Sequence[Measurement] = ()) -> str:
    """That a processor kept these, which are `ratio` of what they might be, from that, as it was counted; or "".

    Of fio the busiest of its threads, of md its one thread: neither can use more than one CPU. Of a CPU with much else
    to do the utilisation law says how much more it has time for: 1 / share at work. `at_once`: all disks, without md.
    """
    names = dict.fromkeys(name for measurement in measured for name in measurement.cpu)
    most_cpu = {name: max(measurement.cpu.get(name, 0.0) for measurement in measured) for name in names}
    busiest = most_cpu.pop(BUSIEST, 0.0)
    full = [
        f"{name} used {100 * share:.0f} % of a CPU"
        for name, share in most_cpu.items()
        if share >= max(_CPU_FULL, ratio)
    ]
    if full:
        return f"{' and '.join(full)}, and cannot use more"
    if busiest < _BUSY or ratio > busiest:
        return ""
    of_it = [f"{name} {100 * share:.0f} %" for name, share in most_cpu.items() if share >= _LEAST_TOLD]
    by_others = bool(most_cpu) and sum(most_cpu.values()) < _MOST_OF_IT * busiest
    rest = "the rest was the kernel's, or other programs'" if by_others else ""
    of_whom = "; ".join(filter(None, (", ".join(of_it), rest)))
    without_md = max((measurement.cpu.get(BUSIEST, 0.0) for measurement in at_once), default=0.0)
    return (
        f"the processor {'may have been' if by_others else 'was'} the limit: a CPU was at work"
        f" {100 * busiest:.0f} % of the time{f' ({of_whom})' if of_whom else ''}"
        f"{f', {100 * without_md:.0f} % with all disks at once' if without_md else ''},"
        f" and had time for {100 / busiest - 100:.0f} % more work at most"
    )


def _cpu(facts: Deviation) -> str:
    return of_cpu(facts.measured, 1 + facts.deviation, good(facts.job.all_at_once))


def _hot(facts: Deviation) -> str:
    """A disk that ended a trial at the heat from which it slows itself down."""
    for measurement in facts.measured:
        for member in facts.plan.members:
            heat = measurement.temperatures.get(member.id)
            if heat and heat.after_c is not None and heat.limit_c is not None and heat.after_c >= heat.limit_c:
                return f"{named(member)} reached {heat.after_c:.0f} °C of {heat.limit_c:.0f}: it slows itself down"
    return ""


def _bus(facts: Deviation) -> str:
    words, is_full = tight_link(facts)
    return words if is_full else ""


def _one_disk(facts: Deviation) -> str:
    """One disk at its limit while the others wait, where all have the same share of the work."""
    array = facts.stage.array
    mirror_reads = array is not None and array.level in ("1", "10") and not facts.is_write
    if array is None or array.level == "linear" or mirror_reads:
        return ""
    if parity_only_disks(array.level, array.layout, len(facts.members)):
        return ""
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
        return ""
    fullest = max(busy, key=lambda member: busy[member])
    other_shares = [share for member, share in busy.items() if member is not fullest]
    if busy[fullest] < _ONE_FULL or median(other_shares) > _OTHERS_IDLE * busy[fullest]:
        return ""
    least_busy, most_busy = (f"{100 * share:.0f}" for share in (min(other_shares), max(other_shares)))
    return (
        f"{named(fullest)} was at work {100 * busy[fullest]:.0f} % of the time, the others"
        f" {least_busy if least_busy == most_busy else f'{least_busy} to {most_busy}'} %"
    )


def _page_cache(facts: Deviation) -> str:
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
        return ""
    return (
        f"the disks read {100 * moved / user_bytes_per_s:.0f} % of what the program got: the page cache gave the rest"
    )


_SLOWER: tuple[Callable[[Deviation], str], ...] = (
    _kernel,
    _reads_too,
    _penalty,
    _sync,
    _one_disk,
    _cpu,
    _hot,
    _bus,
    _shared,
)
_OF_A_DISK = (_kernel, _one_disk, _hot, _bus)
_FASTER: tuple[Callable[[Deviation], str], ...] = (_page_cache,)
