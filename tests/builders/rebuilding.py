"""Runs in which a disk was built in anew beside tests, by hand: what the kernel counted on it, what md said of it."""

from msgspec.structs import replace

from raidtui.core.fio.measurement import DiskRates
from raidtui.core.plan.model import Plan, Stage
from raidtui.core.plan.steps import Command
from raidtui.core.run.state import RunState, TrialState


def beside(made: Plan, state: RunState, pace_bytes_per_s: float | None) -> RunState:
    """The run with so much written to each new disk beyond what all disks got, in each test's own seconds.

    None: the kernel counted no disk.
    """
    stage_of = {trial.id: stage for stage in made.stages for trial in stage.trials}

    def counted(one: TrialState) -> TrialState:
        stage = stage_of[one.trial]
        if one.measurement is None or stage.setup is None or not stage.setup.rebuild_min_kib_s:
            return one
        users = 1e6
        disks = {
            disk.id: DiskRates(0.0, users + (pace_bytes_per_s or 0.0) * (index in _put_back(stage)), 0.9)
            for index, disk in enumerate(made.disks)
        }
        told = disks if pace_bytes_per_s is not None else {}
        return replace(one, measurement=replace(one.measurement, disks=told))

    return replace(state, trials=tuple(map(counted, state.trials)))


def _put_back(stage: Stage) -> set[int]:
    return {index for step in stage.steps if isinstance(step, Command) and step.role == "add" for index in step.members}
