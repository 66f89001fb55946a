"""Remedies by the array's state: a case for each way of each table; what runs twice; what is under way already."""

import struct
from typing import Any

import msgspec
import pytest

from raidtui.core.arrays import remedies
from raidtui.core.arrays.array import Array, ArrayMember, Condition, Grade, Half
from raidtui.core.arrays.boot import BootFiles, mdadm_conf_of
from raidtui.core.arrays.conditions import ROWS
from raidtui.core.arrays.remedies import Way
from raidtui.core.arrays.status import Surroundings, status_of
from raidtui.core.arrays.superblock import Superblock, superblock_of
from raidtui.core.disks.machine import Signature
from tests import remedies_table
from tests.builders.arrays import DIGITS, NOW_S, UUID, in_sync, judged, md, member
from tests.builders.machines import device, machine

TWO, THREE = in_sync("sda", "sdb"), in_sync("sda", "sdb", "sdc")
ONE = {"sda": ("0", "in_sync")}
GATHERED = {"sda": ("none", "spare"), "sdb": ("none", "spare")}
IGNORED = BootFiles(mdadm=mdadm_conf_of([("/etc/mdadm.conf", b"AUTO -all")]))
STOPPED_IN_A_RESHAPE = {"raid_disks": "2", "reshape_position": "8"}


def remedy(array: Array, kind: str) -> str:
    (found,) = (one.remedy for one in array.conditions if one.kind == kind)
    return found


def inactive(superblocks: dict[str, Superblock] | None = None, *others: str, **files: str) -> Array:
    slots: dict[str, tuple[str, str]] = GATHERED
    if files.pop("tried", ""):
        slots = in_sync(*GATHERED)
    boot = IGNORED if files.pop("ignored", "") else None
    array = md(files.pop("level", ""), slots, **{"array_state": "inactive", "raid_disks": "", **files})
    around = Surroundings(superblocks=superblocks or {}, boot=boot)
    return judged(array, *(member(name) for name in others), around=around)


def blocks(level: str, slots: int, *of_slots: int, **fields: Any) -> dict[str, Superblock]:
    common = {"updated_s": 1, "events": 7, "level": level, "slots": slots, **fields}
    return {name: Superblock(slot=slot, **common) for name, slot in zip(GATHERED, of_slots, strict=False)}


RAID5 = blocks("5", 3, 0, 1)
STALE = RAID5 | {"sda": msgspec.structs.replace(RAID5["sda"], events=3)}
TAKES_A_WHILE = " it starts degraded, and a disk that comes later may be rebuilt completely"


@pytest.mark.parametrize(
    ("array", "many", "startable", "words"),
    [
        (inactive(RAID5, "sdc"), "2 of 3 members", True, "`mdadm -I /dev/sdc`; md starts it once no disk is missing"),
        (inactive(None, "sdc", "sdd"), "2 members", None, "`mdadm -I /dev/sdc`, `mdadm -I /dev/sdd`; md starts"),
        (inactive(None, "sdc", tried="1"), "2 members", None,
         f"`mdadm --stop /dev/md127`, then `mdadm --assemble /dev/md127 --uuid={UUID}`"),
        (inactive(None, "sdc", ignored="1"), "2 members", None, "`mdadm --stop /dev/md127`, then `mdadm --assemble"),
        (inactive(RAID5), "2 of 3 members", True, "`mdadm -I` it); last `mdadm --run /dev/md127`: it starts degraded"),
        (inactive(), "2 members", None, f"last, if enough are here, `mdadm --run /dev/md127`:{TAKES_A_WHILE}"),
        (inactive(blocks("6", 5, 0, 1)), "2 of 5 members", False, "with these alone md does not start it"),
        (inactive(blocks("5", 3, 0, 1, clean=False)), "2 of 3 members", False, "with these alone md does not start it"),
        (inactive(STALE), "2 of 3 members", False, "with these alone md does not start it"),
        (inactive(blocks("10", 4, 0, 1, layout=0x102)), "2 of 4 members", False, "with these alone md does not start"),
        (inactive(blocks("10", 4, 0, 2, layout=0x102)), "2 of 4 members", True, "last `mdadm --run /dev/md127`"),
        (inactive(blocks("1", 2, 0, 1, clean=False)), "2 of 2 members", True, "`mdadm --run /dev/md127` starts it"),
        (inactive(blocks("0", 2, 0, 1)), "2 of 2 members", True, "`mdadm --run /dev/md127` starts it: all of its"),
        (inactive(blocks("1", 3, 0, 1, clean=False)), "2 of 3 members", True, "last `mdadm --run /dev/md127`"),
        (inactive(blocks("5", 3, 0, 1, with_journal=True)), "2 of 3 members", True, "(read-only if only its journal"),
        (inactive(blocks("5", 3, 0, 1, reshape_at_bytes=512)), "2 of 3 members", True, "that file: mdadm(8), --backup"),
        (inactive(blocks("0", 4, 0, 1)), "2 of 4 members", False, "a RAID 0 needs all of them"),
        (inactive(level="raid0", raid_disks="4"), "2 of 4 members", None, "a RAID 0 needs all of them"),
    ],
)  # fmt: skip
def test_an_inactive_array_gets_its_missing_disks_before_it_is_started(
    array: Array, many: str, startable: bool | None, words: str
) -> None:
    assert array.health == "inactive" and array.startable is startable and array.grade is Grade.FAILED
    (condition,) = (one for one in array.conditions if one.grade is Grade.FAILED)
    assert condition.words == f"inactive: {many} gathered (/dev/sda, /dev/sdb), not started"
    assert words in condition.remedy and "{" not in condition.remedy
    assert ("--run" in condition.remedy) == ("--run" in words or "read-only" in words)
    assert {one.kind for one in array.conditions} <= {"inactive", "ignored-at-boot"}


@pytest.mark.parametrize(
    ("slots", "events", "startable", "words"),
    [
        # https://super-unix.com/superuser/linux-how-to-reactivate-the-mdadm-raid5-array:
        # rewired; three of four are out of date
        (4, (70, 70, 90, 70), False, "no disk is missing, and not all were in the array to the last: compare their"),
        # https://andersbrownworth.com/cms/411/Linux/Software.RAID/inactive/mdadm: one of eight is out for good, and a
        # new disk, with --add, does not go into an array that does not run
        (8, (9, 9, 9, 9, 9, 9, 9), True, "last `mdadm --run /dev/md127`: it starts degraded"),
    ],
)
def test_public_reports_of_arrays_that_do_not_start(
    slots: int, events: tuple[int, ...], startable: bool, words: str
) -> None:
    names = [f"sd{letter}" for letter in "abcdefgh"[: len(events)]]
    told = {
        name: Superblock(slot=slot, updated_s=count, events=count, level="5", slots=slots)
        for slot, (name, count) in enumerate(zip(names, events, strict=True))
    }
    files = {"array_state": "inactive", "raid_disks": ""}
    gathered = {name: ("none", "spare") for name in names}
    array = judged(md("", gathered, **files), around=Surroundings(superblocks=told))
    assert array.startable is startable and words in remedy(array, "inactive")
    assert ("connect" in remedy(array, "inactive")) == (len(events) < slots)


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (judged(md("raid1", ONE, raid_disks="2"), member("sdb")), "`mdadm /dev/md127 --re-add /dev/sdb` copies what"),
        (judged(md("raid1", ONE, raid_disks="2", consistency_policy="resync"), member("sdb")),
         "if it works, `mdadm /dev/md127 --add /dev/sdb`: no bitmap, so a full rebuild"),
        (judged(md("raid5", TWO, raid_disks="3", consistency_policy="ppl"), member("sdc")), "--add /dev/sdc`: no bit"),
        (judged(md("raid1", ONE, raid_disks="2", array_state="readonly"), member("sdb")),
         "`mdadm --readwrite /dev/md127`, then `mdadm /dev/md127 --re-add /dev/sdb`"),
        (judged(md("raid1", ONE, raid_disks="2", array_state="read-auto"), member("sdb")),
         "nowhere else, `mdadm /dev/md127 --re-add"),
        (judged(md("raid5", ONE, raid_disks="3"), member("sdb")), "add nothing now: it may be needed to assemble"),
        (judged(md("raid1", TWO), member("sdc")), "not needed: no slot is empty"),
        (judged(md("raid5", TWO, raid_disks="3", consistency_policy="journal"), member("sdd")), "first replace the"),
        (judged(md("raid1", ONE, **STOPPED_IN_A_RESHAPE), member("sdb")), "wait until the reshape has ended"),
    ],
)  # fmt: skip
def test_a_disk_that_was_away_is_re_added_by_a_bitmap_alone(array: Array, words: str) -> None:
    assert words in remedy(array, "left-out")
    assert ("`mdadm /dev/md127 --re-add" in remedy(array, "left-out")) == ("--re-add" in words)


def test_a_disk_of_the_array_goes_in_before_a_new_one() -> None:
    array = judged(md("raid1", ONE, raid_disks="2"), member("sdb"))
    assert remedy(array, "not-rebuilding") == "first see to /dev/sdb (ST4000 Z6448243), below"


TO_GO = {"sdb": ("1", "in_sync,write_error")}
ASKED = {"sdb": ("1", "in_sync,write_error,want_replacement")}
SPARE = {"sdc": ("none", "spare")}


@pytest.mark.parametrize(
    ("level", "slots", "files", "words"),
    [
        ("raid1", TWO | TO_GO, {}, "`mdadm /dev/md127 --add` a disk, then `mdadm /dev/md127 --replace /dev/sdb`"),
        ("raid1", TWO | TO_GO | SPARE, {}, "`mdadm /dev/md127 --replace /dev/sdb` copies it to a spare"),
        ("raid1", TWO | ASKED, {}, "`mdadm /dev/md127 --add` a disk; md then copies it"),
        ("raid1", TWO | ASKED | SPARE, {}, "md copies it to a spare: look again in a minute"),
        ("raid1", TWO | ASKED | SPARE, {"sync_action": "frozen"}, "to a spare: `echo idle > /sys/block/md"),
        ("raid1", TWO | ASKED | {"sdc": ("1", "spare,replacement")}, {}, "wait: /dev/sdc (ST4000 Z6513779) takes its"),
        ("raid0", TWO | TO_GO, {}, "back up first: a RAID 0 has no second copy"),
        ("raid1", TWO | {"sdb": ("1", "spare,write_error")}, {}, "wait until it is rebuilt"),
        ("raid1", TWO | {"sdc": ("none", "spare,write_error")}, {}, "`mdadm /dev/md127 --remove /dev/sdc`, then"),
        ("raid5", THREE | {"sdd": ("none", "journal,write_error")}, {}, "then replace the journal (mdadm(8)"),
        ("raid1", TWO | TO_GO, {"array_state": "readonly"}, "`mdadm --readwrite /dev/md127`, then `mdadm"),
    ],
)  # fmt: skip
def test_a_disk_is_replaced_as_its_state_allows(
    level: str, slots: dict[str, tuple[str, str]], files: dict[str, str], words: str
) -> None:
    count = {"raid_disks": "3" if level == "raid5" else "2"}
    assert words in remedy(judged(md(level, slots, **count, **files)), "write-error")


@pytest.mark.parametrize(
    ("files", "slots", "kind", "words"),
    [
        ({"reshape_position": "8", "array_state": "read-auto"}, THREE, "reshape-waits", "`mdadm --readwrite"),
        ({"reshape_position": "8", "sync_action": "frozen"}, THREE, "reshape-waits", "`echo idle > /sys/"),
        ({"reshape_position": "8"}, THREE, "reshape-waits", "`mdadm --grow --continue /dev/md127` (with --backup-file"),
        ({"resync_start": "8", "array_state": "read-auto"}, THREE, "resync-waits", "`mdadm --readwrite"),
        ({"resync_start": "8"}, THREE, "resync-waits", "look again in a minute"),
        ({"resync_start": "8", "sync_action": "frozen"}, THREE, "resync-waits", "`echo idle > /sys/"),
        ({"array_state": "readonly"}, THREE, "read-only", "`mdadm --readwrite /dev/md127` makes it writable"),
        ({"array_state": "readonly", "consistency_policy": "journal"}, THREE, "read-only", "first replace its journal"),
        ({"array_state": "readonly", "consistency_policy": "journal"}, THREE, "journal-lost",
         "unmount what is on it, `mdadm /dev/md127 --add-journal` another disk"),
        ({"array_state": "readonly"}, THREE | {"sdc": ("2", "faulty")}, "member-failed", "`mdadm --readwrite"),
        ({}, THREE | {"sdb": ("1", "faulty"), "sdc": ("2", "faulty")}, "member-failed", "leave it connected"),
        ({"array_state": "readonly"}, TWO, "not-rebuilding", "`mdadm --readwrite /dev/md127`, then `mdadm"),
    ],
)  # fmt: skip
def test_what_waits_is_let_go_by_what_holds_it(
    files: dict[str, str], slots: dict[str, tuple[str, str]], kind: str, words: str
) -> None:
    found = [one.remedy for one in judged(md("raid5", slots, raid_disks="3", **files)).conditions if one.kind == kind]
    assert found and all(words in one for one in found)


@pytest.mark.parametrize(
    "files",
    [{"sync_action": "resync"}, {"sync_action": "frozen"}, {"array_state": "readonly"}, {"reshape_position": "8"}],
)
def test_a_check_is_advised_where_it_can_begin(files: dict[str, str]) -> None:
    assert "never-checked" in {one.kind for one in judged(md("raid5", THREE)).conditions}
    assert "never-checked" not in {one.kind for one in judged(md("raid5", THREE, **files)).conditions}
    assert "never-checked" not in {one.kind for one in judged(md("raid5", TWO, raid_disks="3")).conditions}


@pytest.mark.parametrize(
    ("label", "node"),
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


def test_a_replacement_that_is_under_way_is_all_that_is_told_of_it() -> None:
    slots = THREE | {"sdb": ("1", "in_sync,want_replacement"), "sdd": ("1", "spare,replacement")}
    syncing = {"sync_action": "recover", "sync_completed": "400 / 1000", "sync_speed": "100"}
    array = judged(md("raid5", slots, raid_disks="3", **syncing))
    assert (array.health, array.grade) == ("clean", Grade.GOOD)
    assert [(one.kind, one.words) for one in array.conditions] == [
        (
            "rebuilding",
            "/dev/sdd (ST4000 Z6579315) takes the place of /dev/sdb (ST4000 Z6448243): 40.0 % done, about 3 s left",
        )
    ]
    waits = judged(md("raid5", THREE | {"sdb": ("1", "in_sync,want_replacement")}, raid_disks="3"))
    assert remedy(waits, "to-be-replaced") == "`mdadm /dev/md127 --add` a disk; md then copies it"


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
    assert superblock_of(bytes(page)) == msgspec.structs.replace(read, slot=None)
    struct.pack_into("<I", page, 160, 1 << 31)
    assert superblock_of(bytes(page)) == msgspec.structs.replace(read, slot=None)
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
