"""Which disks a plan takes and how it names them: theirs by identity or serial number, and no other."""

import pytest
from msgspec.structs import replace

from raidtui.core.disks.disk import Usability, Verdict
from raidtui.core.disks.selection import DiskRule
from raidtui.core.plan.answers import PlanNotSafe
from raidtui.core.plan.model import encode
from raidtui.core.plan.selection import chosen_disks, member_of
from raidtui.core.plan.validate import decode
from tests.builders.racks import RACK, answers, disk, plan


def test_a_disk_in_use_is_refused_with_its_reason() -> None:
    busy = disk(1, verdict=Verdict(Usability.REFUSE, "sdb1 is mounted at /home", "unmount it"))
    with pytest.raises(PlanNotSafe, match=r"sdb .*SER0001.*sdb1 is mounted at /home; unmount it"):
        plan(disks=(RACK[0], busy, *RACK[2:]))


def test_a_disk_that_is_not_here_is_refused() -> None:
    with pytest.raises(PlanNotSafe, match="no disk wwn-0x5000c500a1b2c3d2 on this machine"):
        plan(disks=RACK[:2])


def test_a_disk_is_named_by_its_identity_or_a_serial_number_that_no_other_has() -> None:
    assert [one.name for one in chosen_disks((RACK[2].id, "SER0000"), RACK)] == ["sdc", "sda"]
    with pytest.raises(PlanNotSafe, match="2 disks have the serial number SER0001: write the identity"):
        chosen_disks(("SER0001",), (*RACK, disk(7, serial="SER0001")))
    with pytest.raises(PlanNotSafe, match=f"sda is a name, and names change: write {RACK[0].id}"):
        chosen_disks(("sda",), RACK)
    with pytest.raises(PlanNotSafe, match=r"names sdb \(IRONDISK SER0001\) twice"):
        chosen_disks((RACK[1].id, "SER0001"), RACK)


def test_a_rule_becomes_identities_in_the_plan_and_is_part_of_its_code() -> None:
    by_name = answers(6)
    by_rule = plan(replace(by_name, disks=DiskRule(count=6)))
    assert by_rule.answers == plan(by_name).answers and by_rule.members == plan(by_name).members
    other = plan(replace(by_name, disks=DiskRule(count=6, model="IRONDISK")))
    assert by_rule.disk_rule == DiskRule(count=6) and len({plan(by_name).code, by_rule.code, other.code}) == 3
    assert decode(encode(by_rule)) == by_rule
    with pytest.raises(PlanNotSafe, match="disks: 7 are asked for"):
        plan(replace(by_name, disks=DiskRule(count=7)))


@pytest.mark.parametrize(
    "identity, links, link",
    [
        ("wwn-0x5", ("ata-M_S", "wwn-0x6", "wwn-0x5"), "wwn-0x5"),
        ("serial-M_S", ("wwn-0x5", "scsi-1", "ata-M_S"), "ata-M_S"),
        ("wwn-eui.1", ("nvme-MODEL_S", "nvme-eui.1"), "nvme-eui.1"),
        ("path-pci-1", ("ata-M_S",), ""),
    ],
)
def test_a_link_is_of_the_identitys_own_kind(identity: str, links: tuple[str, ...], link: str) -> None:
    known = disk(0, id=identity, links=tuple(f"/dev/disk/by-id/{one}" for one in links))
    assert member_of(known).link == (link and f"/dev/disk/by-id/{link}")


def test_partitions_are_known_by_their_numbers() -> None:
    assert member_of(disk(0, partitions=("nvme0n1p2", "sda11"))).partitions == (2, 11)
    with pytest.raises(PlanNotSafe, match="sdx is a partition without a number"):
        member_of(disk(0, partitions=("sdx",)))
