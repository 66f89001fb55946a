from typing import Any

import pytest

from raidtui.core.hardware.smartctl import SelfTestStatus, newest


def ata(value: int, string: str, **fields: object) -> dict[str, Any]:
    return {"ata_smart_data": {"self_test": {"status": {"value": value, "string": string, **fields}}}}


def nvme(now: int, *results: int, **fields: object) -> dict[str, Any]:
    table = [{"self_test_result": {"value": result, "string": f"result {result}"}} for result in results]
    return {"nvme_self_test_log": {"current_self_test_operation": {"value": now}, "table": table, **fields}}


def scsi(result: int) -> dict[str, Any]:
    return {"scsi_self_test_0": {"result": {"value": result, "string": f"result {result}"}}}


@pytest.mark.parametrize(
    "document, standing",
    [
        (
            ata(249, "in progress, 90% remaining", remaining_percent=90),
            SelfTestStatus(runs=True, left_percent=90, result="in progress, 90% remaining"),
        ),
        (
            ata(0, "completed without error", passed=True),
            SelfTestStatus(passed=True, result="completed without error"),
        ),
        (
            ata(121, "completed: read failure", passed=False, remaining_percent=90),
            SelfTestStatus(passed=False, left_percent=90, result="completed: read failure"),
        ),
        (ata(25, "was aborted by the host"), SelfTestStatus(result="was aborted by the host")),
        (nvme(1, 0, current_self_test_completion_percent=30), SelfTestStatus(runs=True, left_percent=70)),
        (nvme(2, 0), SelfTestStatus(runs=True)),
        (nvme(0, 0, 7), SelfTestStatus(passed=True, result="result 0")),
        (nvme(0, 7, 0), SelfTestStatus(passed=False, result="result 7")),
        (nvme(0, 1), SelfTestStatus(result="result 1")),
        (nvme(0), None),
        (scsi(15), SelfTestStatus(runs=True)),
        (scsi(0), SelfTestStatus(passed=True, result="result 0")),
        (scsi(4), SelfTestStatus(passed=False, result="result 4")),
        ({}, None),
        ({"ata_smart_data": []}, None),
        ({"ata_smart_data": {"self_test": {"status": {"value": "no number"}}}}, None),
    ],
)
def test_how_the_newest_stands(document: dict[str, Any], standing: SelfTestStatus | None) -> None:
    assert newest(document) == standing
