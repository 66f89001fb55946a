"""The rack of a lab server: the same disks after every boot, other ones in another server."""

from pathlib import Path

import pytest

from raidtui.core.units import MIB
from tests.server.rack import arguments, rack

_FOLDER = Path("/disks")


def _devices(server: str) -> list[str]:
    words = arguments(rack(512 * MIB, nvme=1, sas=2, sata=1, iops=300), server, _FOLDER)
    return [word for flag, word in zip(words[::2], words[1::2], strict=True) if flag == "-device"]


def test_the_serial_of_a_server_with_a_long_name_is_told_whole() -> None:
    nvme, other = rack(512 * MIB, nvme=2)
    assert nvme.serial("flash-steady-state") == "steady-state-NVME-1"[-20:]
    assert nvme.serial("flash-steady-state") != other.serial("flash-steady-state")
    assert len(nvme.serial("flash-steady-state")) <= 20


def test_each_disk_is_at_its_controller_with_a_serial_of_its_own() -> None:
    *slots, controller, nvme, sas, second_sas, sata = _devices("one")
    assert [word.split(",")[1] for word in slots] == ["id=slot-nvme1", "id=slot-raid"]
    assert controller == "megasas-gen2,id=raid,bus=slot-raid"
    assert nvme == "nvme,bus=slot-nvme1,drive=nvme1,serial=one-NVME-1"
    assert sata == "ide-hd,bus=ide.0,drive=sata1,serial=one-SATA-1"
    assert sas.startswith("scsi-hd,bus=raid.0,drive=sas1,serial=one-SAS-1,wwn=")
    assert len({word.rpartition("wwn=")[2] for word in (sas, second_sas, *_devices("two")[-3:-1])}) == 4
    assert not set(_devices("two")[-4:]) & {nvme, sas, second_sas, sata}


def test_a_throttle_is_told_only_where_there_is_one() -> None:
    held, free = (arguments(rack(MIB, sata=1, iops=iops), "one", _FOLDER)[1] for iops in (300, 0))
    assert held.endswith("throttling.iops-total=300") and "throttling" not in free
    assert held.startswith("file=/disks/sata1.img,")


def test_the_board_has_no_more_ports() -> None:
    with pytest.raises(ValueError, match="7 SATA disks"):
        rack(MIB, sata=7)
