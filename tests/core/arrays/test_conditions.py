"""The table of conditions: a kind and a case for each row, sentences that name what a command is given to."""

import string
from pathlib import Path

import msgspec

from raidtui.core.arrays import remedies
from raidtui.core.arrays.array import Grade
from raidtui.core.arrays.conditions import ROWS
from raidtui.core.arrays.status import Surroundings, status_of
from tests.builders.arrays import NOW_S, in_sync, judged, md
from tests.builders.cases import cases, expected
from tests.builders.machines import machine

FILE = Path(__file__).with_name("conditions.toml")
WAYS = [
    way
    for table in vars(remedies).values()
    if isinstance(table, tuple) and table and isinstance(table[0], remedies.Way)
    for way in table
]


def test_a_command_that_is_a_remedy_names_what_it_is_given_to() -> None:
    commands = [text for row in ROWS for text in row.remedy.split("`")[1::2] if text.startswith("mdadm ")]
    commands += [text for way in WAYS for text in way.words.split("`")[1::2] if text.startswith("mdadm ")]
    assert len(commands) > 20 and [text for text in commands if "{" not in text] == ["mdadm -I"] * 3  # of a disk


def test_the_worst_comes_first_and_is_the_arrays_grade() -> None:
    array = judged(md("raid1", in_sync("sda") | {"sdb": ("1", "faulty")}, last_sync_action="check", mismatch_cnt="1"))
    order = [list(Grade).index(one.grade) for one in array.conditions]
    assert order == sorted(order, reverse=True) and array.grade is Grade.DEGRADED


def test_no_uuid_is_no_row_of_colons() -> None:
    """A container of firmware RAID whose UUID nothing tells."""
    array = md("", {}, metadata_version="external:imsm", array_state="inactive", raid_disks="")
    nameless = msgspec.structs.replace(array, properties={"DEVNAME": "/dev/md126"})
    (found,) = status_of(machine(nameless, host="here"), Surroundings(), NOW_S).arrays
    assert (found.uuid, found.health) == ("", "container")


def test_every_row_has_a_kind_of_its_own_and_a_case() -> None:
    kinds = [row.kind for row in ROWS]
    lines = [line for case in cases(FILE) for line in expected(case.values[1])]
    shown = {subject for subject, field, pattern in lines if not field and pattern in list(Grade)}
    elsewhere = {"stopped", "stopped-and-expected", "not-known", "member-gone", "split"}
    assert len(kinds) == len(set(kinds)) and set(kinds) == shown | elsewhere
    for row in ROWS:
        assert all(name for _, name, _, _ in string.Formatter().parse(row.words + row.remedy) if name is not None)
