"""Usable bytes of a setup, and where the rest went."""

from raidtui.core.answer.values import UsableSpace
from raidtui.core.plan import sweep
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan, Stage
from raidtui.core.plan.parsed_setup import parse
from raidtui.core.raid import capacity
from raidtui.core.units import format_bytes


def capacity_of(plan: Plan, setup: Setup) -> capacity.Capacity | None:
    """What a setup holds on the plan's disks; None where that cannot be said."""
    try:
        return parse(setup, [member.size_bytes for member in sweep.taken(setup, plan.disks)], "4.2").capacity
    except ValueError:
        return None


def usable(plan: Plan) -> UsableSpace | None:
    stages = [stage for stage in plan.stages if stage.setup is not None]
    return _usable(stages[0]) if len({stage.setup for stage in stages}) == 1 else None


def _usable(stage: Stage) -> UsableSpace | None:
    if stage.array is None:
        return None
    holds = stage.array.capacity
    lost = (
        ("parity", holds.lost.parity_bytes),
        ("mirror copies", holds.lost.mirror_bytes),
        ("rest of larger disks", holds.lost.unequal_bytes),
        ("partition tables", holds.lost.outside_bytes),
        (f"metadata ({format_bytes(holds.data_offset_bytes)} of each disk)", holds.lost.metadata_bytes),
        ("rounding", holds.lost.rounding_bytes),
    )
    largest = sorted((row for row in lost if row[1] > holds.raw_bytes / 1000), key=lambda row: -row[1])
    return UsableSpace(
        subject=stage.title,
        figure=holds.array_bytes,
        unit="bytes",
        raw=holds.raw_bytes,
        lost=tuple(name for name, _ in largest),
    )
