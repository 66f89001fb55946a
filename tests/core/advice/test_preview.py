"""What a level would be, and what disks are taken to do that nobody measured."""

import pytest
from msgspec.structs import replace

from raidtui.core.advice.preview import PreviewSpeed, assumed, preview_level
from raidtui.core.plan.answers import Answers
from raidtui.core.plan.estimate import DiskSpeed, first_sync_s
from raidtui.core.plan.estimate import assumed as assumed_by_the_estimate
from raidtui.core.plan.planner import speed_of
from raidtui.core.plan.selection import member_of
from raidtui.core.plan.summary import imagined
from raidtui.core.raid.disk_kinds import KINDS
from raidtui.core.raid.levels import level
from raidtui.core.units import TB


def test_what_cannot_be_built_has_a_sentence_and_no_capacity() -> None:
    found = preview_level("6", "left-symmetric", 65536, imagined([TB] * 2, False))
    assert found.problem and found.capacity is None and found.prediction is None and found.rebuild is None


def test_the_slowest_kind_decides_and_an_unknown_one_rotates() -> None:
    rotating, flash = imagined([TB] * 3, False), imagined([TB] * 3, True)
    fast = tuple(replace(disk, transport="nvme") for disk in flash)
    assert [assumed(disks).kind for disks in (rotating, flash, fast)] == ["HDD", "SSD", "NVMe"]
    assert assumed(fast).iops > assumed(flash).iops > 100 * assumed(rotating).iops
    unknown = replace(flash[0], rotational=None)
    assert assumed((*flash, unknown)) == assumed(rotating) and assumed((*flash, *fast)) == assumed(flash)


def test_a_rebuild_goes_as_the_first_sync_of_these_disks_does() -> None:
    disks = imagined([TB] * 4, False)
    speed, usual = PreviewSpeed(94e6, 100), preview_level("5", "left-symmetric", 65536, disks, PreviewSpeed(94e6, 100))
    emulated = tuple(replace(disk, model="scsi_debug") for disk in disks)
    found = preview_level("5", "left-symmetric", 65536, emulated, speed)
    assert usual.rebuild and found.rebuild and found.capacity
    sync_s = first_sync_s(level("5"), found.capacity, DiskSpeed(94e6, 100), {"scsi_debug"})
    assert found.rebuild.duration_s == pytest.approx(sync_s)
    assert sync_s > 2 * usual.rebuild.duration_s


def test_the_estimate_of_a_run_assumes_the_same() -> None:
    for kind, disks in zip(
        KINDS, (imagined([TB], False), imagined([TB], True), imagined([TB], False, True)), strict=True
    ):
        usual, found = assumed_by_the_estimate(kind), assumed(disks)
        assert (found.bytes_per_s, found.iops, found.kind) == (usual.bytes_per_s, usual.iops, kind.title)
        members = tuple(member_of(disk) for disk in disks)
        assert speed_of(Answers(), members, 0) == usual
