"""What is proposed: always a legal plan that survives what was asked, or one sentence with the way out."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidtui import recipes
from raidtui.core.advice.preview import PreviewSpeed
from raidtui.core.advice.proposals import TABLE, Advice, NoAdvice, Wish, advise
from raidtui.core.disks.disk import Disk
from raidtui.core.plan.answers import Answers, Setup
from raidtui.core.plan.planner import make
from raidtui.core.plan.summary import imagined
from raidtui.core.raid.purposes import Workload
from raidtui.core.units import GB, KIB
from tests.builders.labels import nominal_bytes

QUICK = recipes.load("quick")


def disks(count: int, gigabytes: int = 4000, flash: bool = False) -> tuple[Disk, ...]:
    return imagined([nominal_bytes(gigabytes)] * count, flash)


def proposed(use: str, survive: int, members: tuple[Disk, ...], speed: PreviewSpeed | None = None) -> list[str]:
    return [one.named for one in advise(Wish(Workload(use), survive), members, speed).ranked]


@pytest.mark.parametrize(
    "use, survive, count, first_two",
    [
        ("backup", 1, 2, ["RAID 1"]),
        ("media", 1, 3, ["RAID 5", "RAID 1"]),
        ("media", 1, 6, ["RAID 6", "RAID 10 n2"]),
        ("backup", 2, 24, ["RAID 6", "RAID 10 n3"]),
        ("backup", 2, 3, ["RAID 1"]),
        ("vms", 1, 12, ["RAID 10 n2", "RAID 6"]),
        ("vms", 1, 13, ["RAID 10 n2", "RAID 10 n3"]),
        ("vms", 2, 13, ["RAID 10 n3"]),
        ("vms", 1, 3, ["RAID 10 n2", "RAID 1"]),
        ("vms", 2, 6, ["RAID 10 n3", "RAID 6"]),
        ("databases", 1, 2, ["RAID 1"]),
        ("databases", 0, 4, ["RAID 0", "RAID 10 n2"]),
        ("scratch", 0, 4, ["RAID 0", "RAID 10 f2"]),
        ("scratch", 0, 24, ["RAID 0", "RAID 10 f2"]),
        ("backup", 0, 12, ["RAID 0", "RAID 6"]),
        ("backup", 0, 13, ["RAID 0", "RAID 10 n2"]),
        ("scratch", 1, 6, ["RAID 10 f2", "RAID 10 n2"]),
        ("scratch", 2, 6, ["RAID 10 f3", "RAID 6"]),
        ("scratch", 2, 13, ["RAID 10 f3", "RAID 10 n3"]),
        ("media", 0, 1, ["JBOD"]),
    ],
)
def test_what_is_proposed_for_rotating_disks(use: str, survive: int, count: int, first_two: list[str]) -> None:
    assert proposed(use, survive, disks(count))[:2] == first_two


def test_one_parity_is_enough_where_few_disks_are_rebuilt_in_a_short_time() -> None:
    assert proposed("media", 1, disks(5, 2000))[:2] == ["RAID 5", "RAID 6"]
    assert proposed("media", 1, disks(5, 8000))[:2] == ["RAID 6", "RAID 10 n2"]
    assert proposed("media", 1, disks(6, 2000))[:2] == ["RAID 6", "RAID 5"]
    assert proposed("media", 1, disks(3, 2000))[:2] == ["RAID 5", "RAID 10 n2"]
    known = PreviewSpeed(60e6, 150)
    assert proposed("media", 1, disks(5, 2000), known)[0] == "RAID 6"  # nine hours


def test_disks_without_seeks_need_no_far_copies_and_have_raid_5_as_the_second() -> None:
    assert proposed("scratch", 1, disks(4, flash=True))[0] == "RAID 10 n2"
    assert proposed("databases", 1, disks(4, flash=True))[:2] == ["RAID 10 n2", "RAID 5"]


@pytest.mark.parametrize("flash", [False, True])
@pytest.mark.parametrize("use", list(Workload))
def test_of_more_than_eight_disks_one_parity_is_never_proposed(use: Workload, flash: bool) -> None:
    for count in (9, 12, 24, 60):
        assert "RAID 5" not in proposed(use, 1, disks(count, flash=flash))
    assert "RAID 5" in proposed("media", 1, disks(8, 2000, flash=flash))


@pytest.mark.parametrize("use", list(Workload))
def test_of_hdds_with_a_long_rebuild_one_parity_is_proposed_of_three_at_most(use: Workload) -> None:
    for count in range(4, 9):
        assert all("RAID 5" not in proposed(use, survive, disks(count)) for survive in (0, 1, 2))


@pytest.mark.parametrize("use", list(Workload))
def test_a_wide_parity_array_of_hdds_is_never_the_second(use: Workload) -> None:
    assert all("RAID 6" not in proposed(use, survive, disks(13))[1:] for survive in (0, 1, 2))


def test_one_parity_of_nvme_drives_is_not_for_small_writes() -> None:
    members = {count: imagined([nominal_bytes(8000)] * count, True, nvme=True) for count in (3, 8)}
    for use in ("vms", "databases"):
        assert proposed(use, 1, members[3])[:2] == ["RAID 10 n2", "RAID 1"]
        assert proposed(use, 1, members[8])[:2] == ["RAID 10 n2", "RAID 6"]
        assert all("RAID 5" not in proposed(use, 1, drives) for drives in members.values())


def test_parity_on_flash_has_chunks_of_128_kib_at_most() -> None:
    def chunk(use: str, count: int, flash: bool) -> int | None:
        return advise(Wish(Workload(use), 1), disks(count, flash=flash)).best.preview.chunk_bytes

    assert [chunk("media", count, True) for count in (4, 12, 60)] == [128 * KIB, 128 * KIB, 64 * KIB]
    assert chunk("media", 6, False) == chunk("vms", 6, True) == 512 * KIB


def test_a_stripe_with_parity_is_no_longer_than_a_long_write() -> None:
    chunks = {
        count: advise(Wish(Workload.BACKUP, 2), disks(count)).best.preview.chunk_bytes for count in (4, 10, 24, 200)
    }
    assert chunks == {4: 512 * KIB, 10: 512 * KIB, 24: 128 * KIB, 200: 64 * KIB}
    assert advise(Wish(Workload.VMS), disks(24)).best.preview.chunk_bytes == 512 * KIB
    assert advise(Wish(Workload.VMS), disks(2)).best.preview.chunk_bytes is None


def test_the_file_system_is_the_first_that_fits() -> None:
    small = imagined([200_000_000] * 2, False)
    assert advise(Wish(Workload.VMS), disks(4)).best.filesystem == "xfs"
    assert advise(Wish(Workload.VMS), small).best.filesystem == "ext4"


@pytest.mark.parametrize(
    "count, survive, sentence",
    [
        (1, 1, "surviving 1 failure needs 2 disks (1 given); add 1, or survive fewer"),
        (2, 2, "surviving 2 failures needs 3 disks (2 given); add 1, or survive fewer"),
        (0, 0, "no disks to build an array of; select some"),
        (9, 3, "no md parity level survives 3 failures; use 0 to 2 (--survive), keep a copy elsewhere"),
    ],
)
def test_what_nothing_survives_is_one_sentence_with_the_way_out(count: int, survive: int, sentence: str) -> None:
    for use in Workload:
        with pytest.raises(NoAdvice) as refused:
            advise(Wish(use, survive), disks(count))
        assert str(refused.value) == sentence


def test_disks_too_small_for_anything_say_so() -> None:
    with pytest.raises(NoAdvice, match="too small"):
        advise(Wish(Workload.VMS), imagined([1_000_000] * 4, False))


def test_every_purpose_has_a_row_for_each_number_of_failures() -> None:
    assert set(TABLE) == set(Workload)
    assert all(set(rows) == {0, 1, 2} for rows in TABLE.values())


sizes = st.lists(st.integers(1 * GB, 24_000 * GB), min_size=1, max_size=30)


@settings(max_examples=25)
@given(st.sampled_from(Workload), st.integers(0, 2), sizes, st.booleans())
def test_a_proposal_is_a_legal_plan_that_survives_what_was_asked(
    use: Workload, survive: int, disk_bytes: list[int], flash: bool
) -> None:
    members = imagined(disk_bytes, flash)
    try:
        found = advise(Wish(use, survive), members)
    except NoAdvice as refused:
        assert len(members) <= survive and str(refused)
        return
    for one in found.ranked:
        assert one.capacity.survives >= survive
        assert one.capacity.array_bytes > 0
    assert _plan(found, members)


def _plan(found: Advice, members: tuple[Disk, ...]) -> object:
    view = found.best.preview
    setup = Setup(
        level=view.key,
        layout=view.layout or "",
        chunk=f"{view.chunk_bytes // KIB}KiB" if view.chunk_bytes else "",
        filesystem=found.best.filesystem,
    )
    answers = Answers(disks=tuple(disk.id for disk in members), recipe="quick", repeat=1, setup=setup)
    return make(answers, QUICK, members, "here")


def test_a_mix_of_kinds_is_as_slow_as_the_slowest() -> None:
    mixed = (*disks(2), *(msgspec.structs.replace(one, id=one.id + "f", rotational=False) for one in disks(2)))
    assert advise(Wish(Workload.VMS), mixed).best.preview.speed.kind == "HDD"
