"""Machines as discovery would record them, device by device, and where the recorded ones lie."""

from pathlib import Path
from typing import Any

from raidtui.core.disks.disk import Disk
from raidtui.core.disks.machine import BlockDevice, Machine, Signature
from raidtui.core.disks.verdicts import disks_of

RECORDINGS = Path(__file__).parents[1] / "recordings"
MACHINES = RECORDINGS / "machines"
CASES = RECORDINGS / "cases"


def device(name: str = "sda", **fields: Any) -> BlockDevice:
    """A blank disk that was read by root, as discovery records it."""
    number = sum(ord(char) << (8 * place) for place, char in enumerate(name))
    said = {"ID_WWN": f"0x5000{number:012x}", "ID_SCSI_SERIAL": f"Z{number}", "ID_MODEL": "ST4000", "ID_BUS": "ata"}
    attributes = {"size": "2048000", "ro": "0", "removable": "0", "queue/logical_block_size": "512"}
    plain: dict[str, Any] = {
        "devnum": f"8:{number % 1000}",
        "signatures": (),
        "read": True,
        "unknown_blocks": 0,
        **fields,
    }
    plain["properties"] = {**said, **plain.get("properties", {})}
    plain["attributes"] = {**attributes, **plain.get("attributes", {})}
    return BlockDevice(name=name, **plain)


def part(name: str, parent: str, *kinds: str) -> BlockDevice:
    return BlockDevice(
        name=name,
        devnum=f"259:{name[-1]}",
        kind="partition",
        parent=parent,
        signatures=tuple(Signature(kind=kind) for kind in kinds),
        read=True,
    )


def machine(*devices: BlockDevice, **fields: Any) -> Machine:
    return Machine(root=True, devices=devices, **fields)


def judged(*devices: BlockDevice, **fields: Any) -> Disk:
    """The first disk."""
    return disks_of(machine(*devices, **fields))[0]
