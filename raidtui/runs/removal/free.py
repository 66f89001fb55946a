"""Whether the run's array is free: used by nobody, and without content that the run did not make."""

from typing import Protocol

from raidtui.core.plan.model import MOUNTPOINT
from raidtui.core.plan.steps import Command
from raidtui.core.raid.layers import LayerKind
from raidtui.runs.context import StageContext
from raidtui.runs.disks import containers, groups, own_pool, volumes
from raidtui.runs.waiting import Refused, StepFailed

_OWN_DEVICE: dict[LayerKind, "_OwnDevice"] = {"lvm": volumes.own_device, "luks": containers.own_device}


class _OwnDevice(Protocol):
    """Kernel name of the run's own layer on its array; None if absent."""

    def __call__(self, context: StageContext, array: str, *, kept: bool) -> str | None: ...


def array_is_free(context: StageContext, kept: bool) -> str | None:
    """Kernel name of the device under the stage's file system (array or layer), or None. Refused if the array is used
    by others or has other disks. A `kept` one may hold data.
    """
    if devices_held := context.held():
        raise StepFailed(devices_held)
    if context.stage and context.stage.filesystem and context.stage.filesystem.pool:
        own_pool.need_free(context, kept)
        return None
    name = context.own_array()
    for group in context.own_groups():
        reasons = [groups.why_not_own(context, group)]
        if name is None:
            reasons += context.host.not_free((f"/dev/{group}",)).values()
        if reason := next(filter(None, reasons), ""):
            raise Refused(f"{reason}: the run's groups are left alone")
    if name is None:
        return None
    folder = context.path / MOUNTPOINT
    if context.host.is_mounted(folder):
        context.run(Command(what="Unmount", role="unmount", argv=("umount", str(folder)), folder=MOUNTPOINT))
    volume = _own_volume(context, name, kept=kept)
    for reason in context.host.not_free((f"/dev/{volume or name}",)).values():  # a volume there has the array
        raise Refused(f"the array /dev/{name} is in use: {reason}")
    assert context.stage
    filesystem = context.stage.filesystem
    return _need_own(context, name, volume, {filesystem.uuid} if filesystem else set())


def need_bare(context: StageContext) -> None:
    """Refused if the device that a proof writes to has any signature, the run's own too, or if what is beneath it is
    not the run's own layer.
    """
    name = context.own_array()
    if name is None:
        raise StepFailed("the run's array is not there any more")
    _need_own(context, name, _own_volume(context, name, kept=False), set(), proved=True)


def _own_volume(context: StageContext, array: str, *, kept: bool) -> str | None:
    layer = context.stage.layer if context.stage else None
    return _OWN_DEVICE[layer.kind](context, array, kept=kept) if layer else None


def _need_own(context: StageContext, name: str, volume: str | None, own: set[str], *, proved: bool = False) -> str:
    """The device under the stage's file system. Refused if it has another signature than these `own` ones."""
    assert context.stage
    layer = context.stage.layer
    has_table = bool(context.stage.setup and context.stage.setup.partition_start_sectors)
    own_partition = (context.host.partition(name, 1) or "").removeprefix("/dev/") if has_table else ""
    upper = volume or own_partition or name
    for device in (name, *((volume,) if volume else ()), *context.host.partitions_of(name)):
        if device not in (name, volume, own_partition):
            raise Refused(f"the array has the partition /dev/{device}, which this run did not make; remove it first")
        signatures = context.host.signatures_on((device,))[device].signatures
        if signatures is None:
            raise Refused(f"/dev/{device} cannot be read, so that nobody knows what it holds")
        allowed = own | ({layer.uuid} if layer and device == name else set())
        for signature in signatures:
            is_table = has_table and device == name and signature.kind in ("dos", "gpt")
            if signature.uuid not in allowed and not is_table:
                what = f"the array's /dev/{device} holds {signature.kind} {signature.uuid}"
                if proved:
                    run = context.path.name
                    raise Refused(f"{what}, and an array that is being proved holds none: `raidtui clean {run}`")
                raise Refused(
                    f"{what}, which this run did not make;"
                    f" if it is to be lost, wipe it first: wipefs --all /dev/{device}"
                )
    return upper
