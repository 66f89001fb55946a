"""UUIDs of what a plan makes: slots `{uuid:0}` (array or file system) and `{name:0}` (its first eight digits), filled
with UUIDs drawn for one run, so that two runs' arrays differ. Drawing is elsewhere.
"""

import re
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from raidtui.core.disks.identity import as_lvm, as_md
from raidtui.core.plan.model import SCHEMA, Plan, Stage, confirmation_code, machine_digest
from raidtui.core.text import brief

_SLOT = re.compile(r"\{(uuid|name):(\d{1,5})\}")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
Render = Callable[[str, int], str]  # of "uuid" or "name" and the slot's number
Notation = Literal["md", "lvm"]
_WRITTEN: dict[Notation, Callable[[str], str]] = {"md": as_md, "lvm": as_lvm}


def count(plan: Plan) -> int:
    """UUIDs to draw; 0 if the plan makes nothing."""
    stages_json = msgspec.json.encode(plan.stages).decode()
    return 1 + max((int(number) for _, number in _SLOT.findall(stages_json)), default=-1)


def notations(plan: Plan) -> dict[int, Notation]:
    """Slots whose UUID is written in mdadm's or LVM's notation."""
    built = [stage.array for stage in plan.stages if stage.array]
    arrays: list[tuple[str, Notation]] = [(uuid, "md") for array in built for uuid in array.uuids]
    between = [stage.layer for stage in plan.stages if stage.layer]
    layers: list[tuple[str, Notation]] = [(layer.uuid, "lvm") for layer in between if layer.kind == "lvm"]
    slots = ((_SLOT.fullmatch(uuid), notation) for uuid, notation in (*arrays, *layers))
    return {int(match.group(2)): notation for match, notation in slots if match}


def filled(plan: Plan) -> Plan:
    """Filled with the run's UUIDs; the code stays that of the slots. ValueError if not drawn, or no UUIDs."""
    if (uuids_needed := count(plan)) > len(plan.uuids) or not all(UUID.fullmatch(uuid) for uuid in plan.uuids):
        raise ValueError(f"it needs {uuids_needed} UUIDs of its run's own, and they were not drawn")
    written = notations(plan)

    def drawn(kind: str, number: int) -> str:
        uuid = plan.uuids[number]
        if kind == "name":
            return uuid[:8]
        return _WRITTEN[written[number]](uuid) if number in written else uuid

    stages_json = substitute(msgspec.json.encode(plan.stages).decode(), drawn)
    return msgspec.structs.replace(plan, stages=msgspec.json.decode(stages_json, type=tuple[Stage, ...]))


def as_made(plan: Plan) -> Plan:
    """For a person: with the names of what the run made. As it is, if it is of no run."""
    try:
        return filled(plan)
    except ValueError:
        return plan


def why_unfit(plan: Plan, machine_id: str, confirmed: str | None = None) -> str:
    """A sentence, or "". `confirmed`: code that was confirmed; None: the plan's own."""
    if plan.schema != SCHEMA:
        return f"another version made the plan (schema {plan.schema}, this one knows {SCHEMA}): use that version"
    if confirmation_code(plan) != plan.code:
        return "the plan is not the one that was confirmed, or another version made it: its code does not fit"
    if confirmed not in (None, plan.code):
        return (
            f"the plan is not the one that was confirmed: its code is {brief(plan.code)}, not {brief(str(confirmed))}"
        )
    if plan.machine != machine_digest(machine_id):
        return "the plan was made on another machine, and is carried out there: here its disks may be another's"
    try:
        filled(plan)
    except ValueError as error:
        return f"the plan cannot be carried out: {error}"
    return ""


def names(stages: Sequence[Stage], run: str) -> tuple[str, ...]:
    """What to type to remove what the filled `stages` make: arrays and pools by name; the run if only file systems."""
    made = [
        stage.array.name if stage.array else filesystem.pool or run if (filesystem := stage.filesystem) else ""
        for stage in stages
    ]
    return tuple(dict.fromkeys(filter(None, made)))


def substitute(text: str, render: Render) -> str:
    return _SLOT.sub(lambda match: render(match.group(1), int(match.group(2))), text)


def made_by(stages: Sequence[Stage]) -> frozenset[str]:
    """UUIDs of everything that filled `stages` make, in their notation."""
    arrays = {uuid for stage in stages if stage.array for uuid in stage.array.uuids}
    filesystem_uuids = [uuid for stage in stages if (fs := stage.filesystem) for uuid in (*fs.uuids, fs.uuid)]
    layers = {stage.layer.uuid for stage in stages if stage.layer}
    return frozenset(arrays.union(layers, filesystem_uuids))
