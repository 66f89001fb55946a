"""Which disks a plan takes and how it names them: theirs by identity or serial number, and no other."""

from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.disks.disk import Usability, Verdict
from raidtui.core.disks.machine import Bus
from raidtui.core.disks.selection import DiskRule
from raidtui.core.plan.answers import Axes, PlanNotSafe, PlanRefused
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


LINKED = tuple(
    replace(one, buses=(Bus(kind="pcie", name=f"0000:0{number // 3}:00.0", speed="8.0 GT/s", width=4),))
    for number, one in enumerate(RACK)
)


def test_groups_are_spread_over_links_if_asked_for() -> None:
    """Three disks behind each of two controllers: of each group of three two are behind one, and one may fail."""
    by_order = plan(answers(6, groups=2), LINKED)
    assert [member.name for member in by_order.members] == ["sda", "sdb", "sdc", "sdd", "sde", "sdf"]
    assert plan(answers(6, groups=2, groups_by="order"), LINKED).members == by_order.members
    spread = plan(answers(6, groups=2, groups_by="links"), LINKED)
    assert [member.name for member in spread.members] == ["sda", "sdc", "sde", "sdb", "sdd", "sdf"]
    assert spread.answers.disks == tuple(member.id for member in spread.members)
    assert [note for note in spread.notes if "spread" in note] == [
        "Groups are spread over links: at most 2 of a group are behind one link, as PCIe link 0000:00:00.0"
        " (8.0 GT/s x4); any 1 of each may fail."
    ]
    assert plan(spread.answers, LINKED).members == spread.members and decode(encode(spread)) == spread
    backwards = replace(spread.answers, disks=spread.answers.disks[::-1])
    assert plan(backwards, LINKED).members == spread.members
    assert not [note for note in by_order.notes if "spread" in note]


def test_a_spare_stays_behind_the_groups() -> None:
    linked = (*LINKED, replace(disk(6), buses=LINKED[0].buses))
    given = replace(answers(6, groups=2, groups_by="links", spares=1), disks=tuple(one.id for one in linked))
    assert plan(replace(given, after="keep"), linked).members[-1].name == "sdg"


@pytest.mark.parametrize(
    "changes, disks, says",
    [
        ({}, RACK, "no link of sda .* is known; give the disks in the order of the groups"),
        ({"axes": Axes(groups=(1, 2))}, LINKED, "would have an order of its own"),
        ({"axes": Axes(disks=(3, 6))}, LINKED, "would have an order of its own"),
        ({"setup": answers(6, groups_by="links").setup}, LINKED, "has all disks in one"),
        ({"setup": answers(6, "10", groups_by="links").setup}, LINKED, "setup.groups_by: "),
        ({"setup": answers(6, groups=0, groups_by="links").setup}, LINKED, "0 groups are none"),
    ],
)
def test_groups_are_not_spread_where_that_cannot_be_told(changes: dict[str, Any], disks: Any, says: str) -> None:
    with pytest.raises(PlanRefused, match=says):
        plan(replace(answers(6, groups=2, groups_by="links"), **changes), disks)


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
