"""How fast a rebuild went beside each test and by itself, and what that means for a whole disk.

Knows what md said of its progress; a time for the whole disk is scaled from that, and says from how much of it.
"""

import msgspec

from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan, Stage
from raidtui.core.plan.sweep import taken
from raidtui.core.results.joined import built, joined
from raidtui.core.run.state import RunState


class RebuildRate(msgspec.Struct, frozen=True, kw_only=True):
    """Of one setup, beside one trial (its title; "" by itself): bytes of the disk that were rebuilt, and in how long,
    in all `rebuilds` of it together, one a block.

    `whole_bytes` is what a rebuild of the whole disk has to write.
    """

    stage: int
    setup: str
    beside: str
    rebuilt_bytes: int
    took_s: float
    whole_bytes: int
    rebuilds: int = 1

    @property
    def bytes_per_s(self) -> float:
        return self.rebuilt_bytes / self.took_s

    @property
    def whole_s(self) -> float | None:
        """Of the whole disk at this pace; None where nothing was rebuilt at all."""
        return self.whole_bytes / self.bytes_per_s if self.rebuilt_bytes else None

    @property
    def share(self) -> float:
        """How much of the whole the pace was seen over, in a mean rebuild."""
        return self.rebuilt_bytes / self.rebuilds / self.whole_bytes


class _Seen(msgspec.Struct, frozen=True):
    """Of one rebuild what was seen between two looks."""

    rebuilt_bytes: int
    took_s: float


def rebuilds(plan: Plan, state: RunState) -> list[RebuildRate]:
    """Each test's on each setup, in the recipe's order, the one by itself last; none in most runs."""
    found = []
    for number, first in built(joined(plan)):
        if first.setup is None or not first.setup.rebuild_min_kib_s:
            continue
        stages = [(at, stage) for at, stage in enumerate(plan.stages) if stage.setup == first.setup]
        for job, title in ({trial.job: trial.title for trial in first.trials} | {"": ""}).items():
            if seen := [one for at, stage in stages for one in _seen(state, at, stage, job)]:
                rate = RebuildRate(
                    stage=number,
                    setup=first.title,
                    beside=title,
                    rebuilt_bytes=sum(one.rebuilt_bytes for one in seen),
                    took_s=sum(one.took_s for one in seen),
                    whole_bytes=_whole_bytes(plan, first),
                    rebuilds=len(seen),
                )
                found.append(rate)
    return found


def _seen(state: RunState, number: int, stage: Stage, job: str) -> list[_Seen]:
    """Between the two last looks beside each trial of a stage's job ("": by itself), before and after.

    Nothing where one is missing, or they are of two rebuilds.
    """
    trials = [trial.id for trial in stage.trials if trial.job == job] if job else [""]
    looks = [[one for one in state.rebuilds if (one.stage, one.trial) == (number, trial)][-2:] for trial in trials]
    return [
        _Seen(after.done_bytes - before.done_bytes, after.at_s - before.at_s)
        for before, after in (pair for pair in looks if len(pair) == 2)
        if after.at_s > before.at_s and after.done_bytes >= before.done_bytes
    ]


def _whole_bytes(plan: Plan, stage: Stage) -> int:
    """What a rebuild of the smallest of its disks writes in all."""
    smallest = min(member.size_bytes for member in taken(stage.setup or Setup(), plan.members))
    return smallest - (stage.array.capacity.data_offset_bytes if stage.array else 0)
