"""Temperatures as the kernel and smartctl tell them. Made by hand after their documents: no disk here tells one."""

import json
from pathlib import Path

import pytest

from raidtui.system import health
from raidtui.system.health import Celsius
from raidtui.system.process import Done, ProcessError


def hwmon(sysfs: Path, name: str, folder: str, **files: str) -> None:
    place = sysfs / "block" / name / "device" / folder
    place.mkdir(parents=True)
    for file, text in files.items():
        (place / file).write_text(f"{text}\n")


def test_the_kernels_drivers_are_asked_first(tmp_path: Path) -> None:
    hwmon(tmp_path, "nvme0n1", "hwmon3", temp1_input="41850", temp1_max="83850")
    hwmon(tmp_path, "sda", "hwmon/hwmon1", temp1_input="33000")
    hwmon(tmp_path, "sdb", "hwmon/hwmon2", temp1_input="")
    hwmon(tmp_path, "sdc", "hwmon/hwmon3", temp1_input="-3000")
    hwmon(tmp_path, "sdd", "hwmon/hwmon4", temp1_input="-999000")
    told = {name: health._of_kernel(tmp_path / "block" / name / "device") for name in ("sdc", "sdd")}
    assert told == {"sdc": Celsius(-3.0, None), "sdd": None}
    found = health.temperatures(["nvme0n1", "sda"], tmp_path)
    assert found == {"nvme0n1": Celsius(41.85, 83.85), "sda": Celsius(33.0, None)}


@pytest.mark.parametrize(
    ("said", "celsius"),
    [
        ({"temperature": {"current": 34}}, Celsius(34)),
        ({"temperature": {"current": 34, "drive_trip": 65}}, Celsius(34, 65, 65)),
        ({"temperature": {"current": 34, "op_limit_max": 60, "limit_max": 70}}, Celsius(34, 60, 70)),
        ({"temperature": {"current": 34, "op_limit_max": 60}}, Celsius(34, 60)),
        ({"temperature": {"current": 51}, "nvme_composite_temperature_threshold": {"warning": 84}}, Celsius(51, 84)),
        ({"temperature": {"current": "34"}}, None),
        ({"temperature": {"current": True}}, None),
        ({"temperature": 34}, None),
        ({"smart_status": {"passed": True}}, None),
        ([], None),
    ],
)
def test_smartctls_json(said: object, celsius: Celsius | None) -> None:
    assert health.read_temperature(json.dumps(said)) == celsius


@pytest.mark.parametrize("text", ["", "{", "[" * 9999, "no such disk"])
def test_no_json_is_no_temperature(text: str) -> None:
    assert health.read_temperature(text) is None


def test_a_disk_that_told_none_is_not_asked_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[str] = []

    def ask(name: str) -> Celsius | None:
        asked.append(name)
        return Celsius(30) if name == "sdy" else None

    monkeypatch.setattr(health, "_ask_temperature", ask)
    monkeypatch.setattr(health, "_tells_none", set())
    monkeypatch.setattr(health, "which", lambda name: "/usr/sbin/smartctl")
    for _ in range(2):
        assert health.temperatures(["sdx", "sdy"], tmp_path) == {"sdy": Celsius(30)}
    assert sorted(asked) == ["sdx", "sdy", "sdy"]


@pytest.mark.parametrize(
    ("said", "counts"),
    [
        (
            {
                "smart_status": {"passed": True},
                "power_on_time": {"hours": 9120},
                "temperature": {"current": 31},
                "ata_smart_attributes": {
                    "table": [
                        {"id": 5, "name": "Reallocated_Sector_Ct", "raw": {"value": 8, "string": "8"}},
                        {"id": 9, "name": "Power_On_Hours", "raw": {"value": 9120}},
                        {"id": 199, "name": "UDMA_CRC_Error_Count", "raw": {"value": 0}},
                    ]
                },
            },
            {
                "health": "passed",
                "reallocated sectors": 8,
                "link errors": 0,
                "power-on hours": 9120,
                "temperature, °C": 31,
            },
        ),
        (
            {"nvme_smart_health_information_log": {"media_errors": 2, "percentage_used": 7}},
            {"media errors": 2, "used, %": 7},
        ),
        (
            {
                "scsi_grown_defect_list": 3,
                "scsi_error_counter_log": {"read": {"total_uncorrected_errors": 1}, "write": None},
            },
            {"grown defects": 3, "uncorrected reads": 1},
        ),
        ({"ata_smart_attributes": {"table": [{"id": 5}, 7, {"id": [5], "raw": {"value": 1}}]}}, {}),
        ({"scsi_grown_defect_list": True}, {}),
        ([], {}),
    ],
)
def test_what_smart_counts(said: object, counts: dict[str, object]) -> None:
    assert health.read_counts(json.dumps(said)) == counts


def test_without_smartctl_nobody_is_asked_and_the_reason_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "which", lambda name: None)
    assert health.counts(["sda"]) == {}
    assert "not installed" in health.why_nothing()


# smartctl 7.3 --json --health of scsi_debug, cut: as it comes, and told to fail (TEST bit of its mode page 1Ch)
PASSED = '{"smartctl": {"exit_status": 0}, "device": {"protocol": "SCSI"}, "smart_status": {"passed": true}}'


FAILED_SCSI = (
    '{"smartctl": {"exit_status": 8}, "smart_status": {"passed": false, "scsi": {"asc": 93, "ascq": 255,'
    ' "ie_string": "FAILURE PREDICTION THRESHOLD EXCEEDED (FALSE)"}}}'
)


# by hand: ATA and NVMe give no words
FAILED = '{"smartctl": {"exit_status": 8}, "smart_status": {"passed": false, "nvme": {"value": 4}}}'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (PASSED, "passed"),
        (FAILED, "failing"),
        (FAILED_SCSI, "failing: FAILURE PREDICTION THRESHOLD EXCEEDED (FALSE)"),
        (FAILED_SCSI.replace(" (", "\\u001b[2J("), "failing: FAILURE PREDICTION THRESHOLD EXCEEDED[2J(FALSE)"),
        ('{"smartctl": {"exit_status": 2}}', ""),  # asleep, or not a disk that has any
        ('{"smart_status": {"passed": "no"}}', ""),
        ('{"smart_status": {"passed": false, "scsi": [1]}}', "failing"),
        ('{"smart_status": 1}', ""),
        ("[]", ""),
        ("", ""),
        ("smartctl: permission denied", ""),
        ("[" * 100_000, ""),
    ],
)
def test_health_as_smartctl_tells_it(text: str, told: str) -> None:
    assert health.read(text) == told


def test_each_disk_is_asked_once_and_a_new_one_under_an_old_name_again(monkeypatch: pytest.MonkeyPatch) -> None:
    commands = []

    def run(argv: tuple[str, ...], timeout_s: float) -> Done:
        commands.append(argv)
        if argv[-1] == "/dev/sdc":
            raise ProcessError("smartctl did not answer")
        return Done(returncode=8, stdout=FAILED if argv[-1] == "/dev/sdb" else PASSED, stderr="")

    monkeypatch.setattr(health, "run", run)
    monkeypatch.setattr(health, "_told", {})
    monkeypatch.setattr(health, "which", lambda *_, **__: "/usr/sbin/smartctl")
    for _ in range(3):
        assert health.ask({"sda": "1", "sdb": "2", "sdc": "3"}) == {"sda": "passed", "sdb": "failing"}
    assert len(commands) == 3
    assert "--nocheck=standby" in commands[0]
    health.ask({"sda": "9"})
    assert len(commands) == 4


def test_without_smartctl_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "which", lambda *_, **__: None)
    assert health.ask({"sda": "1"}) == {}
