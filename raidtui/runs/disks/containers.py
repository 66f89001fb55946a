"""A run's LUKS container: awaited, found by header UUID, checked before closing; foreign ones are left alone."""

import os
import time
from contextlib import suppress
from pathlib import Path

from raidtui.core.disks.machine import Signature
from raidtui.core.plan.model import LayerPlan
from raidtui.core.plan.steps import Check, Command, ManualStep
from raidtui.core.raid import containers
from raidtui.core.raid.containers import LuksHeader
from raidtui.runs import mapping
from raidtui.runs.context import StageContext
from raidtui.runs.host import Host
from raidtui.runs.waiting import Refused, StepFailed, Stopped

_MAGIC, _UUID_AT = b"LUKS\xba\xbe", slice(168, 208)  # of LUKS1 and LUKS2, by their on-disk format
_QUERY_S = 60.0
_LOOK_S = 1.0
_LET_GO_S = 30.0  # for cryptsetup to end once the run waits for it no more


def await_person(context: StageContext, step: ManualStep) -> None:
    """Until the result exists and nobody is typing. Stopped on request."""
    while not _is_done(context, step):
        context.waiter.pause(_LOOK_S)
        if context.waiter.stopping():
            _await_let_go(context)
            raise Stopped


def _is_done(context: StageContext, step: ManualStep) -> bool:
    array, host = context.own_array(), context.host
    if array is None or host.is_dead(array):
        raise StepFailed("the run's array is not there any more")
    if host.is_person_at(context.path):
        return False
    if step.role == "unlock":
        return mapping.on(host, _layer(context), array) is not None
    return _has_key(host, _layer(context), array)


def _await_let_go(context: StageContext) -> None:
    """No writes during teardown: whoever started cryptsetup ends it."""
    end_s = time.monotonic() + _LET_GO_S
    while context.host.is_person_at(context.path) and time.monotonic() < end_s:
        context.waiter.pause(_LOOK_S)


def remove_old_backup(context: StageContext, step: Command) -> None:
    """Of an earlier attempt of this run: its container was formatted anew, and that header opens nothing. Any other
    file stays, and cryptsetup refuses to overwrite it; that one, too, unless the header on the array can be read.
    """
    if step.role != "header-backup":
        return
    path, array = step.argv[-1], context.own_array()
    if array is None or not _has_key(context.host, _layer(context), array):
        return
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            header = os.pread(descriptor, _UUID_AT.stop, 0)
        finally:
            os.close(descriptor)
        if header.startswith(_MAGIC) and header[_UUID_AT].rstrip(b"\0") == _layer(context).uuid.encode():
            Path(path).unlink()


def own(host: Host, layer: LayerPlan, array: str) -> LuksHeader | None:
    """The run's container; None if absent or incomplete."""
    return header_on(host, array) if has_header(host, layer, array) else None


def _has_key(host: Host, layer: LayerPlan, array: str) -> bool:
    """The run's container, with a passphrase by which it opens."""
    header = own(host, layer, array)
    return header is not None and header.keys > 0


def header_on(host: Host, array: str) -> LuksHeader | None:
    """Anybody's header on this array; None if cryptsetup reports none."""
    asked = host.ask(containers.query_argv(f"/dev/{array}"), timeout_s=_QUERY_S)
    try:
        return containers.parse_query(asked.stdout) if asked.returncode == 0 else None
    except ValueError as error:
        raise StepFailed(str(error)) from error


def has_header(host: Host, layer: LayerPlan, array: str) -> bool:
    signatures = host.signatures_on((array,))[array].signatures or ()
    return any(is_own(layer, signature) for signature in signatures)


def is_own(layer: LayerPlan, signature: Signature) -> bool:
    return (signature.kind, signature.uuid) == (containers.SIGNATURE, layer.uuid)


def _may_hold_data(host: Host, array: str) -> bool:
    """False if the header never had a passphrase (interrupted format): never opened."""
    header = header_on(host, array)
    return header is None or header.keys > 0


def look_at_start(context: StageContext, check: Check) -> None:
    array = context.own_array()
    header = own(context.host, _layer(context), array) if array else None
    if header is None:
        raise StepFailed("cryptsetup does not find the LUKS header that was made on the run's array")
    if header.start_bytes % check.expected["align_bytes"]:
        context.waiter.warn(
            f"the data of the LUKS container begin at {header.start_bytes} bytes of the array, which is no multiple of"
            f" {check.expected['align_bytes']}: writes of whole stripes will be split"
        )


def is_closed(context: StageContext) -> bool:
    """Nothing of the run's to close. Refused if it is foreign."""
    array = context.own_array()
    return array is None or own_device(context, array, kept=False) is None


def own_device(context: StageContext, array: str, *, kept: bool) -> str | None:
    """The run's open container or None. Refused with others on the array, or a kept one unchecked."""
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
