"""What each level is, and which choices it allows."""

import pytest

from raidtui.core.raid.levels import LEVELS, copies, layout10, level, possible, survives
from raidtui.core.units import KIB


def test_the_table_has_each_level_once_and_a_plain_sentence_for_each() -> None:
    assert [row.key for row in LEVELS] == ["0", "1", "4", "5", "6", "10", "linear", "jbod"]
    assert all(row.summary.endswith(".") and len(row.summary) <= 90 for row in LEVELS)


def test_jbod_is_not_md() -> None:
    assert [row.key for row in LEVELS if row.md_name is None] == ["jbod"]


def test_defaults_are_mdadms() -> None:
    assert {row.key: row.default_layout for row in LEVELS if row.layouts} == {
        "5": "left-symmetric",
        "6": "left-symmetric",
        "10": "n2",
    }


def test_only_levels_with_redundancy_have_bitmaps_and_syncs() -> None:
    assert {row.key for row in LEVELS if row.has_bitmap} == {"1", "4", "5", "6", "10"}
    assert {row.key for row in LEVELS if row.has_sync} == {"1", "4", "5", "6", "10"}


def test_an_unknown_level_is_answered_with_the_known_ones() -> None:
    with pytest.raises(
        ValueError, match=r"'7' is not a RAID level: choose one of 0, 1, 4, 5, 6, 10, linear, jbod, btrfs-"
    ):
        level("7")


@pytest.mark.parametrize(
    "name, layout",
    [("n2", ("near", 2)), ("n3", ("near", 3)), ("o2", ("offset", 2)), ("f3", ("far", 3)), (None, ("near", 2))],
)
def test_raid10_layouts_are_written_as_mdadm_writes_them(name: str | None, layout: tuple[str, int]) -> None:
    assert (layout10(name).kind, layout10(name).copies) == layout


@pytest.mark.parametrize("name", ["n1", "n4", "x2", "2n", "", "left-symmetric"])
def test_other_raid10_layouts_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is not a RAID 10 layout: choose one of n2, n3, o2, o3, f2, f3"):
        layout10(name)


@pytest.mark.parametrize(
    "key, layout, disks, failures",
    [
        ("0", None, 4, 0),
        ("1", None, 2, 1),
        ("1", None, 4, 3),
        ("4", None, 4, 1),
        ("5", None, 24, 1),
        ("6", None, 4, 2),
        ("10", None, 4, 1),
        ("10", "f3", 6, 2),
        ("linear", None, 3, 0),
        ("jbod", None, 3, 0),
    ],
)
def test_failures_that_are_survived_whichever_disks_they_strike(
    key: str, layout: str | None, disks: int, failures: int
) -> None:
    assert survives(key, layout, disks) == failures


def test_copies() -> None:
    assert (copies("1", None, 3), copies("10", "o3", 4), copies("5", None, 3)) == (3, 3, 1)


@pytest.mark.parametrize(
    "key, layout, disks, chunk_bytes, reason",
    [
        ("6", None, 2, None, "RAID 6 needs 4 disks; choose 2 more."),
        ("0", None, 1, None, "RAID 0 needs 2 disks; choose 1 more."),
        ("jbod", None, 0, None, "JBOD needs 1 disk; choose 1 more."),
        ("10", "n3", 2, None, "RAID 10 n3 needs 3 disks; choose 1 more."),
        (
            "10",
            "left-symmetric",
            4,
            None,
            "RAID 10 has no layout 'left-symmetric'; choose one of n2, n3, o2, o3, f2, f3.",
        ),
        ("0", "n2", 4, None, "RAID 0 has no layouts; leave the layout out."),
        ("1", None, 2, 64 * KIB, "RAID 1 has no chunk; leave the chunk out."),
        ("linear", None, 2, 64 * KIB, "Linear has no chunk; leave the chunk out."),
        (
            "5",
            None,
            3,
            96 * KIB,
            "A chunk of 96K is none that raidtui makes; choose a power of two from 4K on, such as 512K.",
        ),
        (
            "0",
            None,
            2,
            96 * KIB,
            "A chunk of 96K is none that raidtui makes; choose a power of two from 4K on, such as 512K.",
        ),
        ("1", None, 1921, None, "md takes at most 1920 disks; leave 1 out."),
        (
            "5",
            None,
            3,
            2 * KIB,
            "A chunk of 2K is none that raidtui makes; choose a power of two from 4K on, such as 512K.",
        ),
        ("5", None, 3, 0, "A chunk of 0K is none that raidtui makes; choose a power of two from 4K on, such as 512K."),
    ],
)
def test_an_impossible_choice_says_what_would_make_it_possible(
    key: str, layout: str | None, disks: int, chunk_bytes: int | None, reason: str
) -> None:
    assert possible(key, layout, disks, chunk_bytes) == (False, reason)


@pytest.mark.parametrize("row", LEVELS, ids=lambda row: row.key)
def test_each_level_is_possible_from_its_sensible_minimum_on_with_all_its_layouts(row) -> None:  # type: ignore[no-untyped-def]
    for layout in (None, *row.layouts):
        chunk_bytes = 512 * KIB if row.has_chunk else None
        assert possible(row.key, layout, max(row.sensible_min_disks, 3), chunk_bytes) == (True, "")


@pytest.mark.parametrize("key", ["4", "5"])
def test_two_disks_are_allowed_where_mdadm_allows_them_and_advised_against(key: str) -> None:
    can, advice = possible(key, None, 2, None)
    assert can
    assert advice.endswith("is of use from 3 disks on; for 2 choose RAID 1.")
