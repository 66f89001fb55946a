"""A recording for a bug report: nothing names the hardware, and everything else is as it was."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.core.disks.disk import Disk
from raidtui.core.disks.dumps import masked, read
from raidtui.core.disks.machine import BlockDevice, Machine, Mount, encode
from raidtui.core.disks.verdicts import disks_of
from tests.builders.machines import MACHINES

SERIAL, WWN, HOST = "WD-WCC4E1234567", "50014ee2b1234567", "db7.example.org"


def of(serial: str = SERIAL, wwn: str = WWN, name: str = "sda") -> BlockDevice:
    full = f"WDC_WD40EFRX-68WT0N0_{serial}"
    return BlockDevice(
        name=name,
        properties={
            "ID_SERIAL": full,
            "ID_SERIAL_SHORT": serial,
            "ID_WWN": f"0x{wwn}",
            "ID_PATH": f"pci-0000:03:00.0-sas-0x{wwn}-lun-0",
            "DEVLINKS": f"/dev/disk/by-id/ata-{full} /dev/disk/by-id/wwn-0x{wwn}",
        },
        attributes={"size": "7814037168", "device/wwid": f"naa.{wwn}", "device/serial": f" {serial} "},
        told={"health": "passed"},
    )


def machine(*devices: BlockDevice) -> Machine:
    mounts = (Mount(devnum="0:1", source=f"/dev/disk/by-id/wwn-0x{WWN}", mountpoint="/srv"),)
    return Machine(host=HOST, machine_id="5f" * 16, devices=devices, mounts=mounts, root=True)


def without_names(disk: Disk) -> Disk:
    return replace(disk, id="", wwn="", serial="", slot="", links=())


def test_nothing_names_the_hardware() -> None:
    text = encode(masked(machine(of()))).decode()
    for secret in (SERIAL, WWN, HOST, "5f5f"):
        assert secret not in text and secret.upper() not in text
    assert "WD40EFRX" in text and '"7814037168"' in text


SERIALS = ("ID_SERIAL_SHORT", "SCSI_IDENT_SERIAL", "ID_SCSI_SERIAL", "DM_SERIAL", "device/serial", "serial")
WWNS = ("ID_WWN_WITH_EXTENSION", "ID_WWN", "DM_WWN", "wwid", "device/wwid", "ID_SERIAL", "dm/uuid", "DM_UUID")


@pytest.mark.parametrize("key", [*SERIALS, "device/subsysnqn", *WWNS])
def test_each_place_of_a_name_is_masked(key: str) -> None:
    for secret in ("0x50014ee2b1234567", *(("WD-SECRET17",) if key in SERIALS else ())):
        of_key = {"properties" if key.isupper() else "attributes": {key: secret}}
        found = masked(Machine(devices=(BlockDevice(name="sda", **of_key),)))  # type: ignore[arg-type]
        assert secret.removeprefix("0x") not in encode(found).decode()


def test_a_serial_of_two_words_is_masked_in_udevs_links_too() -> None:
    of_two = {"ID_SERIAL_SHORT": "PD 0123 4567"}
    found = masked(Machine(devices=(BlockDevice(name="sda", properties=of_two | {"DEVLINKS": "/a-PD_0123_4567"}),)))
    assert "0123" not in encode(found).decode()


def test_the_same_name_is_masked_the_same_everywhere() -> None:
    found = masked(machine(of()))
    said = found.devices[0].properties
    assert said["ID_SERIAL"].endswith(said["ID_SERIAL_SHORT"]) and said["ID_SERIAL_SHORT"] != SERIAL
    assert said["ID_WWN"] in said["DEVLINKS"] and said["ID_WWN"] in said["ID_PATH"]
    assert found.mounts[0].source in said["DEVLINKS"].split()
    (disk,) = disks_of(found)
    assert disk.id == f"wwn-{said['ID_WWN']}" and disk.serial == said["ID_SERIAL_SHORT"]


def test_what_was_doubled_is_doubled_and_what_differed_differs() -> None:
    alike = machine(of(), of(name="sdb", wwn="50014ee2b1234568"), of(name="sdc", serial="WD-X", wwn="50014ee2b1234569"))
    one, two, three = (disk.serial for disk in disks_of(masked(alike)))
    assert one == two != three
    assert len({disk.wwn for disk in disks_of(masked(alike))}) == 3


def test_short_serials_do_not_change_the_rest() -> None:
    plain = machine(of(serial="1"))
    assert masked(plain).devices[0].attributes["size"] == "7814037168"
    assert masked(plain).devices[0].name == "sda"


@pytest.mark.parametrize("path", sorted(MACHINES.glob("*.json")), ids=lambda path: path.name)
def test_verdicts_and_all_else_stay(path: Path) -> None:
    recorded = replace(read(path.read_bytes()), host="")
    again = read(encode(masked(recorded)))
    assert disks_of(recorded)
    for before, after in zip(disks_of(recorded), disks_of(again), strict=True):
        assert without_names(before) == without_names(after)
        assert bool(before.serial) == bool(after.serial) and bool(before.wwn) == bool(after.wwn)
        assert len(before.serial) < 4 or not re.search(rf"\b{re.escape(before.serial)}\b", str(again))
