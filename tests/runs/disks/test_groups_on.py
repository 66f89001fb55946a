"""What may be on a group before the RAID 0 over it is made, and before it is removed; the worker's own way to them."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from raidtui.core.disks.machine import Signature
from raidtui.core.plan.answers import Setup
from raidtui.runs.context import StageContext
from raidtui.runs.disks import groups
from raidtui.runs.waiting import Refused, StepFailed
from raidtui.system.signatures import Reading
from tests.builders.every_plan import of

GROUPED = of(Setup(level="5", groups=2))
OWN = Signature(kind="linux_raid_member", uuid="{uuid:0}")
FOREIGN = Signature(kind="LVM2_member", uuid="abc-def")


class Seen:
    """A context, and its host, with two groups md1 and md2 under md3."""

    def __init__(
        self,
        signatures: tuple[Signature, ...] | None = (),
        holders: tuple[str, ...] = (),
        partitions: tuple[str, ...] = (),
        found: tuple[str, ...] = ("md1", "md2"),
        outer: str | None = None,
    ) -> None:
        self.stage = GROUPED.stages[-1]
        array = self.stage.array
        assert array and array.uuid == OWN.uuid
        self.groups, self.host, self._found, self._outer = array.groups, self, found, outer
        self._signatures, self._holders, self._partitions = signatures, holders, partitions

    def own_groups(self) -> list[str]:
        return list(self._found)

    def find_array(self) -> str | None:
        return self._outer

    def matching(self, pattern: str) -> list[Path]:
        return [Path(pattern.replace("*", name)) for name in self._holders]

    def partitions_of(self, name: str) -> tuple[str, ...]:
        return self._partitions

    def signatures_on(self, names: tuple[str, ...]) -> dict[str, Reading]:
        return dict.fromkeys(names, Reading(signatures=self._signatures))


def why_not(bare: bool, **seen: Any) -> str:
    return groups.why_not_own(cast(StageContext, Seen(**seen)), "md1", bare=bare)


@pytest.mark.parametrize(
    "seen, bare, own",
    [
        ({}, "", ""),
        ({"signatures": (OWN,)}, "which this run did not make", ""),
        ({"signatures": (FOREIGN,)}, "LVM2_member abc-def", "LVM2_member abc-def"),
        ({"signatures": None}, "cannot be read", "cannot be read"),
        ({"holders": ("dm-0",)}, "/dev/dm-0 is on the group", "/dev/dm-0 is on the group"),
        ({"holders": ("md9",), "outer": "md3"}, "/dev/md9 is on", "/dev/md9 is on"),
        ({"holders": ("md3",), "outer": "md3", "signatures": (OWN,)}, "did not make", ""),
        ({"partitions": ("md1p1",)}, "/dev/md1p1 is on", "/dev/md1p1 is on"),
    ],
)
def test_a_group_holds_the_runs_own_raid_0_alone(seen: dict[str, Any], bare: str, own: str) -> None:
    for wanted, is_bare in ((bare, True), (own, False)):
        said = why_not(is_bare, **seen)
        assert wanted in said and bool(wanted) == bool(said)


def test_no_raid_0_is_made_over_what_is_not_bare_or_not_all_there() -> None:
    groups.need_bare(cast(StageContext, Seen()))
    with pytest.raises(Refused, match="LVM2_member"):
        groups.need_bare(cast(StageContext, Seen(signatures=(FOREIGN,))))
    with pytest.raises(StepFailed, match="1 of the run's groups"):
        groups.need_bare(cast(StageContext, Seen(found=("md1",))))


@pytest.mark.parametrize("array", ["md3", None])
def test_a_raid_0_that_came_up_again_is_stopped(array: str | None) -> None:
    given = list[tuple[str, ...]]()
    does_nothing = dict.fromkeys(("settle", "forget_array"), lambda: None)
    context = SimpleNamespace(own_array=lambda: array, run=lambda step: given.append(step.argv), **does_nothing)
    groups.stop_again(cast(StageContext, context))
    assert given == ([("mdadm", "--stop", "{array}")] if array else [])
