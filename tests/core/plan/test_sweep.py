"""Sweeps: the product of axes, pruned to what can be built with a reason for the rest, ordered to rebuild least."""

import itertools
from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.fio.job import Job
from raidtui.core.plan import selection, sweep
from raidtui.core.plan.answers import Answers, Axes, PlanRefused, Setup
from raidtui.core.plan.recipe import Recipe
from raidtui.core.raid import zfs
from raidtui.core.raid.capacity import capacity
from raidtui.core.units import GIB, KIB

SIZES = (4 * GIB,) * 4
JOBS = (Job(name="one", fio={"rw": "read"}),)


def cells(*axes: Axes, setup: Setup | None = None, own: Axes | tuple[Axes, ...] = (), **more: object) -> sweep.Sweep:
    answers = Answers(disks=("a", "b", "c", "d"), setup=setup or Setup(), axes=own, **more)  # type: ignore[arg-type]
    return sweep.sweep(answers, Recipe(title="x", job=JOBS, axes=axes), SIZES, "4.2", ())


def said(found: sweep.Sweep, *fields: str) -> list[tuple[object, ...]]:
    return [tuple(getattr(cell.setup, field) for field in fields) for cell in found.cells]


def refusal(setup: Setup, after: str, sizes: Sequence[int], programs: tuple[str, ...]) -> PlanRefused:
    """Why it cannot be built; without words where it can."""
    try:
        sweep.judged(setup, after, sizes, "4.2", programs)
    except PlanRefused as refused:
        return refused
    return PlanRefused("")


def test_without_axes_the_chosen_setup_is_the_one_cell() -> None:
    chosen = Setup(level="5", chunk="64KiB", filesystem="xfs", first_sync="wait")
    (only,) = cells(setup=chosen).cells
    assert only.setup == chosen
    assert (only.level.key, only.layout, only.chunk_bytes, only.disks) == ("5", "left-symmetric", 64 * KIB, 4)
    assert only.capacity == capacity("5", SIZES, 64 * KIB)
    assert (only.geometry.su_bytes, only.geometry.sw_disks) == (64 * KIB, 3)


def test_the_product_of_the_axes_varies_what_is_cheap_fastest() -> None:
    found = cells(Axes(level=("0", "5"), chunk=("64KiB", "128KiB"), filesystem=("ext4", "xfs")))
    assert said(found, "level", "chunk", "filesystem") == list(
        itertools.product(("0", "5"), ("64KiB", "128KiB"), ("ext4", "xfs"))
    )


def test_cells_of_one_array_stand_together_whatever_block_they_come_from() -> None:
    found = cells(
        Axes(level=("0",), filesystem=("ext4",)),
        Axes(level=("5",), filesystem=("ext4",)),
        Axes(level=("0",), filesystem=("xfs",)),
    )
    assert said(found, "level", "filesystem") == [("0", "ext4"), ("0", "xfs"), ("5", "ext4")]


def test_an_axis_that_a_level_has_not_gives_one_cell() -> None:
    found = cells(Axes(level=("0", "1"), chunk=("64KiB", "128KiB"), stripe_cache_size=(256, 4096)))
    assert said(found, "level", "chunk", "stripe_cache_size") == [("0", "64KiB", 0), ("0", "128KiB", 0), ("1", "", 0)]


def test_a_cell_may_take_the_first_of_the_disks_and_all_of_them_is_one_cell() -> None:
    found = cells(Axes(level=("0", "6"), disks=(2, 4, 0, 5)))
    assert said(found, "level", "disks") == [("0", 2), ("0", 0), ("6", 0)]
    assert [text.partition(",")[0] for text in found.pruned] == [
        "RAID 0 of 5 disks",
        "RAID 6 of 2 disks",
        "RAID 6 of 5 disks",
    ]
    assert "5 disks are asked for, 4 are chosen" in found.pruned[0]
    assert found.cells[0].title.startswith("RAID 0 of 2 disks")


def test_what_cannot_be_is_left_out_with_its_reason() -> None:
    found = cells(Axes(level=("5", "10"), layout=("n2", "n9"), filesystem=("none",)))
    assert said(found, "level", "layout") == [("10", "n2")]
    assert len(found.pruned) == 3
    assert any("RAID 10 n9" in text and "no layout 'n9'" in text for text in found.pruned)


def test_zfs_is_left_out_where_it_is_not_installed() -> None:
    found = cells(Axes(level=("0", "zfs-stripe")))
    assert said(found, "level") == [("0",)]
    assert "OpenZFS is not installed here" in found.pruned[0]


ZFS = (*zfs.PROGRAMS, zfs.MODULE)


def test_the_recordsize_of_a_pool_is_an_axis_and_md_has_no_say_in_raidz() -> None:
    axes = Axes(level=("zfs-raidz1",), allocation_unit=("128KiB", "4KiB"), stripe_cache_size=(256, 4096))
    answers = Answers(disks=("a", "b", "c", "d"))
    found = sweep.sweep(answers, Recipe(title="x", job=JOBS, axes=(axes,)), [GIB] * 4, "4.2", ZFS)
    assert [cell.title for cell in found.cells] == [
        "ZFS raidz1 of 4 disks, recordsize 128KiB",
        "ZFS raidz1 of 4 disks, recordsize 4KiB",
    ]


def test_what_the_answers_say_holds_in_every_cell() -> None:
    axes = Axes(level=("0",), chunk=("64KiB", "128KiB"))
    assert said(cells(axes, setup=Setup(level="5")), "level", "chunk") == [("5", "64KiB"), ("5", "128KiB")]
    assert said(cells(axes, own=Axes(chunk=("4KiB",))), "level", "chunk") == [("0", "4KiB")]
    assert said(cells(axes, own=(Axes(level=("1",)),)), "level", "chunk") == [("1", "")]


def test_a_cell_with_a_count_that_cannot_be_is_left_out_with_its_reason() -> None:
    found = cells(Axes(level=("5",), stripe_cache_size=(16, 256)))
    assert said(found, "stripe_cache_size") == [(256,)]
    assert found.pruned[0].endswith("stripe cache 16: setup.stripe_cache_size is 16; give 17 to 32768, or leave it out")


def test_too_many_cells_are_refused() -> None:
    with pytest.raises(PlanRefused, match="900 combinations are more than 500"):
        cells(Axes(partition_start_sectors=tuple(range(30)), stripe_cache_size=tuple(range(30))))


def test_mdadms_size_is_what_is_taken_of_each_member() -> None:
    small = capacity("5", SIZES, member_bytes=GIB)
    assert small.member_used_bytes == GIB and small.array_bytes == 3 * GIB
    assert small.array_bytes + small.lost.total_bytes == small.raw_bytes


VALUES = {
    "level": ("0", "1", "4", "5", "6", "10", "linear", "jbod", "btrfs-raid1", "zfs-mirror", "9"),
    "layout": ("", "n2", "f2", "left-symmetric"),
    "chunk": ("", "64KiB", "1MiB", "3KiB"),
    "filesystem": ("none", "ext4", "xfs", "btrfs", "fat"),
    "partition_start_sectors": (0, 63, 2048),
    "allocation_unit": ("", "8KiB"),
    "stripe_cache_size": (0, 4096),
    "member_size": ("", "2GiB"),
}


@given(st.fixed_dictionaries({}, optional={
    field: st.lists(st.sampled_from(values), min_size=1, max_size=3, unique=True).map(tuple)
    for field, values in VALUES.items()
}))  # fmt: skip
def test_any_axes_give_legal_cells_each_once_arrays_together_or_one_sentence(
    axes: dict[str, tuple[object, ...]],
) -> None:
    try:
        found = cells(msgspec.convert(axes, Axes))
    except PlanRefused as refused:
        assert str(refused) and "\n" not in str(refused)
        return
    setups = [cell.setup for cell in found.cells]
    assert len(set(setups)) == len(setups)
    assert not [setup for setup in setups if str(refusal(setup, "teardown", SIZES, ()))]
    arrays = [array for array, _ in itertools.groupby(map(sweep.array_of, setups))]
    assert len(arrays) == len(set(arrays))
    assert all(text.count(": ") >= 1 for text in found.pruned)


@pytest.mark.parametrize(
    "spares, disks, title",
    [(0, 4, "RAID 5 of 4 disks and a journal, "), (1, 3, "RAID 5 of 3 disks, a journal and 1 spare, ")],
)
def test_the_journal_is_the_disk_behind_those_of_the_array_and_before_its_spares(
    spares: int, disks: int, title: str
) -> None:
    sizes = (*SIZES, 9 * GIB)  # whatever it has, it adds nothing
    setup = Setup(level="5", bitmap="journal", spares=spares)
    (cell,) = sweep.sweep(
        Answers(disks=tuple("abcde"), setup=setup, after="keep"), Recipe(title="x", job=JOBS), sizes, "4.2", ()
    ).cells
    assert (cell.disks, cell.beside, cell.setup.disks) == (disks, 1 + spares, disks)
    assert cell.title.startswith(title) and cell.capacity == capacity("5", SIZES[:disks])
    assert (selection.journal_of(cell.setup, "abcde"), selection.spares_of(cell.setup, "abcde")) == (
        "abcde"[disks],
        "e"[:spares],
    )


def test_spares_are_the_disks_behind_those_of_the_array() -> None:
    (cell,) = cells(setup=Setup(level="5", spares=1), after="keep").cells
    assert (cell.disks, cell.setup.disks, cell.setup.spares) == (3, 3, 1)
    assert cell.title.startswith("RAID 5 of 3 disks and 1 spare, ")
    assert cell.capacity == capacity("5", SIZES[:3])
