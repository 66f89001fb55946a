"""All arrays together: the worst grade, what runs keep, what was not read; and the documented form of the JSON."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from raidtui.core.arrays.array import Array, Grade, KnownDisk
from raidtui.core.arrays.boot_files import BootFiles
from raidtui.core.arrays.conditions import ROWS, ArraysStatus
from raidtui.core.arrays.status import KeptArray, Surroundings, in_trees, lines_of, status_of
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


def test_an_array_stands_before_its_groups_with_the_worst_of_their_grades() -> None:
    over = Array(name="md9", node="/dev/md9", uuid="1:2", level="0", slots=2)
    first = Array(name="md1", node="/dev/md1", uuid="1:3", level="6", slots=4, part_of="md9")
    second = replace(first, name="md2", health="degraded", grade=Grade.DEGRADED)
    alone = Array(name="md3", node="/dev/md3", uuid="1:4", level="1", slots=2)
    arrays = in_trees((first, alone, second, over))
    assert [(array.name, array.grade) for array in arrays] == [
        ("md3", Grade.GOOD), ("md9", Grade.DEGRADED), ("md1", Grade.GOOD), ("md2", Grade.DEGRADED)
    ]  # fmt: skip
    text = [*lines_of(ArraysStatus(host="", at_s=0.0, grade=Grade.DEGRADED, arrays=arrays))]
    assert "md9  RAID 0 of 2 groups  clean, degraded" in text and "  md2  RAID 6 of 4 disks  degraded" in text
    assert "  groups    md1 clean, md2 degraded" in text and "    group     of md9" in text


def test_of_an_array_that_waits_for_a_group_it_is_named() -> None:
    waiting = md("raid0", in_sync("md127"), raid_disks="2", array_state="inactive")
    kept = KeptArray("the-run", groups=(("vms-g1", DIGITS), ("vms-g2", "2" * 32)))
    found = judged(waiting, around=Surroundings(kept={DIGITS: kept}))  # the first's UUID is that of an array here
    assert found.groups_missing == ("vms-g2",)
    words = [condition.words for condition in found.conditions if condition.kind == "inactive"]
    assert words and words[0].endswith("not started; nothing is here of vms-g2")


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
