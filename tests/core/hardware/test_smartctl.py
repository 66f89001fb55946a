"""smartctl's JSON that is broken or another program's, lists of drives; what drives tell is in `drives.toml`."""

import pytest

from raidtui.core.hardware import smartctl
from raidtui.core.hardware.drive import DriveHealth, counts, judge
from raidtui.core.hardware.pages import drive_page
from raidtui.core.hardware.smartctl import SmartError, parse
from tests.builders import controllers, smart
from tests.builders.machines import CASES


def read(document: object) -> DriveHealth:
    return parse(smart.said(document))


def of_report(name: str) -> DriveHealth:
    return parse((CASES / name).read_text())


def test_counters_of_a_drive_that_smartctl_does_not_know_are_not_judged() -> None:
    unknown = of_report("t31_dc600m_unknown.json")
    assert unknown.counters_unnamed and counts(unknown).keys() == {"power-on hours", "temperature, °C"}
    assert not of_report("t36_micron_endurance_7.5_only.json").counters_unnamed
    page = list(drive_page("sda", unknown, judge(unknown)))
    assert page[1] == "    good: counters not judged (not in smartctl's database)"


def test_behind_a_controller_the_type_says_which_drive_it_was() -> None:
    assert read(smart.BEHIND_MEGARAID).device_type == "sat+megaraid,9"
    assert smartctl.scanned(smart.said(smart.SCAN)) == [("/dev/bus/0", "megaraid,8"), ("/dev/bus/0", "megaraid,9")]
    odd = {"devices": [{"name": "/dev/bus/0; reboot", "type": "megaraid,8"}, {"name": "/dev/bus/0", "type": "-x"}, 4]}
    assert smartctl.scanned(smart.said(odd)) == []


@pytest.mark.parametrize(
    "text, why",
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


@pytest.mark.parametrize(
    "bits, passed, words",
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
    """smartctl's verdict is failed where any bit is set."""
    status = {"smart_status": {"passed": False, "nvme": {"value": bits}}}
    log = {**smart.NVME["nvme_smart_health_information_log"], "critical_warning": bits}
    health = parse(smart.said({**smart.NVME, **status, "nvme_smart_health_information_log": log}))
    assert (health.passed, [reason.words for reason in judge(health).reasons]) == (passed, words)
