"""Given this machine, this verdict, because: each case of `verdicts.toml`, in the words that are described there."""

import shlex
from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidtui.core.disks.disk import Disk
from raidtui.core.disks.dumps import read
from raidtui.core.disks.machine import BlockDevice, BootLine, Export, Held, Machine, Mount, Signature, Swap
from raidtui.core.disks.verdicts import disks_of
from tests.builders.cases import agrees, cases, expected, lines
from tests.builders.machines import RECORDINGS, device, machine, part

# Word -> the field of a machine; each has its words in the order of the struct's fields.
FACTS: dict[str, tuple[str, type[msgspec.Struct]]] = {
    "mount": ("mounts", Mount), "swap": ("swaps", Swap), "export": ("exports", Export), "held": ("held", Held),
    "boot": ("boot_lines", BootLine),
}  # fmt: skip


def fields_of(words: list[str]) -> dict[str, Any]:
    """Of a `BlockDevice`, from KEY=VALUE and KIND[:LABEL[:UUID]]."""
    fields: dict[str, Any] = {"properties": {}, "attributes": {}, "told": {}}
    for word in words:
        key, is_fact, value = word.partition("=")
        if not is_fact:
            kind, label, uuid, *_ = (*word.split(":"), "", "")
            fields["signatures"] = (*fields.get("signatures", ()), Signature(kind=kind, label=label, uuid=uuid))
        elif key.startswith("told."):
            fields["told"][key.removeprefix("told.")] = value
        elif field := BlockDevice.__annotations__.get(key):
            fields[key] = msgspec.convert(
                [*filter(None, value.split(","))] if "tuple" in str(field) else value, field, strict=False
            )
        else:
            fields["properties" if key.isupper() else "attributes"][key] = value
    return fields


def block_device(name: str, words: list[str]) -> BlockDevice:
    match words:
        case ["in", parent, *rest]:
            return msgspec.structs.replace(part(name, parent), **fields_of(rest))
        case ["on", below, *rest]:
            return BlockDevice(name=name, slaves=tuple(below.split(",")), **fields_of(rest))
    return device(name, **fields_of(words))


def written(text: str) -> tuple[Machine, list[str]]:
    """The machine, and UUIDs of tables that are one's own."""
    devices, facts, own = dict[str, list[str]](), dict[str, Any](), list[str]()
    for line in lines(text):
        word, *words = shlex.split(line)
        match word, words:
            case "recording", [file]:
                return read((RECORDINGS / file).read_bytes(), file), []
            case "own", _:
                own = words
            case "unread", _:
                facts["not_read"] = tuple(words)
            case "program", [place]:
                facts["program_mount"] = place
            case _ if word in FACTS:
                field, fact = FACTS[word]
                facts[field] = (*facts.get(field, ()), fact(**dict(zip(fact.__struct_fields__, words, strict=False))))
            case _:
                devices.setdefault(word, []).extend(words)
    return machine(*(block_device(name, words) for name, words in devices.items()), **facts), own


def said(disk: Disk, field: str) -> str:
    whole = f"{disk.verdict.standing}: {disk.verdict.reason}".removesuffix(": ")
    value = whole if not field else getattr(disk.verdict if field in ("reason", "remedy") else disk, field)
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


@pytest.mark.parametrize("given, then", cases(Path(__file__).with_name("verdicts.toml")))
def test_a_machine_has_these_verdicts(given: str, then: str) -> None:
    seen = {disk.name: disk for disk in disks_of(*written(given))}
    for name, field, pattern in expected(then):
        found = " ".join(seen) if name == "=" else said(seen[name], field)
        assert agrees(pattern, found), (name, field, pattern, found)
