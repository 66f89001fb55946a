"""A drive's reported health; unknown: None, "", empty. Read by `smartctl`, judged by `judgement`."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from raidtui.core.disks.drive import Recovery

Protocol = Literal["ATA", "NVMe", "SCSI", ""]


class SelfTest(msgspec.Struct, frozen=True, kw_only=True):
    """A failed self-test. `outdated`: a later extended one passed. `at_hours`: power-on hours."""

    kind: str
    result: str
    at_hours: int | None = None
    outdated: bool = False


class DriveHealth(msgspec.Struct, frozen=True, kw_only=True):
    """Counts over the drive's life unless stated. `passed`: own verdict, `failing`: its words. `rotation_rpm` 0: flash.
    `uncorrectable_errors`: reported to the host; `offline_uncorrectable`: found by the drive's own scan.
    `units_written`: 512,000 bytes each. `wear_percent`: of rated endurance, may exceed 100. `failing_attributes`: below
    the maker's threshold now, predict failure; `exceeded_attributes`: same, of age and usage. `heat_warnings`: of heat
    only; `passed` is True if there are no others. °C: `throttle_c`: throttles, or maker's limit; `critical_c`: stops or
    is damaged. `counters_unnamed`: smartctl does not know the drive, so its counters are not judged. `messages`:
    smartctl's.
    """

    protocol: Protocol = ""
    device_type: str = ""
    model: str = ""
    serial: str = ""
    firmware: str = ""
    size_bytes: int | None = None
    rotation_rpm: int | None = None
    trim: bool | None = None
    passed: bool | None = None
    failing: str = ""
    failing_attributes: tuple[str, ...] = ()
    exceeded_attributes: tuple[str, ...] = ()
    heat_warnings: tuple[str, ...] = ()
    critical_warnings: tuple[str, ...] = ()
    power_on_hours: int | None = None
    reallocated_sectors: int | None = None
    pending_sectors: int | None = None
    offline_uncorrectable: int | None = None
    uncorrectable_errors: int | None = None
    units_written: int | None = None
    command_timeouts: int | None = None
    link_errors: int | None = None
    media_errors: int | None = None
    grown_defects: int | None = None
    uncorrected_reads: int | None = None
    uncorrected_writes: int | None = None
    wear_percent: int | None = None
    spare_percent: int | None = None
    spare_least_percent: int | None = None
    temperature_c: float | None = None
    throttle_c: float | None = None
    critical_c: float | None = None
    link_gbit_s: float | None = None
    link_best_gbit_s: float | None = None
    failed_tests: tuple[SelfTest, ...] = ()
    counters_unnamed: bool = False
    recovery: Recovery = Recovery()
    messages: tuple[str, ...] = ()

    @property
    def is_known(self) -> bool:
        return self.passed is not None or self.power_on_hours is not None or bool(counts(self))


# A count's name in journals, reports and on a drive's page -> its field. The names stand in journals: they stay.
COUNTS = (
    ("power-on hours", "power_on_hours"),
    ("reallocated sectors", "reallocated_sectors"),
    ("pending sectors", "pending_sectors"),
    ("offline uncorrectable", "offline_uncorrectable"),
    ("uncorrectable errors", "uncorrectable_errors"),
    ("command time-outs", "command_timeouts"),
    ("link errors", "link_errors"),
    ("written by hosts, units of 512,000 bytes", "units_written"),
    ("media errors", "media_errors"),
    ("grown defects", "grown_defects"),
    ("uncorrected reads", "uncorrected_reads"),
    ("uncorrected writes", "uncorrected_writes"),
    ("used, %", "wear_percent"),
    ("spare, %", "spare_percent"),
    ("temperature, °C", "temperature_c"),
)


def counts(health: DriveHealth) -> dict[str, float]:
    return {name: value for name, field in COUNTS if (value := getattr(health, field)) is not None}


def words(health: DriveHealth) -> str:
    """ "passed", or "failing" with the drive's words; "" if unknown."""
    if health.passed is None:
        return ""
    return "passed" if health.passed else f"failing: {health.failing}" if health.failing else "failing"


def of_counts(counts: Mapping[str, float | str]) -> DriveHealth:
    """Inverse of `counts_in_words`: verdict and counts only."""
    verdict = counts.get("health")
    values = {
        field: value if field == "temperature_c" else int(value)
        for name, field in COUNTS
        if isinstance(value := counts.get(name), int | float)
    }
    failing = str(verdict or "").partition(": ")[2]
    passed = None if verdict is None else verdict == "passed"
    return msgspec.convert({**values, "passed": passed, "failing": failing}, DriveHealth)


def counts_in_words(health: DriveHealth) -> dict[str, float | str]:
    """For a journal: `health` and the counts; {} if unknown."""
    return {**({"health": verdict} if (verdict := words(health)) else {}), **counts(health)}
