"""smartctl's JSON (7.0 on) of SATA, SAS, NVMe drives, behind bridges and controllers too. Missing or mistyped keys stay
unknown; other text is an error. The exit status (a bitmask) is ignored.

Self-tests of drives in smartctl's JSON (SATA, SAS, NVMe): failures, progress. An aborted test is no failure.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal

import msgspec

from raidtui.core.disks.drive import Recovery
from raidtui.core.hardware.drive import DriveHealth, Protocol, SelfTest
from raidtui.core.hardware.fields import at, count, decode, flag, rows, words

# Results that are a failure, not an abort: ATA's come with `passed`, these are SPC-5's and NVMe's values
_SCSI_FAILED = frozenset({3, 4, 5, 6, 7})
_NVME_FAILED = frozenset({5, 6, 7})
_SCSI_RUNS = 15
_ATA_RUNS = range(0xF0, 0x100)  # ACS-4, self-test execution status: the tenths that are left in its lower half
_EXTENDED = re.compile(r"extended|long", re.I)


class SelfTestStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The newest. `left_percent`: if it `runs`; `passed`: None if running, aborted, unknown; `result`: smartctl's."""

    runs: bool = False
    left_percent: int | None = None
    passed: bool | None = None
    result: str = ""


def newest(document: Any) -> SelfTestStatus | None:
    for newest_of in (_newest_ata, _newest_nvme, _newest_scsi):
        if status := newest_of(document):
            return status
    return None


def _newest_ata(document: Any) -> SelfTestStatus | None:
    status = at(document, "ata_smart_data", "self_test", "status")
    if (value := count(status, "value")) is None:
        return None
    return SelfTestStatus(
        runs=value in _ATA_RUNS,
        left_percent=count(status, "remaining_percent"),
        passed=flag(status, "passed"),
        result=words(status, "string"),
    )


def _newest_nvme(document: Any) -> SelfTestStatus | None:
    log = at(document, "nvme_self_test_log")
    if (now := count(log, "current_self_test_operation", "value")) is None:
        return None
    if now:
        done = count(log, "current_self_test_completion_percent")
        return SelfTestStatus(runs=True, left_percent=None if done is None else max(0, 100 - done))
    return _of_result(next(rows(log, "table"), None), _NVME_LOG)


def _newest_scsi(document: Any) -> SelfTestStatus | None:
    test = at(document, "scsi_self_test_0")
    if count(test, "result", "value") == _SCSI_RUNS:
        return SelfTestStatus(runs=True)
    return _of_result(test, _SCSI_LOG)


def _of_result(test: Any, log: "_Log") -> SelfTestStatus | None:
    if count(test, log.result, "value") is None:
        return None
    return SelfTestStatus(passed=_passed(test, log), result=words(test, log.result, "string"))


class _Log(msgspec.Struct, frozen=True):
    kind: str
    result: str
    hours: tuple[str, ...]
    failed: frozenset[int]


_ATA_LOG = _Log("type", "status", ("lifetime_hours",), frozenset())  # there `passed` says it
_NVME_LOG = _Log("self_test_code", "self_test_result", ("power_on_hours",), _NVME_FAILED)
_SCSI_LOG = _Log("code", "result", ("power_on_time", "hours"), _SCSI_FAILED)
_SCSI_TESTS = 20  # parameters of the log page, SPC-5


def failed_tests(document: Any) -> Iterator[SelfTest]:
    """Newest first."""
    ata = at(document, "ata_smart_self_test_log")
    extended = isinstance(at(ata, "extended"), dict)  # the same tests, and more of them
    scsi = [test for number in range(_SCSI_TESTS) if isinstance(test := at(document, f"scsi_self_test_{number}"), dict)]
    yield from _failed(rows(ata, "extended" if extended else "standard", "table"), _ATA_LOG)
    yield from _failed(rows(document, "nvme_self_test_log", "table"), _NVME_LOG)
    yield from _failed(scsi, _SCSI_LOG)


def _failed(tests: Iterable[Any], log: _Log) -> Iterator[SelfTest]:
    outdated = False
    for test in tests:
        kind, passed = words(test, log.kind, "string"), _passed(test, log)
        if passed is False:
            yield SelfTest(
                kind=kind, result=words(test, log.result, "string"), at_hours=count(test, *log.hours), outdated=outdated
            )
        outdated = outdated or (passed is True and _EXTENDED.search(kind) is not None)


def _passed(test: Any, log: _Log) -> bool | None:
    if not log.failed:
        return flag(test, log.result, "passed")
    value = count(test, log.result, "value")
    return False if value in log.failed else True if value == 0 else None


_PROTOCOLS: dict[str, Protocol] = {"ATA": "ATA", "NVMe": "NVMe", "SCSI": "SCSI"}
# NVM Express base specification 1.4, figure 194: the bits of Critical Warning
CRITICAL = (
    "its spare blocks are below the threshold",
    "its temperature is beyond a threshold",
    "its reliability is degraded by media or internal errors",
    "its medium has become read-only",
    "the backup of its volatile memory has failed",
    "its persistent memory region is read-only or unreliable",
)
# id -> field, and what drivedb calls it: where the name is of something else, the number is not a count of this
_ATA_COUNTS = {
    5: ("reallocated_sectors", "realloc|retire|bad_?bl"),
    187: ("uncorrectable_errors", "uncorr|unc_|ecc_err|_ue_"),
    188: ("command_timeouts", "timeout"),
    197: ("pending_sectors", "pending(?!.*ecc)"),  # Micron's Current_Pending_ECC_Cnt rises and falls in healthy drives
    198: ("offline_uncorrectable", "uncor|unc_|uerr"),
    199: ("link_errors", "crc|interface|link"),
}
_FIRMWARE = ("firmware_version", "scsi_revision", "revision")  # of SAS: since 7.3, before
_HEAT = "temperature"
_HEAT_BIT = 1
_OF_HEAT = (0x0B, 0x01)  # SPC-5, additional sense codes: WARNING - SPECIFIED TEMPERATURE EXCEEDED
_TIMEOUTS = 188  # packed into three words of 16 bits by Seagate: all, those above 5 s, those above 7.5 s
_WORD = 0xFFFF
# ACS-4 9.5: page and offset of Device Statistics
_STATISTICS = {(7, 8): "wear_percent", (6, 24): "link_errors", (4, 8): "uncorrectable_errors"}
# drivedb's names of a SATA drive's life, in the order they are trusted in; id, where others mean something else by the
# name; whether the raw value counts it (of that family alone), else it is the normalised one, which falls from 100
_LIFE: tuple[tuple[str, int | None, Literal["left", "used"], str | None], ...] = (
    ("Media_Wearout_Indicator", 233, "left", None),  # 230, of SanDisk, is packed
    ("Wear_Leveling_Count", 177, "left", None),
    ("SSD_Life_Left", 231, "left", "Phison"),  # its normalised one stays at 100
    ("SSD_Life_?Left(_Perc)?", None, "left", None),
    ("Perc(ent)?_(Rated_)?Life(time)?_(Remain|Remaining)", None, "left", None),
    ("(PCT_|Drive_?)?Life(time)?_(Remaining%?|Left)", None, "left", None),
    ("(Remaining_Life(time)?(_Perc)?)", None, "left", None),
    ("(Perc(ent)?_(Rated_)?|Drive_?)Life(time)?_Used%?", None, "used", ""),
)
_MOST_PERCENT = 255  # as NVMe's and SCSI's byte
_SPARE = re.compile("Avail(able|_?)?_Rese?r?vd_Space|Perc_Avail_Resrvd_Space|Spares_Remaining_Perc")
# Where temperatures stand: NVMe, newer NVMe, SCSI, SATA
_TEMPERATURES = (("temperature", "current"), ("scsi_environmental_reports", "temperature_1", "current"))
_THROTTLE = (
    ("nvme_composite_temperature_threshold", "warning"),
    ("temperature", "drive_trip"),
    ("temperature", "op_limit_max"),
)
_CRITICAL = (
    ("nvme_composite_temperature_threshold", "critical"),
    ("temperature", "critical_limit_max"),
    ("temperature", "drive_trip"),
    ("temperature", "limit_max"),
)
_PHY_ERRORS = (
    "invalid_dword_count", "running_disparity_error_count", "loss_of_dword_synchronization_count",
    "phy_reset_problem_count",
)  # fmt: skip
_SAS_PORTS = ("scsi_sas_port_0", "scsi_sas_port_1")
_PHYS = tuple(f"phy_{number}" for number in range(4))
_PHY_MOST = 2**32  # its counters have 32 bits
_GBIT = re.compile(r"(\d{1,2}(?:\.\d)?) Gbps")
_MOST_MESSAGES = 4


class SmartError(ValueError):
    """One sentence: why this is no smartctl output."""


def parse(text: str) -> DriveHealth:
    try:
        document = decode(text, "smartctl")
    except ValueError as error:
        raise SmartError(str(error)) from None
    if not isinstance(at(document, "smartctl"), dict) and not isinstance(at(document, "smart_status"), dict):
        raise SmartError("not smartctl JSON: neither `smartctl` nor `smart_status` in it")
    heat_warnings, only_heat = _heat(document)
    passed = only_heat or flag(document, "smart_status", "passed")
    fields: dict[str, Any] = {
        **_scsi(document),
        **_nvme(document),
        **_ata(document),
        "device_type": words(document, "device", "type"),
        "protocol": _PROTOCOLS.get(words(document, "device", "protocol"), ""),
        "model": words(document, "model_name") or words(document, "scsi_model_name"),
        "serial": words(document, "serial_number"),
        "firmware": next((text for key in _FIRMWARE if (text := words(document, key))), ""),
        "counters_unnamed": any(rows(document, "ata_smart_attributes", "table")) and not _is_known(document),
        "size_bytes": count(document, "user_capacity", "bytes") or count(document, "nvme_total_capacity"),
        "rotation_rpm": count(document, "rotation_rate"),
        "trim": flag(document, "trim", "supported"),
        "passed": passed,
        "heat_warnings": heat_warnings,
        "failing": words(document, "smart_status", "scsi", "ie_string") if passed is False else "",
        "power_on_hours": count(document, "power_on_time", "hours"),
        "temperature_c": next(
            (temperature_c for path in _TEMPERATURES if (temperature_c := _degrees(document, *path)) is not None), None
        ),
        "throttle_c": next((limit for path in _THROTTLE if (limit := _degrees(document, *path))), None),
        "critical_c": next((limit for path in _CRITICAL if (limit := _degrees(document, *path))), None),
        "failed_tests": tuple(failed_tests(document)),
        "recovery": _recovery(document),
        "messages": tuple(text for row in rows(document, "smartctl", "messages") if (text := words(row, "string")))[
            :_MOST_MESSAGES
        ],
    }
    return DriveHealth(**fields)


# smartctl has no other sign of these than its words
_UNKNOWN_BRIDGE = "Unknown USB bridge"
_ASLEEP = re.compile(r"\bDevice is in (?:STANDBY|SLEEP)\b")


def does_not_know_bridge(health: DriveHealth) -> bool:
    """Not queried: smartctl does not know the USB bridge."""
    return any(_UNKNOWN_BRIDGE in message for message in health.messages)


def sleeps(health: DriveHealth) -> bool:
    return any(_ASLEEP.search(message) for message in health.messages)


_MEGARAID = re.compile(r"(?:sat\+)?megaraid,\d{1,3}")
_BUS = re.compile(r"/dev/[A-Za-z0-9/]{1,40}")


def scanned(text: str) -> list[tuple[str, str]]:
    """(path, device type) of drives behind MegaRAID in `smartctl --scan`; SmartError if none."""
    try:
        document = decode(text, "smartctl")
    except ValueError as error:
        raise SmartError(str(error)) from None
    names_types = ((words(row, "name"), words(row, "type")) for row in rows(document, "devices"))
    return list(
        dict.fromkeys(
            name_type for name_type in names_types if _BUS.fullmatch(name_type[0]) and _MEGARAID.fullmatch(name_type[1])
        )
    )


def _degrees(document: Any, *path: str) -> float | None:
    value = at(document, *path)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if number and -60 < value < 200 else None


def _heat(document: Any) -> tuple[tuple[str, ...], bool]:
    """Heat warnings; whether they alone failed the drive's check."""
    exceeded = (words(row, "name") for row in _exceeded(document))
    attributes = tuple(f"{name} is beyond its limit" for name in exceeded if _HEAT in name.lower())
    bits = _warning_bits(document)
    if bits >> _HEAT_BIT & 1:
        return (*attributes, CRITICAL[_HEAT_BIT]), bits == 1 << _HEAT_BIT
    scsi = at(document, "smart_status", "scsi")
    if (count(scsi, "asc"), count(scsi, "ascq")) == _OF_HEAT:
        return (*attributes, words(scsi, "ie_string") or CRITICAL[_HEAT_BIT]), True
    return attributes, False


def _warning_bits(document: Any) -> int:
    """NVMe's Critical Warning, also if only the health was queried."""
    log = count(document, "nvme_smart_health_information_log", "critical_warning")
    return log if log is not None else count(document, "smart_status", "nvme", "value") or 0


def _exceeded(document: Any) -> list[Any]:
    table = rows(document, "ata_smart_attributes", "table")
    return [row for row in table if words(row, "when_failed") == "now"]


def _is_known(document: Any) -> bool:
    """Whether attribute names apply: for flash not in drivedb they are other drives' names."""
    listed = bool(words(document, "model_family")) or flag(document, "in_smartctl_database") is True
    return listed or count(document, "rotation_rate") != 0


def _ata(document: Any) -> dict[str, Any]:
    counts: dict[str, Any] = {}
    table = list(rows(document, "ata_smart_attributes", "table")) if _is_known(document) else []
    for row in table:
        number, name, raw = count(row, "id"), words(row, "name"), count(row, "raw", "value")
        field, named = _ATA_COUNTS.get(number or 0, ("", ""))
        if field and raw is not None and (not name or re.search(named, name, re.I)):
            counts[field] = _timeouts(raw) if number == _TIMEOUTS else raw
    if table:
        counts |= _life(document)
    beyond: dict[str, list[str]] = {"failing_attributes": [], "exceeded_attributes": []}
    for row in _exceeded(document):
        title = words(row, "name") or f"attribute {count(row, 'id')}"
        if _HEAT not in title.lower():
            ages = flag(row, "flags", "prefailure") is False
            beyond["exceeded_attributes" if ages else "failing_attributes"].append(title)
    for page in rows(document, "ata_device_statistics", "pages"):
        for row in rows(page, "table"):
            statistic = _STATISTICS.get((count(page, "number") or 0, count(row, "offset") or 0))
            value = count(row, "value")
            if statistic and value is not None and flag(row, "flags", "valid") is not False:
                counts[statistic] = value
    return counts | _link(document) | {kind: tuple(names) for kind, names in beyond.items() if names}


def _timeouts(raw: int) -> int:
    """Three packed words, each a part of the one before; a plain number rarely looks so."""
    timeouts, above_5_s, above_7_s = (raw >> shift & _WORD for shift in (0, 16, 32))
    return timeouts if timeouts >= above_5_s >= above_7_s else raw


def _life(document: Any) -> dict[str, int]:
    """SATA wear and spare, by vendor-specific attributes; smartctl's own reading of them (7.5) first."""
    life = {}
    table = [(row, words(row, "name")) for row in rows(document, "ata_smart_attributes", "table")]
    worn = next((percent for row in _LIFE if (percent := _worn_percent(document, table, *row)) is not None), None)
    own_percent = _percent(document, "endurance_used", "current_percent")
    if (worn := worn if own_percent is None else own_percent) is not None:
        life["wear_percent"] = worn
    for spare, spare_least in (
        (count(row, "value"), count(row, "thresh")) for row, name in table if _SPARE.fullmatch(name)
    ):
        if spare is not None and spare <= 100 and spare_least:
            return life | {"spare_percent": spare, "spare_least_percent": spare_least}
    return life


def _worn_percent(
    document: Any, table: list[tuple[Any, str]], pattern: str, number: int | None, counted: str, raw_of: str | None
) -> int | None:
    if raw_of is not None and raw_of not in words(document, "model_family"):
        return None
    for row, name in table:
        if number not in (None, count(row, "id")) or not re.fullmatch(pattern, name):
            continue
        percent = count(row, *(("value",) if raw_of is None else ("raw", "value")))
        if percent is not None and percent <= (100 if counted == "left" else _MOST_PERCENT):
            return 100 - percent if counted == "left" else percent
    return None


def _link(document: Any) -> dict[str, float]:
    speeds = {}
    for field, key in (("link_gbit_s", "current"), ("link_best_gbit_s", "max")):
        units = count(document, "interface_speed", key, "units_per_second")
        bits_per_unit = count(document, "interface_speed", key, "bits_per_unit")
        if units and bits_per_unit and units * bits_per_unit < 10**12:
            speeds[field] = units * bits_per_unit / 1e9
    return speeds


def _recovery(document: Any) -> Recovery:
    """`--capabilities` tells whether it has ERC, `--log=scterc` its limits (7.0: ataprint.cpp)."""
    match _PROTOCOLS.get(words(document, "device", "protocol")):
        case "SCSI" | "NVMe":
            return Recovery(erc="not applicable")
        case None:
            return Recovery()
    limits = [_limit_s(document, way) for way in ("read", "write")]
    if None not in limits:
        read_s, write_s = (limit or 0.0 for limit in limits)
        return Recovery(erc="on" if read_s or write_s else "off", read_s=read_s, write_s=write_s)
    supported = flag(document, "ata_sct_capabilities", "error_recovery_control_supported")
    if supported:
        return Recovery(erc="supported")
    told = isinstance(at(document, "ata_smart_data", "capabilities"), dict)  # else its capabilities were not asked for
    return Recovery(erc="none" if told or supported is False else "not checked")


def _limit_s(document: Any, way: str) -> float | None:
    """0.0: it has none."""
    enabled, deciseconds = (
        flag(document, "ata_sct_erc", way, "enabled"),
        count(document, "ata_sct_erc", way, "deciseconds"),
    )
    return 0.0 if enabled is False else deciseconds / 10 if enabled and deciseconds else None


def _nvme(document: Any) -> dict[str, Any]:
    log = at(document, "nvme_smart_health_information_log")
    if not isinstance(log, dict):
        return {}
    warning_bits = _warning_bits(document) & ~(1 << _HEAT_BIT)
    return {
        "critical_warnings": tuple(text for bit_number, text in enumerate(CRITICAL) if warning_bits >> bit_number & 1),
        "units_written": count(log, "data_units_written"),
        "media_errors": count(log, "media_errors"),
        "wear_percent": _percent(log, "percentage_used"),
        "spare_percent": _percent(log, "available_spare"),
        "spare_least_percent": _percent(log, "available_spare_threshold"),
    }


def _percent(document: Any, *path: str) -> int | None:
    """One byte: at most 255."""
    value = count(document, *path)
    return value if value is not None and value <= 255 else None


def _scsi(document: Any) -> dict[str, Any]:
    counts = {
        "grown_defects": count(document, "scsi_grown_defect_list"),
        "uncorrected_reads": count(document, "scsi_error_counter_log", "read", "total_uncorrected_errors"),
        "uncorrected_writes": count(document, "scsi_error_counter_log", "write", "total_uncorrected_errors"),
        "pending_sectors": count(document, "scsi_pending_defects", "count"),
        "wear_percent": _percent(document, "scsi_percentage_used_endurance_indicator"),
    }
    phys = [phy for port in _SAS_PORTS for key in _PHYS if isinstance(phy := at(document, port, key), dict)]
    errors = [
        errors for phy in phys for key in _PHY_ERRORS if (errors := count(phy, key)) is not None and errors < _PHY_MOST
    ]
    rates = [float(rate[1]) for phy in phys if (rate := _GBIT.search(words(phy, "negotiated_logical_link_rate")))]
    if errors:
        counts["link_errors"] = sum(errors)
    return {key: value for key, value in counts.items() if value is not None} | (
        {"link_gbit_s": max(rates)} if rates else {}
    )
