"""Steps by kind of layer between array and file system; the partition on an array."""

from collections.abc import Callable, Sequence

import msgspec

from raidtui.core.plan.model import ArrayPlan, LayerPlan
from raidtui.core.plan.steps import Check, Command, Edit, Step, settle
from raidtui.core.plan.storage_layers import luks, lvm
from raidtui.core.raid.layers import LayerKind
from raidtui.core.units import TIB


class LayerSteps(msgspec.Struct, frozen=True):
    """`let_go`: before the array stops; `taken_up`: after it is assembled. `known_at_boot`: boot's line for it, and the
    steps after that line is removed; None if not needed.
    """

    made: Callable[[LayerPlan], list[Step]]
    let_go: Callable[[LayerPlan], Step]
    taken_up: Callable[[LayerPlan], Step]
    known_at_boot: Callable[[LayerPlan, tuple[Step, ...]], Edit] | None = None


_MBR_BYTES = 2 * TIB
_STEPS: dict[LayerKind, LayerSteps] = {
    "lvm": LayerSteps(lvm.made, lvm.let_go, lvm.taken_up),
    "luks": LayerSteps(luks.made, luks.let_go, luks.taken_up, luks.known_at_boot),
}


def steps_of(layer: LayerPlan) -> LayerSteps:
    return _STEPS[layer.kind]


def reassembled(array: ArrayPlan, layer: LayerPlan | None, conf: str, by: str, back: Sequence[Step] = ()) -> list[Step]:
    """The array stopped, then its groups, and assembled by what is written in `conf`, the groups first; its layer is
    let go before, and taken up after. `by`: what that is, in words; `back`: undoes the stop of array and each group.
    """
    by_conf = ("mdadm", "--assemble", "--scan", "--no-degraded", f"--config={conf}")
    groups = [(f"group {number}", node) for number, node in enumerate(array.parts[: len(array.groups)], 1)]
    outer = ("the RAID 0" if groups else "it", "{array}")
    stops = [
        Command(
            what=f"Stop {name if groups else 'the array'}",
            role="stop",
            argv=("mdadm", "--stop", node),
            undo=tuple(back[number : number + 1]),
        )
        for number, (name, node) in enumerate((outer, *groups))
    ]
    *assembles, last = (
        Command(what=f"Assemble {name} from {by}", role="assemble", argv=(*by_conf, node))
        for name, node in (*groups, outer)
    )
    are_they = "Are all complete, with their names?" if groups else "Is it complete, with its name?"
    waits = [settle()] if groups else []
    steps: list[Step] = [
        *stops,
        settle(),
        *assembles,
        *waits,
        last,
        settle(),
        Check(what=are_they, question="came-back"),
    ]
    if layer is None:
        return steps
    of_layer = steps_of(layer)
    return [of_layer.let_go(layer), *steps, of_layer.taken_up(layer), settle()]


def partition_steps(start_sectors: int, array_bytes: int) -> list[Step]:
    """One partition over the rest of the array, aligned or not."""
    label = "dos" if array_bytes < _MBR_BYTES else "gpt"
    return [
        Command(
            what=f"Create a partition from sector {start_sectors}",
            role="partition",
            argv=("sfdisk", f"--label={label}", "--wipe=always", "--wipe-partitions=always", "{array}"),
            stdin=f"start={start_sectors}\n",
        ),
        settle(),
    ]
