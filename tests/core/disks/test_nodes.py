"""One disk by several nodes: what is in use on one is in use on all. Each test is a machine and its verdicts."""

from typing import Any

import msgspec
import pytest

from raidtui.core.disks.disk import Disk, Usability
from raidtui.core.disks.dumps import read
from raidtui.core.disks.machine import BlockDevice, Mount, Signature, Swap
from raidtui.core.disks.verdicts import disks_of
from tests.builders.machines import MACHINES, device, machine, part

OK, WARN, REFUSE = Usability.OK, Usability.WARN, Usability.REFUSE
SAME = {"ID_WWN": "0x5000c5", "ID_SCSI_SERIAL": "Z1"}
JOINED = "the same disk by another path"


def node(name: str, **fields: Any) -> BlockDevice:
    """One path to the LUN."""
    return device(name, devnum=f"8:{ord(name[-1])}", **{"properties": SAME, **fields})


def mapped(*slaves: str, **fields: Any) -> BlockDevice:
    """The LUN's multipath map, with serial number and name put as multipath does."""
    said = {"ID_WWN": "", "ID_SCSI_SERIAL": "", "DM_WWN": "0x5000c5", "DM_SERIAL": "35000c5", "DM_NAME": "mpatha"}
    return device(
        "dm-0", devnum="253:0", slaves=slaves, properties=said, attributes={"dm/uuid": "mpath-35000c5"}, **fields
    )


def mounted(number: str, point: str = "/srv") -> Mount:
    return Mount(devnum=number, source="/dev/x", mountpoint=point, fstype="ext4")


def verdicts(*devices: BlockDevice, **fields: Any) -> dict[str, Disk]:
    return {disk.name: disk for disk in disks_of(machine(*devices, **fields))}


LV = BlockDevice(name="dm-7", devnum="253:7", slaves=("sdb",), attributes={"dm/uuid": "LVM-x", "dm/name": "vg-lv"})
ARRAY = BlockDevice(name="md127", devnum="9:127", slaves=("sdb",))
PARTITION = part("sdb1", "sdb", "ext4")


@pytest.mark.parametrize(
    ("more", "facts", "reason"),
    [
        (
            (),
            {"mounts": (mounted("8:98", "/"),)},
            f"sdb ({JOINED}) is mounted at /: this disk holds the running system",
        ),
        (
            (PARTITION,),
            {"mounts": (mounted("259:1", "/boot/efi"),)},
            f"sdb1 (on sdb, {JOINED}) is mounted at /boot/efi: this disk holds the running system",
        ),
        ((), {"mounts": (mounted("8:98"),)}, f"sdb ({JOINED}) is mounted at /srv"),
        ((PARTITION,), {"mounts": (mounted("259:1"),)}, f"sdb1 (on sdb, {JOINED}) is mounted at /srv"),
        ((), {"swaps": (Swap(source="/dev/sdb"),)}, f"sdb ({JOINED}) is swapped on"),
        ((LV,), {}, f"sdb ({JOINED}) is part of the logical volume vg-lv (dm-7)"),
        ((ARRAY,), {}, f"sdb ({JOINED}) is part of the md array md127"),
        (
            (ARRAY,),
            {"mounts": (mounted("9:127", "/"),)},
            "the md array md127, which uses it by its other path sdb, is mounted at /",
        ),
        ((part("sdb1", "sdb", "LVM2_member"),), {}, f"sdb1 (on sdb, {JOINED}) is a member of an LVM volume group"),
    ],
)
@pytest.mark.parametrize("free", ["sda", "sdc"])  # the one in use is the second or the first by name
def test_what_is_in_use_on_one_node_is_in_use_on_all(
    free: str, more: tuple[BlockDevice, ...], facts: dict[str, Any], reason: str
) -> None:
    disks = verdicts(node(free), node("sdb"), *more, **facts)
    assert disks[free].verdict.standing is REFUSE and disks[free].verdict.reason.startswith(reason)
    assert disks["sdb"].verdict.standing is REFUSE and "another path" not in disks["sdb"].verdict.reason


def test_what_was_found_on_all_nodes_is_no_file_system_of_several_disks() -> None:
    spanning = (Signature(kind="btrfs", uuid="a"),)
    disks = verdicts(node("sda", signatures=spanning), node("sdb", signatures=spanning))
    assert disks["sda"].verdict.reason.startswith("it is the same disk as sdb")
    disks = verdicts(
        mapped("sda", "sdb", signatures=spanning), *(node(one, signatures=spanning) for one in ("sda", "sdb"))
    )
    assert disks["dm-0"].verdict.reason == "holds btrfs (a); it will be erased"
    disks = verdicts(node("sda", signatures=spanning), node("sdb"), device("sdc", signatures=spanning))
    assert "a file system that spans sda, sdc" in disks["sda"].verdict.reason


@pytest.mark.parametrize("by_sysfs", [False, True])
def test_a_node_that_udev_has_not_told_of_yet(by_sysfs: bool) -> None:
    new = node("sdb", properties=dict.fromkeys(SAME, ""), attributes={"device/wwid": "naa.5000c5" if by_sysfs else ""})
    assert (verdicts(node("sda"), new)["sda"].verdict.standing is REFUSE) == by_sysfs


@pytest.mark.parametrize(
    ("other", "one"),
    [({}, True), ({"ID_SCSI_SERIAL": ""}, True), ({"ID_SCSI_SERIAL": "Z2"}, False), ({"ID_WWN": "0x5000c6"}, False)],
)
@pytest.mark.parametrize("size", ["2048000", "0", "1024000"])
def test_one_wwn_is_one_disk_where_nothing_speaks_against_it(other: dict[str, str], one: bool, size: str) -> None:
    """A passive path may have no size."""
    disks = verdicts(node("sda"), node("sdb", properties=SAME | other, attributes={"size": size}))
    one = one and size != "1024000"
    assert (disks["sda"].nodes == ("/dev/sdb",)) == one
    assert ("the same disk as sdb" in disks["sda"].verdict.reason) == one
    in_use = verdicts(
        node("sda"), node("sdb", properties=SAME | other, attributes={"size": size}), mounts=(mounted("8:98"),)
    )
    assert ("is mounted" in in_use["sda"].verdict.reason) == one


@pytest.mark.parametrize(
    ("other", "one"),
    [
        ({}, True),
        ({"nsid": "2"}, False),
        ({"device/subsysnqn": "nqn.2"}, False),
        ({"device/serial": "S2"}, False),  # two controllers whose maker gave them one NQN
    ],
)
def test_a_namespace_by_two_controllers(other: dict[str, str], one: bool) -> None:
    """Without the kernel's own multipath, and without an identifier of its own."""
    namespace = {"device/subsysnqn": "nqn.1", "nsid": "1", "device/serial": "S1"}
    first, second = (
        msgspec.structs.replace(device(name, attributes=namespace | more), properties={})
        for name, more in (("nvme0n1", {}), ("nvme1n1", other))
    )
    disk = verdicts(first, second)["nvme0n1"]
    assert ("the same disk as nvme1n1" in disk.verdict.reason) == (disk.nodes == ("/dev/nvme1n1",)) == one


@pytest.mark.parametrize(
    ("bus", "one"), [("sas", True), ("fc", True), ("iscsi", True), ("usb", False), ("sata", False)]
)
def test_a_path_that_has_not_noticed_that_its_lun_has_grown(bus: str, one: bool) -> None:
    """A bridge doubles names, of disks of different sizes too; where there are several paths nobody does."""
    said = SAME | {"ID_TRAN": bus}
    disks = verdicts(node("sda", properties=said), node("sdb", properties=said, attributes={"size": "4096000"}))
    assert (disks["sda"].nodes == ("/dev/sdb",)) == one


@pytest.mark.parametrize(("place", "one"), [("pci-1-fc-0x5-lun-0", True), ("ip-10.0.0.1:3260-iscsi-iqn.x-lun-0", True),
                                            ("pci-1-scsi-0:0:0:0", False)])  # fmt: skip
def test_a_path_tells_its_bus(place: str, one: bool) -> None:
    """udev names Fibre Channel and iSCSI in the path only."""
    said = {"ID_WWN": "", "ID_SCSI_SERIAL": "S1", "ID_BUS": "scsi"}
    disks = verdicts(
        node("sda", properties=said | {"ID_PATH": place}), node("sdb", properties=said | {"ID_PATH": f"{place}1"})
    )
    assert (disks["sda"].verdict.standing is REFUSE) == one


def test_the_node_that_was_there_first_has_the_identity() -> None:
    """So that what a run undoes it undoes by the node that it was made by."""
    disks = verdicts(node("sdk", attributes={"diskseq": "3"}), node("sdc", attributes={"diskseq": "9"}))
    assert (disks["sdk"].id, disks["sdc"].id) == ("wwn-0x5000c5", "name-sdc")
    assert (disks["sdk"].diskseq, disks["sdc"].diskseq) == (3, 9)


def test_a_path_outside_of_the_map() -> None:
    inside = tuple(node(name, holders=("dm-0",)) for name in ("sda", "sdb"))
    disks = verdicts(mapped("sda", "sdb"), *inside, node("sdc"))
    assert disks["sdc"].verdict.standing is REFUSE
    assert disks["sdc"].verdict.reason == "it is one path of the multipath map mpatha (dm-0), and outside of that map"
    assert disks["sdc"].verdict.remedy.startswith("add it to the map")
    assert (disks["dm-0"].verdict.standing, disks["dm-0"].nodes) == (WARN, ("/dev/sdc",))
    assert disks["dm-0"].verdict.reason == "sdc leads to this disk too, and is outside of the map"
    assert disks["dm-0"].id == "wwn-0x5000c5"
    assert [disks[name].nodes for name in ("sda", "sdb")] == [(), ()]


def test_what_a_path_outside_of_the_map_shows_is_on_the_map() -> None:
    disks = verdicts(mapped("sda"), node("sda", holders=("dm-0",)), node("sdc"), part("sdc1", "sdc", "ext4"))
    assert [(content.device, content.kind) for content in disks["dm-0"].contents] == [("sdc1", "ext4")]


def test_a_second_node_that_is_a_member_of_a_map_is_one_of_the_first() -> None:
    """Of a map itself it says nothing: the paths beneath it are its members."""
    member = (Signature(kind="mpath_member"),)
    disks = verdicts(node("sda"), node("sdb", signatures=member))
    assert "a multipath map" in disks["sda"].verdict.reason
    assert verdicts(mapped("sda"), node("sda", signatures=member, holders=("dm-0",)))["dm-0"].verdict.standing is OK


@pytest.mark.parametrize(
    ("more", "facts", "reason"),
    [
        ((), {"mounts": (mounted("8:99"),)}, f"sdc ({JOINED}) is mounted at /srv"),
        (
            (part("sdc1", "sdc", "ext4"),),
            {"mounts": (mounted("259:1", "/"),)},
            f"sdc1 (on sdc, {JOINED}) is mounted at /: this disk holds the running system",
        ),
        ((BlockDevice(name="md127", slaves=("sdc",)),), {}, f"sdc ({JOINED}) is part of the md array md127"),
    ],
)
def test_a_map_is_refused_while_its_disk_is_in_use_past_it(
    more: tuple[BlockDevice, ...], facts: dict[str, Any], reason: str
) -> None:
    inside = node("sda", holders=("dm-0",))
    disks = verdicts(mapped("sda"), inside, node("sdc"), *more, **facts)
    assert disks["dm-0"].verdict.standing is REFUSE and disks["dm-0"].verdict.reason == reason
    assert disks["sdc"].verdict.standing is REFUSE


def test_what_stands_on_the_map_is_said_of_a_path_outside_of_it() -> None:
    disks = verdicts(mapped("sda"), node("sda", holders=("dm-0",)), node("sdc"), mounts=(mounted("253:0"),))
    assert disks["sdc"].verdict.reason == f"dm-0 ({JOINED}) is mounted at /srv"
    assert disks["dm-0"].verdict.reason == "dm-0 is mounted at /srv"


def test_another_disk_that_claims_the_wwn_of_a_map_is_told_apart() -> None:
    other = node("sdc", properties=SAME | {"ID_SCSI_SERIAL": "Z2"})
    disks = verdicts(mapped("sda"), node("sda", holders=("dm-0",)), other)
    assert disks["sdc"].verdict.standing is WARN and disks["dm-0"].nodes == ()


def test_a_map_whose_paths_were_not_told() -> None:
    assert verdicts(mapped(), node("sdc"))["sdc"].verdict.reason.startswith("it is one path of the multipath map")


def test_a_recorded_machine_whose_disks_are_in_use_by_their_second_paths_only() -> None:
    name = "two-paths.json"
    disks = {disk.name: disk for disk in disks_of(read((MACHINES / name).read_bytes(), name))}
    reasons = {
        "sda": f"sdg ({JOINED}) is mounted at /boot: this disk holds the running system",
        "sdb": f"sdh1 (on sdh, {JOINED}) is mounted at /home",
        "sdc": f"sdi ({JOINED}) is part of the logical volume tank-home (dm-0)",
        "sdd": f"sdj ({JOINED}) is part of the md array md7",
        "dm-1": f"sdk ({JOINED}) is mounted at /srv",
        "sde": "it is one path of the multipath map mpatha (dm-1)",
        "sdf": "it is the same disk as sdl, seen by a second path, and no multipath map joins them",
        "sdk": "sdk is mounted at /srv",
        "sdl": "it is the same disk as sdf, seen by a second path, and no multipath map joins them",
    }
    assert {one: disks[one].verdict.reason for one in reasons} == reasons
    nodes = {("sda", "sdg"), ("sdb", "sdh"), ("sdc", "sdi"), ("sdd", "sdj"), ("dm-1", "sdk"), ("sdf", "sdl")}
    assert all(disks[one].nodes == (f"/dev/{other}",) for one, other in nodes)
