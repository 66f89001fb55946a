"""Groups of 8 to 12 in place of one wide array of rotating disks, the spares, and commands that name each disk once."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui import recipes
from raidtui.core.advice.answer_file import recommended
from raidtui.core.advice.groups import Groups, groups_of, spares, splits, zfs_command
from raidtui.core.advice.proposals import Wish, advise
from raidtui.core.advice.wording import group_lines, spares_to_buy
from raidtui.core.disks.disk import Disk
from raidtui.core.plan.answers import parse
from raidtui.core.plan.planner import make
from raidtui.core.plan.summary import imagined
from raidtui.core.raid.purposes import Workload
from raidtui.core.units import TB


def found(disks: tuple[Disk, ...], use: str = "files") -> Groups | None:
    return groups_of(advise(Wish(Workload(use), 1), disks), disks)


@pytest.mark.parametrize(
    "count, terabytes, groups, of_each, left, to_buy",
    [
        (13, 4, 1, 12, 1, 0), (13, 16, 1, 12, 1, 0), (14, 16, 1, 12, 2, 0), (16, 4, 2, 8, 0, 0), (16, 16, 2, 8, 0, 1),
        (18, 16, 2, 8, 2, 0), (20, 4, 2, 10, 0, 0), (22, 16, 2, 10, 2, 0), (23, 4, 2, 11, 1, 0), (24, 4, 2, 11, 2, 0),
        (24, 16, 2, 11, 2, 0), (25, 4, 2, 12, 1, 0), (27, 4, 3, 9, 0, 1), (36, 4, 3, 12, 0, 1), (48, 16, 4, 11, 4, 0),
        (60, 4, 5, 12, 0, 2),
    ],
)  # fmt: skip
def test_groups_hold_the_most_and_leave_the_spares(
    count: int, terabytes: int, groups: int, of_each: int, left: int, to_buy: int
) -> None:
    made = found(imagined([terabytes * TB] * count, flash=False))
    assert made and (made.count, made.disks, made.spares, made.to_buy) == (groups, of_each, left, to_buy)


@pytest.mark.parametrize("terabytes", [4, 16])
def test_no_more_disks_are_idle_than_one_above_the_rule(terabytes: int) -> None:
    alone = {count for count, size in ((14, 4), (15, 4), (15, 16)) if size == terabytes}
    for count in range(13, 121):
        disks = imagined([terabytes * TB] * count, flash=False)
        made, wanted = found(disks), spares(disks)
        assert made and made.count * made.disks + made.spares == count
        unsplit = terabytes == 4 and count in (39, 43, 95)
        assert made.spares <= wanted + (2 if unsplit else 1) and made.to_buy == max(0, wanted - made.spares)
        assert (made.count, made.disks, made.spares) == (1, count - 1, 1) if count in alone else 8 <= made.disks <= 12


def test_what_groups_hold_and_lose_by_hand() -> None:
    made = found(imagined([16 * TB] * 24, flash=False))
    assert made and made.array_bytes == pytest.approx(2 * 9 * 16 * TB, rel=1e-4)
    years, rate = 3 * 16e12 / 180e6 / (365.25 * 86400), 0.015824
    assert made.loss().share == pytest.approx(2 * 11 * 10 * 9 * rate**3 * years**2, rel=0.001, abs=0)
    assert made.loss(0.0001).share < made.loss().share


def test_unequal_groups_hold_at_least_what_the_smallest_disk_allows() -> None:
    made = found((*imagined([16 * TB] * 15, flash=False), *imagined([4 * TB], flash=False)))
    assert made and made.array_bytes == pytest.approx(2 * 6 * 4 * TB, rel=1e-4)


@pytest.mark.parametrize(
    "count, terabytes, wanted", [(23, 12, 0), (24, 12, 1), (11, 16, 0), (12, 16, 1), (24, 16, 2), (48, 4, 2)]
)
def test_a_spare_for_24_disks_and_for_12_of_large_ones(count: int, terabytes: int, wanted: int) -> None:
    assert spares(imagined([terabytes * TB] * count, flash=False)) == wanted


def test_one_large_disk_among_others_is_no_rack_of_large_ones() -> None:
    assert spares(imagined([4 * TB] * 23 + [16 * TB], flash=False)) == 1


def test_few_disks_flash_and_mirrors_have_no_groups() -> None:
    assert found(imagined([4 * TB] * 12, flash=False)) is None
    assert found(imagined([4 * TB] * 24, flash=True)) is None
    assert found(imagined([4 * TB] * 24, flash=False), "vms") is None


@pytest.mark.parametrize("count", [13, 16, 24, 30])
def test_the_command_names_each_disk_once(count: int) -> None:
    disks = imagined([4 * TB] * count, flash=False)
    made, paths = found(disks), [disk.path for disk in disks]
    assert made
    words = zfs_command(made, paths).split()
    assert {path: number for path, number in Counter(words).items() if path in paths} == dict.fromkeys(paths, 1)


@pytest.mark.parametrize("count", [24, 27, 60])
def test_the_answers_are_planned_as_large_as_told(count: int) -> None:
    """The largest disks are the spares."""
    disks = imagined([16 * TB] * (count - 1) + [18 * TB], flash=False)
    advice = advise(Wish(Workload.FILES, 1), disks)
    made = groups_of(advice, disks)
    document, comment = recommended(advice, disks)
    plan = make(parse(document), recipes.load("quick"), disks, "machine")
    array = plan.stages[-1].array
    assert made and array and array.capacity.array_bytes == made.array_bytes
    assert (len(array.groups), plan.stages[-1].spares, len(plan.members)) == (made.count, made.spares, count)
    assert f"RAID 60, {made.count} × {made.disks}" in plan.title and f"RAID 60, {made.count} × {made.disks}" in comment
    assert document["disks"][-1] == disks[-1].id
    assert comment.count("16.0 TB") + comment.count("18.0 TB") == count


@pytest.mark.parametrize("count", [12, 13, 16])
def test_a_wide_array_is_written_where_groups_lose_no_less(count: int) -> None:
    disks = imagined([16 * TB] * count, flash=False)
    document, _ = recommended(advise(Wish(Workload.FILES, 1), disks), disks)
    assert "groups" not in document["setup"] and len(document["disks"]) == count


@pytest.mark.parametrize(
    "count, terabytes, sentence",
    [
        (
            24,
            16,
            "2 groups of 11, 2 spares, 288 TB usable, loss under 1 in 1,000,000 a year. A rebuild reads 10 disks.",
        ),
        (24, 4, "2 groups of 11, 2 spares (no equal split of 23), 72.0 TB usable, loss under"),
        (16, 16, "2 groups of 8, 1 spare to buy, 192 TB usable, loss under"),
        (15, 4, "one RAID 6 of 14, 1 spare (no equal split of 15), 48.0 TB usable, loss under"),
    ],
)
def test_the_groups_are_told_with_what_they_hold_and_lose(count: int, terabytes: int, sentence: str) -> None:
    disks = imagined([terabytes * TB] * count, flash=False)
    line = group_lines(advise(Wish(Workload.FILES, 1), disks), disks)[0]
    assert line.startswith(f"For {count} rotating disks: {sentence}")
    assert line.endswith(" `--answers` writes them; as a ZFS pool by hand.") is (count > 15)


def test_spares_of_disks_without_groups_are_to_be_bought() -> None:
    flash = imagined([4 * TB] * 24, flash=True)
    advice = advise(Wish(Workload.FILES, 1), flash)
    assert group_lines(advice, flash) == []
    assert spares_to_buy(advice, flash) == "1 to buy (1 per 24 disks, 1 per 12 above 12 TB)"
    rotating = imagined([4 * TB] * 24, flash=False)
    assert spares_to_buy(advise(Wish(Workload.FILES, 1), rotating), rotating) == ""  # the groups name their own


@pytest.mark.parametrize(
    "count, terabytes, spared, rows",
    [
        (12, 16, True, ()),
        (13, 16, True, ()),
        (16, 4, True, (("5", 2, 8, 0), ("6", 2, 8, 0))),
        (24, 16, False, (("5", 3, 8, 0), ("6", 2, 12, 0), ("6", 3, 8, 0))),
        (24, 16, True, (("5", 3, 8, 0), ("6", 2, 12, 0), ("6", 2, 11, 2), ("6", 3, 8, 0))),
        (26, 16, True, (("6", 2, 12, 2), ("6", 3, 8, 2))),
        (60, 16, True, (("5", 10, 6, 0), ("6", 5, 12, 0), ("6", 5, 11, 5), ("6", 6, 10, 0))),
    ],
)
def test_sensible_splits_are_few_and_that_of_the_advice_is_among_them(
    count: int, terabytes: int, spared: bool, rows: tuple[tuple[str, int, int, int], ...]
) -> None:
    assert splits(imagined([terabytes * TB] * count, flash=False), spared=spared) == rows


@given(count=st.integers(13, 120), large=st.booleans())
def test_the_split_of_the_advice_is_a_row(count: int, large: bool) -> None:
    disks = imagined([(16 if large else 4) * TB] * count, flash=False)
    made, rows = found(disks), splits(disks, spared=True)
    if made and made.count > 1 and made.to_buy == 0:
        assert ("6", made.count, made.disks, made.spares) in rows
    assert all(groups * size + left == count for _, groups, size, left in rows) and len(rows) <= 4
