"""The table of levels: figures against one disk, sure and possible survival, and why a level cannot be."""

from fractions import Fraction

import msgspec
import pytest

from raidtui.core.advice.preview import preview_level
from raidtui.core.plan.summary import imagined
from raidtui.core.raid.levels import LEVELS
from raidtui.core.units import GB
from raidtui.ui.render.level_rows import LevelRow, level_sentences, level_sheet, survives_words
from tests.ui.machines import rack


def lines(count: int, width: int = 77) -> list[str]:
    views = [preview_level(row.key, row.default_layout, None, rack(count)) for row in LEVELS]
    sheet = level_sheet([LevelRow(view, view.key == "5", view.key == "6") for view in views], width)
    return ["".join(text for text, _ in line) for line in (sheet.heading, *(row.lines[0] for row in sheet.rows))]


def test_each_level_has_its_figures_in_one_line() -> None:
    found = lines(8)
    assert found[0].split() == ["level", "usable", "survives", "rebuild", "read", "write", "small"]
    by_name = {line[3:14].strip(): line.split() for line in found[1:]}
    ten = "RAID 10 n2 16.0 TB = 14.6 TiB any 1, often 2 6 h 10 min 4.0x 4.0x 4.0x"
    assert " ".join(by_name["RAID 10 n2"]).endswith(ten)
    assert "any 2" in " ".join(by_name["RAID 6"]) and by_name["RAID 6"][-3:] == ["6.0x", "6.0x", "1.3x"]
    assert "none" in by_name["RAID 0"] and by_name["RAID 0"][-1] == "8.0x"


@pytest.mark.parametrize("count", [2, 3, 8, 24, 100])
@pytest.mark.parametrize("width", [77, 79, 158])
def test_no_figure_touches_the_next_and_none_is_cut(count: int, width: int) -> None:
    for line in lines(count, width):
        assert len(line) <= width and "…" not in line


def test_the_proposed_level_is_marked_beside_the_chosen_one() -> None:
    found = lines(8)
    marked = [line[:3].split() for line in found[1:]]
    assert marked[3] == ["●"] and marked[4] == ["◆○"]


def test_what_is_not_possible_says_what_it_takes() -> None:
    assert "RAID 6 needs 4 disks; choose 1 more." in lines(3)[5]
    assert (
        level_sentences(preview_level("6", None, None, rack(3))) == "Not possible: RAID 6 needs 4 disks; choose 1 more."
    )


@pytest.mark.parametrize(("count", "gigabytes", "is_so"), [(24, 4000, True), (6, 210, False), (4, 4000, False)])
def test_raid_6_is_the_choice_for_many_large_disks_only_of_such(count: int, gigabytes: int, is_so: bool) -> None:
    disks = imagined([gigabytes * GB] * count, flash=False)
    assert ("many large disks" in level_sentences(preview_level("6", None, None, disks))) is is_so


def test_whether_one_more_may_fail_is_told_in_a_word() -> None:
    assert survives_words(preview_level("10", "n2", None, rack(24))) == "any 1, often 2"
    assert survives_words(preview_level("10", "n3", None, rack(24))) == "any 2, often 3"
    assert survives_words(preview_level("10", "n2", None, rack(3))) == "any 1"
    seldom = msgspec.structs.replace(preview_level("10", "n2", None, rack(4)), luck=Fraction(1, 3))
    assert survives_words(seldom) == "any 1, maybe 2"


def test_raid_5_of_large_disks_tells_its_rebuild_with_the_arithmetic() -> None:
    words = level_sentences(preview_level("5", None, None, rack(8)))
    assert "Write penalty 4 (data and its parity, each read and written)." in words and "reads 28.0 TB" in words
    assert (
        "up to 20 of 100 rebuilds hit an unreadable sector (28.0 TB at the vendors' limit of 1 in 10^15 bits" in words
    )
    assert "unreadable" not in level_sentences(preview_level("6", None, None, rack(8)))
    assert "6 of 7 cases" in level_sentences(preview_level("10", "n2", None, rack(8)))
