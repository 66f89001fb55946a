"""One disk alone by queue depth, from all tests of disks like the job; below all depths that of its kind
(`depth_curve`).
"""

from collections.abc import Mapping, Sequence
from statistics import median

import msgspec

from raidtui.core.fio.biases import SYNCHRONOUS
from raidtui.core.fio.job import directions
from raidtui.core.fio.measurement import DirectionName, Measurement
from raidtui.core.plan.model import Member, Plan, Trial
from raidtui.core.plan.trials import options_of
from raidtui.core.raid.depth_curve import CurveSource, DepthCurve, DiskCurves, completed, measured_curve
from raidtui.core.results.figure import Attempt, good

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
    shallowest = min(curve.points[0][0] for curve in (reads, writes))
    return DiskCurves(
        completed(reads, kind, writes=False),
        completed(writes, kind, writes=True),
        CurveSource.MEASURED,
        tuple(sorted({depth for curve in (reads, writes) for depth, _ in curve.points})),
        kind if shallowest > 1 else None,
    )
