"""Machines with md arrays, as discovery records them: the kernel's files of an array below `md/`."""

from collections.abc import Mapping
from typing import Any

from raidtui.core.arrays.array import Array
from raidtui.core.arrays.reading import arrays_of
from raidtui.core.arrays.status import Surroundings, status_of
from raidtui.core.disks.machine import BlockDevice, Machine, Signature
from tests.builders.machines import device, machine

UUID = "aec0b208:7b98a0ee:e2d4565b:817f99a5"
DIGITS = UUID.replace(":", "")
NOW_S = 1.8e9
IDLE = {"sync_action": "idle", "sync_completed": "none", "sync_speed": "none", "last_sync_action": "none",
        "mismatch_cnt": "0", "resync_start": "none", "metadata_version": "1.2", "reshape_position": "none",
        "array_state": "clean", "consistency_policy": "bitmap", "chunk_size": "524288"}  # fmt: skip


def member(name: str, uuid: str = UUID, **fields: Any) -> BlockDevice:
    signature = Signature(kind="linux_raid_member", label="here:data", uuid=uuid)
    return device(name, signatures=(signature,), **fields)


def md(level: str, slots: Mapping[str, tuple[str, str]], **files: str) -> BlockDevice:
    """The array; `slots`: member -> its slot and state; `files` of its folder; its `name`, its `sectors`."""
    name, sectors = files.pop("name", "md127"), files.pop("sectors", "2088960")
    count = {"raid_disks": str(sum(slot != "none" for slot, _ in slots.values())), "level": level}
    told: dict[str, str] = {}
    for entry, (slot, state) in slots.items():
        told |= {f"md/dev-{entry}/slot": slot, f"md/dev-{entry}/state": state, f"md/dev-{entry}/errors": "0"}
    told |= {f"md/{file}": text for file, text in (IDLE | count | files).items()}
    return BlockDevice(
        name=name,
        devnum="9:127",
        properties={"DEVNAME": f"/dev/{name}", "DEVLINKS": "/dev/md/data", "MD_UUID": UUID, "MD_NAME": "here:data"},
        attributes={"size": sectors, **told},
        signatures=(Signature(kind="ext4", uuid="0a0b0c0d-0000-4000-8000-000000000001"),),
    )


def md_in_words(level: str, words: list[str], **files: str) -> BlockDevice:
    """Members as `sda` (in sync), `sda=FLAGS` or `sda=SLOT,FLAGS`, files as `FILE=TEXT`; no level: "-"."""
    slots: dict[str, tuple[str, str]] = {}
    for word in words:
        key, _, value = word.partition("=")
        if key.startswith("sd"):
            first, _, flags = value.partition(",")
            has_slot = first == "none" or first.isdigit()
            slots[key] = (first, flags) if has_slot else (str(len(slots)), value or "in_sync")
        else:
            files[key] = value
    return md("" if level == "-" else level, slots, **files)


def in_sync(*names: str) -> dict[str, tuple[str, str]]:
    return {name: (str(slot), "in_sync") for slot, name in enumerate(names)}


def with_members(array: BlockDevice, *others: BlockDevice, **fields: Any) -> Machine:
    """A machine with that array and a disk for each of its members, and `others`."""
    names = sorted({path.split("/")[1].removeprefix("dev-") for path in array.attributes if path.startswith("md/dev-")})
    timeouts: Mapping[str, str] = fields.pop("timeouts", {})  # of some disks, as the kernel's files have it
    own = (member(name, attributes={"device/timeout": timeouts[name]} if name in timeouts else {}) for name in names)
    return machine(*own, *others, array, host="here", **fields)


def the_array(array: BlockDevice, *others: BlockDevice) -> Array:
    return arrays_of(with_members(array, *others))[0]


def judged(array: BlockDevice, *others: BlockDevice, around: Surroundings | None = None, **fields: Any) -> Array:
    """With its conditions."""
    return status_of(with_members(array, *others, **fields), around or Surroundings(), NOW_S).arrays[0]
