"""Cases of public bug reports: dumps of whole machines, and the right answer."""

import pytest

from raidtui.core.disks.disk import Disk, Usability
from raidtui.core.disks.dumps import read
from raidtui.core.disks.verdicts import disks_of
from tests.builders.machines import RECORDINGS, device, machine


def disks(name: str) -> dict[str, Disk]:
    return {disk.name: disk for disk in disks_of(read((RECORDINGS / "cases" / name).read_bytes(), name))}


def test_two_usb_boxes_with_one_serial_number_and_one_wwn() -> None:
    """Nothing in the dump tells them apart, and USB has no multipath."""
    seen = disks("d06_dup_wwn_serial_usb.json")
    for name, other in (("sdo", "sdp"), ("sdp", "sdo")):
        verdict = seen[name].verdict
        assert (verdict.standing, seen[name].nodes) == (Usability.REFUSE, ())
        assert verdict.reason == (
            f"nothing in this dump tells it apart from {other}: same identity, and no path of its own"
        )
        assert verdict.remedy == "look on the machine itself"


@pytest.mark.parametrize("places", [("1:1.0-scsi-0:0:0:0", "2:1.0-scsi-0:0:0:0"), ("1:1.0", "1:1.0")])
def test_the_same_boxes_on_a_live_machine(places: tuple[str, str]) -> None:
    """Two ports tell them apart; two that are said to be in one place are refused, and multipath is not the reason."""
    said = {"ID_BUS": "usb", "ID_WWN": "0x5000000000000001", "ID_SCSI_SERIAL": "0000000000CA"}
    seen = disks_of(
        machine(
            *(
                device(name, properties={**said, "ID_PATH": f"pci-0000:00:14.0-usb-0:{place}"})
                for name, place in zip(("sdo", "sdp"), places, strict=True)
            )
        )
    )
    apart = places[0] != places[1]
    assert [disk.verdict.standing for disk in seen] == [Usability.WARN if apart else Usability.REFUSE] * 2
    assert len({disk.id for disk in seen}) == 2
    told = "told apart by path-" if apart else "nothing tells it apart from"
    assert all(told in disk.verdict.reason and "multipath" not in disk.verdict.reason for disk in seen)


def test_two_volumes_of_one_unit_serial_number() -> None:
    seen = disks("d07_raid_luns_one_serial.json")
    assert [disk.id for disk in seen.values()] == ["wwn-0x600508b1001c0001", "wwn-0x600508b1001c0002"]
    assert all(disk.nodes == () and disk.verdict.standing is Usability.WARN for disk in seen.values())


@pytest.mark.parametrize("bus", ["sas", "fc", "iscsi"])
@pytest.mark.parametrize(
    ("wwns", "one"),
    [
        (("0x60000000000000000e00000000010001", "0x60000000000000000e00000000020001"), False),
        (("0x60000000000000000e00000000010001", "0x60000000000000000E00000000010001"), True),
        (("0x60000000000000000e00000000010001", "0x6000000000000000"), True),  # ID_WWN, without the extension
        (("0x60000000000000000e00000000010001", ""), True),
        (("", ""), True),
    ],
)
def test_luns_of_one_serial_number(bus: str, wwns: tuple[str, str], one: bool) -> None:
    """tgt, the iSCSI target: its LUNs have one serial number, `beaf11`, on every server that has set none
    (rackerlabs/genestack, issue 451).
    """
    said = {"ID_MODEL": "VIRTUAL-DISK", "ID_SCSI_SERIAL": "beaf11", "ID_TRAN": bus}
    seen = disks_of(
        machine(
            *(
                device(name, properties={**said, "ID_WWN": wwn, "ID_PATH": f"ip-10.0.0.1-lun-{name}"})
                for name, wwn in zip(("sda", "sdb"), wwns, strict=True)
            )
        )
    )
    assert [disk.nodes for disk in seen] == ([("/dev/sdb",), ("/dev/sda",)] if one else [(), ()])
    assert all(("the same disk as" in disk.verdict.reason) == one for disk in seen)


def test_volumes_of_raid_controllers() -> None:
    seen = disks("d08a_raid_models.json")
    assert len(seen) == 7
    for disk in seen.values():
        assert f"it is a volume of a hardware RAID controller ({disk.model})" in disk.verdict.reason
