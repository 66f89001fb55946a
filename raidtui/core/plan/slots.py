"""The UUIDs of what a plan makes: slots in its steps, filled with those that were drawn for one run of it.

A slot `{uuid:0}` is an array's or a file system's UUID, `{name:0}` the first eight digits of the same. Two runs of one
plan make two arrays that nobody can take for each other. Knows the notations; the drawing is not its own.
"""

import re
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from raidtui.core.disks.uuids import as_lvm, as_md
from raidtui.core.plan.model import SCHEMA, Plan, Stage, confirmation_code, machine_digest
from raidtui.core.text import brief

_SLOT = re.compile(r"\{(uuid|name):(\d{1,5})\}")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
Render = Callable[[str, int], str]  # of "uuid" or "name" and the slot's number
Notation = Literal["md", "lvm"]
_WRITTEN: dict[Notation, Callable[[str], str]] = {"md": as_md, "lvm": as_lvm}


def count(plan: Plan) -> int:
    """How many UUIDs have to be drawn; 0 for a plan that makes nothing."""
    stages_json = msgspec.json.encode(plan.stages).decode()
    return 1 + max((int(number) for _, number in _SLOT.findall(stages_json)), default=-1)


def notations(plan: Plan) -> dict[int, Notation]:
    """The slots whose UUIDs are an array's or LVM's, and are written as these do."""
    arrays: list[tuple[str, Notation]] = [(stage.array.uuid, "md") for stage in plan.stages if stage.array]
    between = [stage.layer for stage in plan.stages if stage.layer]
    layers: list[tuple[str, Notation]] = [(layer.uuid, "lvm") for layer in between if layer.kind == "lvm"]
    slots = ((_SLOT.fullmatch(uuid), notation) for uuid, notation in (*arrays, *layers))
    return {int(match.group(2)): notation for match, notation in slots if match}


def filled(plan: Plan) -> Plan:
    """The plan with the UUIDs that were drawn for its run in all of its steps; its code is that of the slots.

    ValueError where they were not drawn, or are not UUIDs.
    """
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


def why_unfit(plan: Plan, machine_id: str, confirmed: str | None = None) -> str:
    """Why this plan must not be carried out, whichever way; "" where it is the one that was confirmed, and here.

    `confirmed`: the code that was confirmed; None where it is the plan's own that is asked for.
    """
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
    """What a person types to have removed what the filled `stages` of `run` make: arrays and pools by name; the run
    where a stage makes file systems alone.
    """
    made = [
        stage.array.name if stage.array else filesystem.pool or run if (filesystem := stage.filesystem) else ""
        for stage in stages
    ]
    return tuple(dict.fromkeys(filter(None, made)))


def substitute(text: str, render: Render) -> str:
    """`text` with each slot as `render` gives it."""
    return _SLOT.sub(lambda match: render(match.group(1), int(match.group(2))), text)


def made_by(stages: Sequence[Stage]) -> frozenset[str]:
    """The UUIDs of all that the `stages` of a filled plan make, as they write them."""
    arrays = {stage.array.uuid for stage in stages if stage.array}
    filesystem_uuids = [uuid for stage in stages if (fs := stage.filesystem) for uuid in (*fs.uuids, fs.uuid)]
    layers = {stage.layer.uuid for stage in stages if stage.layer}
    return frozenset(arrays.union(layers, filesystem_uuids))
