"""What a drive tells by one node is true of it by all: reservation, keys, locks, errors, write protection, health."""

from typing import Any

import pytest

from raidtui.core.disks.disk import Disk, Usability
from raidtui.core.disks.machine import BlockDevice, Signature
from raidtui.core.disks.verdicts import disks_of
from tests.builders.machines import device, machine, part

OK, WARN, REFUSE = Usability.OK, Usability.WARN, Usability.REFUSE
SAME = {"ID_WWN": "0x5000c5", "ID_SCSI_SERIAL": "Z1", "ID_TRAN": "sas"}
MAP = {"ID_WWN": "", "ID_SCSI_SERIAL": "", "ID_BUS": "", "DM_WWN": "0x5000c5", "DM_NAME": "mpatha"}
OTHER = "the same disk by another path"


def leg(name: str, **fields: Any) -> BlockDevice:
    properties = SAME | fields.pop("properties", {})
    return device(name, holders=("dm-0",), properties=properties, **fields)


def lun(**by_node: dict[str, Any]) -> Disk:
    """The map of a LUN by two paths, sda and sdb, with what each node says."""
    attributes = {"dm/uuid": "mpath-35000c5"} | by_node.get("map", {}).pop("attributes", {})
    whole = device("dm-0", slaves=("sda", "sdb"), properties=MAP, attributes=attributes, **by_node.get("map", {}))
    paths = (leg(name, **by_node.get(name, {})) for name in ("sda", "sdb"))
    return next(disk for disk in disks_of(machine(whole, *paths)) if disk.name == "dm-0")


@pytest.mark.parametrize(
    ("fact", "standing", "reason"),
    [
        ({"told": {"reservation": "1 registered key"}}, REFUSE, "another host may be using it: 1 registered key on it"),
        ({"told": {"opal": "locked"}}, REFUSE, "it is locked (Opal self-encryption)"),
        ({"read_error": "Input/output error"}, REFUSE, "{it} cannot be read: Input/output error"),
        ({"attributes": {"ro": "1"}}, REFUSE, "{it} is read-only"),
        ({"told": {"health": "failing: x"}}, WARN, "its own health check (SMART) says that it is failing: x"),
        (
            {"told": {"reservation not read": "BUSY"}},
            WARN,
            "not checked: whether another host uses it (/dev/{node}: BUSY)",
        ),
    ],
)
@pytest.mark.parametrize("node", ["map", "sda", "sdb"])
def test_a_fact_of_the_drive_is_the_maps_whoever_told_it(
    fact: dict[str, Any], standing: Usability, reason: str, node: str
) -> None:
    name = "dm-0" if node == "map" else node
    disk = lun(**{node: {key: dict(value) if isinstance(value, dict) else value for key, value in fact.items()}})
    it = "it" if node == "map" else f"{node} ({OTHER})"
    assert disk.verdict.standing is standing
    assert disk.verdict.reason.startswith(reason.format(it=it, node=name))
    assert lun().verdict.standing is OK


def test_a_claim_on_one_node_refuses_the_other_node_without_a_map() -> None:
    claimed = device("sdb", properties=SAME, told={"reservation": "1 registered key"}, attributes={"ro": "1"})
    first = disks_of(machine(device("sda", properties=SAME), claimed))[0]
    assert (first.name, first.verdict.standing, first.nodes) == ("sda", REFUSE, ("/dev/sdb",))


@pytest.mark.parametrize("name", ["dm-0", "sda"])
def test_what_did_not_answer_is_not_checked_and_the_command_is_named(name: str) -> None:
    node = "map" if name == "dm-0" else name
    disk = lun(**{node: {"told": {"reservation not read": "timed out"}}})
    assert not disk.checked
    assert disk.verdict.remedy.startswith(f"sg_persist --in -k /dev/{name} shows the keys")


@pytest.mark.parametrize(
    ("attribute", "standing"),
    [
        ({"device/access_state": "standby"}, OK),
        ({"device/access_state": "unavailable"}, OK),
        ({"device/state": "transport-offline"}, OK),
        ({"device/access_state": "active/non-optimized"}, REFUSE),
        ({"device/state": "running"}, REFUSE),
    ],
)
def test_a_path_that_is_not_used_now_fails_for_reasons_of_its_own(
    attribute: dict[str, str], standing: Usability
) -> None:
    """The passive controller of an array of disks answers no read; what it does tell counts."""
    broken = {"attributes": attribute, "read_error": "Input/output error", "told": {"reservation not read": "x"}}
    assert lun(sdb=dict(broken)).verdict.standing is standing
    assert lun(sdb={**broken, "told": {"reservation": "1 registered key"}}).verdict.standing is REFUSE
    assert lun(map={**broken, "attributes": dict(attribute)}).verdict.standing is REFUSE


def test_a_path_that_was_not_read_leaves_the_map_unchecked() -> None:
    assert not lun(sdb={"read": False}).checked
    assert lun(sdb={"read": False, "attributes": {"device/state": "offline"}}).checked


@pytest.mark.parametrize(("bus", "standing"), [("fc", WARN), ("iscsi", WARN), ("fcoe", WARN), ("sas", OK)])
def test_luns_of_a_network_are_disks_of_the_network(bus: str, standing: Usability) -> None:
    """By a single path as by their map, whose own node says nothing of what carries it."""
    single = disks_of(machine(device(properties={"ID_TRAN": bus})))[0].verdict
    mapped = lun(sda={"properties": {"ID_TRAN": bus}}).verdict
    for verdict in (single, mapped):
        assert (verdict.standing, verdict.reason) == (standing, "it is a disk of the network" * (standing is WARN))


@pytest.mark.parametrize(
    ("kind", "what"),
    [("LVM2_member", "an LVM volume group"), ("linux_raid_member", "an md array"), ("crypto_LUKS", "an encrypted vol")],
)
def test_a_member_on_a_partition_of_a_path_refuses_the_map(kind: str, what: str) -> None:
    disks = disks_of(
        machine(
            device("dm-0", slaves=("sda",), properties=MAP, attributes={"dm/uuid": "mpath-35000c5"}),
            leg("sda", signatures=(Signature(kind="mpath_member"),)),
            part("sda1", "sda", kind),
        )
    )
    verdict = next(disk.verdict for disk in disks if disk.name == "dm-0")
    assert verdict.standing is REFUSE
    assert verdict.reason.startswith(f"sda1 (on sda, {OTHER}) is a member of {what}")


def test_contents_of_partitions_count_once_for_the_map_whatever_path_shows_them() -> None:
    ext4 = (Signature(kind="ext4", label="home", uuid="u1"),)
    parts = (device(f"{disk}1", kind="partition", parent=disk, signatures=ext4) for disk in ("sda", "sdb"))
    table = (Signature(kind="gpt"),)
    disks = disks_of(
        machine(
            device("dm-0", slaves=("sda", "sdb"), properties=MAP, attributes={"dm/uuid": "mpath-3"}, signatures=table),
            leg("sda", signatures=table),
            leg("sdb", signatures=table),
            *parts,
        )
    )
    found = next(disk for disk in disks if disk.name == "dm-0")
    assert (found.found, found.verdict.standing) == ("gpt, ext4 on sda1 (home)", WARN)
    assert found.partitions == ()
