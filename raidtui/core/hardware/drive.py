"""A drive's reported health; unknown: None, "", empty. Read by `smartctl`, judged by `judge`.

Suitability of a drive: one table of reasons against it, with thresholds and sources. Good if it reported something
and no rule applies; unknown drives are not judged.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Literal

import msgspec

from raidtui.core.disks.buses import is_slowed, title
from raidtui.core.disks.drive import Recovery
from raidtui.core.disks.machine import Bus

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


def verdict_words(health: DriveHealth) -> str:
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
    return {**({"health": verdict} if (verdict := verdict_words(health)) else {}), **counts(health)}


class Fitness(StrEnum):
    """`REPLACE`: by the drive or its maker. `WATCH`: works, needs attention."""

    GOOD = "good"
    WATCH = "watch"
    REPLACE = "replace"
    UNKNOWN = "not told"


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """`source`: of the threshold."""

    fitness: Fitness
    words: str
    source: str


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    fitness: Fitness
    reasons: tuple[Reason, ...] = ()


class Drive(msgspec.Struct, frozen=True, kw_only=True):
    """`name`: kernel name, or `megaraid,8` behind a controller (`id` is "")."""

    name: str
    title: str
    id: str = ""
    health: DriveHealth
    judgement: Judgement
    why_not: str = ""


class DriveContext(msgspec.Struct, frozen=True, kw_only=True):
    """`zoned`: queue/zoned; `batch`: drives of its batch, itself included; `links`: from sysfs, if the drive does not
    report its link (NVMe); `is_free`: unused here.
    """

    zoned: str = ""
    batch: tuple[DriveHealth, ...] = ()
    links: tuple[Bus, ...] = ()
    is_free: bool = False


class HealthRule(msgspec.Struct, frozen=True):
    fitness: Fitness
    words: Callable[[DriveHealth, DriveContext], str]
    source: str


_WORN_PERCENT = 80
_WORN_OUT_PERCENT = 100


def _above(field: str, text: str, fewest: int = 1) -> Callable[[DriveHealth, DriveContext], str]:
    def finding(health: DriveHealth, _: DriveContext) -> str:
        value = getattr(health, field)
        return text.format(value) if value is not None and value >= fewest else ""

    return finding


def _sectors(field: str, text: str, *, is_free: bool) -> Callable[[DriveHealth, DriveContext], str]:
    """Unreadable sectors: no reason to replace a working disk, one not to build on it."""

    def sectors(health: DriveHealth, around: DriveContext) -> str:
        value = getattr(health, field)
        if not value or around.is_free is not is_free:
            return ""
        return text.format(value) + ("; replace it before building" if is_free else "")

    return sectors


def _own_check(health: DriveHealth, _: DriveContext) -> str:
    if health.passed is not False:
        return ""
    return "its own health check failed" + (f": {health.failing}" if health.failing else "")


def _joined(field: str, text: str) -> Callable[[DriveHealth, DriveContext], str]:
    return lambda health, _: text.format(", ".join(value)) if (value := getattr(health, field)) else ""


def _tests(*, outdated: bool) -> Callable[[DriveHealth, DriveContext], str]:
    def finding(health: DriveHealth, _: DriveContext) -> str:
        tests = [test for test in health.failed_tests if test.outdated is outdated]
        if not tests:
            return ""
        when = f" at {tests[0].at_hours} h" if tests[0].at_hours is not None else ""
        more_tests = f", and {len(tests) - 1} more" if len(tests) > 1 else ""
        passed = "; an extended one passed later" if outdated else ""
        return (
            f"a self-test failed ({tests[0].kind or 'of a kind not told'}{when}: {tests[0].result}{more_tests}){passed}"
        )

    return finding


def _spare(health: DriveHealth, _: DriveContext) -> str:
    spare, spare_least = health.spare_percent, health.spare_least_percent
    if spare is None or spare_least is None or spare >= spare_least:
        return ""
    return f"{spare} % of its spare blocks are left, and its maker wants {spare_least} %"


def _worn(health: DriveHealth, _: DriveContext) -> str:
    worn = health.wear_percent
    if worn is None or not _WORN_PERCENT <= worn < _WORN_OUT_PERCENT:
        return ""
    return f"{worn} % of its rated endurance is used"


def _hot(limit: str, text: str) -> Callable[[DriveHealth, DriveContext], str]:
    def finding(health: DriveHealth, _: DriveContext) -> str:
        now_c, limit_c = health.temperature_c, getattr(health, limit)
        return text.format(now_c, limit_c) if now_c is not None and limit_c is not None and now_c >= limit_c else ""

    return finding


def _slow_link(health: DriveHealth, around: DriveContext) -> str:
    for bus in around.links:
        if is_slowed(bus):
            return f"its link is slower than it could be: {title(bus)}"
    now_gbit_s, best_gbit_s = health.link_gbit_s, health.link_best_gbit_s
    if now_gbit_s is None or best_gbit_s is None or now_gbit_s >= best_gbit_s:
        return ""
    return f"its link runs at {now_gbit_s:g} Gbit/s, and the drive could do {best_gbit_s:g}"


def _firmware(health: DriveHealth, around: DriveContext) -> str:
    """Differs from most drives of its model; in a tie all are named."""
    like = Counter(drive.firmware for drive in around.batch if drive.model == health.model and drive.firmware)
    if not health.firmware or not health.model or len(like) < 2:
        return ""
    by_firmware = {text: drives for text, drives in like.items() if text != health.firmware}
    commonest = max(by_firmware, key=lambda text: by_firmware[text])
    if by_firmware[commonest] < like[health.firmware]:
        return ""
    plural = "drive of this model has" if by_firmware[commonest] == 1 else "drives of this model have"
    return f"its firmware is {health.firmware}; {by_firmware[commonest]} other {plural} {commonest}"


def _shingled(health: DriveHealth, around: DriveContext) -> str:
    why = why_shingled(health, around.zoned)
    return f"shingled (SMR): {why}; writes and rebuilds may slow down beyond use" if why else ""


REPLACE, WATCH = Fitness.REPLACE, Fitness.WATCH
_MAKER = "the drive's own threshold"
_NVME = "NVM Express 1.4, 5.14.1.2"
_SPC = "SPC-5, error counter log"
_BACKBLAZE = "Backblaze, 6 October 2016: one of SMART 5, 187, 188, 197, 198 above 0 is a reason to investigate"
_PENDING = "sectors that wait to be read again (pending): {}"
_UNCORRECTABLE = "sectors that its own scan could not read: {}"
RULES = (
    HealthRule(REPLACE, _own_check, _MAKER),
    HealthRule(REPLACE, _joined("failing_attributes", "below its maker's threshold now: {}"), _MAKER),
    HealthRule(REPLACE, _sectors("pending_sectors", _PENDING, is_free=True), _BACKBLAZE),
    HealthRule(REPLACE, _sectors("offline_uncorrectable", _UNCORRECTABLE, is_free=True), _BACKBLAZE),
    HealthRule(REPLACE, _joined("critical_warnings", "it warns: {}"), _NVME),
    HealthRule(REPLACE, _tests(outdated=False), "the drive's own log of self-tests"),
    HealthRule(REPLACE, _spare, _MAKER),
    HealthRule(
        REPLACE,
        _above("wear_percent", "{} % of its rated endurance is used", _WORN_OUT_PERCENT),
        "its maker rates it to 100 %; that it fails there is not said (" + _NVME + ")",
    ),
    HealthRule(WATCH, _worn, f"raidtui's choice: {_WORN_PERCENT} %"),
    HealthRule(WATCH, _sectors("pending_sectors", _PENDING, is_free=False), _BACKBLAZE),
    HealthRule(WATCH, _sectors("offline_uncorrectable", _UNCORRECTABLE, is_free=False), _BACKBLAZE),
    HealthRule(WATCH, _above("uncorrectable_errors", "errors that it could not correct: {}"), _BACKBLAZE),
    HealthRule(WATCH, _above("reallocated_sectors", "sectors replaced by spare ones (reallocated): {}"), _BACKBLAZE),
    HealthRule(
        WATCH, _above("command_timeouts", "commands that timed out (the drive, its cable or its power): {}"), _BACKBLAZE
    ),
    HealthRule(WATCH, _above("media_errors", "media errors (data could not be read back right): {}"), _NVME),
    HealthRule(WATCH, _above("uncorrected_reads", "reads that could not be corrected: {}"), _SPC),
    HealthRule(WATCH, _above("uncorrected_writes", "writes that could not be corrected: {}"), _SPC),
    HealthRule(WATCH, _above("grown_defects", "defects that have grown since it was made: {}"), "SBC-4, defect list"),
    HealthRule(
        WATCH,
        _above("link_errors", "errors on its link (cable, backplane or port): {}"),
        "the count never falls: what matters is whether it grows",
    ),
    HealthRule(WATCH, _tests(outdated=True), "the drive's own log of self-tests"),
    HealthRule(WATCH, _joined("exceeded_attributes", "beyond the limit of its age or use now: {}"), _MAKER),
    HealthRule(WATCH, _joined("heat_warnings", "hot: {}"), _MAKER),
    HealthRule(WATCH, _hot("critical_c", "{:g} °C: its critical limit is {:g}"), _MAKER),
    HealthRule(WATCH, _hot("throttle_c", "{:g} °C: its limit is {:g}, beyond which it may slow itself down"), _MAKER),
    HealthRule(WATCH, _slow_link, "the rates that the drive tells"),
    HealthRule(WATCH, _firmware, "drives of one model beside each other"),
    HealthRule(WATCH, _shingled, "what the drive tells, or its maker"),
)
_ORDER = (Fitness.REPLACE, Fitness.WATCH)


def judge(health: DriveHealth, around: DriveContext | None = None) -> Judgement:
    """In table order. Applies even if little else is known."""
    context = around or DriveContext()
    reasons = tuple(
        Reason(fitness=rule.fitness, words=text, source=rule.source)
        for rule in RULES
        if (text := rule.words(health, context))
    )
    worst = next((fitness for fitness in _ORDER if any(reason.fitness is fitness for reason in reasons)), None)
    return Judgement(fitness=worst or (Fitness.GOOD if health.is_known else Fitness.UNKNOWN), reasons=reasons)


# As of November 2026: drive-managed SMR in retail drives, as their makers admitted in the weeks after it was found out.
# A model has one of these words in its number.
LISTED = (
    (
        "Western Digital, April 2020",
        "WD20EFAX WD30EFAX WD40EFAX WD60EFAX WD20EZAZ WD60EZAZ WD10SPZX WD20SPZX",
    ),
    (
        "Seagate to Blocks & Files, April 2020",
        "ST2000DM008 ST4000DM004 ST8000DM004 ST5000DM000",
    ),
    (
        "Toshiba, April 2020",
        "HDWD240 HDWD260 HDWL110 HDWL120",
    ),
)
_KINDS = {"host-aware": "it is zoned (host-aware)", "host-managed": "it is zoned (host-managed)"}


def why_shingled(health: DriveHealth, zoned: str = "") -> str:
    """Evidence after "shingled (SMR): "; "" if none, which excludes nothing. `zoned`: queue/zoned."""
    if zoned in _KINDS:
        return _KINDS[zoned]
    if not health.rotation_rpm:
        return ""
    for source, models in LISTED:
        if re.search(rf"\b({models.replace(' ', '|')})", health.model.upper()):
            return f"so its maker says of this model ({source})"
    if health.trim:
        return "it rotates and takes TRIM, which a drive with conventional recording has no use for"
    return ""
