"""Whether a disk is ATA, and whether it may try longer than the kernel waits."""

import pytest

from raidtui.core.disks.drive import Recovery, described, erc_of, of_device, of_protocol, with_timeout
from raidtui.core.disks.machine import Erc
from tests.builders.machines import device


@pytest.mark.parametrize(
    "recovery, outlasts",
    [
        (Recovery(erc="none", timeout_s=30), True),
        (Recovery(erc="none", timeout_s=180), False),
        (Recovery(erc="off", timeout_s=179), True),
        (Recovery(erc="on", read_s=7, write_s=7, timeout_s=30), False),
        (Recovery(erc="on", read_s=7, write_s=30, timeout_s=30), True),  # at the time-out
        (Recovery(erc="on", read_s=29.9, write_s=7, timeout_s=30), False),
        (Recovery(erc="on", read_s=7, timeout_s=30), True),  # no limit of writes
        (Recovery(erc="none"), False),  # the time-out was not read
        (Recovery(erc="supported", timeout_s=30), False),
        (Recovery(erc="not checked", timeout_s=30), False),
        (Recovery(erc="not applicable", timeout_s=30), False),
    ],
)
def test_a_disk_outlasts_the_kernel_without_a_limit_below_its_time_out(recovery: Recovery, outlasts: bool) -> None:
    assert recovery.outlasts_kernel is outlasts


SAS = {"ID_BUS": "scsi"}


@pytest.mark.parametrize(
    "name, properties, attributes, told, erc",
    [
        ("sda", {"ID_BUS": "ata"}, {}, "", "not checked"),
        ("sda", SAS, {"device/vendor": "ATA"}, "", "not checked"),  # behind a SAS controller
        ("sda", {"ID_BUS": "usb"}, {"device/vendor": "WD"}, "", "not checked"),
        ("sda", SAS, {"device/vendor": "SEAGATE"}, "", "not applicable"),
        ("nvme0n1", {"ID_BUS": "nvme"}, {}, "", "not applicable"),
        ("vda", {"ID_BUS": ""}, {}, "", "not applicable"),
        ("sda", {"ID_BUS": "usb"}, {}, "not applicable", "not applicable"),  # smartctl told what it is
        ("sda", SAS, {}, "supported", "supported"),
        ("sda", SAS, {}, "none", "none"),
        ("sda", {"ID_BUS": "ata"}, {}, "70,70 of a newer version", "not checked"),
    ],
)
def test_only_ata_has_it(
    name: str, properties: dict[str, str], attributes: dict[str, str], told: str, erc: Erc
) -> None:
    assert erc_of(device(name, properties=properties, attributes=attributes, told={"erc": told})) == erc


def test_what_the_disk_tells_now_comes_first_and_the_time_out_is_the_kernels() -> None:
    disk = device("sda", attributes={"device/timeout": "30"}, told={"erc": "supported"})
    assert of_device(disk, None) == Recovery(erc="supported", timeout_s=30)
    assert of_device(disk, Recovery()) == Recovery(erc="supported", timeout_s=30)
    assert of_device(disk, Recovery(erc="off")) == Recovery(erc="off", timeout_s=30)
    assert with_timeout(Recovery(), "9" * 9).timeout_s == 999_999_999
    for text in ("", "none", "-1", "٣", "9" * 10):
        assert with_timeout(Recovery(), text).timeout_s is None


def test_what_smartctl_calls_ata_is_asked_again_whatever_udev_has() -> None:
    disk = device("sda", properties=SAS)
    found = {protocol: of_protocol(protocol, disk) for protocol in ("ATA", "SCSI", "NVMe", "")}
    assert found == {"ATA": "not checked"} | dict.fromkeys(("SCSI", "NVMe", ""), "not applicable")


def test_words_of_each_state() -> None:
    assert described(Recovery(erc="on", read_s=7, write_s=6.5)) == "7 s read, 6.5 s write"
    assert [described(Recovery(erc=erc)) for erc in ("none", "off", "not checked")] == ["no ERC", "off", "not checked"]
