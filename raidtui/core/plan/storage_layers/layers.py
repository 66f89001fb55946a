"""Steps by kind of layer between array and file system; the partition on an array."""

from collections.abc import Callable

import msgspec

from raidtui.core.plan.model import LayerPlan
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


def reassembled(layer: LayerPlan | None, conf: str, what: str, undo: tuple[Step, ...] = ()) -> list[Step]:
    """The array stopped, and assembled by what is written in `conf`, `around` its layer. `what`: of the assembly;
    `undo`: of the stop.
    """
    argv = ("mdadm", "--assemble", "--scan", "--no-degraded", f"--config={conf}", "{array}")
    steps: list[Step] = [
        Command(what="Stop the array", role="stop", argv=("mdadm", "--stop", "{array}"), undo=undo),
        settle(),
        Command(what=what, role="assemble", argv=argv),
        settle(),
        Check(what="Is it complete, with its name?", question="came-back"),
    ]
    return around(layer, steps)


def around(layer: LayerPlan | None, steps: list[Step]) -> list[Step]:
    """The layer let go before the array's steps, and taken up after."""
    if layer is None:
        return steps
    of_layer = steps_of(layer)
    return [of_layer.let_go(layer), *steps, of_layer.taken_up(layer), settle()]


def partition_steps(start_sectors: int, array_bytes: int) -> list[Step]:
    """One partition over the rest of the array, aligned or not."""
    label = "dos" if array_bytes < _MBR_BYTES else "gpt"
    argv = ("sfdisk", f"--label={label}", "--wipe=always", "--wipe-partitions=always", "{array}")
    title = f"Create a partition from sector {start_sectors}"
    return [Command(what=title, role="partition", argv=argv, stdin=f"start={start_sectors}\n"), settle()]
