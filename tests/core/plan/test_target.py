"""What stands already is measured without being touched: no step of any such plan could change it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from raidtui.core.disks.machine import BlockDevice, Mount, Signature
from raidtui.core.plan import target
from raidtui.core.plan.answers import AnswersError, parse, to_document
from raidtui.core.plan.target import Existing, NotMeasurable
from raidtui.core.units import GIB, MIB
from tests.builders.targets import ARRAY, LOOP, ON_LOOP, RACK, SIZE, TMP, device, disk, folder, machine, plan


def test_an_array_is_known_by_its_uuid_and_the_disks_beneath_stand_beside_it() -> None:
    seen = device()
    assert (seen.target.identity, seen.name) == ("a:b:c:d", "md0")
    assert [one.name for one in seen.disks] == ["sda", "sdb"]
    made = plan(seen)
    assert made.members == () and [one.name for one in made.beneath] == ["sda", "sdb"]
    assert [one.serial for one in made.disks] == ["SER0", "SER1"]


def test_a_folder_is_measured_on_the_file_system_that_it_lies_in() -> None:
    seen = folder("/srv/data/deep")
    assert (seen.target.filesystem, seen.name) == ("xfs", "md0")
    assert [one.name for one in seen.disks] == ["sda", "sdb"]
    assert folder("/srvother").name == "sdc"  # a mount point that only begins alike is another one


def test_a_partition_is_known_by_its_disk_and_its_number() -> None:
    part = BlockDevice(name="sdc1", devnum="8:33", kind="partition", parent="sdc", attributes=SIZE | {"partition": "1"})
    found = device("8:33", machine(*RACK, part))
    assert found.target.identity == "wwn-0x5000c500a1b2c3d2 part 1"
    assert [one.name for one in found.disks] == ["sdc"]


def test_btrfs_stands_on_all_disks_that_carry_its_uuid() -> None:
    one = Signature(kind="btrfs", uuid="u-u")
    disks = tuple(replace(disk(f"sd{x}", f"8:{n}"), signatures=(one,)) for n, x in enumerate("ab"))
    mount = Mount(devnum="0:44", source="/dev/sda", mountpoint="/pool", fstype="btrfs")
    seen = folder("/pool", machine(*disks, mounts=(mount,)))
    assert [one.name for one in seen.disks] == ["sda", "sdb"] and "fsid-1" in seen.target.identity


@pytest.mark.parametrize(
    "seen, said",
    [
        (lambda: folder("/tmp/x"), "measures memory"),
        (lambda: folder("/srv", writable=False), "name its device instead"),
        (lambda: folder("/srv", machine(*RACK)), "not among the mounted"),
        (lambda: device("9:9"), "knows no block device"),
        (lambda: device("1:0", machine(BlockDevice(name="ram0", devnum="1:0", attributes=SIZE))), "measures memory"),
        (lambda: device("7:0", machine(LOOP, mounts=(TMP,))), "measures memory"),
        (lambda: device("9:1", machine(LOOP, ON_LOOP, mounts=(TMP,))), "through loop0"),
        (lambda: device("9:0", machine(replace(ARRAY, attributes={}))), "has no size"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_a_sentence(seen: object, said: str) -> None:
    with pytest.raises(NotMeasurable, match=said):
        seen()  # type: ignore[operator]


@pytest.mark.parametrize(
    "more, named",
    [
        ({"disks": ["wwn-1"]}, "disks"),
        ({"setup": {"level": "5"}}, "setup"),
        ({"after": "keep"}, "after"),
        ({"axes": {"level": ["5"]}}, "axes"),
        ({"target": "srv/data"}, "whole path"),
        ({"target": "/srv/\x1b[2J"}, "whole path"),
    ],
)
def test_nothing_about_building_stands_beside_a_target(more: dict[str, object], named: str) -> None:
    with pytest.raises(AnswersError, match=named):
        parse({"target": "/srv/data", "recipe": "existing"} | more)


def test_the_answers_can_be_written_and_read_again() -> None:
    given = parse({"target": "/srv/data", "recipe": "existing"})
    assert parse(to_document(given)) == given


@given(st.integers(0, 1 << 50))
def test_the_file_never_takes_more_than_the_stated_share(free: int) -> None:
    size = target.file_bytes(free)
    assert size <= target.FREE_SHARE * free and size <= 4 * GIB
    assert size == 0 or size >= 16 * MIB
    assert size or free * target.FREE_SHARE < 16 * MIB


def test_a_title_says_what_it_is() -> None:
    assert Existing(path="/srv", kind="folder", identity="x", filesystem="xfs").title == "/srv, existing (xfs)"
