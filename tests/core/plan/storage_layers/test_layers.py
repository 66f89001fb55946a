"""The steps of what lies between, by its kind."""

import pytest
from msgspec.structs import replace

from raidtui.core.plan.model import LayerPlan, carried_out, undo
from raidtui.core.plan.steps import Check, role_of
from raidtui.core.plan.storage_layers import layers
from raidtui.core.raid.layers import LAYERS, LayerKind
from raidtui.core.units import KIB
from tests.builders.layered import LVM, made, roles


@pytest.mark.parametrize(
    "kind, creates, around, known",
    [("lvm", "pvcreate", ("deactivate", "activate"), False), ("luks", "encrypt", ("lock", "unlock"), True)],
)
def test_each_kind_has_its_steps(kind: LayerKind, creates: str, around: tuple[str, str], known: bool) -> None:
    layer = LayerPlan(uuid="{uuid:1}", group="g", align_bytes=1 << 20, kind=kind)
    steps = layers.steps_of(layer)
    assert role_of(steps.made(layer)[0]) == creates
    assert (role_of(steps.let_go(layer)), role_of(steps.taken_up(layer))) == around
    assert (steps.known_at_boot is not None) is known


@pytest.mark.parametrize("kind", ["lvm", "luks"])
@pytest.mark.parametrize("level, disks, groups, stripe", [("5", 6, 2, 4), ("6", 10, 2, 6), ("5", 12, 3, 9)])
def test_on_groups_it_begins_on_a_chunk_of_the_raid_0(
    kind: LayerKind, level: str, disks: int, groups: int, stripe: int
) -> None:
    """`stripe`: chunks of data in a stripe of all groups."""
    stage = made(replace(LVM, level=level, groups=groups, between=kind), disks).stages[-1]
    assert stage.array and stage.layer and stage.filesystem
    outer = stage.array.outer
    assert (outer.chunk_bytes, stage.layer.align_bytes) == (stripe // groups * 64 * KIB, stripe * 64 * KIB)
    assert LAYERS[kind].start_bytes(stage.layer.align_bytes) % outer.chunk_bytes == 0
    (look,) = (step for step in stage.steps if isinstance(step, Check) and step.question.endswith("-aligned"))
    assert look.expected == {"align_bytes": stripe * 64 * KIB}
    assert stage.filesystem.geometry == {"block_bytes": 4096, "stride_blocks": 16, "stripe_width_blocks": stripe * 16}


@pytest.mark.parametrize("kind, out, taken_up", [("lvm", "deactivate", "activate"), ("luks", "lock", "unlock")])
def test_a_permanent_one_is_let_go_before_the_raid_0_is_stopped(kind: LayerKind, out: str, taken_up: str) -> None:
    plan = made(replace(LVM, level="5", groups=2, between=kind), 6, permanent=True)
    steps = carried_out(plan, len(plan.stages) - 1).steps
    there = roles(steps)
    assert there[(at := there.index(out)) : at + 9] == [out, *["stop"] * 3, *["assemble"] * 3, "came-back", taken_up]
    back = roles(tuple(undo(steps)))
    at = back.index("assemble")
    assert back[at : at + 4] == [*["assemble"] * 3, "activate" if kind == "lvm" else "take-out-lines"]
