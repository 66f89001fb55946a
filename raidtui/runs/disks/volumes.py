"""A run's LVM volume: found by PV UUID, checked before removal, left alone if somebody extended it."""

from raidtui.core.plan.model import LayerPlan
from raidtui.core.plan.steps import Check, Command
from raidtui.core.raid import volumes
from raidtui.core.raid.volumes import Found
from raidtui.runs.context import StageContext
from raidtui.runs.disks import mapping
from raidtui.runs.waiting import Refused, StepFailed

_QUERY_S = 60.0
UNDOES = ("lvremove", "vgremove", "pvremove")  # roles


def look_at_start(context: StageContext, check: Check) -> None:
    found = _found(context)
    if found is None:
        raise StepFailed("LVM does not find the physical volume that was made on the run's array; see `pvs --all`")
    if found.start_bytes % check.expected["align_bytes"]:
        context.waiter.warn(
            f"the data of LVM begin at {found.start_bytes} bytes of the array, which is no multiple of"
            f" {check.expected['align_bytes']}: writes of whole stripes will be split"
        )


def is_undone(context: StageContext, step: Command) -> bool:
    """Nothing to remove. Refused if foreign."""
    found = _found(context)
    if found is None:
        return True
    _need_own(context, found)
    match step.role:
        case "lvremove":
            return volumes.NAME not in found.names
        case "vgremove":
            return not found.group
    return False


def own_device(context: StageContext, array: str, *, kept: bool) -> str | None:
    """The run's active volume, or None. Refused if else is on the array, or a kept one cannot be checked."""
    layer = _layer(context)
    name = mapping.alone(context.host, layer, array)
    found = _found(context)
    if found is None:
        if name:
            raise Refused(f"LVM does not tell of the volume {layer.group}/{volumes.NAME} on /dev/{array}: see `pvs`")
        return None
    _need_own(context, found)
    if kept and name is None and volumes.NAME in found.names:
        raise Refused(
            f"the volume {layer.group}/{volumes.NAME} was kept and is not active, so that it cannot be looked at:"
            f" `vgchange --activate y {layer.group}`"
        )
    return name


def _layer(context: StageContext) -> LayerPlan:
    assert context.stage and context.stage.layer
    return context.stage.layer


def _found(context: StageContext) -> Found | None:
    array = context.own_array()
    if array is None:
        return None
    asked = context.host.ask(volumes.query_argv(_layer(context).uuid), timeout_s=_QUERY_S)
    if asked.returncode != 0:
        raise StepFailed(f"pvs failed ({asked.returncode}): {asked.stderr.strip() or 'it said nothing'}")
    try:
        found = volumes.parse_query(asked.stdout)
    except ValueError as error:
        raise StepFailed(str(error)) from error
    if found and context.host.devnum_of(found.device) != context.host.devnum_of(f"/dev/{array}"):
        raise Refused(f"the physical volume of this run is {found.device}, not its array /dev/{array}: left alone")
    return found


def _need_own(context: StageContext, found: Found) -> None:
    """Refused if the group is not as made."""
    layer = _layer(context)
    others = sorted(found.names - {volumes.NAME})
    if found.group not in ("", layer.group):
        reason = f"is called {found.group} by now"
    elif found.devices > 1:
        reason = f"has {found.devices} physical volumes by now"
    elif others:
        reason = f"holds {', '.join(others)} besides"
    else:
        return
    raise Refused(f"the volume group {layer.group} of this run {reason}, which this run did not do: it is left alone")
