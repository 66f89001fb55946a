"""Temperatures as the kernel and smartctl tell them. Made by hand after their documents: no disk here tells one."""

import json
from pathlib import Path

import pytest

from raidtui.system import health
from raidtui.system.health import Celsius
from raidtui.system.process import Done, ProcessError
from tests.builders import smart


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


def test_a_disk_that_told_none_is_not_asked_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[str] = []

    def run(argv: tuple[str, ...], timeout_s: float) -> Done:
        asked.append(argv[-1].removeprefix("/dev/"))
        told = {"smartctl": {}, "temperature": {"current": 30, "op_limit_max": 60} if argv[-1] == "/dev/sdy" else {}}
        return Done(returncode=0, stdout=json.dumps(told), stderr="")

    monkeypatch.setattr(health, "run", run)
    monkeypatch.setattr(health, "_without_temperature", set())
    monkeypatch.setattr(health, "which", lambda name: "/usr/sbin/smartctl")
    for _ in range(2):
        assert health.temperatures(["sdx", "sdy"], tmp_path) == {"sdy": Celsius(30, 60)}
    assert sorted(asked) == ["sdx", "sdy", "sdy"]


def test_without_smartctl_nobody_is_asked_and_the_reason_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "which", lambda name: None)
    assert health.counts(["sda"]) == {}
    assert "not installed" in health.why_nothing()


# smartctl 7.3 --json --health of scsi_debug, cut: as it comes, and told to fail (TEST bit of its mode page 1Ch)
PASSED = '{"smartctl": {"exit_status": 0}, "device": {"protocol": "SCSI"}, "smart_status": {"passed": true}}'


# by hand: ATA and NVMe give no words
FAILED = '{"smartctl": {"exit_status": 8}, "smart_status": {"passed": false, "nvme": {"value": 4}}}'


def test_each_disk_is_asked_once_and_a_new_one_under_an_old_name_again(monkeypatch: pytest.MonkeyPatch) -> None:
    commands = []

    def run(argv: tuple[str, ...], timeout_s: float) -> Done:
        commands.append(argv)
        if argv[-1] == "/dev/sdc":
            raise ProcessError("smartctl did not answer")
        return Done(returncode=8, stdout=FAILED if argv[-1] == "/dev/sdb" else PASSED, stderr="")

    monkeypatch.setattr(health, "run", run)
    monkeypatch.setattr(health, "_answers", {})
    monkeypatch.setattr(health, "which", lambda *_, **__: "/usr/sbin/smartctl")
    for _ in range(3):
        assert health.ask({"sda": "1", "sdb": "2", "sdc": "3"}) == {
            "sda": {"health": "passed", "erc": "not applicable"},
            "sdb": {"health": "failing"},
        }
    assert len(commands) == 3
    assert "--nocheck=standby" in commands[0]
    health.ask({"sda": "9"})
    assert len(commands) == 4


def test_without_smartctl_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "which", lambda *_, **__: None)
    assert health.ask({"sda": "1"}) == {}


class Smartctl:
    """A smartctl that knows drives by path and device type; of others it knows nothing."""

    def __init__(self, drives: dict[tuple[str, str], object]) -> None:
        self.drives = drives
        self.asked: list[tuple[str, str]] = []

    def run(self, argv: tuple[str, ...], timeout_s: float) -> Done:
        if "--scan" in argv:
            return Done(returncode=0, stdout=smart.said(self.drives[("", "scan")]), stderr="")
        device_type = next((word.removeprefix("--device=") for word in argv if word.startswith("--device=")), "")
        self.asked.append((argv[-1], device_type))
        told = self.drives.get((argv[-1], device_type), smart.UNKNOWN_USB)
        return Done(returncode=0, stdout=smart.said(told), stderr="")


def asked_of(monkeypatch: pytest.MonkeyPatch, drives: dict[tuple[str, str], object]) -> Smartctl:
    smartctl = Smartctl(drives)
    monkeypatch.setattr(health, "run", smartctl.run)
    return smartctl


def test_a_usb_box_is_guessed_at_only_where_smartctl_does_not_know_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Never with a maker's own command, nor where the drive sleeps."""
    known = {"smartctl": {"messages": [{"string": "Read Device Identity failed: scsi error unsupported field"}]}}
    smartctl = asked_of(
        monkeypatch,
        {
            ("/dev/sda", ""): smart.SAS,
            ("/dev/sdd", "sat,12"): smart.SATA,
            ("/dev/sde", "usbjmicron"): smart.SATA,
            ("/dev/sdf", ""): smart.ASLEEP,
            ("/dev/sdg", ""): known,
            ("/dev/sdh", "sat"): smart.ASLEEP,
        },
    )
    disks = {f"/dev/sd{letter}": "usb" for letter in "defgh"} | {"/dev/sda": "sas", "/dev/sdb": "sas"}
    found = health.whole(disks)
    tried = {path: [device_type for asked, device_type in smartctl.asked if asked == path] for path in disks}
    assert tried == {
        "/dev/sda": [""],
        "/dev/sdb": [""],
        "/dev/sdd": ["", "sat", "sat,12"],
        "/dev/sde": ["", "sat", "sat,12"],
        "/dev/sdf": [""],
        "/dev/sdg": [""],
        "/dev/sdh": ["", "sat"],
    }
    assert (found["/dev/sdd"].device_type, found["/dev/sdd"].health.serial) == ("sat,12", "AC-0001")
    assert (
        "Unknown USB bridge [0x152d:0x0578 (0x508)]; `smartctl -d TYPE /dev/sde` by hand" in found["/dev/sde"].why_not
    )
    assert "sntjmicron" in found["/dev/sde"].why_not
    assert "by hand" not in found["/dev/sdb"].why_not + found["/dev/sdg"].why_not
    assert "STANDBY" in found["/dev/sdf"].why_not and "STANDBY" in found["/dev/sdh"].why_not
    assert found["/dev/sda"].device_type == "scsi"


def test_drives_behind_megaraid_are_those_of_smartctls_own_scan(monkeypatch: pytest.MonkeyPatch) -> None:
    asked_of(monkeypatch, {("", "scan"): smart.SCAN, ("/dev/bus/0", "megaraid,9"): smart.BEHIND_MEGARAID})
    first, second = health.behind_controllers()
    assert (first.device_type, first.health.is_known, bool(first.why_not)) == ("megaraid,8", False, True)
    assert (second.device_type, second.health.serial, second.why_not) == ("megaraid,9", "AC-0009", "")


def test_a_smartctl_that_prints_something_else_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "run", lambda argv, timeout_s: Done(returncode=1, stdout="Segfault", stderr=""))
    monkeypatch.setattr(health, "which", lambda name: "/usr/sbin/smartctl")
    assert health.behind_controllers() == [] and health.counts(["sda"]) == {}
    assert health.whole({"/dev/sda": "sata"})["/dev/sda"].why_not.startswith("what smartctl printed is not JSON")


def test_what_is_counted_before_and_after_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    asked_of(monkeypatch, {("/dev/nvme0n1", ""): smart.NVME})
    monkeypatch.setattr(health, "which", lambda name: "/usr/sbin/smartctl")
    assert health.counts(["nvme0n1", "sdb"]) == {
        "nvme0n1": {
            "health": "passed", "power-on hours": 18376, "media errors": 0, "used, %": 3, "spare, %": 100,
            "temperature, °C": 40,
        }
    }  # fmt: skip
