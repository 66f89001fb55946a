"""Who a disk is: the best identity there is, its model and serial as on the label, names as a person counts."""

import pytest

from raidtui.core.disks.identity import identity_of, is_weak, natural, transport_of
from raidtui.core.disks.machine import BlockDevice


@pytest.mark.parametrize(
    "name, properties, attributes, best",
    [
        (
            "sda",
            {"ID_WWN": "0x5000c500a1b2c3d4", "ID_WWN_WITH_EXTENSION": "0x5000c500a1b2c3d4", "ID_SERIAL": "X"},
            {},
            "wwn-0x5000c500a1b2c3d4",
        ),
        (
            "sdb",  # a LUN of a disk array: only the extension tells its LUNs apart
            {"ID_WWN": "0x600605b0", "ID_WWN_WITH_EXTENSION": "0x600605b000000001"},
            {},
            "wwn-0x600605b000000001",
        ),
        ("sdc", {"ID_SERIAL": "WDC WD40  EFRX_WD-1", "ID_PATH": "pci-1"}, {}, "serial-WDC_WD40_EFRX_WD-1"),
        ("sdd", {"ID_PATH": "pci-0000:00:1f.2-ata-1"}, {}, "path-pci-0000:00:1f.2-ata-1"),
        ("sde", {}, {}, "name-sde"),
        ("sdf", {}, {"device/wwid": "naa.5000c500a1b2c3d4"}, "wwn-0x5000c500a1b2c3d4"),
        ("sdg", {}, {"device/wwid": "t10.ATA     QEMU HARDDISK"}, "name-sdg"),
        ("sdh", {}, {"device/model": "ST4000", "device/serial": "Z1"}, "serial-ST4000_Z1"),
        ("nvme0n1", {}, {"wwid": "eui.0025385b71b0a1c2"}, "wwn-eui.0025385b71b0a1c2"),
        ("nvme1n1", {}, {"wwid": "eui.0000000000000000", "serial": "S1"}, "serial-S1"),
        ("sdi", {"ID_WWN": "0x0000000000000000", "ID_SERIAL": "X_1"}, {}, "serial-X_1"),
        ("sdj", {"ID_WWN": "0xffffffffffffffff", "ID_SERIAL": "X_1"}, {}, "serial-X_1"),
        ("vda", {}, {"serial": "disk one"}, "serial-disk_one"),
    ],
)
def test_the_best_identity_there_is(
    name: str, properties: dict[str, str], attributes: dict[str, str], best: str
) -> None:
    device = BlockDevice(name=name, properties=properties, attributes=attributes)
    assert identity_of(device).ids[0] == best


def test_the_model_is_whole_and_the_serial_is_the_one_on_the_label() -> None:
    identity = identity_of(
        BlockDevice(
            name="sda",
            properties={
                "ID_MODEL": "WDC_WD4000FYYZ-0",
                "ID_MODEL_ENC": "WDC\\x20WD4000FYYZ-01UL1B1\\x20\\x20\\x20",
                "ID_SERIAL": "35000c500",
                "ID_SERIAL_SHORT": "5000c500",
                "ID_SCSI_SERIAL": "Z1Z2",
            },
            attributes={"device/vendor": "0x1af4", "enclosure": "Slot 07"},
        )
    )
    assert (identity.model, identity.serial, identity.vendor) == ("WDC WD4000FYYZ-01UL1B1", "Z1Z2", "")
    assert identity.slot == "bay Slot 07"


def test_where_udev_knows_no_vendor_the_kernel_is_asked() -> None:
    identity = identity_of(BlockDevice(name="sda", attributes={"device/vendor": "HITACHI"}))
    assert identity.vendor == "HITACHI"


@pytest.mark.parametrize(
    "name, properties, transport",
    [
        ("sda", {"ID_BUS": "ata"}, "sata"),
        ("sda", {"ID_BUS": "ata", "ID_PATH": "pci-0000:00:14.0-usb-0:1:1.0-scsi-0:0:0:0"}, "usb"),
        ("sda", {"ID_BUS": "scsi", "ID_PATH": "pci-0000:03:00.0-sas-exp0x5-phy1-lun-0"}, "sas"),
        ("sda", {"ID_BUS": "scsi"}, "scsi"),
        ("sda", {"ID_BUS": "usb", "ID_SAS_PATH": "x"}, "usb"),
        ("sda", {"ID_BUS": "scsi", "ID_SAS_PATH": "x"}, "sas"),
        ("sda", {"ID_BUS": "scsi", "ID_PATH": "pci-0000:05:00.0-fc-0x2100-lun-0"}, "fc"),
        ("sda", {"ID_BUS": "scsi", "ID_PATH": "ip-10.0.0.1:3260-iscsi-iqn.x-lun-0"}, "iscsi"),
        ("mmcblk0", {}, "mmc"),
        ("xvda", {}, "xen"),
        ("nvme0n1", {}, "nvme"),
        ("vda", {}, "virtio"),
        ("sda", {"ID_TRAN": "fc"}, "fc"),
        ("sda", {}, ""),
    ],
)
def test_transport(name: str, properties: dict[str, str], transport: str) -> None:
    assert transport_of(BlockDevice(name=name, properties=properties)) == transport


def test_names_sort_as_a_person_counts() -> None:
    names = ["sdaa", "nvme10n1", "sdb", "sdz", "nvme2n1", "sda", "vda", "nvme2n10", "nvme2n2", ""]
    assert sorted(names, key=natural) == [
        *("", "nvme2n1", "nvme2n2", "nvme2n10", "nvme10n1", "sda", "sdb", "sdz", "sdaa"),
        "vda",
    ]


@pytest.mark.parametrize("kind, weak", [("wwn", False), ("serial", False), ("path", True), ("name", True)])
def test_a_place_or_a_name_may_be_another_disks_tomorrow(kind: str, weak: bool) -> None:
    assert is_weak(f"{kind}-x") is weak
