"""Given this machine, this disk is refused, because: every class of disk that must not be erased, or not silently."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.disks.disk import Usability
from raidtui.core.disks.dumps import read
from raidtui.core.disks.machine import BlockDevice, Export, Held, Machine, Mount, Signature, Swap
from raidtui.core.disks.verdicts import candidate, disks_of, warnings_of
from tests.builders.machines import MACHINES, device, judged, machine

OK, WARN, REFUSE = Usability.OK, Usability.WARN, Usability.REFUSE


def test_a_blank_disk_is_ok() -> None:
    disk = judged(device())
    assert (disk.verdict.standing, disk.verdict.reason, disk.found) == (OK, "", "blank")
    assert disk.id.startswith("wwn-0x5000")


RUN = "20260101T000000Z-abcd"
_ROOT, _ELSEWHERE = (Mount(devnum="8:0", source="/dev/sdb", mountpoint=folder) for folder in ("/", "/srv"))


@pytest.mark.parametrize(
    ("held", "mounts", "reason"),
    [
        ((), (), ""),
        (("another",), (), ""),
        (("own",), (), f"in use by the run {RUN}"),
        (("another", "own"), (), f"in use by the run {RUN}"),
        (("own",), (_ELSEWHERE,), f"in use by the run {RUN}"),  # its own file system, perhaps
        (("own",), (_ROOT,), "sdb is mounted at /: this disk holds the running system"),
    ],
)
def test_a_disk_that_a_run_has_now_is_not_free(held: tuple[str, ...], mounts: tuple[Mount, ...], reason: str) -> None:
    here = machine(device("sdb", devnum="8:0"), mounts=mounts)
    (free,) = disks_of(here)
    ids = {"own": free.id, "another": "wwn-0x7"}
    now = msgspec.structs.replace(here, held=tuple(Held(disk=ids[one], run=RUN) for one in held))
    (disk,) = disks_of(now)
    assert disk.verdict.reason == reason and disk.run == (RUN if "own" in held else "")
    assert (f"`raidtui attach {RUN}` shows that run" in disk.verdict.remedy) is reason.startswith("in use")


def test_a_link_that_two_devices_claim_is_neithers() -> None:
    """udev gives each namespace of a controller the link without a number; it leads to the last one."""
    by_id = "/dev/disk/by-id/nvme-"
    first, second = disks_of(
        machine(
            *(
                device(
                    f"nvme0n{number}",
                    properties={
                        "ID_WWN": f"eui.0{number}",
                        "DEVLINKS": f"{by_id}M_S {by_id}M_S_{number} {by_id}eui.0{number}",
                    },
                )
                for number in (1, 2)
            )
        )
    )
    assert first.links == (f"{by_id}M_S_1", f"{by_id}eui.01") and second.links == (f"{by_id}M_S_2", f"{by_id}eui.02")


def test_one_disk_by_two_paths_without_multipath() -> None:
    same = {"ID_WWN": "0x5000c5", "ID_SCSI_SERIAL": "Z1"}
    first, second = disks_of(machine(device("sdq", properties=same), device("sdb", properties=same)))
    assert [disk.verdict.standing for disk in (first, second)] == [REFUSE, REFUSE]
    reason = "it is the same disk as {}, seen by a second path, and no multipath map joins them"
    assert [disk.verdict.reason for disk in (first, second)] == [reason.format("sdq"), reason.format("sdb")]
    assert "multipath -v2" in first.verdict.remedy
    assert (first.id, second.id) == ("wwn-0x5000c5", "name-sdq")
    assert (first.nodes, second.nodes) == (("/dev/sdq",), ("/dev/sdb",))


def test_two_disks_that_claim_one_wwn_are_told_apart_by_serial() -> None:
    disks = disks_of(
        machine(
            device("sda", properties={"ID_WWN": "0x1", "ID_SCSI_SERIAL": "A"}),
            device("sdb", properties={"ID_WWN": "0x1", "ID_SCSI_SERIAL": "B"}),
        )
    )
    assert [disk.id for disk in disks] == ["serial-ST4000_A", "serial-ST4000_B"]
    assert disks[0].verdict.reason == "its WWN is also that of sdb; told apart by serial-ST4000_A"
    assert disks[0].verdict.standing is WARN


@pytest.mark.parametrize(
    ("bus", "one"), [("sas", True), ("fc", True), ("iscsi", True), ("sata", False), ("usb", False)]
)
def test_two_paths_of_a_disk_without_a_wwn(bus: str, one: bool) -> None:
    """Where disks have several paths, the same serial number is the same disk; bridges double theirs."""
    said = {"ID_WWN": "", "ID_SCSI_SERIAL": "S1", "ID_TRAN": bus}
    first, second = disks_of(
        machine(
            device("sda", properties={**said, "ID_PATH": "pci-1"}),
            device("sdb", properties={**said, "ID_PATH": "pci-2"}),
        )
    )
    assert [disk.verdict.standing for disk in (first, second)] == [REFUSE if one else WARN] * 2
    words = "it is the same disk as sda, seen by a second path" if one else "its serial number is also that of sda"
    assert words in second.verdict.reason
    assert first.id != second.id


def test_three_that_claim_one_wwn_are_two_paths_and_another_disk() -> None:
    same = {"ID_WWN": "0x5000c5", "ID_SCSI_SERIAL": "Z1"}
    first, second, other = disks_of(
        machine(
            device("sda", properties={**same, "ID_PATH": "pci-1"}),
            device("sdb", properties={**same, "ID_PATH": "pci-2"}),
            device("sdc", properties={**same, "ID_SCSI_SERIAL": "Z2", "ID_PATH": "pci-3"}),
        )
    )
    assert (first.id, second.id, other.id) == ("serial-ST4000_Z1", "path-pci-2", "serial-ST4000_Z2")
    assert [disk.verdict.standing for disk in (first, second, other)] == [REFUSE, REFUSE, WARN]
    assert "the same disk as sdb" in first.verdict.reason
    assert "the same disk as sda" in second.verdict.reason


def doubled(name: str, place: str) -> BlockDevice:
    return device(name, properties={"ID_WWN": "", "ID_SCSI_SERIAL": "000000000001", "ID_PATH": place})


def test_doubled_serials_are_told_apart_by_their_place() -> None:
    first, second = disks_of(machine(doubled("sda", "pci-1"), doubled("sdb", "pci-2")))
    assert (first.id, second.id) == ("path-pci-1", "path-pci-2")
    assert first.verdict.reason == "its serial number is also that of sdb; told apart by path-pci-1"


def test_the_bays_of_a_dock_that_says_one_name_for_all_are_several_disks() -> None:
    said = {"ID_WWN": "0x5000c5", "ID_SCSI_SERIAL": "DOCK", "ID_BUS": "usb"}
    place = "pci-0000:00:14.0-usb-0:2:1.0-scsi-0:0:0:{}"
    first, second = disks_of(
        machine(*(device(f"sd{'ab'[bay]}", properties={**said, "ID_PATH": place.format(bay)}) for bay in (0, 1)))
    )
    assert (first.id, second.id) == (f"path-{place.format(0)}", f"path-{place.format(1)}")
    assert [disk.verdict.standing for disk in (first, second)] == [WARN, WARN]


def test_disks_that_nothing_tells_apart_are_refused() -> None:
    disks = disks_of(machine(doubled("sda", "pci-1"), doubled("sdb", "pci-1"), doubled("sdc", "")))
    assert [disk.verdict.standing for disk in disks] == [REFUSE, REFUSE, REFUSE]
    assert "nothing tells it apart from" in disks[0].verdict.reason
    assert len({disk.id for disk in disks}) == 3


def test_a_disk_without_any_identity_is_warned_of() -> None:
    anonymous = {"ID_WWN": "", "ID_SCSI_SERIAL": "", "ID_MODEL": ""}
    disk = judged(device("vdb", properties=anonymous))
    assert disk.id == "name-vdb"
    assert disk.verdict.reason == "it has no WWN, no serial number and no path; only its name vdb tells it apart"


@pytest.mark.parametrize(
    "name",
    [
        *("loop0", "ram1", "zram0", "fd0", "sr0", "md0", "md_home", "md_d0", "dm-0", "bcache0", "drbd0", "zd0"),
        *("mmcblk0boot0", "mmcblk1boot1", "mmcblk0rpmb", "mmcblk0gp0", "nvme0c0n1", "nvme12c3n4"),
    ],
)
def test_what_can_never_be_a_member_is_left_out(name: str) -> None:
    assert disks_of(machine(device(name))) == ()


def test_hidden_nvme_paths_and_unconnected_network_disks_are_left_out() -> None:
    assert (
        disks_of(machine(device("nvme0c0n1", attributes={"hidden": "1"}), device("nbd3", attributes={"size": "0"})))
        == ()
    )


@pytest.mark.parametrize(
    ("name", "standings"),
    [
        ("rack-of-three.json", [OK] * 3),
        ("rack-of-six.json", [OK] * 6),
        ("rack-of-24.json", [OK] * 24),
        ("in-use.json", [OK] + [REFUSE] * 5),
        ("in-use.lsblk.json", [WARN] + [REFUSE] * 5),
        ("in-use.udevadm.txt", [WARN] * 3 + [REFUSE] * 3),
        ("left-behind.json", [WARN, WARN, REFUSE, REFUSE, WARN, OK]),
        ("stopped-array.json", [REFUSE] * 5 + [OK]),
        ("two-paths.json", [REFUSE] * 13),
        ("stacked.json", [OK] + [REFUSE] * 4 + [OK] * 2),
    ],
)
def test_recorded_machines(name: str, standings: list[Usability]) -> None:
    disks = disks_of(read((MACHINES / name).read_bytes(), name))
    assert [disk.verdict.standing for disk in disks] == standings
    assert len({disk.id for disk in disks}) == len(disks)
    assert all(disk.verdict.reason and disk.verdict.remedy for disk in disks if disk.verdict.standing is not OK)


@pytest.mark.parametrize("name", ["in-use.lsblk.json", "in-use.udevadm.txt"])
def test_the_same_disk_has_the_same_identity_in_every_dump(name: str) -> None:
    ours, theirs = (disks_of(read((MACHINES / file).read_bytes(), file)) for file in ("in-use.json", name))
    assert [(disk.name, disk.id, disk.serial, disk.model) for disk in ours] == [
        (disk.name, disk.id, disk.serial, disk.model) for disk in theirs
    ]


@pytest.mark.parametrize(
    ("one", "other", "warning"),
    [
        ({}, {}, ""),
        ({"size_bytes": 1000}, {"size_bytes": 991}, ""),
        ({"size_bytes": 1000}, {"size_bytes": 980}, "sizes differ: sdb has"),
        ({}, {"logical_sector_bytes": 4096}, "sectors differ: disks of 512 and 4096 bytes; the array will have 4096"),
        ({}, {"physical_sector_bytes": 4096}, "physical sectors differ: 512 and 4096 bytes"),
        ({"rotational": True}, {"rotational": False}, "media differ: sda rotate, sdb are flash"),
        ({"serial": "S", "model": "M"}, {"serial": "S", "model": "M"}, "sda and sdb have one serial number"),
    ],
)
def test_what_speaks_against_disks_together(one: dict[str, Any], other: dict[str, Any], warning: str) -> None:
    first, second = disks_of(machine(device("sda"), device("sdb")))
    found = warnings_of((msgspec.structs.replace(first, **one), msgspec.structs.replace(second, **other)))
    assert len(found) == bool(warning)
    assert not warning or found[0].startswith(warning)


NAMES = st.sampled_from(["sda", "sda1", "sdb", "md0", "dm-0", "nvme0n1", "loop0", "", "X[/]Y", "{0}", "sd\u0669"])
TEXT = st.one_of(st.sampled_from(["", "0", "1", "512", "host-managed", "mpath-3x", "{name}", "%s", "LVM-"]), st.text())
DEVICES = st.builds(
    BlockDevice,
    name=NAMES,
    devnum=st.sampled_from(["", "8:0", "8:1"]),
    kind=st.sampled_from(["disk", "partition", "?"]),
    parent=NAMES,
    properties=st.dictionaries(
        st.sampled_from(["ID_WWN", "ID_SERIAL", "ID_PATH", "ID_MODEL_ENC", "DEVNAME", "DEVLINKS", "ID_BUS", "DM_UUID"]),
        TEXT,
    ),
    attributes=st.dictionaries(
        st.sampled_from(["size", "ro", "hidden", "diskseq", "queue/logical_block_size", "dm/uuid", "dm/name", "wwid"]),
        TEXT,
    ),
    holders=st.lists(NAMES, max_size=3).map(tuple),
    slaves=st.lists(NAMES, max_size=3).map(tuple),
    signatures=st.none()
    | st.lists(
        st.builds(
            Signature, kind=st.sampled_from(["ext4", "btrfs", "linux_raid_member", "{x}"]), label=TEXT, uuid=TEXT
        ),
        max_size=2,
    ).map(tuple),
    read=st.booleans(),
    read_error=st.sampled_from(["", "{error}"]),
    told=st.dictionaries(st.sampled_from(["opal", "reservation", "health"]), TEXT),
    unknown_blocks=st.none() | st.integers(0, 9),
)


@given(
    st.builds(
        Machine,
        root=st.booleans(),
        devices=st.lists(DEVICES, max_size=6).map(tuple),
        mounts=st.lists(st.builds(Mount, devnum=st.sampled_from(["8:0", "0:5"]), source=TEXT, mountpoint=TEXT)).map(
            tuple
        ),
        swaps=st.lists(st.builds(Swap, source=st.sampled_from(["/dev/sda", "/swap"]))).map(tuple),
        exports=st.lists(
            st.builds(
                Export,
                kind=st.sampled_from(["SCSI target", "NVMe target"]),
                name=TEXT,
                devnum=st.sampled_from(["8:0", "0:5", "", "{on}"]),
            ),
            max_size=2,
        ).map(tuple),
        not_read=st.lists(TEXT, max_size=2).map(tuple),
    )
)
def test_any_machine_has_verdicts(any_machine: Machine) -> None:
    disks = disks_of(any_machine)
    for disk in disks:
        assert disk.id
        assert (disk.verdict.standing is OK) == (disk.verdict.reason == "")
        if disk.verdict.standing is OK:
            assert disk.checked and not disk.contents
    chosen = [disk.id for disk in disks if disk.verdict.standing is not REFUSE]
    assert len(set(chosen)) == len(chosen)


# Linux' Documentation/admin-guide/devices.txt, and the drivers' own names of what has no number there.
@pytest.mark.parametrize(
    ("names", "is_disk"),
    [
        ("sda sdaa hda vda xvda nvme0n1 mmcblk0 pmem0 dasda ubda rbd0 nbd0 rsxx0 skd0 mtip0 rssda", True),
        ("loop0 ram0 zram0 fd0 sr0 scd0 md0 md127 md_d0 md_home dm-0 bcache0 drbd0 zd0 mtdblock0 ubiblock0_0", False),
        ("pmem0s1 nullb0 mmcblk0boot0 mmcblk0rpmb mmcblk0gp0 nvme0c0n1", False),
    ],
)
def test_what_may_be_a_member_by_its_kernel_name(names: str, is_disk: bool) -> None:
    seen = {name: candidate(BlockDevice(name=name, kind="disk", attributes={"size": "2048"})) for name in names.split()}
    assert len(seen) > 5 and {*seen.values()} == {is_disk}
