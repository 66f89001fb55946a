"""Given this array, these conditions with these remedies: each case of `conditions.toml`, in the words of that file."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidtui.core.arrays.array import Array, Grade
from raidtui.core.arrays.boot_files import BootFiles, fstab_of, mdadm_conf_of
from raidtui.core.arrays.monitor import CheckMarks
from raidtui.core.arrays.status import KeptArray, Surroundings, status_of
from raidtui.core.arrays.superblock import Superblock
from raidtui.core.disks import dumps
from raidtui.core.disks.drive import Recovery
from raidtui.core.disks.machine import BlockDevice, Mount
from tests.builders.arrays import DIGITS, NOW_S, UUID, md_in_words, member, with_members
from tests.builders.cases import agrees, cases, expected, lines
from tests.builders.machines import CASES, machine


def values(words: list[str]) -> dict[str, str]:
    return dict(word.split("=", 1) for word in words)


def around(told: list[tuple[str, list[str]]]) -> Surroundings:
    given: dict[str, Any] = {"smart": {}, "recoveries": {}, "superblocks": {}}
    boot: dict[str, Any] = {}
    for word, words in told:
        match word, words:
            case "smart", [disk, *facts]:
                given["smart"][disk] = {key: float(one) if one.isdigit() else one for key, one in values(facts).items()}
            case "recovery", [disk, *facts]:
                given["recoveries"][disk] = msgspec.convert(values(facts), Recovery, strict=False)
            case "superblocks", [members, *facts]:
                for name, slot in values(members.split(",")).items():
                    fields = {"updated_s": "1", "events": "7", "slot": slot, **values(facts)}
                    given["superblocks"][name] = msgspec.convert(fields, Superblock, strict=False)
            case "checked", [days]:
                given["checks"] = CheckMarks(done_s={DIGITS: NOW_S - int(days) * 86400})
            case "paused", [sectors]:
                given["checks"] = CheckMarks(paused_sectors={DIGITS: int(sectors)})
            case "kept", [run]:
                given["kept"] = {DIGITS: KeptArray(run)}
            case "conf", _:
                line = " ".join(words) if words else f"ARRAY /dev/md/data UUID={UUID}"
                boot["mdadm"] = mdadm_conf_of([("/etc/mdadm.conf", line.encode())])
            case "fstab", _:
                boot["mounts"] = fstab_of("/etc/fstab", " ".join(words).encode())
            case "initramfs", ["older"]:
                boot["initramfs_s"] = 1.0
            case _:
                raise ValueError(word)
    return Surroundings(**given, boot=BootFiles(**{"changed_s": 2.0, "initramfs_s": 3.0, **boot}) if boot else None)


def first_array(text: str) -> Array:
    found, others, told = list[BlockDevice](), list[BlockDevice](), list[tuple[str, list[str]]]()
    fields: dict[str, Any] = {"timeouts": {}}
    for line in lines(text):
        match shlex.split(line):
            case ["recording", name]:
                return status_of(dumps.read((CASES / name).read_bytes()), Surroundings(), NOW_S).arrays[0]
            case ["array", level, *words]:
                found.append(md_in_words(level, words))
            case ["disk", *names]:
                others += map(member, names)
            case ["timeout", disk, seconds]:
                fields["timeouts"][disk] = seconds
            case ["mount", place]:
                fields["mounts"] = (Mount(devnum="9:127", source="/dev/md127", mountpoint=place, fstype="ext4"),)
            case [word, *words]:
                told.append((word, words))
    seen = with_members(found[0], *others, **fields) if found else machine(*others, host="here")
    return status_of(seen, around(told), NOW_S).arrays[0]


def said(array: Array, subject: str, field: str) -> Iterator[str]:
    if subject == "array":
        of_all = {
            "kinds": (one.kind for one in array.conditions),
            "urgent": (one.kind for one in array.conditions if one.grade is not Grade.GOOD),
        }
        roles = (f"{'' if one.slot is None else one.slot} {one.device} {one.role}".split() for one in array.members)
        told = {key: " ".join(words) for key, words in of_all.items()} | {"roles": ", ".join(map(" ".join, roles))}
        yield told[field] if field in told else str(getattr(array, field))
    else:
        found = [one for one in array.conditions if one.kind == subject]
        yield from (getattr(one, field or "grade") for one in found) if found else ["not there"]


@pytest.mark.parametrize("given, then", cases(Path(__file__).with_name("conditions.toml")))
def test_an_array_has_these_conditions(given: str, then: str) -> None:
    array = first_array(given)
    for subject, field, pattern in expected(then):
        found = list(said(array, subject, field))
        assert found and all(agrees(pattern, one) for one in found), (subject, field, pattern, found)
    for one in array.conditions:
        assert one.words and "{" not in one.words + one.remedy and "None" not in one.words + one.remedy
