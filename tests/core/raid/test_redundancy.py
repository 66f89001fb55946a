"""Failures: what is survived for sure and with luck, how long a rebuild takes, what it may meet."""

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.arrays.reading import enough
from raidtui.core.raid.capacity import capacity
from raidtui.core.raid.levels import LAYOUTS_10, layout10, survives
from raidtui.core.raid.redundancy import MD_LIMIT_BYTES_PER_S, luck, next_survived, rebuild, spare_left, unreadable
from raidtui.core.units import GB, TB
from tests.builders.labels import nominal_bytes


@pytest.mark.parametrize(
    "key, layout, disks, chance",
    [
        ("10", "n2", 8, Fraction(6, 7)),
        ("10", "n2", 4, Fraction(2, 3)),
        ("10", "n2", 3, Fraction(0)),
        ("10", "f2", 6, Fraction(3, 5)),
        ("10", "o2", 6, Fraction(3, 5)),
        ("10", "n3", 6, Fraction(9, 10)),
        ("10", "n2", 2, Fraction(0)),
        ("6", None, 8, Fraction(0)),
        ("5", None, 8, Fraction(0)),
        ("1", None, 3, Fraction(0)),
        ("0", None, 3, Fraction(0)),
    ],
)
def test_one_failure_more_than_is_sure(key: str, layout: str | None, disks: int, chance: Fraction) -> None:
    assert luck(key, layout, disks) == chance


@given(st.sampled_from(list(LAYOUTS_10)), st.integers(2, 9))
def test_luck_is_what_md_itself_would_say_of_every_way_to_fail(layout: str, disks: int) -> None:
    stored, near = layout10(layout).copies, layout10(layout).copies if layout10(layout).kind == "near" else 1
    if disks < stored:
        return
    for count in (survives("10", layout, disks), stored):
        ways = [set(range(disks)) - set(gone) for gone in combinations(range(disks), count)]
        fine = sum(enough("10", disks, working, near, stored) for working in ways)
        expected = 1 if count < stored else luck("10", layout, disks)
        assert Fraction(fine, len(ways)) == expected


def test_a_rebuild_reads_all_others_for_parity_and_one_disks_worth_for_a_mirror() -> None:
    sizes = [nominal_bytes(8000)] * 6
    five, ten = capacity("5", sizes), capacity("10", sizes)
    of_parity = rebuild("5", None, 6, five, 180e6)
    assert of_parity and of_parity.read_bytes == 5 * five.member_used_bytes and of_parity.spare_after == 0
    assert of_parity.duration_s == pytest.approx(12.35 * 3600, rel=0.01) and not of_parity.held_by_md
    of_mirror = rebuild("10", "n2", 6, ten, 180e6)
    assert of_mirror and of_mirror.read_bytes == of_mirror.written_bytes == ten.member_used_bytes
    assert rebuild("0", None, 6, capacity("0", sizes), 180e6) is None


def test_md_holds_a_rebuild_of_fast_disks_back() -> None:
    found = rebuild("1", None, 2, capacity("1", [1000 * GB] * 2), 3e9)
    assert found and found.held_by_md and found.duration_s == pytest.approx(1e12 / MD_LIMIT_BYTES_PER_S, rel=0.01)


def test_the_chance_of_an_unreadable_sector_is_the_makers_limit_and_no_more() -> None:
    server, desktop = unreadable(40 * TB)
    assert (server.bits_per_sector, round(server.chance, 3)) == (10**15, 0.274)
    assert (desktop.bits_per_sector, round(desktop.chance, 3)) == (10**14, 0.959)
    assert unreadable(0)[0].chance == 0


_COPIED_OR_NOT = [("0", None), ("1", None), ("4", None), ("5", "left-symmetric"), ("6", "left-symmetric")]


@given(
    st.sampled_from([*_COPIED_OR_NOT, ("6", "parity-first-6"), *(("10", name) for name in LAYOUTS_10)]),
    st.integers(2, 9),
    st.data(),
)
def test_failed_disks_lose_data_where_md_says_so(
    setup: tuple[str, str | None], disks: int, data: st.DataObject
) -> None:
    key, layout = setup
    if disks < (4 if key == "6" else layout10(layout).copies if key == "10" else 2):
        return
    failed = data.draw(st.sets(st.integers(0, disks - 1), max_size=4))
    working = set(range(disks)) - failed
    near, stored = (layout10(layout).copies, layout10(layout).copies) if key == "10" else (1, 1)
    near = near if key == "10" and layout10(layout).kind == "near" else 1
    md_key = {"0": "raid0", "4": "raid4"}.get(key, key)
    survived = (
        len(failed) <= 1 if key == "4" else not failed if key == "0" else enough(md_key, disks, working, near, stored)
    )
    left = spare_left(key, layout, disks, failed)
    assert (left >= 0) == survived
    assert spare_left(key, layout, disks, set()) == survives(key, layout, disks)
    survived_next, others = next_survived(key, layout, disks, failed)
    assert others == len(working) and (survived_next == others if left > 0 else survived_next <= others)


@pytest.mark.parametrize(
    "key, failed, left, one_more",
    [
        ("10", {0}, 0, (6, 7)),
        ("10", {0, 1}, -1, (0, 6)),
        ("10", {0, 2}, 0, (4, 6)),
        ("6", {3}, 1, (7, 7)),
        ("jbod", {0}, -1, (0, 7)),
    ],
)
def test_what_is_left_after_failures(key: str, failed: set[int], left: int, one_more: tuple[int, int]) -> None:
    assert spare_left(key, None, 8, failed) == left and next_survived(key, None, 8, failed) == one_more
