"""What is amiss with a controller, and which virtual disk a disk of the machine is."""

import pytest
from msgspec.structs import replace

from raidtui.core.hardware import megacli, storcli
from raidtui.core.hardware.controllers import (
    Controller,
    PhysicalDisk,
    VirtualDisk,
    amiss,
    seat,
    strip_bytes,
    volume_words,
)
from tests.builders import controllers
from tests.builders.controllers import said
from tests.builders.machines import CASES

(WHOLE,) = storcli.parse(said(controllers.SHOW), said(controllers.VOLUMES), said(controllers.DRIVES))
(FAILING,) = storcli.parse(said(controllers.FAILING))
(MEGA,) = megacli.parse(controllers.ADAPTER, controllers.PCI, controllers.BATTERY, controllers.VOLUME)
PATH = "pci-0000:3b:00.0-scsi-0:2:0:0"


@pytest.mark.parametrize(
    "text, size",
    [("256 KB", 262144), ("1.000 MB", 1048576), ("64KB", 65536), ("512 B", 512), ("256 KiB", 262144),
     ("100 KB", None), ("0 KB", None), ("NA", None), ("", None), ("9" * 9 + " KB", None)],
)  # fmt: skip
def test_a_strip_is_a_power_of_two(text: str, size: int | None) -> None:
    assert strip_bytes(text) == size


def test_nothing_is_amiss_where_all_is_well() -> None:
    assert [*amiss(WHOLE)] == [] and [*amiss(MEGA)] == []


def test_each_thing_that_is_amiss() -> None:
    drained = replace(WHOLE.batteries[0], state="Failed")
    assert [*amiss(replace(WHOLE, batteries=(drained,)))] == ["its CVPM02 is Failed"]
    assert [*amiss(FAILING)] == [
        "the controller says of itself: Needs Attention",
        "vendor program: Incomplete foreign configuration",
        "virtual disk 0 is partially degraded",
        "virtual disk 0 is set to write back, and the controller has no battery",
        "virtual disk 1 writes back even without a working battery: a loss of power is a loss of data",
        "the disk at 252:3 (ACME FLASH960) is foreign",
        "the disk at 252:1 (AF-1001) is rebuilding",
        "the disk at 252:1 (AF-1001) had 5 media errors",
        "the disk at 252:2 (AF-1002) is unconfigured, bad",
        "the disk at 252:2 (AF-1002) foretold its failure 3 times",
        "the disk at 252:2 (AF-1002) raised a SMART alert",
    ]


def test_one_sentence_for_many_alike() -> None:
    (controller,) = storcli.parse((CASES / "t40_21_raid0_rawbd.json").read_text())
    assert [*amiss(controller)] == [
        "21 virtual disks (0 to 20) write back even without a working battery: a loss of power is a loss of data"
    ]
    disks = tuple(PhysicalDisk(enclosure="8", slot=str(slot), serial="S", state="foreign") for slot in range(8))
    assert [*amiss(Controller(number=0, program="storcli", physical_disks=disks[:3]))] == [
        "3 disks (8:0, 8:1, 8:2) are foreign"
    ]
    (text,) = amiss(Controller(number=0, program="storcli", physical_disks=disks))
    assert text == "8 disks (8:0, 8:1, 8:2, 8:3, 8:4, 8:5 and 2 more) are foreign"
    apart = tuple(VirtualDisk(target=target, state="degraded") for target in (0, 1, 4))
    assert [*amiss(Controller(number=0, program="storcli", virtual_disks=apart))] == [
        "3 virtual disks (0, 1, 4) are degraded"
    ]


def test_foreign_configurations_are_told() -> None:
    (controller,) = storcli.parse(said(controllers.SHOW), said(controllers.FOREIGN))
    assert controller.foreign_groups == ("RAID6", "RAID1")
    assert [*amiss(controller)] == ["a foreign configuration waits for import: RAID6, RAID1"]
    (without,) = storcli.parse(said(controllers.SHOW), said(controllers.NO_FOREIGN))
    assert (without.foreign_groups, without.notes) == ((), ())


def test_a_disk_is_tied_by_its_wwn_or_by_place_and_target() -> None:
    by_wwn = seat((WHOLE,), f"0x{controllers.WWN}", "")
    assert by_wwn is not None and by_wwn.volume.target == 0
    by_path = seat((MEGA,), "0x6000000000000001", PATH)
    assert by_path is not None and by_path.volume.name == "data"


@pytest.mark.parametrize(
    "known, wwn, path",
    [
        ((WHOLE,), "0x600508b1001c0000000000000000ffff", PATH),  # its WWN is another's
        ((MEGA,), "", PATH.replace("3b", "3c")),
        ((MEGA,), "", PATH.replace(":2:0:0", ":2:1:0")),
        ((MEGA,), "", PATH.replace(":2:0:0", ":0:0:0")),  # a disk that is passed through
        ((MEGA, replace(MEGA, number=1)), "", PATH),  # two would fit
        ((WHOLE, replace(WHOLE, number=1)), f"0x{controllers.WWN}", PATH),
        ((replace(MEGA, pci=""),), "", PATH),
        ((), "", ""),
    ],
)
def test_what_the_outputs_do_not_tie_is_not_tied(known: tuple[Controller, ...], wwn: str, path: str) -> None:
    assert seat(known, wwn, path) is None


def test_a_volume_in_a_line() -> None:
    whole, mega = seat((WHOLE,), f"0x{controllers.WWN}", ""), seat((MEGA,), "", PATH)
    assert whole and mega
    assert volume_words(whole) == "RAID6 of 4 disks, strip 256 KiB, write-back, read-ahead, CVPM02 Optimal"
    assert volume_words(mega) == "RAID10 of 4 disks, strip 64 KiB, write-through, no read-ahead, BBU Optimal"
