"""What a person reads of a disk; and who it is."""

import pytest

from raidtui.core.disks.disk import Content, Disk, Usability, Verdict


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
