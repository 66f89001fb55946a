"""Which disks a search leaves, and what each column sorts them by."""

import pytest

from raidtui.core.disks.disk import Usability
from raidtui.ui.disk_view import COLUMNS, DiskView, alike, free
from tests.ui.machines import MIXED, disk

SSD = disk("sdz", model="Micron 5300", size_bytes=960_197_124_096, serial="1F23", transport="sas", slot="slot 7")
DISKS = (*MIXED, SSD)


@pytest.mark.parametrize(
    "search, names",
    [
        ("", [one.name for one in DISKS]),
        ("MICRON", ["sdz"]),
        ("4.00 tb ext4", ["sdf"]),  # all of the words, wherever they stand
        ("960GB", ["sdz"]),
        ("slot 7", ["sdz"]),
        ("warn", ["sdf"]),
        ("mounted on /", ["sda"]),
        ("micron st4000", []),
        ("[/] :cd:", ["sdg"]),  # a device's text is text
    ],
)
def test_a_disk_is_shown_that_has_all_words_that_are_searched_for(search: str, names: list[str]) -> None:
    assert [one.name for one in DiskView(search).filtered(DISKS)] == names


@pytest.mark.parametrize(
    "column, first, last",
    [
        ("name", "sda", "sdz"),
        ("size", "sda", "sde"),
        ("model", "sdz", "sdg"),
        ("serial", "sdg", "sda"),
        ("use", "sdb", "sda"),
    ],
)
def test_each_column_sorts(column: str, first: str, last: str) -> None:
    view = next(one for one in _all_views() if one.column == column)
    names = [one.name for one in view.filtered(DISKS)]
    assert (names[0], names[-1]) == (first, last) and len(names) == len(DISKS)


def _all_views() -> list[DiskView]:
    views = [DiskView()]
    while (view := views[-1].next_column()) != views[0]:
        views.append(view)
    assert [view.column for view in views] == list(COLUMNS)
    return views


def test_alike_are_those_of_one_model_and_size() -> None:
    assert [one.name for one in alike(DISKS[1], DISKS)] == ["sdb", "sdc", "sdd", "sdf"]
    assert all(one.verdict.standing is Usability.OK for one in DISKS if one.id in free(DISKS))
