"""Slow members: those that are slow in two of several independent tests; what so few disks hide is reported."""

import math
from collections.abc import Collection, Sequence
from functools import lru_cache
from statistics import median

import msgspec

from raidtui.core.fio.job import Kind, directions, kind
from raidtui.core.fio.measurement import DirectionName, Measurement
from raidtui.core.plan.model import Plan, Stage, Trial
from raidtui.core.plan.parsed_setup import level_of
from raidtui.core.plan.recipe import ROUNDS
from raidtui.core.results.disk_speeds import AloneTest
from raidtui.core.results.figure import Attempt, good, undisturbed, value_of
from raidtui.core.results.numerics import normal
from raidtui.core.run.samples import ARRAY, moved
from raidtui.core.units import MB, signed_percent


def disks_of(trial: Trial) -> str:
    """The disks that a baseline measures without an array; "" of any other trial."""
    return {"member": f"disk {(trial.member or 0) + 1}", "members": "all disks at once"}.get(trial.target, "")


def window(attempts: Sequence[Attempt], rounds: int) -> list[Attempt]:
    """Of rounds the last ones that were begun, by which steady state is judged; of repetitions all."""
    begun = [attempt for attempt in attempts if attempt.measurement or attempt.running]
    return (begun or list(attempts))[-ROUNDS:] if rounds else list(attempts)


class Compared(msgspec.Struct, frozen=True):
    """`alone` by the member's index, `all_at_once` on all, `array` on one stage's array. `tests`: those of single disks
    with the requests of this job, at any depth.
    """

    trial: Trial
    name: DirectionName
    alone: dict[int, list[Attempt]]
    all_at_once: list[Attempt]
    array: list[Attempt]
    tests: tuple[tuple[AloneTest, list[Attempt]], ...] = ()

    @property
    def kind(self) -> Kind:
        return kind(self.trial.rw)

    @property
    def mixed(self) -> bool:
        """It reads and writes; each direction is compared by itself."""
        return len(directions(self.trial.rw)) > 1

    @property
    def rates_alone(self) -> dict[int, float]:
        """Of each member that moved anything alone, by the median."""
        moved = {
            member: [rate for measurement in good(attempts) if (rate := self.value(measurement))]
            for member, attempts in sorted(self.alone.items())
        }
        return {member: median(rates) for member, rates in moved.items() if rates}

    def value(self, measurement: Measurement) -> float | None:
        """None where it moved nothing in this direction."""
        return value_of(measurement, self.name, self.kind)


_GAP = 0.05
_KERNELS = "rate: kernel, latency: fio"
_FIOS = "rate: fio, possibly off by as much"
_ON_TIME = 1.5  # of the measured time: a ramp and fio's own start are in it


class Gap(msgspec.Struct, frozen=True):
    """bytes/s of a test in its directions. `by_kernel`: the figure is the kernel's."""

    fio_bytes_per_s: float
    counted_bytes_per_s: float
    by_kernel: bool

    @property
    def ratio(self) -> float:
        return self.counted_bytes_per_s / self.fio_bytes_per_s


def gap(plan: Plan, stage: Stage, measurement: Measurement, took_s: float) -> Gap | None:
    """Where they differ by over 5 % and more than requests in the queue explain; None else, or where fio ran long after
    its time. `took_s`: fio's, with ramp.
    """
    if took_s > _ON_TIME * (measurement.runtime_ms or 0) / 1000:
        return None
    fio_bytes_per_s = sum(transfers.bytes_per_s for transfers in (measurement.read, measurement.write) if transfers)
    counted = _counted(plan, stage, measurement)
    if (
        not fio_bytes_per_s
        or not counted
        or abs(counted - fio_bytes_per_s) <= max(_GAP * fio_bytes_per_s, _edges_bytes_per_s(measurement))
    ):
        return None
    by_kernel = any(transfers.counted_iops for transfers in (measurement.read, measurement.write) if transfers)
    return Gap(fio_bytes_per_s, counted, by_kernel)


def gap_words(plan: Plan, stage: Stage, found: Gap | None) -> str:
    if found is None:
        return ""
    fio, kernel = (f"{rate / MB:.3g} MB/s" for rate in (found.fio_bytes_per_s, found.counted_bytes_per_s))
    where = plan.existing.path if plan.existing else "the array" if stage.array else "the disks"
    figures = f"fio moved {fio}, the kernel counted {kernel} on {where} ({signed_percent(found.ratio - 1)} %)"
    return f"{figures}: {_KERNELS if found.by_kernel else _FIOS}"


def _edges_bytes_per_s(measurement: Measurement) -> float:
    """What requests in flight when the counting begins or ends are of the rate: one of the two counts them, or none."""
    queue = (measurement.iodepth or 1) * (measurement.numjobs or 1)
    return queue * (measurement.bs_bytes or 0) * 1000 / measurement.runtime_ms if measurement.runtime_ms else 0.0


def _counted(plan: Plan, stage: Stage, measurement: Measurement) -> float:
    """bytes/s in the test's own directions, of the array, else of all members; 0: not known, or members hold copies."""
    own_raid = stage.setup is not None and level_of(stage.setup).pool
    if measurement.status != "ok" or own_raid:
        return 0.0
    expected_disks = {ARRAY} if stage.array or stage.existing else {member.id for member in plan.members}
    rates = [disk_rates for key, disk_rates in measurement.disks.items() if key in expected_disks]
    by_direction = directions(measurement.rw)
    return sum(
        disk_rates.read_bytes_per_s * ("read" in by_direction)
        + disk_rates.write_bytes_per_s * ("write" in by_direction)
        for disk_rates in rates
    )


_SLOW = 0.10  # below the median, as a log
_FALSE_ALARMS = 0.005  # a rack
_TESTS_NEEDED = 2  # tests in which a disk is slow
_FEWEST = 3  # disks that have a median to speak of
_VERY_FEW = 5
_ENOUGH = 8  # disks, from which on one at 80 % is found in 95 of 100 cases
_SCALE_OF_MAD = 1.4826  # makes the median absolute deviation of a normal distribution its standard deviation


class Rates(msgspec.Struct, frozen=True):
    """What each member did in one test, in bytes/s, in the plan's order. `title` names the test."""

    title: str
    rates: tuple[float, ...]


class SlowMember(msgspec.Struct, frozen=True, kw_only=True):
    """In one of the tests in which a member is slow: its rate and the median of all, bytes/s."""

    member: int
    model: str
    serial: str
    job: str
    bytes_per_s: float
    median_bytes_per_s: float


class Screening(msgspec.Struct, frozen=True):
    """`slow`: indices of tests in which a named member was slow; `unsure`: members between 80 and 90 % of the median in
    two tests; `hidden`: share of the median above which a slow disk stays unseen (None: nothing, or fewer than two
    tests).
    """

    slow: dict[int, tuple[int, ...]] = {}
    unsure: tuple[int, ...] = ()
    tests: int = 0
    disks: int = 0
    hidden: float | None = None

    @property
    def is_tested(self) -> bool:
        return self.hidden is not None

    @property
    def words(self) -> str:
        """What the screen cannot see; "" from eight disks on, and where there was no screen."""
        if not self.tests or self.disks >= _ENOUGH:
            return ""
        if self.hidden is None:
            return "Not tested: a slow disk needs two tests, there is one."
        counts = f"Of {self.disks} disks, {self.tests} tests"
        if self.disks < _VERY_FEW:
            return f"{counts}: a disk at 80 to 90 % of the median would not be noticed. More tests find more."
        return f"{counts} find a slow disk only below {100 * self.hidden:.0f} % of the median. More tests find more."


def tests_of(plan: Plan, jobs: Sequence[Compared], disturbed: Collection[str] = ()) -> list[Rates]:
    """Each test of every member, one at a time or all at once, medians of repetitions; not those that stalled, or of
    `disturbed` jobs. Reads and writes of a mix are one test.
    """
    tests = []
    for job in {compared.trial.job: compared for compared in jobs}.values():
        steady = {member: undisturbed(tries) for member, tries in job.alone.items()}
        alone = {member: [_moved(m) for m in measured] for member, measured in steady.items() if measured}
        tests.append((job.trial.title, {} if job.trial.job in disturbed else alone))
        all_at_once_runs = undisturbed(job.all_at_once)
        all_at_once = {
            number: [moved(rates) for m in all_at_once_runs if (rates := m.disks.get(member.id))]
            for number, member in enumerate(plan.members)
        }
        tests.append(
            (f"{job.trial.title}, all at once", {member: rate for member, rate in all_at_once.items() if rate})
        )
    return [
        Rates(title, tuple(median(by_member[member]) for member in range(len(plan.members))))
        for title, by_member in tests
        if len(by_member) == len(plan.members) > 0
        and all(map(median, by_member.values()))  # with figures that have logs
    ]


def _moved(measurement: Measurement) -> float:
    return sum(direction.bytes_per_s for direction in (measurement.read, measurement.write) if direction)


def named(plan: Plan, tests: Sequence[Rates], screened: Screening) -> tuple[SlowMember, ...]:
    """The members that the screen names, a line for each test in which one was slow."""
    return tuple(
        SlowMember(
            member=member,
            model=plan.members[member].model,
            serial=plan.members[member].serial,
            job=tests[test].title,
            bytes_per_s=tests[test].rates[member],
            median_bytes_per_s=median(tests[test].rates),
        )
        for member, slow in screened.slow.items()
        for test in slow
    )


def screen(tests: Sequence[Rates]) -> Screening:
    """Members slow in two of T independent tests; false alarms in under 1 % of racks of equal disks.

    d = log(rate / median), s = 1.4826 median|d|, the larger of this test's and all tests', times sqrt(n / (n - 1.5)).
    Slow is d < -max(10 %, c s) with n T (T - 1) / 2 (1 - Phi(c))² = 0.5 %.
    """
    disks = len(tests[0].rates) if tests else 0
    if disks < _FEWEST:
        return Screening()
    if len(tests) < _TESTS_NEEDED:
        return Screening(tests=len(tests), disks=disks)
    logs_below_median = [_below_median(test) for test in tests]
    common = median(abs(d) for test in logs_below_median for d in test)
    scale = _SCALE_OF_MAD * math.sqrt(disks / (disks - 1.5)) * _deviations(disks, len(tests))
    limits = [max(_SLOW, scale * max(common, median(map(abs, test)))) for test in logs_below_median]
    slow = {i: tuple(t for t, limit in enumerate(limits) if logs_below_median[t][i] < -limit) for i in range(disks)}
    twice = {i: slow_tests for i, slow_tests in slow.items() if len(slow_tests) >= _TESTS_NEEDED}
    doubtful = [
        i
        for i in range(disks)
        if sum(test[i] < -_SLOW for test in logs_below_median) >= _TESTS_NEEDED and i not in twice
    ]
    hidden = math.exp(-sorted(limits)[_TESTS_NEEDED - 1])
    return Screening(twice, tuple(doubtful) if disks < _ENOUGH else (), len(tests), disks, hidden)


def _below_median(test: Rates) -> list[float]:
    middle = math.log(median(test.rates))
    return [math.log(rate) - middle for rate in test.rates]


@lru_cache
def _deviations(disks: int, tests: int) -> float:
    """c: how many deviations below, so that no rack of equal disks is accused twice of the same but one in 200."""
    pairs = tests * (tests - 1) / 2
    return normal(1 - math.sqrt(_FALSE_ALARMS / (disks * pairs)))
