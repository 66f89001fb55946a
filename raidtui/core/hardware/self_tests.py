"""Self-tests of drives in smartctl's JSON (SATA, SAS, NVMe): failures, progress. An aborted test is no failure."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from raidtui.core.hardware.drive import SelfTest
from raidtui.core.hardware.fields import at, count, flag, rows, words

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
            result = words(test, log.result, "string")
            yield SelfTest(kind=kind, result=result, at_hours=count(test, *log.hours), outdated=outdated)
        outdated = outdated or (passed is True and _EXTENDED.search(kind) is not None)


def _passed(test: Any, log: _Log) -> bool | None:
    if not log.failed:
        return flag(test, log.result, "passed")
    value = count(test, log.result, "value")
    return False if value in log.failed else True if value == 0 else None
