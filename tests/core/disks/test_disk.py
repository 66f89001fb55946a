"""What a person reads of a disk; and who it is."""

import msgspec
import pytest

from raidtui.core.disks.disk import Content, Disk, Holding, State, Usability, Verdict
from raidtui.core.disks.machine import BlockDevice, Machine, Signature
from raidtui.core.disks.verdicts import disks_of
from tests.builders.machines import device


def disk(**fields: object) -> Disk:
    given = {"name": "sda", "path": "/dev/sda", "id": "wwn-0x5", "size_bytes": 1, "verdict": Verdict(Usability.OK)}
    return Disk(**{**given, **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "fields, title, found",
    [
        ({"model": "ST4000", "serial": "Z1"}, "ST4000 Z1", "blank"),
        ({}, "wwn-0x5", "blank"),
        ({"checked": False}, "wwn-0x5", "not checked"),
        ({"contents": (Content("sda", "gpt"), Content("sda1", "ext4", "home"))}, "wwn-0x5", "gpt, ext4 on sda1 (home)"),
    ],
)
def test_words(fields: dict[str, object], title: str, found: str) -> None:
    assert (disk(**fields).title, disk(**fields).found) == (title, found)


GPT = (Content("sda", "gpt"),)


@pytest.mark.parametrize(
    "standing, checked, contents, holds, state",
    [
        ("ok", True, (), "blank", "free"),
        ("warn", True, (), "blank", "with a warning"),
        ("warn", False, (), "not checked", "not checked"),
        ("warn", True, GPT, "data", "with data"),
        ("warn", False, GPT, "data", "with data"),
        ("refuse", False, (), "not checked", "in use"),
        ("refuse", True, GPT, "data", "in use"),
    ],
)
def test_what_was_not_read_is_neither_blank_nor_data(
    standing: str, checked: bool, contents: tuple[Content, ...], holds: str, state: str
) -> None:
    found = disk(verdict=Verdict(Usability(standing)), checked=checked, contents=contents)
    assert (found.holds, found.state) == (Holding(holds), State(state))
    assert msgspec.json.decode(msgspec.json.encode(found))["holds"] == holds


@pytest.mark.parametrize(
    "seen, standing, holds",
    [
        (device(read=False, signatures=(), unknown_blocks=None), "warn", "not checked"),
        (device(read=False, signatures=None, unknown_blocks=None), "warn", "not checked"),
        (device(read=False, unknown_blocks=None, signatures=(Signature(kind="ext4"),)), "warn", "data"),
        (device(), "ok", "blank"),
        (device(unknown_blocks=1), "warn", "data"),
    ],
)
def test_without_root_only_what_udev_has_seen_is_data(seen: BlockDevice, standing: str, holds: str) -> None:
    (found,) = disks_of(Machine(root=seen.read, devices=(seen,)))
    assert (found.verdict.standing, found.holds) == (standing, holds)
