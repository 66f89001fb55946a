"""The rack of a lab server: the same disks after every boot, other ones in another server."""

from pathlib import Path

import pytest

from raidtui.core.units import MIB
from tests.server.rack import arguments, rack
from tests.server.rows import ROWS

_FOLDER = Path("/disks")


def _devices(server: str) -> list[str]:
    words = arguments(rack(512 * MIB, nvme=1, sas=2, sata=1, iops=300), server, _FOLDER)
    return [word for flag, word in zip(words[::2], words[1::2], strict=True) if flag == "-device"]


def test_each_disk_is_at_its_controller_with_a_serial_of_its_own() -> None:
    *slots, controller, nvme, sas, second_sas, sata = _devices("one")
    assert [word.split(",")[1] for word in slots] == ["id=slot-nvme1", "id=slot-raid"]
    assert controller == "megasas-gen2,id=raid,bus=slot-raid"
    assert nvme == "nvme,bus=slot-nvme1,drive=nvme1,serial=one-NVME-1"
    assert sata.startswith("ide-hd,bus=ide.0,drive=sata1,serial=one-SATA-1,wwn=")
    assert sas.startswith("scsi-hd,bus=raid.0,drive=sas1,serial=one-SAS-1,wwn=")
    assert len({word.rpartition("wwn=")[2] for word in (sas, second_sas, sata, *_devices("two")[-3:])}) == 6
    assert not set(_devices("two")[-4:]) & {nvme, sas, second_sas, sata}


def test_serial_numbers_are_short_enough_for_qemu_to_keep_them_whole() -> None:
    serials = {disk.serial(row.name) for row in ROWS for disk in row.disks}
    assert serials and not [serial for serial in serials if len(serial) > 20]


def test_a_throttle_is_told_only_where_there_is_one() -> None:
    held, free = (arguments(rack(MIB, sata=1, iops=iops), "one", _FOLDER)[1] for iops in (300, 0))
    assert held.endswith("throttling.iops-total=300") and "throttling" not in free
    assert held.startswith("file=/disks/sata1.img,")


def test_the_board_has_no_more_ports() -> None:
    with pytest.raises(ValueError, match="7 SATA disks"):
        rack(MIB, sata=7)
