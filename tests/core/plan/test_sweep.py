"""Sweeps: the product of axes, pruned to what can be built with a reason for the rest, ordered to rebuild least."""

import itertools
from collections.abc import Sequence
from functools import partial

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
journalled = partial(Setup, bitmap="journal")
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


@pytest.mark.parametrize(
    ("level", "sizes", "programs", "sentence"),
    [
        ("zfs-stripe", [GIB] * 4, ZFS, ""),
        ("zfs-raidz1", [GIB] * 4, ZFS, ""),
        ("zfs-mirror", [GIB] * 2, ZFS, ""),
        ("zfs-stripe", [GIB] * 4, (), "OpenZFS is not installed here"),
        ("zfs-stripe", [GIB] * 4, ("mkfs.ext4",), "OpenZFS is not installed here"),
        ("zfs-stripe", [GIB] * 4, zfs.PROGRAMS, "module of ZFS is not loaded here"),
        ("zfs-stripe", [GIB] * 4, ("zpool", "zfs", "zdb", zfs.MODULE), "sfdisk is not installed here"),
        ("zfs-mirror", [GIB] * 3, ZFS, "are of pairs, and 3 disks are chosen"),
        ("zfs-raidz1", [GIB, GIB, 2 * GIB], ZFS, "not built of disks of unequal sizes"),
        ("zfs-mirror", [GIB, GIB, 2 * GIB, 2 * GIB], ZFS, ""),
        ("zfs-mirror", [GIB, 2 * GIB, GIB, 2 * GIB], ZFS, "not built of disks of unequal sizes"),
        ("zfs-stripe", [GIB, 2 * GIB], ZFS, ""),
        ("zfs-raidz3", [GIB] * 3, ZFS, "ZFS raidz3 needs 4 disks"),
    ],
)
def test_a_pool_of_zfs_is_built_where_zfs_is_there_and_takes_the_disks(
    level: str, sizes: list[int], programs: tuple[str, ...], sentence: str
) -> None:
    refused = refusal(Setup(level=level), "teardown", sizes, programs)
    assert bool(refused.field) == bool(sentence) and sentence in refused.sentence


@pytest.mark.parametrize(
    ("setup", "after", "sentence"),
    [
        (Setup(level="btrfs-raid0"), "keep", "pools of btrfs are not kept"),
        (Setup(level="zfs-stripe", members="partitions"), "keep", "setup.members: only an md array has one"),
        (Setup(level="zfs-stripe", between="lvm"), "keep", "setup.between: only an md array has one"),
        (Setup(level="zfs-stripe", spares=1), "keep", "setup.spares"),
        (Setup(level="zfs-stripe", allocation_unit="2KiB"), "teardown", "no power of two from 4 KiB to 1 MiB"),
        (Setup(level="zfs-stripe", allocation_unit="96KiB"), "teardown", "no power of two from 4 KiB to 1 MiB"),
        (Setup(level="zfs-stripe", allocation_unit="2MiB"), "teardown", "no power of two from 4 KiB to 1 MiB"),
        (Setup(level="zfs-stripe", filesystem="xfs"), "teardown", "is a file system of its own"),
        (Setup(level="zfs-raidz1", failed=1), "teardown", "setup.failed"),
        (Setup(level="btrfs-raid0", allocation_unit="8KiB"), "teardown", "only an md array has one"),
        (Setup(level="0", filesystem="zfs"), "teardown", "'zfs' is not a file system here"),
    ],
)
def test_what_no_pool_has_is_refused(setup: Setup, after: str, sentence: str) -> None:
    assert sentence in str(refusal(setup, after, [GIB] * 4, (*ZFS, "mkfs.btrfs")))


def test_the_recordsize_of_a_pool_is_an_axis_and_md_has_no_say_in_raidz() -> None:
    axes = Axes(level=("zfs-raidz1",), allocation_unit=("128KiB", "4KiB"), stripe_cache_size=(256, 4096))
    answers = Answers(disks=("a", "b", "c", "d"))
    found = sweep.sweep(answers, Recipe(title="x", job=JOBS, axes=(axes,)), [GIB] * 4, "4.2", ZFS)
    assert [cell.title for cell in found.cells] == [
        "ZFS raidz1 of 4 disks, recordsize 128KiB",
        "ZFS raidz1 of 4 disks, recordsize 4KiB",
    ]


@pytest.mark.parametrize(
    ("programs", "refused"), [((), False), (("mkfs.ext4",), True), (("mkfs.ext4", sweep.MD_LINEAR), False)]
)
def test_linear_is_refused_where_the_kernel_has_none(programs: tuple[str, ...], refused: bool) -> None:
    said = refusal(Setup(level="linear", filesystem="ext4"), "teardown", [GIB] * 4, programs)
    assert ("kernel has no md linear" in said.sentence) == refused


def test_what_the_answers_say_holds_in_every_cell() -> None:
    axes = Axes(level=("0",), chunk=("64KiB", "128KiB"))
    assert said(cells(axes, setup=Setup(level="5")), "level", "chunk") == [("5", "64KiB"), ("5", "128KiB")]
    assert said(cells(axes, own=Axes(chunk=("4KiB",))), "level", "chunk") == [("0", "4KiB")]
    assert said(cells(axes, own=(Axes(level=("1",)),)), "level", "chunk") == [("1", "")]


@pytest.mark.parametrize(
    ("setup", "field", "reason"),
    [
        (Setup(), "", "`level` is missing"),
        (Setup(level="existing"), "level", "what exists is not built"),
        (Setup(level="6", filesystem="xfs", allocation_unit="8KiB"), "allocation_unit", "ext4 alone has one"),
        (Setup(level="6", bitmap="ppl"), "bitmap", "a partial parity log is for RAID 5 alone, and this is RAID 6"),
        (Setup(level="0", filesystem="ext4", allocation_unit="5KiB"), "allocation_unit", "no power of two"),
        (Setup(level="0", filesystem="ext4", allocation_unit="many"), "allocation_unit", "'many' is not a size"),
        (Setup(level="0", partition_start_sectors=-1), "partition_start_sectors", "cannot start at -1"),
        (Setup(level="0", partition_start_sectors=10**12), "partition_start_sectors", "cannot start at"),
        (Setup(level="jbod", partition_start_sectors=63), "partition_start_sectors", "only an md array has one"),
        (Setup(level="jbod", member_size="1GiB"), "member_size", "only an md array has one"),
        (Setup(level="btrfs-raid10", filesystem="xfs"), "filesystem", "a file system of its own"),
        (Setup(level="btrfs-raid10", chunk="64KiB"), "", "has no chunk"),
        (Setup(level="5", member_size="huge"), "", "'huge' is not a size"),
        (Setup(level="5", member_size="1KiB"), "", "too small"),
        (Setup(level="0", failed=1), "failed", "RAID 0 of 4 disks survives no failure"),
        (Setup(level="5", rebuild_min_kib_s=1000), "rebuild_min_kib_s", "nothing is rebuilt where no disk has failed"),
        (Setup(level="5", disks=5), "disks", "5 disks are asked for, 4 are chosen"),
    ],
)
def test_one_cell_that_cannot_be_is_refused_in_one_sentence_with_its_field(
    setup: Setup, field: str, reason: str
) -> None:
    with pytest.raises(PlanRefused) as refused:
        cells(setup=setup)
    assert refused.value.field == (f"setup.{field}" if field else "setup")
    assert reason in refused.value.sentence and "\n" not in refused.value.sentence
    assert str(refused.value) == f"{refused.value.field}: {refused.value.sentence}"


def test_a_cell_with_a_count_that_cannot_be_is_left_out_with_its_reason() -> None:
    found = cells(Axes(level=("5",), stripe_cache_size=(16, 256)))
    assert said(found, "stripe_cache_size") == [(256,)]
    assert found.pruned[0].endswith("stripe cache 16: setup.stripe_cache_size is 16; give 17 to 32768, or leave it out")


def test_an_array_with_a_partition_is_not_kept() -> None:
    with pytest.raises(PlanRefused, match="is not kept"):
        cells(setup=Setup(level="0", partition_start_sectors=63), after="keep")


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
    ("setup", "after", "sizes", "sentence"),
    [
        (Setup(level="5", spares=1), "teardown", SIZES, 'a spare is for an array that stays; add after = "keep"'),
        (Setup(level="0", spares=1), "keep", SIZES, "RAID 0 survives no failure, so a spare is useless"),
        (Setup(level="jbod", spares=1), "keep", SIZES, "not kept"),
        (Setup(level="5", disks=3, spares=2), "keep", SIZES, "2 spares are asked for, and 1 of the chosen disks are"),
        (Setup(level="5", spares=5), "keep", SIZES, "5 spares are asked for, and 0 of the chosen disks are left"),
        (Setup(level="5", spares=3), "keep", SIZES, "RAID 5 needs"),
        (Setup(level="5", spares=-1), "keep", SIZES, "setup.spares is -1; give 1 to 9999"),
        (Setup(level="5", stripe_cache_size=16), "keep", SIZES, "setup.stripe_cache_size is 16; give 17 to 32768"),
        (Setup(level="5", group_thread_cnt=8193), "keep", SIZES, "setup.group_thread_cnt is 8193; give 0 to 8192"),
        (Setup(level="5", spares=1), "keep", (*SIZES[:3], 3 * GIB), "one has 3.22 GB = 3.00 GiB, and the array needs"),
        (journalled(level="5"), "teardown", SIZES, 'a journal is for an array that stays; add after = "keep"'),
        (journalled(level="1"), "keep", SIZES, "is for RAID 4, 5 and 6 alone, and this is RAID 1; leave it out"),
        (journalled(level="0"), "keep", SIZES, "is for RAID 4, 5 and 6 alone, and this is RAID 0; leave it out"),
        (journalled(level="jbod"), "keep", SIZES, "is for RAID 4, 5 and 6 alone"),
        (journalled(level="5", disks=4), "keep", SIZES, "setup.bitmap: a journal takes a disk of its own, and no "),
        (journalled(level="5", spares=4), "keep", SIZES, "setup.bitmap: a journal takes a disk of its own, and no "),
        (
            journalled(level="5", disks=3, spares=1),
            "keep",
            SIZES,
            "1 spares are asked for, and 0 of the chosen disks are",
        ),
        (journalled(level="6"), "keep", SIZES, "RAID 6 needs"),
        (journalled(level="5"), "keep", (*SIZES[:3], 16 << 20), "the journal has 16.8 MB = 16.0 MiB, and needs "),
    ],
)
def test_a_spare_or_a_journal_is_refused_where_it_could_not_be(
    setup: Setup, after: str, sizes: tuple[int, ...], sentence: str
) -> None:
    answers = Answers(disks=("a", "b", "c", "d"), setup=setup, after=after)  # type: ignore[arg-type]
    with pytest.raises(PlanRefused) as refused:
        sweep.sweep(answers, Recipe(title="x", job=JOBS), sizes, "4.2", ())
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("spares", "disks", "title"),
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
