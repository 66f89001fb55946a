"""An LVM volume over the whole array: steps, undo, deactivation around a stop of the array. Volume and group are
removed before the array is wiped; the group by its PV's UUID, and only if it has no other volume by then.
"""

from raidtui.core.plan.model import LayerPlan
from raidtui.core.plan.roles import CommandRole
from raidtui.core.plan.steps import Check, Command, Step, settle
from raidtui.core.raid import volumes
from raidtui.core.units import both


def made(layer: LayerPlan) -> list[Step]:
    undo_pv = _command("Remove the physical volume", "pvremove", ("pvremove", "{array}"))
    undo_vg = _command("Remove the volume group", "vgremove", volumes.of_group("vgremove", layer.uuid))
    undo_lv = _command("Remove the volume", "lvremove", ("lvremove", "--yes", f"{layer.group}/{volumes.NAME}"))
    pvcreate = volumes.pvcreate_argv("{array}", layer.uuid, layer.align_bytes)
    vgcreate, lvcreate = ("vgcreate", layer.group, "{array}"), volumes.lvcreate_argv(layer.group, layer.volume_bytes)
    of_size = both(layer.volume_bytes) if layer.volume_bytes else "its full size"
    return [
        _command("Create an LVM physical volume on the array", "pvcreate", pvcreate, undo_pv),
        _command("Create a volume group on it", "vgcreate", vgcreate, undo_vg),
        Check(
            what="Does its data start on a stripe boundary?",
            question="volume-aligned",
            expected={"align_bytes": layer.align_bytes},
        ),
        _command(f"Create a volume of {of_size}", "lvcreate", lvcreate, undo_lv),
        settle(),
    ]


def let_go(layer: LayerPlan) -> Step:
    """Before the array stops; the undo follows once the array is assembled again."""
    return _command("Deactivate the volume", "deactivate", _activate(layer, "n"), taken_up(layer))


def taken_up(layer: LayerPlan) -> Step:
    return _command("Activate the volume", "activate", _activate(layer, "y"))


def _activate(layer: LayerPlan, wanted: str) -> tuple[str, ...]:
    return volumes.of_group("vgchange", layer.uuid, "--activate", wanted)


def _command(what: str, role: CommandRole, argv: tuple[str, ...], *undo: Step) -> Command:
    return Command(what=what, role=role, argv=argv, undo=undo)
