"""Whether the run's array is free, and bare where it is proved: a layer's own header beneath it is no content."""

from pathlib import Path

import pytest

from raidtui.core.disks.machine import Signature
from raidtui.runs.removal.free import array_is_free, need_bare
from raidtui.runs.waiting import Refused
from tests.runs.rig import Rig, plan_of


def entered(folder: Path, *signatures: Signature) -> Rig:
    rig = Rig(folder, plan_of(filesystem="ext4"))
    rig.build()
    rig.array = "md127"
    rig.signatures = signatures
    rig.enter_last()
    return rig


def test_the_runs_own_file_system_is_none_of_somebodys_and_not_bare(tmp_path: Path) -> None:
    rig = entered(tmp_path)
    stage = rig.plan.stages[-1]
    assert stage.filesystem
    need_bare(rig.executor.context)
    rig.signatures = (Signature(kind="ext4", uuid=stage.filesystem.uuid),)
    assert array_is_free(rig.executor.context, True) == "md127"
    with pytest.raises(Refused, match="an array that is being proved holds none"):
        need_bare(rig.executor.context)


@pytest.mark.parametrize("kind", ["xfs", "gpt"])  # a table, too: none was planned
def test_another_file_system_refuses_both(tmp_path: Path, kind: str) -> None:
    rig = entered(tmp_path, Signature(kind=kind, uuid="another"))
    with pytest.raises(Refused, match=f"holds {kind} another, which this run did not make"):
        array_is_free(rig.executor.context, True)
    with pytest.raises(Refused, match=f"holds {kind} another, and an array"):
        need_bare(rig.executor.context)


@pytest.mark.parametrize("has_layer", [True, False])
def test_beneath_the_proved_device_only_the_runs_own_layer_is(tmp_path: Path, has_layer: bool) -> None:
    rig = Rig(tmp_path, plan_of("5", "keep", "ext4", between="luks"))
    rig.build()
    rig.array = "md127"
    stage = rig.plan.stages[-1]
    assert stage.layer and stage.filesystem
    rig.enter_last(stage)
    rig.signatures = (Signature(kind="crypto_LUKS", uuid=stage.layer.uuid if has_layer else "another"),)
    if has_layer:
        need_bare(rig.executor.context)
        rig.signatures = (Signature(kind="ext4", uuid=stage.filesystem.uuid),)
    with pytest.raises(Refused, match="an array that is being proved holds none"):
        need_bare(rig.executor.context)
