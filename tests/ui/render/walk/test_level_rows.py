"""The table of levels: figures against one disk, sure and possible survival, and why a level cannot be."""

import re

import pytest

from raidtui.core.advice.preview import preview_level
from raidtui.core.plan.summary import imagined
from raidtui.core.raid.levels import LEVELS
from raidtui.core.units import GB
from raidtui.ui.render.walk.level_rows import (
    LevelRow,
    capacity_shares,
    headline,
    level_sentences,
    level_sheet,
    so_far,
    survives_words,
)
from tests.ui.machines import rack
from tests.ui.pages import first_lines


def lines(count: int, width: int = 77) -> list[str]:
    views = [preview_level(row.key, row.default_layout, None, rack(count)) for row in LEVELS]
    sheet = level_sheet([LevelRow(view, view.key == "5", view.key == "6") for view in views], width)
    return first_lines(sheet)


@pytest.mark.parametrize("width", [77, 95, 115, 195])
def test_each_level_has_its_figures_in_one_line(width: int) -> None:
    found = lines(8, width)
    assert found[0].split() == ["level", "of", "32.0", "TB", "survives", "read", "write", "4K", "write", "rebuild"]
    by_name = {line[3:14].strip(): " ".join(re.sub("[▄▖]", " ", line).split()) for line in found[1:]}
    assert by_name["RAID 10 n2"].endswith("16.0 TB ●○ 4.0× 4.0× 4.0× 6 h 10 min")
    assert by_name["RAID 6"].endswith("24.0 TB ●● 6.0× 6.0× 1.3× 6 h 10 min")
    assert by_name["RAID 0"].endswith("32.0 TB none 8.0× 8.0× 8.0× none")
    assert by_name["RAID 1"].endswith("4.00 TB ●●●●●●● 1.0× 1.0× 1.0× 6 h 10 min")


def test_many_copies_are_a_number() -> None:
    assert " any 23 " in next(line for line in lines(24) if "RAID 1 " in line)


@pytest.mark.parametrize("count", [2, 3, 8, 24, 100])
@pytest.mark.parametrize("width", [75, 77, 79, 95, 115, 158])
def test_no_figure_touches_the_next_and_none_is_cut(count: int, width: int) -> None:
    assert len(lines(count, width)) > 5
    for line in lines(count, width):
        assert len(line.rstrip()) <= width and "…" not in line
        assert not re.search("×[0-9]|[A-Z]B[0-9●]|●[0-9]", line)


@pytest.mark.parametrize("width", [77, 115])
def test_bars_of_one_column_have_one_scale(width: int) -> None:
    """Cells of a role's ground: RAID 0 of 8 disks is 8 times one disk, RAID 10 n2 half of it."""
    views = [preview_level(key, layout, None, rack(8)) for key, layout in (("0", None), ("10", "n2"))]
    first, second = (row.lines[0] for row in level_sheet([LevelRow(view) for view in views], width).rows)
    for role in ("data", *(("r5", "w5") if width > 100 else ())):
        whole, half = (
            sum(len(text if "/" in look else text.strip()) for text, look in line if role in look)
            for line in (first, second)
        )
        assert whole and abs(whole / 2 - half) <= 1


def test_the_proposed_level_is_marked_beside_the_chosen_one() -> None:
    marked = [line[:3].split() for line in lines(8)[1:]]
    assert marked[3] == ["▸"] and marked[4] == ["◆"] and not marked[0]


def test_the_sums() -> None:
    ten = preview_level("10", "n2", None, rack(8))
    assert so_far(ten) == "RAID 10 n2, 8 disks, 16.0 TB = 14.6 TiB usable"
    assert [round(share, 2) for share, _ in capacity_shares(ten)] == [0.5, 0.5, 0.0]
    assert headline(preview_level("6", None, None, rack(3)), None) == (
        "Not possible: RAID 6 needs 4 disks; choose 1 more.", "warn",
    )  # fmt: skip
    assert headline(ten, "add 1, or survive fewer") == ("add 1, or survive fewer", "warn")
    assert headline(ten, None)[0].startswith("Striped mirrors")


def test_what_is_not_possible_says_what_it_takes() -> None:
    assert "RAID 6 needs 4 disks; choose 1 more." in lines(3)[5]
    assert (
        level_sentences(preview_level("6", None, None, rack(3))) == "Not possible: RAID 6 needs 4 disks; choose 1 more."
    )


@pytest.mark.parametrize("count, gigabytes, is_so", [(24, 4000, True), (6, 210, False), (4, 4000, False)])
def test_raid_6_is_the_choice_for_many_large_disks_only_of_such(count: int, gigabytes: int, is_so: bool) -> None:
    disks = imagined([gigabytes * GB] * count, flash=False)
    assert ("many large disks" in level_sentences(preview_level("6", None, None, disks))) is is_so


def test_whether_one_more_may_fail_is_told() -> None:
    told = survives_words(preview_level("10", "n2", None, rack(24)))
    assert told == "Survives any 1, 1 more in 22 of 23 cases"
    assert survives_words(preview_level("10", "n2", None, rack(3))) == "Survives any 1"
    assert survives_words(preview_level("0", None, None, rack(3))) == "Survives no failure"
    assert survives_words(preview_level("jbod", None, None, rack(3))) == "A failed disk loses its own files"


def test_raid_5_of_large_disks_tells_its_rebuild_with_the_arithmetic() -> None:
    words = level_sentences(preview_level("5", None, None, rack(8)))
    assert "Write penalty 4 (data and its parity, each read and written)." in words and "reads 28.0 TB" in words
    assert (
        "up to 20 of 100 rebuilds hit an unreadable sector (28.0 TB, upper limit at the maker's rate of 1 in 10^15 bits"
        in words
    )
    assert "unreadable" not in level_sentences(preview_level("6", None, None, rack(8)))
    assert "6 of 7 cases" in level_sentences(preview_level("10", "n2", None, rack(8)))


def test_a_level_without_a_model_has_dashes_for_its_speed() -> None:
    row = level_sheet([LevelRow(preview_level("btrfs-raid1", None, None, rack(2)))], 95).rows[0].lines[0]
    assert "".join(text for text, _ in row).count("–") == 3


@pytest.mark.parametrize("layout, words", [("n2", "n2: 2 adjacent copies, the usual"), ("n3", "n3: 3 adjacent")])
def test_a_layout_is_explained_where_it_first_stands(layout: str, words: str) -> None:
    assert words in headline(preview_level("10", layout, None, rack(6)), None)[0]
