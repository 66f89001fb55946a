"""The steps of what lies between an array and its file system, by its kind."""

from collections.abc import Callable

import msgspec

from raidtui.core.plan.between import luks, lvm
from raidtui.core.plan.model import LayerPlan
from raidtui.core.plan.steps import Edit, Step
from raidtui.core.raid.layers import LayerKind


class LayerSteps(msgspec.Struct, frozen=True):
    """Of one kind: what makes it, lets go of it before its array is stopped, and takes it up again after; what else
    boot has to know of it, None where nothing; after that is taken out, what follows.
    """

    made: Callable[[LayerPlan], list[Step]]
    let_go: Callable[[LayerPlan], Step]
    taken_up: Callable[[LayerPlan], Step]
    known_at_boot: Callable[[LayerPlan, tuple[Step, ...]], Edit] | None = None


_STEPS: dict[LayerKind, LayerSteps] = {
    "lvm": LayerSteps(lvm.made, lvm.let_go, lvm.taken_up),
    "luks": LayerSteps(luks.made, luks.let_go, luks.taken_up, luks.known_at_boot),
}


def steps_of(layer: LayerPlan) -> LayerSteps:
    """The steps of this one."""
    return _STEPS[layer.kind]
