"""One disk's measured speed, for the estimates of the next run; disks of one model and size count as alike."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

import msgspec

from raidtui.core.fio.biases import SYNCHRONOUS
from raidtui.core.fio.job import Kind, directions, kind
from raidtui.core.fio.measurement import DirectionName, Measurement
from raidtui.core.plan.model import Member, Plan, Trial
from raidtui.core.plan.planner import speed_of
from raidtui.core.plan.trials import options_of
from raidtui.core.raid.depth_curve import CurveSource, DepthCurve, DiskCurves, completed, measured_curve
from raidtui.core.results.figure import Attempt, good, value_of
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
    best: dict[tuple[str, int], dict[tuple[Kind, DirectionName], float]] = {}
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


def _slower(test: Kind, figures: Mapping[tuple[Kind, DirectionName], float]) -> float:
    return min((value for (of_test, _), value in figures.items() if of_test == test), default=0.0)


def _figures(trial: Trial, state: RunState) -> Iterator[tuple[tuple[Kind, DirectionName], float]]:
    """Of each way of a test that went well; of random ones only in small blocks."""
    measured, test = state.complete(trial.id), kind(trial.rw)
    if measured is None or (test == "random" and (trial.bs_bytes or 0) > _SMALL_BYTES):
        return
    for way in directions(trial.rw):
        if value := value_of(measured, way, test):
            yield (test, way), value


# Options of fio's that change what a disk does with a request, besides depth, block and pattern.
_ALIKE = ("direct", "fsync", "fdatasync", "random_distribution", "rate", "rate_iops", "thinktime")

Values = Mapping[int, Mapping[int, float]]  # depth -> member -> IOPS


class AloneTest(msgspec.Struct, frozen=True):
    """A random test of one disk alone: `depth` requests at it."""

    trial: Trial
    options: dict[str, str]
    depth: int


def queue_of(trial: Trial, options: Mapping[str, str]) -> int:
    """Requests under way at once: a synchronous engine of fio's has one a job, whatever its depth."""
    depth = 1 if options.get("ioengine") in SYNCHRONOUS else trial.iodepth or 1
    return depth * (trial.numjobs or 1)


def alone_tests(plan: Plan) -> tuple[AloneTest, ...]:
    return tuple(
        AloneTest(trial, options, queue_of(trial, options))
        for stage in plan.stages
        if stage.setup is None
        for trial in stage.trials
        if trial.target == "member" and trial.member is not None and trial.rw.startswith("rand")
        for options in [options_of(stage, trial.id)]
    )


def alike(test: AloneTest, trial: Trial, options: Mapping[str, str]) -> bool:
    """Does the test tell what a disk does with the requests of this trial? Of a mix only the same mix does."""
    if trial.job in (test.trial.job, test.trial.family):
        return True
    if any(len(directions(compared.rw)) == 2 for compared in (test.trial, trial)):
        return False
    return test.trial.bs_bytes == trial.bs_bytes and all(test.options.get(key) == options.get(key) for key in _ALIKE)


def values_of(tests: Sequence[tuple[AloneTest, Sequence[Attempt]]], name: DirectionName | None, members: int) -> Values:
    """IOPS of the first `members` by depth and member; reads and writes together where no direction is named."""
    by_depth: dict[int, dict[int, list[float]]] = {}
    for test, attempts in tests:
        rates = [rate for measurement in good(attempts) if (rate := _iops(measurement, name))]
        if rates and test.trial.member is not None and test.trial.member < members:
            by_depth.setdefault(test.depth, {}).setdefault(test.trial.member, []).extend(rates)
    return {depth: {m: median(rates) for m, rates in members.items()} for depth, members in by_depth.items()}


def _iops(measurement: Measurement, name: DirectionName | None) -> float:
    by_direction = {"read": measurement.read, "write": measurement.write}
    return sum(transfers.steady_iops for key, transfers in by_direction.items() if transfers and name in (None, key))


def curve_of(values: Values, member: int) -> DepthCurve | None:
    """The member's curve. Where it was not measured, as another one, by their ratio at a depth that both have."""
    points = []
    for depth, measured in values.items():
        if member in measured:
            points.append((depth, measured[member]))
            continue
        points += [
            (depth, rate * ratio)
            for other_depth, rate in measured.items()
            if (ratio := _ratio(values, member, other_depth))
        ]
    return measured_curve(points) if points else None


def _ratio(values: Values, member: int, other_depth: int) -> float | None:
    """What the member does over what the other does, at the first depth that both have."""
    shared = (measured for _, measured in sorted(values.items()) if member in measured and other_depth in measured)
    return next((measured[member] / measured[other_depth] for measured in shared), None)


def kind_of(members: Sequence[Member], flash: bool) -> CurveSource:
    if not flash:
        return CurveSource.ASSUMED_HDD
    nvme = all(member.name.startswith("nvme") for member in members)
    return CurveSource.ASSUMED_NVME if nvme else CurveSource.ASSUMED_SATA_SSD


def disk_curves(reads: DepthCurve, writes: DepthCurve, kind: CurveSource) -> DiskCurves:
    """Both directions, completed below what was measured."""
    return DiskCurves(
        completed(reads, kind, writes=False),
        completed(writes, kind, writes=True),
        CurveSource.MEASURED,
        tuple(sorted({depth for curve in (reads, writes) for depth, _ in curve.points})),
        kind if min(curve.points[0][0] for curve in (reads, writes)) > 1 else None,
    )
