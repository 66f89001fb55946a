"""An ablation: the effect of each change on throughput and p99 with its interval, and which cause that proves."""

from collections.abc import Sequence

import msgspec

from raidtui.core.fio.job import FioOptions, Kind
from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan import retry, tunables
from raidtui.core.plan.answers import Answers
from raidtui.core.plan.model import Plan, Trial
from raidtui.core.plan.trials import options_of
from raidtui.core.plan.tunables import Case, Recorded, Tunable
from raidtui.core.results.analysis import Comparison, ResultRow, compare
from raidtui.core.results.deviation import Cause, cell_of, named
from raidtui.core.results.differences import Difference, Setups
from raidtui.core.results.figure import Attempt, Figure, direction, figure, percentiles
from raidtui.core.results.outliers import Compared
from raidtui.core.run.state import RunState

_AS_EXPECTED = 0.10  # off theory
_MEASURED_LOW = 0.25  # above theory: a disk's two figures of one test differ by less
_LEAST_EFFECT = 0.05
_SURER = 5  # times fewer false alarms than in 5 of 100: a cause is acted upon


class ArmEffect(msgspec.Struct, frozen=True):
    """Figures with one change, and both over the unchanged ones; `p99_ns`: median of blocks. `proven`: faster, at most
    one false in 200 ablations.
    """

    suspect: Tunable
    figure: Figure
    p99_ns: float | None
    throughput: Difference
    p99: Difference
    proven: bool

    @property
    def helped(self) -> bool:
        """Does it explain anything? What changes less than 5 % does not, however sure it is."""
        return self.proven and (self.throughput.share or 0.0) >= _LEAST_EFFECT


class Ablation(msgspec.Struct, frozen=True):
    """One test unchanged and with each change. `deviation`: of the unchanged from expected. `evident`: causes by
    counters; `slow`: disks that every test of disks shows as slow.
    """

    row: ResultRow
    unchanged: Figure
    p99_ns: float | None
    effects: tuple[ArmEffect, ...]
    deviation: float | None
    evident: tuple[Cause, ...] = ()
    slow: tuple[str, ...] = ()

    @property
    def kind(self) -> Kind:
        return self.row.kind

    @property
    def causes(self) -> tuple[ArmEffect, ...]:
        """The changes that helped by more than chance, the largest first."""
        helped = [effect for effect in self.effects if effect.helped]
        return tuple(sorted(helped, key=lambda effect: -(effect.throughput.share or 0.0)))

    @property
    def left(self) -> float | None:
        """How far the test is from theory once its main cause is taken away."""
        if self.deviation is None or not self.causes:
            return self.deviation
        return (1 + self.deviation) * (1 + (self.causes[0].throughput.share or 0.0)) - 1

    @property
    def above_expected(self) -> bool:
        """Is it so far above theory that what the disks did by themselves was measured too low?"""
        return (self.deviation or 0.0) > _MEASURED_LOW

    @property
    def as_expected(self) -> bool:
        """Is it what theory expects, or more?"""
        return self.deviation is not None and self.deviation >= -_AS_EXPECTED


def of_run(plan: Plan, state: RunState, comparison: Comparison) -> tuple[Ablation, ...]:
    """One for each direction of the test; none where the run is no ablation."""
    if not plan.answers.explain:
        return ()
    rows = [row for row in comparison.rows if not _suspect_of(plan, row)]
    return tuple(_ablation(plan, state, comparison, row) for row in rows)


def _suspect_of(plan: Plan, row: ResultRow) -> str:
    return next((trial.suspect for trial in plan.stages[row.stage].trials if trial.job == row.job), "")


def _ablation(plan: Plan, state: RunState, run_comparison: Comparison, row: ResultRow) -> Ablation:
    trials = plan.stages[row.stage].trials
    keys = list(dict.fromkeys(trial.suspect for trial in trials))
    arms = [[trial for trial in trials if trial.suspect == key] for key in keys]
    rates = [figure(_attempts(state, arm), Compared(arm[0], row.direction, {}, [], []).value) for arm in arms]
    p99s = [figure(_attempts(state, arm), lambda measured: _p99_ns(measured, row)) for arm in arms]
    by_rate, by_p99 = (
        Setups([dict(zip(f.blocks, f.values, strict=True)) for f in figures]) for figures in (rates, p99s)
    )
    base = keys.index("")
    claims = max(1, len(keys) - 1)
    effects = tuple(
        ArmEffect(
            tunables.TUNABLES[key],
            rates[number],
            p99s[number].value,
            _over(by_rate, number, base, claims),
            _over(by_p99, number, base, claims),
            _over(by_rate, number, base, claims * _SURER).conclusion == "different",
        )
        for number, key in enumerate(keys)
        if key in tunables.TUNABLES
    )
    return Ablation(
        row,
        rates[base],
        p99s[base].value,
        effects,
        row.deviation,
        row.causes.evident,
        tuple(_slow_disks(plan, run_comparison)),
    )


def _attempts(state: RunState, trials: Sequence[Trial]) -> list[Attempt]:
    return [Attempt(state.measured(trial.id), block=trial.repetition) for trial in trials]


def _p99_ns(measured: Measurement, row: ResultRow) -> float | None:
    transfers = direction(measured, row.direction)
    return percentiles(transfers).get("99") if transfers else None


def _over(setups: Setups, number: int, base: int, claims: int) -> Difference:
    """One arm over the unchanged one, by the spread of all arms, corrected for as many claims as there are changes."""
    if {number, base} & set(setups.wild):
        return setups.over(number, base)
    return setups.over_all([(number, base)], claims)


def _slow_disks(plan: Plan, run_comparison: Comparison) -> list[str]:
    """Each disk that is slow in two tests of the disks, with its share of the median in the worst."""
    worst: dict[int, float] = {}
    for slow_member in run_comparison.slow_members:
        share = slow_member.bytes_per_s / slow_member.median_bytes_per_s
        worst[slow_member.member] = min(share, worst.get(slow_member.member, share))
    return [
        f"disk {number + 1} ({named(plan.disks[number])}) does {100 * share:.0f} % of the other disks, alone"
        for number, share in worst.items()
    ]


class NothingToExplain(ValueError):
    """One sentence: why no test of a run can be explained, and what can be done."""


_NOT_ALONE = {
    False: "offers a share of another test: explain that one",
    True: "is one of many rounds: measure it by a recipe without rounds and explain that run",
}


def answers_of(plan: Plan, state: RunState, trial_id: str = "", target: str = "") -> Answers:
    """The answers of the ablation of a trial, else of the test furthest from expected. `target`: where its array is and
    stays. ValueError: no such trial.
    """
    comparison = compare(plan, state)
    if trial_id:
        trial = plan.trial(trial_id)
    else:
        row = most_deviating(comparison)
        if row is None:
            raise NothingToExplain(
                "no test of it has a figure and an expected value; measure more, or give `raidtui explain` a trial"
            )
        trial = trial_of(plan, row)
    if trial and (trial.share_of or trial.rounds):
        raise NothingToExplain(f"{trial.title} {_NOT_ALONE[bool(trial.rounds)]}")
    if trial and trial.bare == "end":  # an ablation has no file system, and its job begins at the start
        raise NothingToExplain(f"{trial.title}: no disk was measured on its inner tracks; explain another test")
    keys = suspects_of(plan, state, trial, comparison, existing=bool(target)) if trial else ()
    if trial and target and not keys:
        raise NothingToExplain(
            f"no suspect of {trial.title} can be changed while its array exists:"
            " choose another test, or `raidtui clean` and explain without --target"
        )
    return retry.explaining(plan, trial.id if trial else trial_id, keys, target)


def most_deviating(comparison: Comparison) -> ResultRow | None:
    """The test that is furthest from theory, as a factor; None where none has a theory."""
    rows = [row for row in comparison.rows if row.deviation is not None and row.array.value]
    return max(rows, key=lambda row: max(1 + (row.deviation or 0), 1 / (1 + (row.deviation or 0))), default=None)


def trial_of(plan: Plan, row: ResultRow) -> Trial:
    return next(trial for trial in plan.stages[row.stage].trials if trial.job == row.job)


def suspects_of(
    plan: Plan, state: RunState, trial: Trial, comparison: Comparison | None = None, *, existing: bool = False
) -> tuple[str, ...]:
    """Keys of suspects that can be changed and are not so by the run's record. `existing`: the array is not built
    again.
    """
    existing = existing or plan.existing is not None
    number = next((n for n, stage in enumerate(plan.stages) if trial in stage.trials and stage.setup is not None), None)
    if number is None:  # of a baseline: the disks themselves
        return ("disks",)
    stage = plan.stages[number]
    options: FioOptions = {"rw": trial.rw, "iodepth": trial.iodepth or 1, "numjobs": trial.numjobs or 1}
    options |= options_of(stage, trial.id)
    detail = state.arrays[number].detail if number in state.arrays else {}
    queues = next((trial_state.queues for trial_state in state.trials if trial_state.trial == trial.id), {})
    measured = state.measured(trial.id)
    used = measured.cpu if measured else {}
    thread = max((share for name, share in used.items() if name.startswith("md")), default=0.0)
    flash = bool(plan.disks) and all(member.rotational is False for member in plan.disks)
    compared = comparison or compare(plan, state)
    rows = [row for row in compared.rows if row.tested == (number, trial.job)]
    predicted = any(row.predicted is not None for row in rows[:1])
    recorded = Recorded(detail, tuple(queues.values()), thread, flash, predicted)
    case = Case(None if existing else cell_of(plan, stage), options, len(plan.disks), existing=existing)
    return tuple(row.key for row in tunables.possible(case) if not row.ruled_out(recorded))
