"""All arrays together: the worst grade, what runs keep, what was not read; and the documented form of the JSON."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidtui.core.arrays.array import Grade, KnownDisk
from raidtui.core.arrays.boot_files import BootFiles
from raidtui.core.arrays.conditions import ROWS, ArraysStatus
from raidtui.core.arrays.status import KeptArray, Surroundings, status_of
from raidtui.core.disks.machine import Machine
from raidtui.core.disks.verdicts import disks_of
from tests.builders.arrays import DIGITS, NOW_S, in_sync, judged, md, with_members
from tests.builders.machines import device

DOCUMENT = Path(__file__).parents[3] / "docs" / "status.md"


def test_a_machine_without_arrays_is_good() -> None:
    assert status_of(Machine(), Surroundings(), NOW_S).grade is Grade.GOOD


def test_the_worst_array_is_the_grade_of_all_and_what_was_not_read_is_said() -> None:
    seen = with_members(md("raid1", in_sync("sda", "sdb") | {"sdb": ("1", "faulty")}))
    around = Surroundings(not_read=("the log",), boot=BootFiles(not_read=("/etc/fstab: Permission denied",)))
    status = status_of(seen, around, NOW_S)
    assert status.grade is Grade.DEGRADED and status.not_read == ("the log", "/etc/fstab: Permission denied")


@pytest.mark.parametrize("here", [True, False])
def test_an_empty_slot_is_named_after_the_disk_that_the_run_built_it_of(here: bool) -> None:
    array = md("raid1", {"sda": ("0", "in_sync")}, raid_disks="2")
    old = device("sdb")
    (first, second) = (
        KnownDisk(id=disk.id, model=disk.model, serial=disk.serial) for disk in disks_of(with_members(array, old))
    )
    kept = Surroundings(kept={DIGITS: KeptArray("the-run", (first, second))})
    found = judged(array, *((old,) if here else ()), around=kept)
    assert found.run == "the-run" and found.members[1].role == "missing"
    assert found.members[1].disk == second and second.serial


def test_a_disk_that_moved_within_the_array_is_not_missing_where_it_was() -> None:
    array = md("raid1", {"sda": ("0", "in_sync")}, raid_disks="2")
    (first,) = (KnownDisk(id=disk.id) for disk in disks_of(with_members(array)))
    kept = Surroundings(kept={DIGITS: KeptArray("the-run", (KnownDisk(id="wwn-other"), first))})
    assert judged(array, around=kept).members[1].disk is None


def test_a_disk_known_by_its_place_alone_is_not_named_once_it_is_missing() -> None:
    array = md("raid1", {"sda": ("0", "in_sync")}, raid_disks="2")
    built_of = (KnownDisk(id="wwn-1"), KnownDisk(id="path-pci-0000:00:1f.2-ata-2", model="Another", serial="7"))
    kept = Surroundings(kept={DIGITS: KeptArray("the-run", built_of)})
    assert judged(array, around=kept).members[1].disk is None


def fields(kind: Any) -> set[str]:
    """The names of all fields of all structs in there."""
    names: set[str] = set()

    def walk(inner: msgspec.inspect.Type) -> None:
        if isinstance(inner, msgspec.inspect.StructType):
            for field in inner.fields:
                names.add(field.encode_name)
                walk(field.type)
        for below in ("item_type", "value_type"):
            if hasattr(inner, below):
                walk(getattr(inner, below))
        for one in getattr(inner, "types", ()):
            walk(one)

    walk(msgspec.inspect.type_info(kind))
    return names


def test_the_document_names_every_field_and_every_condition() -> None:
    named = set(re.findall(r"`([\w-]+)`", DOCUMENT.read_text()))
    assert fields(ArraysStatus) - named == set()
    assert {row.kind for row in ROWS} - named == set()
