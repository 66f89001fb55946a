"""A plan of several blocks as its results are read: every setup once, with what was measured of it in all of them."""

import msgspec

from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan, Stage


def joined(plan: Plan) -> Plan:
    """The plan with each setup, and the baseline, at its first stage with the trials of all passes; later ones are
    empty.
    """
    if plan.blocks < 2:
        return plan
    first: dict[Setup | None, int] = {}
    stages = list(plan.stages)
    for number, stage in enumerate(plan.stages):
        first_number = first.setdefault(stage.setup, number) if stage.trials else number
        if first_number != number:
            stages[first_number] = _added(stages[first_number], stage)
            stages[number] = Stage(title=stage.title, steps=(), trials=())
    return msgspec.structs.replace(plan, stages=tuple(stages))


def built(plan: Plan) -> list[tuple[int, Stage]]:
    numbered = [(number, stage) for number, stage in enumerate(plan.stages) if stage.setup is not None]
    return sorted(numbered, key=lambda pair: plan.setups.index(pair[1].setup) if pair[1].setup in plan.setups else 0)


def _added(stage: Stage, later: Stage) -> Stage:
    return msgspec.structs.replace(
        stage,
        steps=(*stage.steps, *later.steps),
        trials=(*stage.trials, *later.trials),
        written_bytes=stage.written_bytes + later.written_bytes,
        sync_bytes=stage.sync_bytes + later.sync_bytes,
    )
