"""Rows of disks fit every width; of one disk nothing that is known is left out."""

import pytest
from rich.cells import cell_len

from raidtui.core.disks.disk import Disk, State, Usability, Verdict
from raidtui.core.disks.machine import Bus
from raidtui.core.units import Units
from raidtui.ui.render.cells import ASCII, Line, plain
from raidtui.ui.render.disk_rows import (
    SHOWN,
    DiskFacts,
    LevelSum,
    disk_lines,
    disk_sheet,
    entries,
    kind_of,
    packed,
    shelf_lines,
    sum_lines,
    sum_words,
)
from tests.ui.glyphs import drawn_in
from tests.ui.machines import HOSTILE, MIXED, OLD_DATA, disk, rack, unread
from tests.ui.pages import texts


@pytest.mark.parametrize("width", [58, 66, 79, 100, 120, 160])
@pytest.mark.parametrize("disks", [MIXED, rack(24), unread(24), ()])
@pytest.mark.parametrize("one_by_one", [False, True])
def test_rows_of_disks_fit_every_width(width: int, disks: tuple[Disk, ...], one_by_one: bool) -> None:
    rows = entries(disks, {kind_of(one) for one in disks[:2]}, one_by_one)
    sheet = disk_sheet(rows, (), width, Units.DECIMAL)
    assert all(sum(cell_len(text) for text, _ in line) <= width for line in shelf_lines(disks, (), width, 6))
    for line in (sheet.heading, *(row.lines[0] for row in sheet.rows)):
        assert sum(cell_len(text) for text, _ in line) <= width


LINKED = disk(
    "sdx", slot="enclosure 1 slot 7", firmware="SN04", physical_sector_bytes=4096,
    buses=(Bus(kind="sata", name="ata3", speed="3.0 Gbps", best_speed="6.0 Gbps"),),
)  # fmt: skip
FACTS = DiskFacts(("watch", "- 3 reallocated sectors", "temperature, °C         31"), ("14 Nov 22:13  RAID 5: done",))


def text_of(lines: list[Line]) -> str:
    return "\n".join("".join(plain(text) for text, _ in line).rstrip() for line in lines)


@pytest.mark.parametrize("width", [40, 78, 120, 156])
@pytest.mark.parametrize("shown", [*MIXED, LINKED], ids=lambda each: each.name)
def test_each_line_fits_every_width(shown: Disk, width: int) -> None:
    for facts in (None, FACTS):
        assert all(sum(cell_len(plain(text)) for text, _ in line) <= width for line in disk_lines(shown, facts, width))


@pytest.mark.parametrize("width", [78, 156])
def test_where_it_sits_what_it_tells_and_which_runs_were_on_it(width: int) -> None:
    text = text_of(disk_lines(LINKED, FACTS, width))
    for part in (LINKED.id, "SN04", "slot 7", "SATA port ata3", "could be 6.0 Gbps", "512 B, 4096 B physical"):
        assert part in text
    assert "- 3 reallocated sectors" in text and "14 Nov 22:13  RAID 5: done" in text


def test_what_is_on_it_and_what_would_free_it() -> None:
    text = text_of(disk_lines(OLD_DATA, None, 78))
    assert "on it      ext4 on sdf1 (backup)" in text and "use        warn: ext4 on sdf1 (backup), not mounted" in text
    assert "remedy     save what is on it" in text and "querying" in text


def test_what_no_disk_should_say_is_not_obeyed() -> None:
    assert "\x1b" not in text_of(disk_lines(HOSTILE, FACTS, 78))


def test_no_run_is_said_as_that() -> None:
    assert text_of(disk_lines(LINKED, DiskFacts(("not told",)), 78)).endswith("Runs\nnone")


def test_only_free_disks_are_grouped_and_none_of_another_state_is_among_them() -> None:
    rows = entries(MIXED, ())
    assert [row.heading for row in rows if row.heading] == [
        "Free",
        "Holds data, would be erased",
        "In use, never touched",
    ]
    for row in rows:
        if row.is_group:
            assert {one.verdict.standing for one in row.disks} == {Usability.OK}
            assert len({kind_of(one) for one in row.disks}) == 1
    assert sorted(one.name for row in rows for one in row.disks) == sorted(one.name for one in MIXED)


def test_the_total_and_the_levels_are_told_large_and_in_lines() -> None:
    levels = [LevelSum("RAID 6", 24 * 10**12, 2), LevelSum("RAID 5", 28 * 10**12, 1)]
    with drawn_in(ASCII):
        large = texts(sum_lines(32 * 10**12, 8, levels, 42))
    assert large[1].split() == ["32.0", "TB"] and large[2].strip() == "= 29.1 TiB, 8 disks"
    assert "RAID 6  24.0 TB = 21.8 TiB" in large and any(line.endswith("survives any 2") for line in large)
    assert all(len(line) <= 42 for line in texts(sum_lines(32 * 10**12, 8, levels, 42)))
    assert packed(sum_words(32 * 10**12, 8, levels), 80, 2) == [
        "Total 32.0 TB = 29.1 TiB, 8 disks · RAID 6 24.0 TB = 21.8 TiB, survives 2",
        "RAID 5 28.0 TB = 25.5 TiB, survives 1",
    ]
    assert sum_words(0, 0, []) == ["No disk selected"]


def test_what_was_not_read_has_a_heading_a_sign_and_a_word_of_its_own() -> None:
    usb = disk("sdu", verdict=Verdict(Usability.WARN, "it is connected by USB"))
    rows = entries((*unread(2), usb, OLD_DATA), ())
    assert [row.heading for row in rows if row.heading] == [
        "Blank, with a warning",
        "Not checked, may hold data",
        "Holds data, would be erased",
    ]
    drawn = texts(row.lines[0] for row in disk_sheet(rows, (), 79, Units.DECIMAL).rows)
    assert [line.split()[0] for line in drawn if "? not checked: contents" in line] == ["["] * 2
    assert sum("! it is connected" in line for line in drawn) == sum("! ext4 on" in line for line in drawn) == 1
    for width, word in ((40, "unread"), (12, "?")):
        bays = texts(shelf_lines(unread(2), (), width, 6))
        assert bays[2].split() == [word] * 2 and "data" not in "".join(bays)
    assert texts(shelf_lines(unread(60), (), 79, 6))[0].startswith("?a ")


def test_every_state_is_shown_in_words_that_fit() -> None:
    assert set(SHOWN) == set(State)
    assert all(len(shown.bay) <= 6 and len(shown.narrow) <= 4 and len(shown.sign) == 1 for shown in SHOWN.values())
