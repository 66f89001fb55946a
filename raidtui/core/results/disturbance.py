"""Figures that are no baseline: disturbed disks, tests that stalled; which trial is measured again.

Passes of a run beside each other by their baselines; one that is off by over 5 % is measured once more.
"""

import math
from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple

import msgspec

from raidtui.core.fio.job import directions, kind
from raidtui.core.fio.measurement import DirectionName, Measurement
from raidtui.core.plan.model import Plan, Stage, Trial
from raidtui.core.results.differences import OF_ONE_RUN, of_sum
from raidtui.core.results.figure import Figure, direction, figure, good, stalled, value_of
from raidtui.core.results.numerics import fit
from raidtui.core.results.outliers import Compared, disks_of
from raidtui.core.run.events import TrialsRepeated
from raidtui.core.run.samples import ARRAY
from raidtui.core.run.state import RunState
from raidtui.core.units import format_iops, format_rate, shown_in

_SHARED_LIMIT = 0.03  # less than that all at once lack of the sum is none
_MORE_TOGETHER = 1.10  # than alone: no disk is faster because others work beside it
_FAR_FROM_FIRST = 0.10  # of a figure's first value: less happens from run to run
_STEP = 0.10  # from the first to the last 10 s: less is no step
_MOST_OUTER = 0.5  # of a disk: a test over more has its inner tracks, too
_OWN_MORE = 1.25  # one disk's two figures, at 5 % from run to run: further apart in fewer than one case of a thousand


def disturbance(plan: Plan, state: RunState, job: Compared, all_at_once: Figure) -> str:
    """Why a disk's figure alone is no baseline, else "": all at once it did over 125 % of it by the kernel's count, or
    (uncounted) over 110 %.
    """
    alone = {
        member: value for member, attempts in sorted(job.alone.items()) if (value := figure(attempts, job.value).value)
    }
    all_alone, disks = len(alone) == len(plan.disks), len(plan.disks)
    for member, value in alone.items():
        own = own_rate(plan, job, member)
        expected = sum(alone.values()) if all_alone else disks * value
        margin = _MORE_TOGETHER if own is None or not all_alone else 1.0
        if all_at_once.value is None or all_at_once.value <= margin * expected:
            continue
        if own is not None and own <= _OWN_MORE * value:
            continue
        unit, scale = shown_in(job.kind)
        alone_and_together = f"disk {member + 1} alone did {value / scale:.0f} {unit}, all {disks} at once"
        of_disk = (job.trial.baseline_job, "member", member)
        trial = next(trial for trial in plan.trials if (trial.job, trial.target, trial.member) == of_disk)
        verdict = _measure_again(state, trial)
        return f"disturbed baseline: {alone_and_together} {all_at_once.value / scale:.0f}; {verdict}"
    return ""


def usual_share(plan: Plan, job: Compared) -> float | None:
    """Median of (all at once / alone) over the disks; None: not counted. A disk not measured alone counts as the
    others.
    """
    alone = {member: value for member, attempts in job.alone.items() if (value := figure(attempts, job.value).value)}
    if not alone:
        return None
    own_rates = {member: rate for member in range(len(plan.disks)) if (rate := own_rate(plan, job, member)) is not None}
    return (
        median(rate / alone.get(member, median(alone.values())) for member, rate in own_rates.items())
        if own_rates
        else None
    )


class Elsewhere(NamedTuple):
    """What the disks moved together in a sequential job's direction, in bytes/s: all at once, and in another test."""

    here: float
    there: float


class AllAtOnce(msgspec.Struct, frozen=True):
    """All at once as a `share` of alone, `of` what; `short`: significant and over 3 %. `elsewhere`: another test had
    the full sum, so nothing shared is the limit.
    """

    share: float | None = None
    of: str = ""
    short: bool = False
    elsewhere: Elsewhere | None = None

    @property
    def is_limit(self) -> bool:
        """Is what they lack that of something they share, as far as this run tells?"""
        return self.short and self.elsewhere is None


def all_at_once_check(
    plan: Plan, state: RunState, job: Compared, alone: Sequence[Figure], all_at_once: Figure
) -> AllAtOnce:
    """Against the sum of the disks alone, else n times the first; short only where most disks are slower."""
    members = len(plan.disks)
    rates = [figure_alone.value for figure_alone in alone if figure_alone.value is not None]
    all_known = len(rates) == members
    total = sum(rates) if all_known else members * (alone[0].value or 0.0 if alone else 0.0)
    if all_at_once.value is None or not total:
        return AllAtOnce()
    share = all_at_once.value / total
    expectation = "the sum of the disks alone" if all_known and members > 1 else f"{members} times one"
    over_sum = of_sum(all_at_once, alone) if all_known else of_sum(all_at_once, alone[:1], members)
    usual = usual_share(plan, job)
    most_slowed = usual is None or 1 - usual > _SHARED_LIMIT
    short = over_sum.conclusion == "different" and 1 - share > _SHARED_LIMIT and most_slowed
    return AllAtOnce(
        share,
        expectation,
        short,
        moved_all(plan, state, job.trial.baseline_job, job.name, total) if short and job.kind == "sequential" else None,
    )


def moved_all(plan: Plan, state: RunState, job: str, name: DirectionName, alone: float) -> Elsewhere | None:
    """The most bytes/s moved in other tests of this sequential job where that is not below `alone`, summed;
    else None.
    """
    here, there = [], []
    for trial in plan.trials:
        measured = state.complete(trial.id)
        if trial.baseline_job != job or measured is None:
            continue
        rates = [rates for disk in plan.disks if (rates := measured.disks.get(disk.id))]
        moved = sum(one.read_bytes_per_s if name == "read" else one.write_bytes_per_s for one in rates)
        transfers = direction(measured, name)
        if trial.target == "members" and transfers:
            here.append(max(moved, transfers.bytes_per_s))
        elif not disks_of(trial):
            there.append(moved)
    least = alone / (1 + OF_ONE_RUN)
    if not here or not there or max(there) < max(least, (1 + _SHARED_LIMIT) * median(here)):
        return None
    return Elsewhere(median(here), max(there))


def shared_words(share: str, name: DirectionName, elsewhere: Elsewhere | None) -> str:
    """What all disks at once lack: a limit that they share, or where they moved all elsewhere, that it is none."""
    reached = f"all disks at once reach {share}"
    if elsewhere is None:
        return f"{reached}: shared limit (link, controller or CPU)"
    moved = f"they {'read' if name == 'read' else 'wrote'} {format_rate(elsewhere.there)} together, here"
    here = format_rate(elsewhere.here)
    return f"{reached}, without a shared limit: in another test {moved} {here}; this figure is too low"


def own_rate(plan: Plan, job: Compared, member: int) -> float | None:
    """What this member did while all worked, as the job is judged; None where nobody counted it."""
    rates = [rates for measurement in good(job.all_at_once) if (rates := measurement.disks.get(plan.disks[member].id))]
    if not rates or (job.kind == "random" and not job.trial.bs_bytes):
        return None
    moved = median(
        disk_rates.read_bytes_per_s if job.name == "read" else disk_rates.write_bytes_per_s for disk_rates in rates
    )
    return moved / (job.trial.bs_bytes or 1) if job.kind == "random" else moved


def step_flags(state: RunState, stage: Stage, job: Compared) -> tuple[str, ...]:
    """A rate that is another at the end of a test: a cache that was full, heat, or a slower place."""
    measured = [state.measured(trial.id) for trial in stage.trials if trial.job == job.trial.job]
    found = [rates.step for one in measured if one and (rates := one.disks.get(ARRAY)) and rates.step]
    largest = max(found, key=abs, default=0.0)
    return (f"last 10 s {100 * largest:+.0f} % against the first 10 s",) if abs(largest) >= _STEP else ()


def track_flags(plan: Plan, job: Compared) -> tuple[str, ...]:
    """Sequential from the disks' first blocks, over little of them: rotating disks are fastest there."""
    moved = max((transfers.io_bytes for m in good(job.array) if (transfers := direction(m, job.name))), default=0)
    covered = min(moved, job.trial.span_bytes or moved)
    emulated = any(disk.emulator for disk in plan.disks)
    if (
        job.kind != "sequential"
        or job.trial.bare == "end"
        or emulated
        or not 0 < covered < _MOST_OUTER * sum(disk.size_bytes for disk in plan.disks)
    ):
        return ()
    return ("outer tracks: the fastest part of rotating disks",)


def stall_flags(state: RunState, stage: Stage, job: Compared) -> Sequence[str]:
    """The array stood still for a second: to be measured again; where it did so both times, it is its own."""
    flags = []
    for trial in stage.trials:
        if trial.job != job.trial.job or not _stood_still(state, trial):
            continue
        stall = "stalled for 1 s or more"
        if state.times_measured(trial.id) > 1:
            flags.append(f"{stall}, and again when repeated: it counts")
        else:
            flags.append(f"{stall}: {_measure_again(state, trial)}")
    return list(dict.fromkeys(flags))


def anew_flags(plan: Plan, state: RunState, stage: Stage, job: Compared) -> Sequence[str]:
    """The figure that counts is a second one, and far from the first, which a reader saw come."""
    asked_again = {trial_id: asked.why for asked in state.asked_again for trial_id in asked.trials}
    if not asked_again:
        return ()
    baselines = (trial for trial in plan.trials if disks_of(trial))
    flags = []
    for trial in (*baselines, *stage.trials):
        name = job.trial.baseline_job if disks_of(trial) else job.trial.job
        if trial.job != name or trial.id not in asked_again:
            continue
        ended = [measured for measured in state.ended_well(trial.id) if job.value(measured)]
        values = [job.value(measured) or 0.0 for measured in ended]
        if state.measured(trial.id) and len(values) > 1 and abs(values[-1] / values[0] - 1) > _FAR_FROM_FIRST:
            first, last = (
                format_rate(value) if job.kind == "sequential" else f"{format_iops(value)} IOPS"
                for value in (values[0], values[-1])
            )
            which = f" ({disks})" if (disks := disks_of(trial)) else ""
            why, counts = "baseline off those of other passes", "which counts"
            stood = next(filter(stalled, ended[:-1]), None)
            if asked_again[trial.id] == "stall" and stood:
                who = _still(plan, trial, stood)
                why = f"{who} stalled for 1 s or more"
                counts += ", though that came again" if stalled(ended[-1]) else ", as that did not come again"
            flags.append(f"measured again{which}, {why}: {first} first, {last} last, {counts}")
    return list(dict.fromkeys(flags))


def _still(plan: Plan, trial: Trial, measured: Measurement) -> str:
    """What stood still: of several disks without an array those that did; one disk or array needs no name."""
    rates = {number: measured.disks.get(disk.id) for number, disk in enumerate(plan.disks, 1)}
    still = [str(number) for number, disk_rates in rates.items() if disk_rates and disk_rates.stalls]
    if trial.target == "member" or ARRAY in measured.disks or not still:
        return "it"
    return "each disk" if len(still) == len(rates) else f"disk{'' if len(still) == 1 else 's'} {', '.join(still)}"


def stalled_once(state: RunState, trials: Iterable[Trial]) -> Trial | None:
    """The first that stood still for a second, and was not measured again since; None where there is none."""
    return next((trial for trial in trials if state.times_measured(trial.id) == 1 and _stood_still(state, trial)), None)


def _stood_still(state: RunState, trial: Trial) -> bool:
    measured = state.complete(trial.id)
    return measured is not None and stalled(measured)


def _measure_again(state: RunState, trial: Trial) -> str:
    return f"measure it again: raidtui again {state.run or 'RUN'} {trial.id}"


OFF = 0.05
_FEWEST_BLOCKS = 3  # of which one can be told to be the odd one


class Block(msgspec.Struct, frozen=True):
    """One block: its baseline is 1 + `share` times the median of all, of two that of the other."""

    number: int
    share: float
    measured_again: bool

    @property
    def is_off(self) -> bool:
        return abs(self.share) > OFF


def blocks(plan: Plan, state: RunState) -> tuple[Block, ...]:
    """Each pass with a measured baseline; none of a single one. Over tests that several have: log = test +
    pass + rest.
    """
    tests: dict[tuple[str, str, int | None, DirectionName], dict[int, float]] = {}
    for trial in plan.trials:
        if trial.block and trial.target in ("member", "members") and (measured := state.complete(trial.id)):
            for direction_name in directions(trial.rw):
                if value := value_of(measured, direction_name, kind(trial.rw)):
                    key = (trial.job, trial.target, trial.member, direction_name)
                    tests.setdefault(key, {})[trial.block] = math.log(value)
    block_effects = fit({i: test for i, test in enumerate(tests.values()) if len(test) > 1}, blocks=True).blocks
    repeated_blocks = {asked_again.block for asked_again in state.asked_again if asked_again.why == "baseline"}
    usual = median(block_effects.values()) if block_effects else 0.0
    times = 2 if len(block_effects) == 2 else 1  # of two the median lies half way to the other
    return tuple(
        Block(number, math.expm1(times * (effect - usual)), number in repeated_blocks)
        for number, effect in sorted(block_effects.items())
        if len(block_effects) > 1
    )


def odd(plan: Plan, state: RunState) -> Block | None:
    """The block that is furthest off the others, by over 5 %, and was not measured once more yet."""
    compared = blocks(plan, state)
    off = [block for block in compared if block.is_off and not block.measured_again]
    if len(compared) < _FEWEST_BLOCKS:
        return None
    return max(off, key=lambda block: abs(math.log1p(block.share)), default=None)


def trials_of(plan: Plan, block: int) -> tuple[str, ...]:
    return tuple(trial.id for trial in plan.trials if trial.block == block)


def baseline_sentences(plan: Plan, state: RunState) -> list[str]:
    """What stands against comparing blocks: each that was measured once more, and each that is off yet."""
    compared = blocks(plan, state)
    again_sentences = [words(asked_again) for asked_again in state.asked_again if asked_again.why == "baseline"]
    if len(compared) < _FEWEST_BLOCKS:
        return again_sentences + _of_two(compared)
    return again_sentences + [
        f"without an array the disks of block {block.number} did {_more_words(block.share)} in the other blocks"
        + (", and again when repeated: it counts" if block.measured_again else "")
        for block in compared
        if block.is_off
    ]


def words(asked_again: TrialsRepeated) -> str:
    if asked_again.why == "stall":
        return "stalled for 1 s or more, measured again"
    did = f"without an array its disks did {_more_words(asked_again.share)} in the others"
    return f"block {asked_again.block} was measured again: {did}"


def _of_two(compared: Sequence[Block]) -> list[str]:
    off = [block for block in compared if block.is_off]
    if not off:
        return []
    difference = (
        f"without an array the disks of block {off[-1].number} did {_more_words(off[-1].share)} in the other block"
    )
    return [f"{difference}: one of the two was disturbed, which is unknown"]


def _more_words(share: float) -> str:
    return f"{100 * abs(share):.0f} % {'more' if share > 0 else 'less'} than"
