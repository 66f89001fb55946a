"""Groups of 8 to 12 in place of one wide array of rotating disks, the spares, and commands that name each disk once."""

from collections import Counter

import pytest

from raidtui.core.advice.groups import Groups, groups_of, md_commands, spares, zfs_command
from raidtui.core.advice.proposals import Wish, advise
from raidtui.core.advice.wording import group_lines
from raidtui.core.disks.disk import Disk
from raidtui.core.plan.summary import imagined
from raidtui.core.raid.purposes import Workload
from raidtui.core.units import TB


def found(disks: tuple[Disk, ...], use: str = "files") -> Groups | None:
    return groups_of(advise(Wish(Workload(use), 1), disks), disks)


@pytest.mark.parametrize(
    ("count", "terabytes", "groups", "of_each", "left"),
    [
        (13, 4, 1, 12, 1), (15, 4, 1, 12, 3), (16, 4, 2, 8, 0), (16, 16, 1, 12, 4), (20, 4, 2, 10, 0),
        (23, 4, 2, 11, 1), (24, 4, 2, 11, 2), (24, 16, 2, 11, 2), (25, 4, 2, 12, 1), (36, 4, 3, 11, 3),
        (48, 16, 4, 11, 4), (60, 4, 5, 11, 5),
    ],
)  # fmt: skip
def test_groups_hold_the_most_and_leave_the_spares(
    count: int, terabytes: int, groups: int, of_each: int, left: int
) -> None:
    disks = imagined([terabytes * TB] * count, flash=False)
    made = found(disks)
    assert made and (made.count, made.disks, made.spares) == (groups, of_each, left)
    assert made.spares >= spares(disks) and 8 <= made.disks <= 12


@pytest.mark.parametrize(
    ("count", "terabytes", "wanted"), [(23, 12, 0), (24, 12, 1), (11, 16, 0), (12, 16, 1), (24, 16, 2), (48, 4, 2)]
)
def test_a_spare_for_24_disks_and_for_12_of_large_ones(count: int, terabytes: int, wanted: int) -> None:
    assert spares(imagined([terabytes * TB] * count, flash=False)) == wanted


def test_few_disks_flash_and_mirrors_have_no_groups() -> None:
    assert found(imagined([4 * TB] * 12, flash=False)) is None
    assert found(imagined([4 * TB] * 24, flash=True)) is None
    assert found(imagined([4 * TB] * 24, flash=False), "vms") is None


@pytest.mark.parametrize("count", [13, 16, 24, 30])
def test_the_commands_name_each_disk_once(count: int) -> None:
    disks = imagined([4 * TB] * count, flash=False)
    made, paths = found(disks), [disk.path for disk in disks]
    assert made
    *arrays, last = md_commands(made, paths) if made.count > 1 else (*md_commands(made, paths), "")
    for words in (" ".join(arrays).split(), zfs_command(made, paths).split()):
        assert {path: number for path, number in Counter(words).items() if path in paths} == dict.fromkeys(paths, 1)
    names = " ".join(f"/dev/md/group{number + 1}" for number in range(made.count))
    nested = f"mdadm --create /dev/md/all --level=0 --raid-devices={made.count} {names}"
    assert len(arrays) == made.count and last == (nested if made.count > 1 else "")


def test_it_is_said_that_nested_md_is_not_built_here() -> None:
    disks = imagined([16 * TB] * 24, flash=False)
    lines = group_lines(advise(Wish(Workload.FILES, 1), disks), disks)
    assert lines[0] == (
        "Better of 24 rotating disks: 2 groups of 11 disks, 2 spares. A rebuild then reads 10 disks. raidtui builds no"
        " nested md: by hand, or as a ZFS pool. All md groups share the spares by one spare-group in mdadm.conf."
    )
    assert lines[1].startswith(
        "mdadm --create /dev/md/group1 --level=6 --raid-devices=11 --spare-devices=2 --chunk=256 /dev/disk0 "
    )
    flash = imagined([4 * TB] * 24, flash=True)
    assert group_lines(advise(Wish(Workload.FILES, 1), flash), flash) == [
        "Spares: 1 (1 per 24 disks, 1 per 12 above 12 TB)."
    ]
