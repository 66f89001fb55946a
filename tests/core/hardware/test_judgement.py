"""What speaks against a drive: each rule by the drive that shows it, and none by one that is good."""

from typing import Any

import msgspec
import pytest

from raidtui.core.disks.machine import Bus
from raidtui.core.hardware.drive import DriveHealth, SelfTest
from raidtui.core.hardware.judgement import RULES, DriveContext, Fitness, judge
from raidtui.core.hardware.smartctl import parse
from tests.builders import smart

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
    assert judge(parse(smart.said(smart.UNKNOWN_USB))).fitness is Fitness.NOT_TOLD


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
    assert sorted(without) == ["_firmware", "_shingled"]  # they have tests of their own
