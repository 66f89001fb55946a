"""One disk's measured speed, for the estimates of the next run; disks of one model and size count as alike."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from raidtui.core.fio import job
from raidtui.core.fio.measurement import DirectionName
from raidtui.core.plan.model import Plan, Trial
from raidtui.core.plan.planner import speed_of
from raidtui.core.results.figure import value_of
from raidtui.core.run.state import RunState
from raidtui.core.units import format_iops, format_rate

_SMALL_BYTES = 8192
_FAR_OFF = 2.0  # times: what a plan expected is of no use then


class MeasuredSpeed(msgspec.Struct, frozen=True):
    """bytes/s sequential, IOPS random, each of the slower way; 0: not known. `held`: an emulated disk's limit, not
    measured.
    """

    bytes_per_s: float = 0.0
    iops: float = 0.0
    held: bool = False


def measured_speeds(plan: Plan, state: RunState) -> dict[str, MeasuredSpeed]:
    """Identity of a member -> what it did alone, or one like it; of each way the best of all tests counts."""
    best: dict[tuple[str, int], dict[tuple[job.Kind, DirectionName], float]] = {}
    for trial in plan.trials:
        if trial.target == "member" and trial.member is not None:
            member = plan.members[trial.member]
            figures = best.setdefault((member.model, member.size_bytes), {})
            for way, value in _figures(trial, state):
                figures[way] = max(value, figures.get(way, 0.0))
    speed_of_kind = {
        disk: MeasuredSpeed(_slower("sequential", figures), _slower("random", figures))
        for disk, figures in best.items()
    }
    kinds = {member.id: (member.model, member.size_bytes) for member in plan.members}
    return {
        identity: speed_of_kind[disk]
        for identity, disk in kinds.items()
        if speed_of_kind.get(disk, MeasuredSpeed()) != MeasuredSpeed()
    }


def slowest(known: Mapping[str, MeasuredSpeed], disks: Sequence[str]) -> MeasuredSpeed:
    """What each of these disks does at least; nothing of what is not known of all of them."""
    of_disks = [known.get(identity, MeasuredSpeed()) for identity in disks] or [MeasuredSpeed()]
    return MeasuredSpeed(
        min(measured.bytes_per_s for measured in of_disks),
        min(measured.iops for measured in of_disks),
        any(measured.held for measured in of_disks),
    )


def reckoned_words(plan: Plan, state: RunState) -> list[str]:
    """Where one disk alone did far more or less than the plan reckoned with: both, and which of them theory is of."""
    reckoned = speed_of(plan.answers, plan.members, 0)
    measured = slowest(measured_speeds(plan, state), [member.id for member in plan.members])
    pairs = (
        (reckoned.bytes_per_s, measured.bytes_per_s, format_rate),
        (reckoned.iops, measured.iops, lambda iops: f"{format_iops(iops)} IOPS"),
    )
    told = [
        f"{words(before)}, measured alone {words(after)}"
        for before, after, words in pairs
        if after and not 1 / _FAR_OFF < after / before < _FAR_OFF
    ]
    sentence = f"before the run one disk was assumed at {'; '.join(told)} (the slower of its two directions)"
    return [f"{sentence}: expected values use the measured speed, the plan does not"] if told else []


def _slower(test: job.Kind, figures: Mapping[tuple[job.Kind, DirectionName], float]) -> float:
    return min((value for (of_test, _), value in figures.items() if of_test == test), default=0.0)


def _figures(trial: Trial, state: RunState) -> Iterator[tuple[tuple[job.Kind, DirectionName], float]]:
    """Of each way of a test that went well; of random ones only in small blocks."""
    measured, test = state.measured(trial.id), job.kind(trial.rw)
    if measured is None or measured.status != "ok" or (test == "random" and (trial.bs_bytes or 0) > _SMALL_BYTES):
        return
    for way in job.directions(trial.rw):
        if value := value_of(measured, way, test):
            yield (test, way), value
