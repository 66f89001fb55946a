"""smartctl's JSON of drives of every kind, good, worn and failing; of what is broken, and of other programs."""

from typing import Any

import pytest

from raidtui.core.disks.recovery import Recovery
from raidtui.core.hardware import smartctl
from raidtui.core.hardware.drive import DriveHealth, SelfTest, counts, counts_in_words, words
from raidtui.core.hardware.judgement import judge
from raidtui.core.hardware.pages import drive_page
from raidtui.core.hardware.smartctl import SmartError, parse
from tests.builders import controllers, smart
from tests.builders.machines import CASES


def read(document: object) -> DriveHealth:
    return parse(smart.said(document))


def test_a_good_sata_drive() -> None:
    health = read(smart.SATA)
    assert (health.protocol, health.device_type, health.model, health.serial, health.firmware) == (
        "ATA", "sat", "ACME RUST4000", "AC-0001", "A101",
    )  # fmt: skip
    assert (health.size_bytes, health.rotation_rpm, health.trim) == (4_000_787_030_016, 7200, False)
    assert (health.temperature_c, health.throttle_c, health.critical_c) == (31, 60, 70)
    assert (health.link_gbit_s, health.link_best_gbit_s) == (6, 6)
    assert health.failed_tests == () and health.failing_attributes == ()
    assert counts(health) == {
        "power-on hours": 20_100, "reallocated sectors": 0, "pending sectors": 0, "offline uncorrectable": 0,
        "uncorrectable errors": 0, "command time-outs": 0, "link errors": 0, "temperature, °C": 31,
    }  # fmt: skip


def test_a_failing_sata_drive() -> None:
    health = read(smart.FAILING_SATA)
    assert words(health) == "failing" and health.failing_attributes == ("Reallocated_Sector_Ct",)
    assert (health.reallocated_sectors, health.pending_sectors, health.offline_uncorrectable) == (1900, 8, 4)
    assert (health.uncorrectable_errors, health.command_timeouts, health.link_errors) == (7, 3, 12)
    assert (health.link_gbit_s, health.link_best_gbit_s) == (1, 6)
    assert health.failed_tests == (
        SelfTest(kind="Short offline", result="Completed: read failure", at_hours=20_050),
        SelfTest(kind="Extended offline", result="Completed: read failure", at_hours=14_000, outdated=True),
    )


def test_the_wear_of_a_sata_ssd_is_what_is_left_of_its_life() -> None:
    health = read(smart.WORN_SATA)
    assert (health.wear_percent, health.spare_percent, health.spare_least_percent) == (86, 96, 10)
    assert health.pending_sectors is None  # drivedb says that this row means nothing


@pytest.mark.parametrize(
    ("family", "row", "wear"),
    [
        ("ACME", smart.attribute(177, "Wear_Leveling_Count", 278, value=81), 19),
        ("ACME", smart.attribute(231, "SSD_Life_Left", 0, value=92), 8),
        ("Phison Driven SSDs", smart.attribute(231, "SSD_Life_Left", 74, value=100), 26),
        ("ACME", smart.attribute(233, "Flash_Writes_GiB", 840, value=14), None),
        ("ACME", smart.attribute(202, "Percent_Lifetime_Remain", 0, value=130), None),
    ],
)
def test_makers_count_the_life_that_is_left_each_in_his_way(family: str, row: Any, wear: int | None) -> None:
    document = {**smart.WORN_SATA, "model_family": family, "ata_smart_attributes": {"table": [row]}}
    assert read(document).wear_percent == wear


LEFT = (  # drivedb 7.3: id and name of each attribute of a drive's life that its normalised value counts down
    "233 Media_Wearout_Indicator", "177 Wear_Leveling_Count", "231 SSD_Life_Left", "178 SSD_Life_Left",
    "245 SSD_Life_Left", "178 SSD_LifeLeft", "231 SSD_Life_Left_Perc", "231 Lifetime_Left",
    "202 Percent_Lifetime_Remain",
    "201 Percent_Lifetime_Remain", "231 Percent_Lifetime_Remain", "231 Perc_Rated_Life_Remain",
    "248 Perc_Rated_Life_Remain", "245 Percent_Life_Remaining", "248 PCT_Life_Remaining", "169 Lifetime_Remaining%",
    "177 Lifetime_Remaining%", "201 Lifetime_Remaining%", "248 Lifetime_Remaining%", "177 DriveLife_Remaining%",
    "245 Drive_Life_Remaining%", "169 Remaining_Lifetime_Perc", "209 Remaining_Lifetime_Perc",
    "233 Remaining_Lifetime_Perc", "248 Remaining_Life",
)  # fmt: skip
USED = (
    "202 Percent_Lifetime_Used", "202 Perc_Rated_Life_Used", "173 Percent_Life_Used", "173 Drive_Life_Used%",
    "245 DriveLife_Used%",
)  # fmt: skip
NO_LIFE = (
    "230 Media_Wearout_Indicator", "173 Wear_Leveling_Count", "178 SSD_LifeLeft(0.01%)", "202 End_of_Life",
    "241 Lifetime_Writes_GiB", "226 Workld_Media_Wear_Indic", "161 Spares_Remaining", "253 SPI_Test_Remaining",
)  # fmt: skip


@pytest.mark.parametrize(
    ("names", "value", "raw", "wear"), [(LEFT, 84, 9_999, 16), (USED, 84, 15, 15), (USED, 84, 999, None),
                                        (NO_LIFE, 84, 15, None)]
)  # fmt: skip
def test_names_of_a_drives_life(names: tuple[str, ...], value: int, raw: int, wear: int | None) -> None:
    for number, name in (entry.split() for entry in names):
        table = {"table": [smart.attribute(int(number), name, raw, value=value)]}
        assert read({**smart.WORN_SATA, "ata_smart_attributes": table}).wear_percent == wear, name


def test_smartctls_own_reading_of_wear_comes_before_the_names() -> None:
    row = {"table": [smart.attribute(202, "Percent_Lifetime_Remain", 0, value=84)]}
    document = {**smart.WORN_SATA, "ata_smart_attributes": row, "endurance_used": {"current_percent": 94}}
    assert read(document).wear_percent == 94


def of_report(name: str) -> DriveHealth:
    return parse((CASES / name).read_text())


def test_firmware_of_sas_drives_has_a_key_by_version() -> None:
    assert of_report("t11_megaraid_sas_ssd_7.2.json").firmware == "BA48"
    assert read({**smart.SAS, "scsi_revision": "C1", "revision": "no"}).firmware == "C1"


def test_counters_of_a_drive_that_smartctl_does_not_know_are_not_judged() -> None:
    unknown = of_report("t31_dc600m_unknown.json")
    assert unknown.counters_unnamed and counts(unknown).keys() == {"power-on hours", "temperature, °C"}
    assert not of_report("t36_micron_endurance_7.5_only.json").counters_unnamed
    page = list(drive_page("sda", unknown, judge(unknown)))
    assert page[1] == "    good: counters not judged (not in smartctl's database)"


@pytest.mark.parametrize(
    ("flags", "wear", "errors"), [({"valid": True}, 21, 5), ({}, 21, 5), ({"valid": False}, 86, None)]
)
def test_device_statistics_come_before_makers_attributes(flags: Any, wear: int, errors: int | None) -> None:
    pages = [
        {"number": 7, "table": [{"offset": 8, "value": 21, "flags": flags}, {"offset": 16, "value": 9}]},
        {"number": 6, "table": [{"offset": 24, "value": 5, "flags": flags}]},
    ]
    health = read({**smart.WORN_SATA, "ata_device_statistics": {"pages": pages}})
    assert (health.wear_percent, health.link_errors) == (wear, errors)


@pytest.mark.parametrize(
    ("raw", "timeouts"), [(0, 0), (5, 5), (0x0002_0002_0002, 2), (0x0000_0001_0004, 4), (0x0001_0000, 65536)]
)
def test_command_timeouts_are_packed_into_three_words(raw: int, timeouts: int) -> None:
    row = smart.attribute(188, "Command_Timeout", raw)
    assert read({**smart.SATA, "ata_smart_attributes": {"table": [row]}}).command_timeouts == timeouts


def test_a_sas_drive() -> None:
    health = read(smart.SAS)
    assert (health.protocol, health.model, health.firmware) == ("SCSI", "ACME SAS600", "S003")
    assert (health.grown_defects, health.uncorrected_reads, health.uncorrected_writes) == (260, 1, 535)
    assert (health.pending_sectors, health.link_errors, health.link_gbit_s) == (2, 5, 12)
    assert (health.throttle_c, health.critical_c) == (68, 68)
    assert health.failed_tests == (
        SelfTest(kind="Background long", result="Failed in second segment", at_hours=80_000),
    )
    assert words(read(smart.FAILING_SAS)) == "failing: HARDWARE IMPENDING FAILURE"


def test_a_sas_drives_environment_has_its_temperature_too() -> None:
    reports = {"scsi_environmental_reports": {"temperature_1": {"parameter_code": 0, "current": 40}}}
    assert read({**smart.SAS, "temperature": {}, **reports}).temperature_c == 40
    assert read({**smart.SAS, **reports}).temperature_c == 33


def test_nvme_drives_good_and_failing() -> None:
    good, bad = read(smart.NVME), read(smart.FAILING_NVME)
    assert (good.wear_percent, good.spare_percent, good.spare_least_percent) == (3, 100, 10)
    assert (good.throttle_c, good.critical_c, good.critical_warnings, good.failed_tests) == (83, 88, (), ())
    assert good.size_bytes == 3_200_631_791_616
    assert bad.critical_warnings == (smartctl.CRITICAL[0], smartctl.CRITICAL[2])
    assert (bad.wear_percent, bad.spare_percent, bad.media_errors) == (112, 4, 9)
    assert bad.failed_tests == (SelfTest(kind="Short", result="Completed: failed segments", at_hours=18_000),)


def test_behind_a_controller_the_type_says_which_drive_it_was() -> None:
    assert read(smart.BEHIND_MEGARAID).device_type == "sat+megaraid,9"
    assert smartctl.scanned(smart.said(smart.SCAN)) == [("/dev/bus/0", "megaraid,8"), ("/dev/bus/0", "megaraid,9")]
    odd = {"devices": [{"name": "/dev/bus/0; reboot", "type": "megaraid,8"}, {"name": "/dev/bus/0", "type": "-x"}, 4]}
    assert smartctl.scanned(smart.said(odd)) == []


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (smart.UNKNOWN_USB, "/dev/sde: Unknown USB bridge [0x152d:0x0578 (0x508)]"),
        (smart.ASLEEP, "Device is in STANDBY mode, exit(2)"),
    ],
)
def test_a_drive_that_told_nothing_says_why(document: object, message: str) -> None:
    health = read(document)
    assert not health.is_known and health.messages == (message,)
    assert counts_in_words(health) == {} and words(health) == ""


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"temperature": {"current": "34"}}, "temperature_c"),
        ({"temperature": {"current": 300}}, "temperature_c"),
        ({"temperature": 34}, "temperature_c"),
        ({"temperature": {"current": True}}, "temperature_c"),
        ({"power_on_time": {"hours": -1}}, "power_on_hours"),
        ({"power_on_time": [9]}, "power_on_hours"),
        ({"smart_status": {"passed": "no"}}, "passed"),
        ({"smart_status": 1}, "passed"),
        ({"interface_speed": {"current": {"units_per_second": 2**60, "bits_per_unit": 2**60}}}, "link_gbit_s"),
        ({"ata_smart_attributes": {"table": [{"id": 5}, 7, {"id": [5], "raw": {"value": 1}}]}}, "reallocated_sectors"),
        ({"ata_smart_attributes": {"table": {"id": 5}}}, "reallocated_sectors"),
    ],
)
def test_a_field_of_another_type_is_not_told_and_the_rest_is(change: dict[str, Any], field: str) -> None:
    health = read({**smart.SATA, **change})
    assert getattr(health, field) is None
    assert health.serial == "AC-0001"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "smartctl printed nothing where JSON was asked for"),
        ("smartctl: permission denied", "not JSON"),
        (smart.said(smart.SATA)[:400], "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "no object"),
        ("{}", "not smartctl JSON"),
        (controllers.said(controllers.SHOW), "not smartctl JSON"),
        ('{"critical_warning": 0, "temperature": 310}', "not smartctl JSON"),  # nvme-cli's own
    ],
)
def test_what_is_broken_or_another_programs_is_refused_in_a_sentence(text: str, why: str) -> None:
    with pytest.raises(SmartError, match=why) as refused:
        parse(text)
    assert len(str(refused.value)) < 400 and "\n" not in str(refused.value)


def test_what_a_drive_says_of_itself_cannot_steer_a_terminal() -> None:
    status = {"passed": False, "scsi": {"ie_string": "FAILURE\u001b[2J(FALSE)"}}
    health = read({**smart.SATA, "model_name": "A\u001b[31m\nB\u202e", "smart_status": status})
    assert (health.model, words(health)) == ("A[31mB", "failing: FAILURE[2J(FALSE)")


CAPABLE = {"ata_smart_data": {"capabilities": {"values": [83, 3]}}}
WITH_ERC = {"ata_sct_capabilities": {"value": 61, "error_recovery_control_supported": True}}
WITHOUT = {"ata_sct_capabilities": {"value": 53, "error_recovery_control_supported": False}}
OFF, AT_7_S = {"enabled": False}, {"enabled": True, "deciseconds": 70}


@pytest.mark.parametrize(
    ("protocol", "told", "recovery"),
    [
        ("ATA", CAPABLE | WITH_ERC | {"ata_sct_erc": {"read": OFF, "write": OFF}}, Recovery(erc="off")),
        ("ATA", {"ata_sct_erc": {"read": AT_7_S, "write": AT_7_S}}, Recovery(erc="on", read_s=7, write_s=7)),
        ("ATA", {"ata_sct_erc": {"read": AT_7_S, "write": OFF}}, Recovery(erc="on", read_s=7)),
        ("ATA", CAPABLE | WITH_ERC, Recovery(erc="supported")),  # its limits were not asked for
        ("ATA", CAPABLE | WITHOUT, Recovery(erc="none")),
        ("ATA", CAPABLE, Recovery(erc="none")),  # no SCT at all
        ("ATA", {}, Recovery()),  # its capabilities were not asked for
        ("ATA", {"ata_sct_erc": {"read": {"enabled": True}, "write": "7 s"}}, Recovery()),
        ("SCSI", {}, Recovery(erc="not applicable")),
        ("NVMe", {}, Recovery(erc="not applicable")),
        ("", {}, Recovery()),
    ],
)
def test_error_recovery_is_of_ata_and_what_was_not_told_is_not_checked(
    protocol: str, told: dict[str, Any], recovery: Recovery
) -> None:
    assert read({"smartctl": {}, "device": {"protocol": protocol}, **told}).recovery == recovery
