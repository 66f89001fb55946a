"""What speaks against a drive: each rule by the drive that shows it, and none by one that is good."""

from typing import Any

import msgspec
import pytest

from raidtui.core.disks.machine import Bus
from raidtui.core.hardware.drive import DriveHealth, SelfTest
from raidtui.core.hardware.judgement import RULES, DriveContext, Fitness, judge, why_shingled
from raidtui.core.hardware.smartctl import parse
from tests.builders import smart
from tests.builders.machines import CASES as CASES_OF_REPORTS

GOOD = parse(smart.said(smart.SATA))


def with_(**fields: Any) -> DriveHealth:
    return msgspec.structs.replace(GOOD, **fields)


REPLACE, WATCH = Fitness.REPLACE, Fitness.WATCH
CASES = (
    ({"passed": False}, REPLACE, "its own health check failed"),
    ({"passed": False, "failing": "SPINDLE"}, REPLACE, "its own health check failed: SPINDLE"),
    ({"failing_attributes": ("A", "B")}, REPLACE, "below its maker's threshold now: A, B"),
    ({"critical_warnings": ("its medium has become read-only",)}, REPLACE, "it warns: its medium has become read-only"),
    (
        {"failed_tests": (SelfTest(kind="Short", result="bad", at_hours=7), SelfTest(kind="Long", result="worse"))},
        REPLACE,
        "a self-test failed (Short at 7 h: bad, and 1 more)",
    ),
    (
        {"failed_tests": (SelfTest(kind="", result="bad", outdated=True),)},
        WATCH,
        "a self-test failed (of a kind not told: bad); an extended one passed later",
    ),
    ({"spare_percent": 9, "spare_least_percent": 10}, REPLACE,
     "9 % of its spare blocks are left, and its maker wants 10 %"),
    ({"wear_percent": 100}, REPLACE, "100 % of its rated endurance is used"),
    ({"wear_percent": 80}, WATCH, "80 % of its rated endurance is used"),
    ({"pending_sectors": 1}, WATCH, "sectors that wait to be read again (pending): 1"),
    ({"offline_uncorrectable": 2}, WATCH, "sectors that its own scan could not read: 2"),
    ({"uncorrectable_errors": 3}, WATCH, "errors that it could not correct: 3"),
    ({"reallocated_sectors": 4}, WATCH, "sectors replaced by spare ones (reallocated): 4"),
    ({"command_timeouts": 5}, WATCH, "commands that timed out (the drive, its cable or its power): 5"),
    ({"media_errors": 6}, WATCH, "media errors (data could not be read back right): 6"),
    ({"uncorrected_reads": 7}, WATCH, "reads that could not be corrected: 7"),
    ({"uncorrected_writes": 8}, WATCH, "writes that could not be corrected: 8"),
    ({"grown_defects": 9}, WATCH, "defects that have grown since it was made: 9"),
    ({"link_errors": 10}, WATCH, "errors on its link (cable, backplane or port): 10"),
    ({"exceeded_attributes": ("A",)}, WATCH, "beyond the limit of its age or use now: A"),
    ({"heat_warnings": ("A is beyond its limit",)}, WATCH, "hot: A is beyond its limit"),
    ({"temperature_c": 60.0}, WATCH, "60 °C: its limit is 60, beyond which it may slow itself down"),
    ({"temperature_c": 70.0, "throttle_c": None}, WATCH, "70 °C: its critical limit is 70"),
    ({"link_gbit_s": 3.0}, WATCH, "its link runs at 3 Gbit/s, and the drive could do 6"),
)  # fmt: skip


def test_a_good_drive_has_no_reason() -> None:
    judgement = judge(GOOD, DriveContext(batch=(GOOD, GOOD)))
    assert (judgement.fitness, judgement.reasons) == (Fitness.GOOD, ())


@pytest.mark.parametrize(("fields", "fitness", "text"), CASES)
def test_each_reason_alone(fields: dict[str, Any], fitness: Fitness, text: str) -> None:
    judgement = judge(with_(**fields))
    assert [(reason.fitness, reason.words) for reason in judgement.reasons] == [(fitness, text)]
    assert judgement.fitness is fitness and judgement.reasons[0].source


@pytest.mark.parametrize(
    "fields",
    [
        {"wear_percent": 79},
        {"spare_percent": 10, "spare_least_percent": 10},
        {"temperature_c": 59.0},
        {"temperature_c": 99.0, "throttle_c": None, "critical_c": None},
        {"link_best_gbit_s": None, "link_gbit_s": 1.5},
        {"reallocated_sectors": None},
    ],
)
def test_below_its_threshold_or_without_one_nothing_is_said(fields: dict[str, Any]) -> None:
    assert judge(with_(**fields)).reasons == ()


def test_of_a_drive_that_told_nothing_nothing_is_claimed() -> None:
    assert judge(parse(smart.said(smart.UNKNOWN_USB))).fitness is Fitness.UNKNOWN


def test_the_worst_reason_counts() -> None:
    judgement = judge(parse(smart.said(smart.FAILING_SATA)))
    assert judgement.fitness is REPLACE
    assert {WATCH, REPLACE} == {reason.fitness for reason in judgement.reasons}


@pytest.mark.parametrize(
    ("firmware", "others", "text"),
    [
        ("A1", ["A2", "A2"], "its firmware is A1; 2 other drives of this model have A2"),
        ("A1", ["A2"], "its firmware is A1; 1 other drive of this model has A2"),
        ("A1", ["A1", "A2"], ""),
        ("A1", ["A1"], ""),
        ("", ["A2"], ""),
    ],
)
def test_firmware_is_compared_within_a_model(firmware: str, others: list[str], text: str) -> None:
    one = with_(firmware=firmware)
    batch = (one, *(with_(firmware=other) for other in others), with_(model="another", firmware="Z"))
    assert "".join(reason.words for reason in judge(one, DriveContext(batch=batch)).reasons) == text


@pytest.mark.parametrize(("best", "many"), [("16.0 GT/s PCIe", 1), ("8.0 GT/s PCIe", 0), ("", 0)])
def test_an_nvme_drives_link_is_told_by_sysfs(best: str, many: int) -> None:
    bus = Bus(kind="pcie", name="0000:03:00.0", speed="8.0 GT/s PCIe", width=4, best_speed=best, best_width=4)
    reasons = judge(parse(smart.said(smart.NVME)), DriveContext(links=(bus,))).reasons
    assert len(reasons) == many
    assert all(
        reason.words.endswith("PCIe link 0000:03:00.0 (8.0 GT/s x4, could be 16.0 GT/s x4)") for reason in reasons
    )


def test_each_rule_is_shown_by_a_case() -> None:
    shown = {rule.words for rule in RULES for fields, _, _ in CASES if rule.words(with_(**fields), DriveContext())}
    without = [rule.words.__name__ for rule in RULES if rule.words not in shown]
    assert sorted(without) == ["_firmware", "_shingled", "sectors", "sectors"]  # they have tests of their own


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("pending_sectors", "sectors that wait to be read again (pending): 8"),
        ("offline_uncorrectable", "sectors that its own scan could not read: 8"),
    ],
)
def test_nothing_is_built_on_sectors_that_cannot_be_read(field: str, text: str) -> None:
    """A drive at work is watched, one that may be built on is replaced before."""
    health = with_(**{field: 8})
    found = judge(health, DriveContext(is_free=True))
    assert [reason.words for reason in found.reasons] == [f"{text}; replace it before building"]
    assert (found.fitness, judge(health).fitness) == (REPLACE, WATCH)


def of_case(name: str) -> DriveHealth:
    return parse((CASES_OF_REPORTS / name).read_text())


def test_heat_is_a_reason_to_watch() -> None:
    judgement = judge(of_case("s01_airflow_failing_now.json"))
    assert [(reason.fitness, reason.words) for reason in judgement.reasons] == [
        (WATCH, "hot: Airflow_Temperature_Cel is beyond its limit")
    ]


def test_numbers_of_a_flash_drive_that_no_database_knows_are_not_counts() -> None:
    health = of_case("s05_198_unknown_ssd.json")
    assert (health.offline_uncorrectable, health.reallocated_sectors) == (None, None)
    assert judge(health, DriveContext(is_free=True)).fitness is Fitness.GOOD


@pytest.mark.parametrize(
    ("name", "fitness", "reasons"),
    [
        ("t01_micron_197_ecc_cnt.json", Fitness.GOOD, []),
        ("t36_micron_endurance_7.5_only.json", WATCH, ["94 % of its rated endurance is used"]),
        ("t31_dc600m_unknown.json", Fitness.GOOD, []),
    ],
)
def test_drives_of_public_reports(name: str, fitness: Fitness, reasons: list[str]) -> None:
    judgement = judge(of_case(name))
    assert (judgement.fitness, [reason.words for reason in judgement.reasons]) == (fitness, reasons)


@pytest.mark.parametrize(
    ("row", "wear", "fitness"),
    [
        # github.com/Napsty/check_smart/issues/96: Kingston drives that failed, and their like that did not
        (smart.attribute(169, "Remaining_Lifetime_Perc", 0, value=0), 100, REPLACE),
        (smart.attribute(169, "Remaining_Lifetime_Perc", 93, value=93), 7, Fitness.GOOD),
        # github.com/v-zhuravlev/zbx-smartctl/issues/148: a new WD Blue
        (smart.attribute(230, "Media_Wearout_Indicator", 0x0100_0014_0100, value=1), None, Fitness.GOOD),
        # github.com/smartmontools/smartmontools/issues/48: MX500, for an hour
        (smart.attribute(197, "Current_Pending_ECC_Cnt", 1), None, Fitness.GOOD),
    ],
)
def test_attributes_of_public_reports(row: dict[str, Any], wear: int | None, fitness: Fitness) -> None:
    health = parse(smart.said({**smart.WORN_SATA, "ata_smart_attributes": {"table": [row]}}))
    assert (health.wear_percent, judge(health, DriveContext(is_free=True)).fitness) == (wear, fitness)


@pytest.mark.parametrize(
    ("bits", "passed", "words"),
    [
        (2, True, ["hot: its temperature is beyond a threshold"]),
        (6, False, [
            "its own health check failed",
            "it warns: its reliability is degraded by media or internal errors",
            "hot: its temperature is beyond a threshold",
        ]),
    ],
)  # fmt: skip
def test_nvme_warns_of_heat_by_a_bit_of_its_own(bits: int, passed: bool, words: list[str]) -> None:
    """smartctl's verdict is failed where any bit is set; --health alone has them below smart_status."""
    status = {"smart_status": {"passed": False, "nvme": {"value": bits}}}
    log = {**smart.NVME["nvme_smart_health_information_log"], "critical_warning": bits}
    health = parse(smart.said({**smart.NVME, **status, "nvme_smart_health_information_log": log}))
    assert (health.passed, [reason.words for reason in judge(health).reasons]) == (passed, words)
    alone = parse(smart.said({"smartctl": {}, "device": {"protocol": "NVMe"}, **status}))
    assert (alone.passed, bool(alone.heat_warnings)) == (passed, True)


@pytest.mark.parametrize(("asc", "ascq", "fitness"), [(0x0B, 1, WATCH), (0x5D, 0x10, REPLACE)])
def test_scsi_warns_of_heat_by_a_code_of_its_own(asc: int, ascq: int, fitness: Fitness) -> None:
    status = {"passed": False, "scsi": {"asc": asc, "ascq": ascq, "ie_string": "WORDS"}}
    document = {"smartctl": {}, "device": {"protocol": "SCSI"}, "smart_status": status}
    assert judge(parse(smart.said(document))).fitness is fitness


@pytest.mark.parametrize(("prefailure", "fitness"), [(True, REPLACE), (False, WATCH), (None, REPLACE)])
def test_only_attributes_that_foretell_a_failure_are_a_reason_to_replace(
    prefailure: bool | None, fitness: Fitness
) -> None:
    row = smart.attribute(10, "Spin_Retry_Count", 9, value=50, thresh=97, failed="now")
    flags = {} if prefailure is None else {"flags": {"prefailure": prefailure}}
    health = parse(smart.said({**smart.SATA, "ata_smart_attributes": {"table": [row | flags]}}))
    assert judge(health).fitness is fitness


@pytest.mark.parametrize(
    ("number", "name", "field", "count"),
    [
        (198, "Host_Reads_GiB", "offline_uncorrectable", None),
        (197, "Current_Pending_ECC_Cnt", "pending_sectors", None),  # Crucial, Micron: no sectors
        (197, "Pending_Sector_Count", "pending_sectors", 7),
        (187, "Reported_UE_Counts", "uncorrectable_errors", 7),
        (198, "Uncor_Read_Error_Ct", "offline_uncorrectable", 7),
        (198, "Offline_UErr_Media_Scan", "offline_uncorrectable", 7),  # Micron
        (187, "Uncorrectable_Error_Cnt", "uncorrectable_errors", 7),  # Samsung
        (5, "Retired_Block_Count", "reallocated_sectors", 7),  # SandForce
        (5, "Unknown_Attribute", "reallocated_sectors", None),
        (199, "CRC_Error_Count", "link_errors", 7),
        (188, "Max_Erase_Count", "command_timeouts", None),
    ],
)
def test_the_name_in_the_database_wins_over_the_number(number: int, name: str, field: str, count: int | None) -> None:
    table = {"table": [smart.attribute(number, name, 7)]}
    health = parse(smart.said({**smart.WORN_SATA, "ata_smart_attributes": table}))
    assert getattr(health, field) == count


@pytest.mark.parametrize(
    ("model", "rpm", "trim", "zoned", "begins"),
    [
        ("ACME", 7200, False, "host-aware", "it is zoned"),
        ("ACME", 7200, None, "host-managed", "it is zoned"),
        ("WDC WD40EFAX-68JH4N0", 5400, True, "none", "so its maker says of this model (Western Digital"),
        ("ST8000DM004-2CX188", 5425, None, "", "so its maker says of this model (Seagate"),
        ("TOSHIBA HDWD260", 5400, None, "", "so its maker says of this model (Toshiba"),
        ("ACME", 5400, True, "none", "it rotates and takes TRIM"),
        ("ACME", 5400, False, "none", ""),
        ("WDC WD40EFRX-68N32N0", 5400, False, "", ""),
        ("ACME", 0, True, "none", ""),
        ("ACME", None, True, "", ""),
    ],
)
def test_why_a_drive_is_taken_to_be_shingled(
    model: str, rpm: int | None, trim: bool | None, zoned: str, begins: str
) -> None:
    health = DriveHealth(model=model, rotation_rpm=rpm, trim=trim)
    why = why_shingled(health, zoned)
    assert why.startswith(begins) and bool(why) == bool(begins)
    assert (judge(health, DriveContext(zoned=zoned)).fitness is Fitness.WATCH) == bool(begins)
