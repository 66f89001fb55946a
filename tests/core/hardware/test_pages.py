"""The pages of drives and controllers: every figure that was told, and what was not."""

from raidtui.core.hardware import storcli
from raidtui.core.hardware.drive import judge
from raidtui.core.hardware.pages import controller_page, drive_page, health_lines
from raidtui.core.hardware.smartctl import parse
from tests.builders import controllers, smart
from tests.builders.controllers import said


def page(document: object, why_not: str = "") -> list[str]:
    health = parse(smart.said(document))
    return [*drive_page("sda  a drive", health, judge(health), why_not)]


def test_a_good_drive() -> None:
    assert page(smart.NVME) == [
        "sda  a drive",
        "    good",
        "    model                    ACME FAST3200 AN-0005",
        "    firmware                 N1.2",
        "    asked as                 nvme",
        "    size                     3.20 TB = 2.91 TiB",
        "    its own check            passed",
        "    power-on hours           18376",
        "    media errors             0",
        "    used, %                  3",
        "    spare, %                 100",
        "    temperature, °C          40",
        "    slows down at, °C        83",
        "    critical at, °C          88",
    ]


def test_beside_its_name_a_drive_says_how_it_is_and_not_which_it_is() -> None:
    health = parse(smart.said(smart.NVME))
    lines = [*health_lines(health, judge(health))]
    assert lines[:2] == ["good", "its own check            passed"] and not any("ACME" in line for line in lines)


def test_a_failing_drive_has_its_reasons_with_their_sources_first() -> None:
    lines = page(smart.FAILING_SATA)
    assert lines[1:4] == [
        "    replace",
        "    - its own health check failed",
        "        replace; the drive's own threshold",
    ]
    assert "    link, Gbit/s             1, the drive's own 6" in lines


def test_what_a_drive_of_its_kind_could_tell_and_did_not_is_named() -> None:
    assert page(smart.WORN_SATA)[-1] == (
        "    not told                 pending sectors, offline uncorrectable, command time-outs, link errors,"
        " limits of temperature"
    )


def test_a_drive_that_told_nothing_is_two_lines() -> None:
    assert page(smart.UNKNOWN_USB, "Unknown USB bridge") == ["sda  a drive", "    not told: Unknown USB bridge"]


def test_a_drive_that_counts_nothing_is_good_by_its_own_word_alone() -> None:
    bare = {
        "smartctl": {},
        "device": {"protocol": "SCSI", "type": "scsi"},
        "smart_status": {"passed": True},
        "temperature": {"current": 38},
    }
    assert page(bare)[1] == "    good: by its own check alone"


def test_a_controller() -> None:
    (controller,) = storcli.parse(said(controllers.SHOW), said(controllers.VOLUMES), said(controllers.DRIVES))
    lines = [*controller_page(controller, {0: "sda"})]
    assert lines[:3] == [
        "controller 0  ACME RAID 9361  CT-77  firmware 24.21.0-0076",
        "    cache kept by CVPM02: Optimal, 18 °C",
        "    virtual disk 0  is sda, RAID6, 1.745 TB, optimal, strip 256 KiB, write-back, read-ahead, direct I/O,"
        " read and write, disks' own cache: Disk's Default, on 252:0 252:1 252:2 252:3",
    ]
    assert lines[3] == (
        "    slot 252:0  ACME FLASH960 AF-1000, 893.750 GB, SATA SSD, online, media errors 0, predictive failures 0,"
        " 21 °C, megaraid,8"
    )
    assert len(lines) == 7


def test_what_is_amiss_stands_before_the_disks() -> None:
    (controller,) = storcli.parse(said(controllers.FAILING))
    lines = [*controller_page(controller, {})]
    assert lines[1:3] == ["    battery: none", "    LOOK: the controller says of itself: Needs Attention"]
    assert "strip not told" in next(line for line in lines if "virtual disk 0  " in line)
