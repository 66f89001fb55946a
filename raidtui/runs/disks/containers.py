"""The LUKS container on a run's array: waited for while a person types its passphrase, found by the UUID of its header,
looked at before it is closed, and left alone where it is somebody else's.
"""

import time

from raidtui.core.disks.machine import Signature
from raidtui.core.plan.model import LayerPlan
from raidtui.core.plan.steps import ByPerson, Check
from raidtui.core.raid import containers
from raidtui.core.raid.containers import LuksHeader
from raidtui.runs.context import StageContext
from raidtui.runs.disks import mapping
from raidtui.runs.host import Host
from raidtui.runs.waiting import Refused, StepFailed, Stopped

_QUERY_S = 60.0
_LOOK_S = 1.0
_LET_GO_S = 30.0  # for cryptsetup to end once the run waits for it no more


def await_person(context: StageContext, step: ByPerson) -> None:
    """Until what a person was asked for is there, and nobody is at it any more. Stopped where that was asked for."""
    while not _is_done(context, step):
        context.waiter.pause(_LOOK_S)
        if context.waiter.stopping():
            _await_let_go(context)
            raise Stopped


def _is_done(context: StageContext, step: ByPerson) -> bool:
    array, host = context.own_array(), context.host
    if array is None or host.is_dead(array):
        raise StepFailed("the run's array is not there any more")
    if host.is_person_at(context.path):
        return False
    if step.role == "unlock":
        return mapping.on(host, _layer(context), array) is not None
    found = own(host, _layer(context), array)
    return found is not None and found.keys > 0


def _await_let_go(context: StageContext) -> None:
    """What is cleared away must not be written to meanwhile: cryptsetup is ended by whoever started it."""
    end_s = time.monotonic() + _LET_GO_S
    while context.host.is_person_at(context.path) and time.monotonic() < end_s:
        context.waiter.pause(_LOOK_S)


def own(host: Host, layer: LayerPlan, array: str) -> LuksHeader | None:
    """What its header tells of the run's container; None where there is none on its array, or not all of one."""
    return told(host, array) if has_header(host, layer, array) else None


def told(host: Host, array: str) -> LuksHeader | None:
    """What cryptsetup tells of the header on this array, whosever it is; None where it tells nothing."""
    asked = host.ask(containers.told_argv(f"/dev/{array}"), timeout_s=_QUERY_S)
    try:
        return containers.parse_told(asked.stdout) if asked.returncode == 0 else None
    except ValueError as error:
        raise StepFailed(str(error)) from error


def has_header(host: Host, layer: LayerPlan, array: str) -> bool:
    """Is it the header of the run's container that the array has?"""
    signatures = host.signatures_on((array,))[array].signatures or ()
    return any(is_own(layer, one) for one in signatures)


def is_own(layer: LayerPlan, signature: Signature) -> bool:
    """Is it the header of the run's container?"""
    return (signature.kind, signature.uuid) == (containers.SIGNATURE, layer.uuid)


def _may_hold_data(host: Host, array: str) -> bool:
    """False of a header that never had a passphrase, as its making was cut off: nobody ever opened that."""
    found = told(host, array)
    return found is None or found.keys > 0


def look_at_start(context: StageContext, check: Check) -> None:
    """Do the data of the container begin at a whole stripe? A warning where they do not, as with a geometry."""
    array = context.own_array()
    found = own(context.host, _layer(context), array) if array else None
    if found is None:
        raise StepFailed("cryptsetup does not find the LUKS header that was made on the run's array")
    if found.start_bytes % check.expected["align_bytes"]:
        context.waiter.warn(
            f"the data of the LUKS container begin at {found.start_bytes} bytes of the array, which is no multiple of"
            f" {check.expected['align_bytes']}: writes of whole stripes will be split"
        )


def is_closed(context: StageContext) -> bool:
    """Is there nothing of the run's to close? Refused where it would close what this run did not make."""
    array = context.own_array()
    return array is None or own_device(context, array, kept=False) is None


def own_device(context: StageContext, array: str, *, kept: bool) -> str | None:
    """The kernel name of the run's own open container on its `array`; None where there is none, or it is not open.

    Refused where there is anything else between the array and its file system, or a kept one cannot be looked at.
    """
    layer, host = _layer(context), context.host
    name = mapping.alone(host, layer, array)
    if kept and name is None and has_header(host, layer, array) and _may_hold_data(host, array):
        opens = " ".join(containers.open_argv(f"/dev/{array}", layer.group))
        raise Refused(
            f"the LUKS container {layer.group} was kept and is not open, so that it cannot be looked at: `{opens}`;"
            f" where it is to be lost unseen, `wipefs --all /dev/{array}` first"
        )
    return name


def _layer(context: StageContext) -> LayerPlan:
    assert context.stage and context.stage.layer
    return context.stage.layer
