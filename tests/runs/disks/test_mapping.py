"""What lies between a run's array and its file system: by its name, and of LUKS by the device mapper's UUID, too."""

from pathlib import Path

from raidtui.core.plan.model import LayerPlan
from raidtui.runs import mapping
from tests.runs.disks.luks import WithLuks


def test_the_runs_own_container_is_found_by_name_and_uuid(tmp_path: Path) -> None:
    rig = WithLuks(tmp_path)
    assert mapping.on(rig, rig.layer, "md127") == "dm-0" and mapping.name_of(rig.layer) == rig.layer.group
    assert mapping.on(rig, rig.layer, "md126") is None
    for uuid in ("", "CRYPT-LUKS2-another-name", f"CRYPT-PLAIN-{rig.layer.group}"):
        rig.mapping_uuid = uuid
        assert mapping.on(rig, rig.layer, "md127") is None


def test_of_lvm_the_volume_is_found_by_its_name(tmp_path: Path) -> None:
    rig = WithLuks(tmp_path)
    layer = LayerPlan(uuid="x", group="raidtui-1", align_bytes=1)
    rig.mapped = {"raidtui--1-data": "dm-3"}
    assert mapping.on(rig, layer, "md127") == "dm-3"
