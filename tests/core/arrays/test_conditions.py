"""The table of conditions: each row fires in its case, with its grade, and its sentences are whole."""

import string
from typing import Any

import msgspec
import pytest

from raidtui.core.arrays import remedies
from raidtui.core.arrays.array import Array, Condition, Grade
from raidtui.core.arrays.boot import BootFiles, fstab_of, mdadm_conf_of
from raidtui.core.arrays.checks import CheckMarks
from raidtui.core.arrays.conditions import ROWS
from raidtui.core.arrays.status import KeptArray, Surroundings, status_of
from raidtui.core.disks import dumps
from raidtui.core.disks.machine import Mount
from raidtui.core.disks.recovery import Recovery
from tests.builders.arrays import DIGITS, NOW_S, UUID, in_sync, judged, md, member
from tests.builders.machines import CASES as RECORDED_CASES
from tests.builders.machines import machine

WAYS = [
    way
    for table in vars(remedies).values()
    if isinstance(table, tuple) and table and isinstance(table[0], remedies.Way)
    for way in table
]
TWO, THREE = in_sync("sda", "sdb"), in_sync("sda", "sdb", "sdc")
DAY_S = 86400.0
FS = "0a0b0c0d-0000-4000-8000-000000000001"
MOUNTED = (Mount(devnum="9:127", source="/dev/md127", mountpoint="/srv", fstype="ext4"),)


def boot(
    conf: str = f"ARRAY /dev/md/data UUID={UUID}", fstab: str = "", *, initramfs_older: bool = False
) -> Surroundings:
    mounts = fstab_of("/etc/fstab", fstab.encode())
    conf_read = mdadm_conf_of([("/etc/mdadm.conf", conf.encode())])
    made_s = 1.0 if initramfs_older else 3.0
    return Surroundings(boot=BootFiles(mdadm=conf_read, mounts=mounts, changed_s=2.0, initramfs_s=made_s))


def smart(**told: float | str) -> Surroundings:
    names = {
        "used": "used, %",
        "pending": "pending sectors",
        "now": "temperature, °C",
        "limit": "temperature limit, °C",
    }
    return Surroundings(smart={"sdb": {names.get(key, key): value for key, value in told.items()}})


NO_ERC = {"sda": Recovery(erc="none"), "sdb": Recovery(erc="none")}  # sda's time-out was not read
SYNCING = {"sync_completed": "400 / 1000", "sync_speed": "100"}
CASES: tuple[tuple[str, Grade, Array], ...] = (
    ("failed", Grade.FAILED, judged(md("raid5", {"sda": ("0", "in_sync")}, raid_disks="3"))),
    ("inactive", Grade.FAILED, judged(md("", TWO, array_state="inactive", raid_disks=""))),
    ("degraded", Grade.DEGRADED, judged(md("raid1", TWO | {"sdb": ("1", "faulty")}))),
    ("member-failed", Grade.DEGRADED, judged(md("raid1", TWO | {"sdb": ("1", "faulty")}))),
    ("failed-disk-stays", Grade.ATTENTION, judged(md("raid1", TWO | {"sdc": ("none", "faulty")}, raid_disks="2"))),
    ("member-missing", Grade.DEGRADED, judged(md("raid1", {"sda": ("0", "in_sync")}, raid_disks="2"))),
    ("journal-lost", Grade.DEGRADED, judged(md("raid5", THREE | {"sdd": ("none", "faulty,journal")}, raid_disks="3",
                                               consistency_policy="journal"))),
    ("not-rebuilding", Grade.DEGRADED, judged(md("raid1", {"sda": ("0", "in_sync")}, raid_disks="2"))),
    ("rebuilding", Grade.GOOD, judged(md("raid1", TWO | {"sdb": ("1", "spare")}, sync_action="recover", **SYNCING))),
    ("left-out", Grade.ATTENTION, judged(md("raid1", {"sda": ("0", "in_sync")}, raid_disks="2"), member("sdb"))),
    ("resync", Grade.ATTENTION, judged(md("raid1", TWO, sync_action="resync", **SYNCING))),
    ("resync-waits", Grade.ATTENTION, judged(md("raid1", TWO, array_state="read-auto", resync_start="0"))),
    ("reshape", Grade.ATTENTION, judged(md("raid5", THREE, sync_action="reshape", **SYNCING))),
    ("reshape-waits", Grade.ATTENTION, judged(md("raid5", THREE, reshape_position="1024", array_state="read-auto"))),
    ("check", Grade.GOOD, judged(md("raid5", THREE, sync_action="check", **SYNCING))),
    ("frozen", Grade.ATTENTION, judged(md("raid5", THREE, sync_action="frozen"))),
    ("read-only", Grade.ATTENTION, judged(md("raid5", THREE, array_state="readonly"))),
    ("suspended", Grade.ATTENTION, judged(md("raid5", THREE, array_state="suspended"))),
    ("mismatches-of-copies", Grade.ATTENTION, judged(md("raid10", TWO, last_sync_action="check", mismatch_cnt="128",
                                                        layout="258"))),
    ("mismatches-of-parity", Grade.ATTENTION, judged(md("raid5", THREE, last_sync_action="check", mismatch_cnt="8"))),
    ("smart-failing", Grade.ATTENTION, judged(md("raid1", TWO), around=smart(health="failing: IMPENDING"))),
    ("smart-unreadable", Grade.ATTENTION, judged(md("raid1", TWO), around=smart(pending=8))),
    ("worn", Grade.ATTENTION, judged(md("raid1", TWO), around=smart(used=97))),
    ("error-recovery", Grade.ATTENTION, judged(md("raid1", TWO), around=Surroundings(recoveries=NO_ERC),
                                               timeouts={"sdb": "30"})),
    ("hot", Grade.ATTENTION, judged(md("raid1", TWO), around=smart(now=66.0, limit=65.0))),
    ("corrected", Grade.ATTENTION, judged(md("raid1", TWO, **{"dev-sdb/errors": "16"}))),
    ("write-error", Grade.ATTENTION, judged(md("raid1", TWO | {"sdb": ("1", "in_sync,write_error")}))),
    ("to-be-replaced", Grade.ATTENTION, judged(md("raid1", TWO | {"sdb": ("1", "in_sync,want_replacement")}))),
    ("blocked", Grade.ATTENTION, judged(md("raid1", TWO | {"sdb": ("1", "in_sync,blocked")}))),
    ("bad-blocks", Grade.ATTENTION, judged(md("raid1", TWO, **{"dev-sdb/bad_blocks": "2048 8 9000 16"}))),
    ("ignored-at-boot", Grade.ATTENTION, judged(md("raid1", TWO), around=boot("AUTO -all"))),
    ("mounted-by-node", Grade.ATTENTION, judged(md("raid1", TWO), around=boot("", "/dev/md127 /srv ext4 nofail"))),
    ("check-long-ago", Grade.ATTENTION, judged(md("raid1", TWO), around=Surroundings(
        checks=CheckMarks(done_s={DIGITS: NOW_S - 60 * DAY_S})))),
    ("another-name", Grade.GOOD, judged(md("raid1", TWO), around=boot("HOMEHOST other"))),
    ("no-array-line", Grade.GOOD, judged(md("raid1", TWO), around=boot(""))),
    ("initramfs-older", Grade.GOOD, judged(md("raid1", TWO), around=boot(initramfs_older=True))),
    ("boot-waits", Grade.GOOD, judged(md("raid1", TWO), around=boot(fstab=f"UUID={FS} /srv ext4 defaults"))),
    ("not-mounted-at-boot", Grade.GOOD, judged(md("raid1", TWO), around=boot(), mounts=MOUNTED)),
    ("check-paused", Grade.GOOD, judged(md("raid1", TWO), around=Surroundings(
        checks=CheckMarks(paused_sectors={DIGITS: 2048})))),
    ("never-checked", Grade.GOOD, judged(md("raid1", TWO))),
    ("no-bitmap", Grade.GOOD, judged(md("raid1", TWO, sectors=str(2**30), consistency_policy="resync"))),
)  # fmt: skip


@pytest.mark.parametrize(("kind", "grade", "array"), CASES, ids=[kind for kind, _, _ in CASES])
def test_each_condition_is_seen_in_its_case(kind: str, grade: Grade, array: Array) -> None:
    found = [one for one in array.conditions if one.kind == kind]
    assert found and {one.grade for one in found} == {grade}
    for one in found:
        assert one.words and "{" not in one.words + one.remedy and "None" not in one.words + one.remedy


def test_a_command_that_is_a_remedy_names_what_it_is_given_to() -> None:
    commands = [text for row in ROWS for text in row.remedy.split("`")[1::2] if text.startswith("mdadm ")]
    commands += [text for way in WAYS for text in way.words.split("`")[1::2] if text.startswith("mdadm ")]
    assert len(commands) > 20 and [text for text in commands if "{" not in text] == ["mdadm -I"] * 3  # of a disk


def test_a_whole_array_that_all_is_known_of_has_no_condition() -> None:
    checks = CheckMarks(done_s={DIGITS: NOW_S - DAY_S})
    known = boot(fstab=f"UUID={FS} /srv ext4 nofail").boot
    array = judged(md("raid6", in_sync("sda", "sdb", "sdc", "sdd")), around=Surroundings(boot=known, checks=checks))
    assert array.conditions == () and array.grade is Grade.GOOD


def test_the_worst_comes_first_and_is_the_arrays_grade() -> None:
    array = judged(md("raid1", TWO | {"sdb": ("1", "faulty")}, last_sync_action="check", mismatch_cnt="1"))
    order = [list(Grade).index(one.grade) for one in array.conditions]
    assert order == sorted(order, reverse=True) and array.grade is Grade.DEGRADED


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "no spare"),
        ({"sdc": ("none", "spare")}, "the rebuild has not begun"),
        ({"sdc": ("none", "spare"), "array_state": "read-auto"}, "read-only until it is first written to"),
        ({"sdc": ("none", "spare"), "sync_action": "frozen"}, "its syncs are frozen"),
    ],
)
def test_why_nothing_is_rebuilt(files: dict[str, Any], words: str) -> None:
    slots = {"sda": ("0", "in_sync"), **{key: value for key, value in files.items() if key.startswith("sd")}}
    told = {key: value for key, value in files.items() if not key.startswith("sd")}
    array = judged(md("raid1", slots, **{"raid_disks": "2", **told}))
    assert any(one.kind == "not-rebuilding" and words in one.words and one.remedy for one in array.conditions)


def of_case(name: str) -> Array:
    return status_of(dumps.read((RECORDED_CASES / name).read_bytes()), Surroundings(), NOW_S).arrays[0]


def urgent(array: Array) -> dict[str, Condition]:
    return {one.kind: one for one in array.conditions if one.grade is not Grade.GOOD}


def test_a_reshape_that_was_cut_waits_for_a_person() -> None:
    array = of_case("m09b_reshape_stands_idle.json")
    (condition,) = urgent(array).values()
    assert (condition.kind, array.grade) == ("reshape-waits", Grade.ATTENTION)
    assert condition.words == "reshape interrupted at 537 MB = 512 MiB"
    # it is no longer read-only: md refuses --readwrite
    assert condition.remedy == "`mdadm --grow --continue /dev/md0` (with --backup-file=FILE if it had one)"


def test_states_of_members_that_mean_trouble_are_conditions() -> None:
    array = of_case("m14_states.json")
    assert {kind: condition.words.split()[2] for kind, condition in urgent(array).items()} == {
        "write-error": "/dev/sda", "to-be-replaced": "/dev/sda", "blocked": "/dev/sdc"
    }  # fmt: skip
    assert array.grade is Grade.ATTENTION


def test_a_reshape_to_raid6_fills_the_new_disk() -> None:
    array = of_case("m08_reshape_layout18.json")
    found = urgent(array)
    assert set(found) == {"degraded", "reshape"} and array.layout == "left-symmetric-6"
    assert found["reshape"].words == "reshape: 0.0 % done, which fills /dev/sde (Ssde)"


def test_many_empty_slots_are_one_condition() -> None:
    found = urgent(of_case("m01_qnap_sparse.json"))
    assert set(found) == {"degraded", "member-missing", "not-rebuilding"}
    assert found["member-missing"].words == "28 slots are empty (4 to 31)"


@pytest.mark.parametrize(
    ("action", "state", "kinds"),
    [
        ({"sync_action": "resync", "resync_start": "0"}, "read-auto", {"resync-waits"}),
        ({"sync_action": "resync", "resync_start": "0"}, "active", {"resync"}),
        ({"sync_action": "reshape", "reshape_position": "8"}, "read-auto", {"reshape-waits"}),
        ({"sync_action": "reshape", "reshape_position": "8", **SYNCING}, "active", {"reshape"}),
    ],
)
def test_what_is_pending_in_a_read_only_array_waits_for_a_write(
    action: dict[str, str], state: str, kinds: set[str]
) -> None:
    assert set(urgent(judged(md("raid5", THREE, array_state=state, **action)))) == kinds


def test_a_rebuild_that_is_pending_in_a_read_only_array_is_none() -> None:
    slots = THREE | {"sdc": ("2", "spare")}
    array = judged(md("raid5", slots, array_state="read-auto", sync_action="recover"))
    assert "rebuilding" not in {one.kind for one in array.conditions}
    assert urgent(array)["not-rebuilding"].remedy == "`mdadm --readwrite /dev/md127` lets it begin"


@pytest.mark.parametrize("mark", ["/", "-"])
def test_disks_of_firmware_raid_are_added_to_its_container(mark: str) -> None:
    """IMSM and DDF: mdadm refuses to change members of a volume."""
    volume = judged(md("raid5", {"sda": ("0", "in_sync"), "sdb": ("1", "in_sync"), "sdc": ("2", "faulty")},
                       metadata_version=f"external:{mark}md126/0", consistency_policy="resync",
                       sectors="20889600000"), around=smart(health="failing: now"))  # fmt: skip
    found = {one.kind: one.remedy for one in volume.conditions}
    assert "`mdadm /dev/md126 --add` it" in found["not-rebuilding"]
    assert "`mdadm /dev/md126 --remove /dev/sdc`" in found["member-failed"]
    assert "`mdadm /dev/md126 --add` a disk, then `mdadm /dev/md127 --fail /dev/sdb`" in found["smart-failing"]
    assert "no-bitmap" not in found


def test_no_uuid_is_no_row_of_colons() -> None:
    """A container of firmware RAID whose UUID nothing tells."""
    array = md("", {}, metadata_version="external:imsm", array_state="inactive", raid_disks="")
    nameless = msgspec.structs.replace(array, properties={"DEVNAME": "/dev/md126"})
    (found,) = status_of(machine(nameless, host="here"), Surroundings(), NOW_S).arrays
    assert (found.uuid, found.health) == ("", "container")


def test_a_node_that_an_array_line_promises_may_be_mounted_by() -> None:
    array = judged(md("raid1", TWO), around=boot(fstab="/dev/md/data /srv ext4 nofail"))
    assert "mounted-by-node" not in {one.kind for one in array.conditions}


@pytest.mark.parametrize(
    ("around", "kinds"),
    [
        (Surroundings(), {"stopped"}),
        (boot(), {"stopped-and-expected"}),
        (Surroundings(kept={DIGITS: KeptArray("the-run")}), {"stopped-and-expected"}),
    ],
)
def test_an_array_that_should_run_and_does_not_has_failed(around: Surroundings, kinds: set[str]) -> None:
    (array,) = status_of(machine(member("sda"), member("sdb"), host="here"), around, NOW_S).arrays
    assert {one.kind for one in array.conditions} == kinds | {"older-kernels"}
    assert (array.grade is Grade.FAILED) == ("stopped" not in kinds)


@pytest.mark.parametrize(
    ("journal", "words", "remedy"),
    [
        ({"sdd": ("none", "faulty,journal")}, "its journal (/dev/sdd", "`mdadm /dev/md127 --remove /dev/sdd`, `mdadm "),
        ({}, "its journal is lost: ", "`mdadm --readonly /dev/md127`, `mdadm /dev/md127 --add-journal` another disk"),
        ({"sdd": ("none", "journal")}, "", ""),
    ],
)
def test_a_lost_journal_is_no_failed_disk_whose_place_was_taken(
    journal: dict[str, tuple[str, str]], words: str, remedy: str
) -> None:
    array = judged(md("raid5", THREE | journal, raid_disks="3", consistency_policy="journal"))
    said = {one.kind: one for one in array.conditions if one.grade is not Grade.GOOD}
    assert set(said) == ({"journal-lost"} if words else set()) and array.health == "clean"
    assert not words or (words in said["journal-lost"].words and remedy in said["journal-lost"].remedy)


WAITS, LIMITS = "`echo 180 > /sys/block/sdb/device/timeout`", "`smartctl -l scterc,70,70 /dev/sdb`"


@pytest.mark.parametrize(
    ("level", "recovery", "says", "do"),
    [
        ("raid1", Recovery(erc="none"), "has no error recovery control (ERC)", WAITS),
        (
            "raid1",
            Recovery(erc="off"),
            "has its error recovery control (ERC) off",
            "`smartctl -l scterc,70,70 /dev/sdb`",
        ),
        (
            "raid0",
            Recovery(erc="off"),
            "has its error recovery control (ERC) off",
            "`echo 180 > /sys/block/sdb/device/",
        ),
        (
            "raid1",
            Recovery(erc="on", read_s=60, write_s=7),
            "tries a bad sector for 60 s (ERC)",
            "`smartctl -l scterc,",
        ),
    ],
)
def test_a_redundant_array_wants_a_limit_and_any_other_more_time(
    level: str, recovery: Recovery, says: str, do: str
) -> None:
    array = judged(md(level, TWO), around=Surroundings(recoveries={"sdb": recovery}), timeouts={"sdb": "30"})
    (condition,) = (one for one in array.conditions if one.kind == "error-recovery")
    assert says in condition.words and "the kernel waits 30 s" in condition.words
    assert condition.remedy.startswith(do) and "after each power cycle" in condition.remedy


def test_every_row_has_a_kind_of_its_own_and_a_case_here() -> None:
    kinds = [row.kind for row in ROWS]
    elsewhere = {"stopped", "stopped-and-expected", "not-known", "member-gone", "older-kernels", "split"}
    assert len(kinds) == len(set(kinds)) and set(kinds) == {kind for kind, _, _ in CASES} | elsewhere
    for row in ROWS:
        assert all(name for _, name, _, _ in string.Formatter().parse(row.words + row.remedy) if name is not None)
