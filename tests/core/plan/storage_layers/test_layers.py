"""The steps of what lies between, by its kind."""

import pytest

from raidtui.core.plan.model import LayerPlan
from raidtui.core.plan.steps import role_of
from raidtui.core.plan.storage_layers import layers
from raidtui.core.raid.layers import LayerKind


@pytest.mark.parametrize(
    "kind, made, around, known",
    [("lvm", "pvcreate", ("deactivate", "activate"), False), ("luks", "encrypt", ("lock", "unlock"), True)],
)
def test_each_kind_has_its_steps(kind: LayerKind, made: str, around: tuple[str, str], known: bool) -> None:
    layer = LayerPlan(uuid="{uuid:1}", group="g", align_bytes=1 << 20, kind=kind)
    steps = layers.steps_of(layer)
    assert role_of(steps.made(layer)[0]) == made
    assert (role_of(steps.let_go(layer)), role_of(steps.taken_up(layer))) == around
    assert (steps.known_at_boot is not None) is known
