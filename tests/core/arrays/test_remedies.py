"""Remedies by the array's state: a case for each way of each table; what runs twice; what is under way already."""

import struct

import pytest
from msgspec.structs import replace

from raidtui.core.arrays import remedies
from raidtui.core.arrays.array import Array, ArrayMember, Condition, Grade, Half
from raidtui.core.arrays.conditions import ROWS
from raidtui.core.arrays.remedies import Way
from raidtui.core.arrays.status import Surroundings, status_of
from raidtui.core.arrays.superblock import Superblock, superblock_of
from raidtui.core.disks.machine import Signature
from tests import remedies_table
from tests.builders.arrays import DIGITS, NOW_S, UUID, in_sync, md, member
from tests.builders.machines import device, machine

TWO, THREE = in_sync("sda", "sdb"), in_sync("sda", "sdb", "sdc")
ONE = {"sda": ("0", "in_sync")}


def remedy(array: Array, kind: str) -> str:
    (found,) = (one.remedy for one in array.conditions if one.kind == kind)
    return found


@pytest.mark.parametrize(
    "label, node",
    [("here:store", "/dev/md/store"), ("here:7", "/dev/md/7"), ("x", "/dev/md/x"), ("here:a b", "/dev/md/aec0b208"),
     ("here:`reboot`", "/dev/md/aec0b208"), ("", "/dev/md/aec0b208")],
)  # fmt: skip
def test_a_stopped_array_gets_its_node_by_the_name_in_its_superblock(label: str, node: str) -> None:
    signatures = (Signature(kind="linux_raid_member", label=label, uuid=UUID),)
    labelled = (device(name, signatures=signatures) for name in ("sda", "sdb"))
    (array,) = status_of(machine(*labelled, host="here"), Surroundings(), NOW_S).arrays
    assert remedy(array, "stopped") == f"connect all of its disks, then `mdadm --assemble {node} --uuid={UUID}`"


def halves(read: dict[str, Superblock] | None = None, level: str = "raid1", **files: str) -> tuple[Array, Array]:
    first = md("raid1", ONE, raid_disks="2")
    second = md(level, {"sdb": ("1", "in_sync")}, **{"raid_disks": "2", "name": "md9", **files})
    seen = machine(member("sda"), member("sdb"), member("sdc"), first, second, host="here")
    one, other = status_of(seen, Surroundings(superblocks=read or {}), NOW_S).arrays
    return other, one


def urgent(array: Array) -> list[Condition]:
    return [one for one in array.conditions if one.grade is Grade.FAILED]


def test_two_halves_of_one_array_are_told_with_their_events_and_nothing_that_writes() -> None:
    read = {
        "sda": Superblock(updated_s=1_700_000_000, events=90),
        "sdb": Superblock(updated_s=1_700_086_400, events=41),
    }
    for array in halves(read):
        assert array.grade is Grade.FAILED and array.halves == (
            Half(name="md127", devices=("sda",), events=90, updated_s=1_700_000_000),
            Half(name="md9", devices=("sdb",), events=41, updated_s=1_700_086_400),
        )
        (split,) = urgent(array)
        assert split.kind == "split" and split.words == (
            "two halves run apart, each without the other's writes: md127 (/dev/sda; 90 events, last update 2023-11-14"
            " 22:13 UTC); md9 (/dev/sdb; 41 events, last update 2023-11-15 22:13 UTC)"
        )
        assert (
            "mount both read-only" in split.remedy and "does not mean that the other half holds nothing" in split.remedy
        )
        assert "left-out" in {one.kind for one in array.conditions}
        assert not any("`" in one.remedy for one in array.conditions)


def test_a_half_that_was_not_started_is_not_started() -> None:
    running, gathered = halves(array_state="inactive", level="")
    assert gathered.health == "inactive" and [half.name for half in gathered.halves] == ["md127"] and not running.halves
    assert urgent(gathered)[0].remedy.startswith("do not start it: `mdadm --stop /dev/md9` releases its disks")


def test_a_superblock_is_read_by_its_fields() -> None:
    page = bytearray(4096)
    struct.pack_into("<III", page, 0, 0xA92B4EFC, 1, 512 | 4)
    struct.pack_into("<ii", page, 72, 5, 2)
    struct.pack_into("<I", page, 92, 3)
    struct.pack_into("<Q", page, 104, 2048)
    struct.pack_into("<I", page, 160, 4)
    struct.pack_into("<QQQ", page, 192, 5 << 40 | 1_700_000_000, 90, 16)
    struct.pack_into("<5H", page, 256, 0, 1, 0xFFFE, 0xFFFD, 2)
    read = Superblock(updated_s=1_700_000_000, events=90, level="5", layout=2, slots=3, slot=2, clean=False,
                      with_journal=True, reshape_at_bytes=1 << 20)  # fmt: skip
    assert superblock_of(bytes(page)) == read
    struct.pack_into("<I", page, 160, 3)
    assert superblock_of(bytes(page)) == replace(read, slot=None)
    struct.pack_into("<I", page, 160, 1 << 31)
    assert superblock_of(bytes(page)) == replace(read, slot=None)
    struct.pack_into("<i", page, 72, -1)
    assert superblock_of(bytes(page)).level == "linear"  # type: ignore[union-attr]
    assert superblock_of(bytes(page[:-1])) is None and superblock_of(bytes(4096)) is None


def test_the_last_way_of_each_table_always_fits() -> None:
    tables = [table for table in vars(remedies).values() if isinstance(table, tuple) and isinstance(table[0], Way)]
    array, nobody = Array(name="", node="", uuid=DIGITS), ArrayMember(role="missing")
    assert len(tables) == 8 and all(table[-1].fits(array, nobody) for table in tables)


def test_each_condition_has_a_row_of_what_md_did_or_a_reason() -> None:
    """`python -m tests.remedies_table` makes them, tests/lab/guest/test_remedies.py compares them with md."""
    told = set(remedies_table.kinds(remedies_table.OUT.read_text()))
    assert told == {row.kind for row in ROWS} and set(remedies_table.NOT_MADE) < told
