"""What smartctl is asked for a drive's own test, and what its exit status means."""

import json
from collections.abc import Sequence

import pytest

from raidtui.core.hardware.smartctl import SelfTestStatus
from raidtui.system.hardware import smartctl
from raidtui.system.process import Done

RUNS = {"ata_smart_data": {"self_test": {"status": {"value": 249, "remaining_percent": 90}}}}
MESSAGES = {"smartctl": {"messages": [{"string": "Self-tests not supported"}]}}


@pytest.mark.parametrize(
    "status, printed, why_not",
    [
        (0, "{}", ""),
        (64, "{}", ""),  # its log has errors of before
        (4, json.dumps(MESSAGES), "Self-tests not supported"),
        (4, "{}", "the disk has no such test"),
        (2, "", "smartctl printed nothing where JSON was asked for"),
    ],
)
def test_it_is_begun_or_why_not(status: int, printed: str, why_not: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Sequence[str]] = []

    def run(argv: Sequence[str], timeout_s: float) -> Done:
        asked.append(argv)
        return Done(status, printed, "")

    monkeypatch.setattr(smartctl, "which", lambda name: "/usr/sbin/smartctl")
    monkeypatch.setattr(smartctl, "run", run)
    assert smartctl.begin_self_test("sda", "long") == why_not
    assert asked == [("smartctl", "--json", "--test=long", "/dev/sda")]


def test_without_smartctl_none_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smartctl, "which", lambda name: None)
    assert "not installed" in smartctl.begin_self_test("sda", "short")


def test_a_disk_that_tells_nothing_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(argv: Sequence[str], timeout_s: float) -> Done:
        return Done(0, json.dumps(RUNS) if argv[-1] == "/dev/sda" else "{}", "")

    monkeypatch.setattr(smartctl, "run", run)
    assert smartctl.self_test_statuses(["sda", "sdb"]) == {"sda": SelfTestStatus(runs=True, left_percent=90)}
