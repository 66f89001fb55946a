"""One host's run, reduced to a fleet report's needs: results, disk rates, failures."""

from typing import TypeAlias

import msgspec

from raidtui.core.answer.effects import unit_of
from raidtui.core.answer.values import Unit
from raidtui.core.plan import summary
from raidtui.core.plan.model import Plan, Stage
from raidtui.core.results.analysis import Comparison, ResultRow, compare, test_title
from raidtui.core.results.numerics import built, joined
from raidtui.core.results.outliers import Rates
from raidtui.core.run.state import RunState
from raidtui.core.text import brief

_MOST_ERRORS = 3
TestKey: TypeAlias = tuple[str, str, str]  # setup, job, direction


class HostFigure(msgspec.Struct, frozen=True, kw_only=True):
    """`value`: the array's (or target's) median of `runs`, in `unit`; None with `standing` and `error`."""

    setup: str
    title: str
    job: str
    direction: str
    unit: Unit
    value: float | None
    runs: int
    standing: str
    error: str = ""
    one_disk: float | None = None
    all_at_once: float | None = None
    gain: float | None = None

    @property
    def key(self) -> TestKey:
        return self.setup, self.job, self.direction


class HostDisk(msgspec.Struct, frozen=True, kw_only=True):
    """`slow_in`: tests in which it is slow beside its host's other disks."""

    id: str
    model: str
    serial: str
    firmware: str
    slot: str
    size_bytes: int
    slow_in: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.serial or self.id


class HostRun(msgspec.Struct, frozen=True, kw_only=True):
    """`machine` distinguishes equal names. `experiment`: equal for equal answers. `disk_rates`: bytes/s, in order of
    `disks`. `usable_bytes`: of the kept or only array; None if several. `began_s`: Unix time.
    """

    host: str
    machine: str
    run: str
    folder: str
    began_s: float
    outcome: str
    reason: str
    recipe: str
    experiment: str
    setups: tuple[str, ...]
    disks: tuple[HostDisk, ...]
    disk_rates: tuple[Rates, ...]
    figures: tuple[HostFigure, ...]
    trials: int
    missing: int
    errors: tuple[str, ...]
    raw_bytes: int
    usable_bytes: int | None
    kept: bool
    emulated: bool

    @property
    def failed(self) -> bool:
        """Ended badly, or a test has no result."""
        return self.outcome != "finished" or self.missing > 0

    @property
    def slow_disks(self) -> tuple[HostDisk, ...]:
        return tuple(disk for disk in self.disks if disk.slow_in)


def host_run(plan: Plan, state: RunState, run: str, folder: str, fallback: str) -> HostRun:
    """`fallback`: host name if the journal has none."""
    comparison = compare(plan, state, theory=False)
    joined_plan = joined(plan)
    stages = [stage for _, stage in built(joined_plan)]
    trials = [trial for trial in plan.trials if trial.id not in state.passed_over]
    without_figure = [trial for trial in trials if not state.complete(trial.id)]
    return HostRun(
        host=(state.worker.host if state.worker else "") or fallback,
        machine=plan.machine,
        run=run,
        folder=folder,
        began_s=state.started_at_s,
        outcome=state.outcome or ("not ended" if state.worker else "unreadable" if state.damaged else "not begun"),
        reason=brief(state.reason),
        recipe=summary.experiment(plan),
        experiment=_experiment(joined_plan, stages),
        setups=tuple(stage.title for stage in stages),
        disks=_disks(plan, comparison),
        disk_rates=comparison.disk_rates,
        figures=tuple(_figure(row) for row in comparison.rows),
        trials=len(trials),
        missing=len(without_figure),
        errors=_errors(state, [trial.id for trial in without_figure]),
        raw_bytes=sum(disk.size_bytes for disk in plan.disks),
        usable_bytes=_usable(plan, state, stages),
        kept=state.kept,
        emulated=any(disk.emulator for disk in plan.disks),
    )


def _experiment(plan: Plan, stages: list[Stage]) -> str:
    """Equal for equal answers."""
    tests = {
        (trial.job, trial.rw, trial.bs_bytes, trial.iodepth, trial.numjobs, trial.runtime_s)
        for stage in plan.stages
        for trial in stage.trials
    }
    return msgspec.json.encode((plan.recipe_title, [stage.title for stage in stages], sorted(tests, key=str))).decode()


def _disks(plan: Plan, comparison: Comparison) -> tuple[HostDisk, ...]:
    slow: dict[int, list[str]] = {}
    for member in comparison.slow_members:
        slow.setdefault(member.member, []).append(member.job)
    return tuple(
        HostDisk(
            id=disk.id,
            model=disk.model,
            serial=disk.serial,
            firmware=disk.firmware,
            slot=disk.slot,
            size_bytes=disk.size_bytes,
            slow_in=tuple(slow.get(number, ())),
        )
        for number, disk in enumerate(plan.disks)
    )


def _figure(row: ResultRow) -> HostFigure:
    return HostFigure(
        setup=row.setup,
        title=test_title(row),
        job=row.job,
        direction=row.direction,
        unit=unit_of(row),
        value=row.array.value,
        runs=row.array.runs,
        standing=row.array.standing,
        error=brief(row.array.error),
        one_disk=row.single.value,
        all_at_once=row.all_at_once.value,
        gain=row.gain,
    )


def _errors(state: RunState, trials: list[str]) -> tuple[str, ...]:
    measured = [state.measured(trial) for trial in trials]
    error_texts = dict.fromkeys(
        brief(measurement.error) for measurement in measured if measurement and measurement.error
    )
    return tuple(error_texts)[:_MOST_ERRORS]


def _usable(plan: Plan, state: RunState, stages: list[Stage]) -> int | None:
    kept_stage = plan.kept_stage if state.kept else None
    arrays = [plan.stages[kept_stage].array] if kept_stage is not None else [stage.array for stage in stages]
    if len(arrays) != 1 or arrays[0] is None:
        return None
    return arrays[0].capacity.array_bytes
