"""A run's LVM volume: found by PV UUID, checked before removal, left alone if somebody extended it."""

from raidtui.core.plan.model import LayerPlan
from raidtui.core.plan.steps import Check, Command
from raidtui.core.raid import volumes
from raidtui.core.raid.volumes import PhysicalVolume
from raidtui.runs import mapping
from raidtui.runs.context import StageContext
from raidtui.runs.waiting import Refused, StepFailed

_QUERY_S = 60.0
UNDOES = ("lvremove", "vgremove", "pvremove")  # roles


def look_at_start(context: StageContext, check: Check) -> None:
    volume = _physical_volume(context)
    if volume is None:
        raise StepFailed("LVM does not find the physical volume that was made on the run's array; see `pvs --all`")
    if volume.start_bytes % check.expected["align_bytes"]:
        context.waiter.warn(
            f"the data of LVM begin at {volume.start_bytes} bytes of the array, which is no multiple of"
            f" {check.expected['align_bytes']}: writes of whole stripes will be split"
        )


def is_undone(context: StageContext, step: Command) -> bool:
    """Nothing to remove. Refused if foreign."""
    volume = _physical_volume(context)
    if volume is None:
        return True
    _need_own(context, volume)
    match step.role:
        case "lvremove":
            return volumes.NAME not in volume.names
        case "vgremove":
            return not volume.group
    return False


def own_device(context: StageContext, array: str, *, kept: bool) -> str | None:
    """The run's active volume or None. Refused with others on the array, or a kept one unchecked."""
    layer = _layer(context)
    name = mapping.alone(context.host, layer, array)
    volume = _physical_volume(context)
    if volume is None:
        if name:
            raise Refused(f"LVM does not tell of the volume {layer.group}/{volumes.NAME} on /dev/{array}: see `pvs`")
        return None
    _need_own(context, volume)
    if kept and name is None and volumes.NAME in volume.names:
        raise Refused(
            f"the volume {layer.group}/{volumes.NAME} was kept and is not active, so that it cannot be looked at:"
            f" `vgchange --activate y {layer.group}`"
        )
    return name


def _layer(context: StageContext) -> LayerPlan:
    assert context.stage and context.stage.layer
    return context.stage.layer


def _physical_volume(context: StageContext) -> PhysicalVolume | None:
    array = context.own_array()
    if array is None:
        return None
    asked = context.host.ask(volumes.query_argv(_layer(context).uuid), timeout_s=_QUERY_S)
    if asked.returncode != 0:
        raise StepFailed(f"pvs failed ({asked.returncode}): {asked.stderr.strip() or 'it said nothing'}")
    try:
        volume = volumes.parse_query(asked.stdout)
    except ValueError as error:
        raise StepFailed(str(error)) from error
    if volume and context.host.devnum_of(volume.device) != context.host.devnum_of(f"/dev/{array}"):
        raise Refused(f"the physical volume of this run is {volume.device}, not its array /dev/{array}: left alone")
    return volume


def _need_own(context: StageContext, volume: PhysicalVolume) -> None:
    """Refused if the group is not as made."""
    layer = _layer(context)
    others = sorted(volume.names - {volumes.NAME})
    if volume.group not in ("", layer.group):
        reason = f"is called {volume.group} by now"
    elif volume.devices > 1:
        reason = f"has {volume.devices} physical volumes by now"
    elif others:
        reason = f"holds {', '.join(others)} besides"
    else:
        return
    raise Refused(f"the volume group {layer.group} of this run {reason}, which this run did not do: it is left alone")
