"""How fast a rebuild went beside each test and by itself, and what that means for a whole disk.

Knows what md said of its progress; a time for the whole disk is scaled from that, and says from how much of it.
"""

from collections.abc import Sequence

import msgspec

from raidtui.core.plan.model import Plan, Stage
from raidtui.core.plan.sweep import taken
from raidtui.core.run.events import RebuildTold
from raidtui.core.run.state import RunState


class RebuildRate(msgspec.Struct, frozen=True, kw_only=True):
    """Of one setup, beside one trial (its title; "" by itself): bytes of the disk that were rebuilt, and in how long.

    `whole_bytes` is what a rebuild of the whole disk has to write.
    """

    stage: int
    setup: str
    beside: str
    rebuilt_bytes: int
    took_s: float
    whole_bytes: int

    @property
    def bytes_per_s(self) -> float:
        return self.rebuilt_bytes / self.took_s

    @property
    def whole_s(self) -> float | None:
        """Of the whole disk at this pace; None where nothing was rebuilt at all."""
        return self.whole_bytes / self.bytes_per_s if self.rebuilt_bytes else None

    @property
    def share(self) -> float:
        """How much of the whole the pace was seen over."""
        return self.rebuilt_bytes / self.whole_bytes


def rebuilds(plan: Plan, state: RunState) -> list[RebuildRate]:
    """Each test's, in the plan's order, the one by itself last; none in most runs."""
    found = []
    for number, stage in enumerate(plan.stages):
        if stage.setup is None or not stage.setup.rebuild_min_kib_s:
            continue
        titles = {trial.id: trial.title for trial in stage.trials} | {"": ""}
        told = [one for one in state.rebuilds if one.stage == number]
        for trial, title in titles.items():
            if rate := _rate(plan, number, stage, title, [one for one in told if one.trial == trial][-2:]):
                found.append(rate)
    return found


def _rate(plan: Plan, number: int, stage: Stage, title: str, told: Sequence[RebuildTold]) -> RebuildRate | None:
    """Between the two looks, before and after; None where one is missing, or they are of two rebuilds."""
    if len(told) < 2 or stage.array is None or stage.setup is None:
        return None
    before, after = told
    if after.at_s <= before.at_s or after.done_bytes < before.done_bytes:
        return None
    smallest = min(member.size_bytes for member in taken(stage.setup, plan.members))
    return RebuildRate(
        stage=number,
        setup=stage.title,
        beside=title,
        rebuilt_bytes=after.done_bytes - before.done_bytes,
        took_s=after.at_s - before.at_s,
        whole_bytes=smallest - stage.array.capacity.data_offset_bytes,
    )
