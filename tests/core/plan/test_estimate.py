"""What a plan takes before anything is measured: time by the model, bytes with parity, copies and first syncs."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.disks.identity import Emulator
from raidtui.core.fio.job import FioOptions
from raidtui.core.plan.answers import Axes, Setup
from raidtui.core.plan.estimate import (
    DiskSpeed,
    Doing,
    assumed,
    besides_s,
    between_s,
    first_sync_s,
    kind_of,
    sync_bytes,
    work_of,
    written_of,
)
from raidtui.core.plan.parsed_setup import ParsedSetup, parse
from raidtui.core.raid.capacity import capacity
from raidtui.core.raid.disk_kinds import HDD, NVME, SSD
from raidtui.core.raid.levels import level
from raidtui.core.units import GB, GIB
from tests.builders import sweeps

PACE = DiskSpeed(100e6, 100)


def on(setup: Setup, disks: int) -> ParsedSetup:
    return parse(setup, [100 * GB] * disks, "4.2")


STRIPED = on(Setup(level="0"), 4)


@pytest.mark.parametrize(
    "setup, disks, factor",
    [
        (None, 4, 1),
        (Setup(level="0"), 4, 1),
        (Setup(level="1"), 3, 3),
        (Setup(level="5"), 4, 4 / 3),
        (Setup(level="6"), 6, 6 / 4),
        (Setup(level="6", bitmap="journal"), 6, 2 * 6 / 4),
        (Setup(level="10", layout="n3"), 6, 3),
        (Setup(level="jbod"), 4, 1),
        (Setup(level="btrfs-raid10"), 4, 2),
    ],
)
def test_parity_and_copies_are_written_too(setup: Setup | None, disks: int, factor: float) -> None:
    assert written_of(on(setup, disks) if setup else None, disks, 3e9) == pytest.approx(3e9 * factor, abs=2)


@pytest.mark.parametrize(
    "level, chunk, random_bytes, factor",
    [
        ("5", "512KiB", 4 << 10, 2),  # itself and its parity
        ("6", "512KiB", 4 << 10, 3),
        ("6", "64KiB", 128 << 10, 2),  # two chunks, and two parities of a chunk
        ("6", "64KiB", 1 << 20, 6 / 4),  # more than a stripe
        ("10", "512KiB", 4 << 10, 2),
        ("0", "512KiB", 4 << 10, 1),
    ],
)
def test_a_small_write_has_all_of_its_parity_written(level: str, chunk: str, random_bytes: int, factor: float) -> None:
    cell = on(Setup(level=level, chunk=chunk), 6)
    assert written_of(cell, 6, 3e9, random_bytes=random_bytes) == pytest.approx(3e9 * factor, abs=2)


@pytest.mark.parametrize(
    "key, emulators, bytes_per_s, pace",
    [
        ("5", {""}, 100e6, 100e6),
        ("5", {""}, 2000e6, 2000e6),  # the run lifts md's limit
        ("5", {"", "scsi_debug"}, 100e6, 42e6),
        ("1", {"scsi_debug"}, 100e6, 70e6),
        ("10", {"QEMU"}, 50e6, 50e6),
        ("1", {""}, 180e6, 180e6),
    ],
)
def test_a_first_sync_is_as_fast_as_the_disks_are(
    key: str, emulators: set[Emulator], bytes_per_s: float, pace: float
) -> None:
    holds = capacity(key, [100 * GIB] * 6)
    lasts_s = first_sync_s(level(key), holds, DiskSpeed(bytes_per_s, 100), emulators)
    assert lasts_s == pytest.approx(holds.member_used_bytes / pace)


@pytest.mark.parametrize(
    "key, layout, disks, members",
    [("1", "", 3, 2.0), ("5", "", 4, 1.0), ("6", "", 6, 2.0), ("10", "n2", 4, 2.0), ("10", "n3", 3, 2.0)],
)
def test_the_first_sync_writes_what_is_redundant(key: str, layout: str, disks: int, members: float) -> None:
    holds = capacity(key, [100 * GIB] * disks, layout=layout or None)
    assert sync_bytes(level(key), layout, disks, holds) == pytest.approx(members * holds.member_used_bytes)


@pytest.mark.parametrize(
    "options, span, lasts, written",
    [
        ({"rw": "write", "runtime": 60, "time_based": True, "direct": True}, GB, 60, 4 * 60 * 100e6),
        ({"rw": "write", "runtime": 60, "direct": True}, GB, 2.5, 1e9),
        ({"rw": "read", "runtime": 60, "ramp_time": 5}, 1000 * GB, 65, 0),
        ({"rw": "randwrite", "bs": "4k", "runtime": 10, "time_based": True}, GB, 10, 10 * 400 * 4096),
        ({"rw": "randrw", "bs": "4k", "runtime": 10, "time_based": True}, GB, 10, 5 * 400 * 4096),
        ({"rw": "randread", "bs": "4m", "runtime": 10, "time_based": True}, GB, 10, 0),
        (
            {"rw": "randwrite", "bs": "4k", "runtime": 10, "time_based": True, "rate_iops": "30%"},
            GB,
            10,
            3 * 400 * 4096,
        ),
    ],
)
def test_a_job_ends_by_its_time_or_with_its_size(options, span, lasts, written) -> None:  # type: ignore[no-untyped-def]
    work = work_of(options, STRIPED, 4, span, PACE)
    assert (work.duration_s, work.written_bytes) == pytest.approx((lasts, written))


def test_what_is_under_way_at_the_end_of_the_time_is_waited_for() -> None:
    options: FioOptions = {"rw": "randread", "bs": "4k", "runtime": 10, "direct": True}
    assert work_of(options, STRIPED, 4, 1000 * GB, PACE, queue=512).duration_s == pytest.approx(10 + 512 / 400)
    assert work_of({**options, "rw": "write", "bs": "1m"}, None, 4, GB, PACE, queue=512).duration_s == 2.5


def test_what_is_dirty_at_the_end_is_waited_for() -> None:
    options: FioOptions = {"rw": "write", "runtime": 60, "time_based": True, "end_fsync": True}
    held = msgspec.structs.replace(PACE, memory_bytes=20 * GB)
    assert work_of(options, STRIPED, 4, 100 * GB, held).duration_s == pytest.approx(60 + 4e9 / 400e6)
    assert work_of(options, STRIPED, 4, GB, held).duration_s == pytest.approx(60 + 1e9 / 400e6)  # written over
    assert work_of(options, STRIPED, 4, GB, PACE).duration_s == 60
    assert work_of({**options, "direct": True}, STRIPED, 4, GB, held).duration_s == 60


def test_known_speeds_stand_in_for_assumed_ones() -> None:
    assert assumed(HDD) == DiskSpeed(180e6, 150)
    assert assumed(NVME) == DiskSpeed(3e9, 250_000)
    assert assumed(SSD, bytes_per_s=94e6, iops=7) == DiskSpeed(94e6, 7)


@given(st.integers(1, 24), st.floats(0.005, 2.0))
def test_a_step_takes_more_with_more_disks_and_where_programs_start_slowly(members: int, command_s: float) -> None:
    def takes(role: str, disks: int = members, start_s: float = command_s, filesystem: str = "") -> float:
        return besides_s(Doing(role, filesystem), disks, start_s)

    assert takes("create") > takes("array-built") > 0
    assert takes("members-blank", members + 1) > takes("members-blank")
    assert takes("wipe", start_s=2 * command_s) > takes("wipe")
    assert takes("measure") > 0.6  # its own start and end, however fast the machine
    assert takes("mkfs", filesystem="xfs") > takes("mkfs", filesystem="ext4") > takes("mkfs")


@given(st.integers(1, 24))
def test_before_fio_goes_to_bare_disks_all_of_them_are_looked_at(members: int) -> None:
    for role in ("fill", "measure"):
        before = [between_s(Doing(role, "", bare), members, 0.1) for bare in (False, True)]
        assert before[1] > before[0]
    assert between_s(Doing("mount", "", True), members, 0.1) == between_s(Doing("mount"), members, 0.1)


@pytest.mark.parametrize(
    "role, kind",
    [
        ("measure", "trial"),
        ("fill", "fill"),
        ("sync-finished", "sync"),
        ("create", "build"),
        ("mkfs", "filesystem"),
        ("mount", "mount"),
        ("settled", "look"),
        ("set", "setting"),
        ("remove", "build"),
        ("what a newer version has", "build"),
    ],
)
def test_a_step_is_known_by_its_role(role: str, kind: str) -> None:
    assert kind_of(role) == kind


def test_parity_is_written_at_less_than_the_models_rate_unless_the_stripe_cache_is_large() -> None:
    options: FioOptions = {"rw": "write", "runtime": 60, "direct": True}
    lasts = [
        work_of(options, on(Setup(level="5", stripe_cache_size=pages), 5), 5, GB, PACE).duration_s
        for pages in (0, 256, 4096)
    ]
    assert lasts == pytest.approx([2.5 / 0.85, 2.5 / 0.85, 2.5])


def test_an_array_that_stands_is_built_and_synced_once() -> None:
    one = sweeps.plan("stripe-x-allocation-unit-x-offset", 4, axes=Axes(chunk=("64KiB",), allocation_unit=("4KiB",)))
    two = sweeps.plan("stripe-x-allocation-unit-x-offset", 4, axes=Axes(chunk=("64KiB",)))
    sync_s = capacity("5", [1000 * GB] * 4, 65536).member_used_bytes / 180e6
    assert two.estimate_s < one.estimate_s + sync_s / 2
    assert two.written_bytes < one.written_bytes + 500 * GB
