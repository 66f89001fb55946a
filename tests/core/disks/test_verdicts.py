"""Verdicts of recorded machines and of any machine; those of a written one are in `verdicts.toml`."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from raidtui.core.disks.disk import Usability
from raidtui.core.disks.dumps import read
from raidtui.core.disks.machine import BlockDevice, Export, Machine, Mount, Signature, Swap
from raidtui.core.disks.rules import RULES
from raidtui.core.disks.verdicts import candidate, disks_of, warnings_of
from tests.builders.machines import MACHINES, device, machine

OK, WARN, REFUSE = Usability.OK, Usability.WARN, Usability.REFUSE


@pytest.mark.parametrize(
    "name, standings",
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
    "one, other, warning",
    [
        ({}, {}, ""),
        ({"size_bytes": 1000}, {"size_bytes": 991}, ""),
        ({"size_bytes": 1000}, {"size_bytes": 980}, "sizes differ: sdb has"),
        ({}, {"logical_sector_bytes": 4096}, "sectors differ: disks of 512 and 4096 bytes; the array will have 4096"),
        ({}, {"physical_sector_bytes": 4096}, "physical sectors differ: 512 and 4096 bytes"),
        ({"rotational": True}, {"rotational": False}, "media differ: sda rotate, sdb are flash"),
        ({"serial": "S", "model": "M"}, {"serial": "S", "model": "M"}, "sda and sdb have one serial number"),
        ({"serial": "S", "transport": "usb"}, {"serial": "S", "transport": "usb"}, ""),  # a bridge's, for all its disks
    ],
)
def test_what_speaks_against_disks_together(one: dict[str, Any], other: dict[str, Any], warning: str) -> None:
    first, second = disks_of(machine(device("sda"), device("sdb")))
    found = warnings_of((replace(first, **one), replace(second, **other)))
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
    "names, is_disk",
    [
        ("sda sdaa hda vda xvda nvme0n1 mmcblk0 pmem0 dasda ubda rbd0 nbd0 rsxx0 skd0 mtip0 rssda", True),
        ("loop0 ram0 zram0 fd0 sr0 scd0 md0 md127 md_d0 md_home dm-0 bcache0 drbd0 zd0 mtdblock0 ubiblock0_0", False),
        ("pmem0s1 nullb0 mmcblk0boot0 mmcblk0rpmb mmcblk0gp0 nvme0c0n1", False),
    ],
)
def test_what_may_be_a_member_by_its_kernel_name(names: str, is_disk: bool) -> None:
    seen = {name: candidate(BlockDevice(name=name, kind="disk", attributes={"size": "2048"})) for name in names.split()}
    assert len(seen) > 5 and {*seen.values()} == {is_disk}


def test_what_was_not_read_is_a_warning_and_never_ok() -> None:
    disk = disks_of(Machine(devices=(device(read=False),), not_read=("signatures",)))[0]
    assert (disk.verdict.standing, disk.verdict.reason) == (WARN, "not checked: contents")
    assert disk.verdict.remedy == "run raidtui as root"
    assert disk.found == "not checked"


def test_refusals_stand_before_warnings_in_the_table() -> None:
    standings = [rule.standing for rule in RULES]
    assert standings == sorted(standings, key=(REFUSE, WARN).index)
    assert all(rule.reason and rule.remedy for rule in RULES)
