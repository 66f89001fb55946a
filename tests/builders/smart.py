"""smartctl's JSON of drives that do not exist, written by hand after the form of real ones, cut to what is read."""

import json
from typing import Any


def attribute(number: int, name: str, raw: int, value: int = 100, thresh: int = 0, failed: str = "") -> dict[str, Any]:
    """A row of SATA attributes; its raw text is the number's own."""
    raws = {"value": raw, "string": str(raw)}
    return {"id": number, "name": name, "value": value, "thresh": thresh, "when_failed": failed, "raw": raws}


def _ended(kind: str, hours: int, text: str, passed: bool | None) -> dict[str, Any]:
    status = {"value": 0, "string": text, **({} if passed is None else {"passed": passed})}
    return {"type": {"value": 1, "string": kind}, "status": status, "lifetime_hours": hours}


def _speed(gbit_s: int) -> dict[str, Any]:
    return {"string": f"{gbit_s}.0 Gb/s", "units_per_second": gbit_s * 10, "bits_per_unit": 100_000_000}


def _smartctl(device: str, protocol: str, kind: str, status: int = 0) -> dict[str, Any]:
    return {
        "json_format_version": [1, 0],
        "smartctl": {"version": [7, 4], "argv": ["smartctl", "--json", "--xall", device], "exit_status": status},
        "device": {"name": device, "info_name": device, "type": kind, "protocol": protocol},
    }


SATA: dict[str, Any] = {
    **_smartctl("/dev/sda", "ATA", "sat"),
    "model_name": "ACME RUST4000",
    "serial_number": "AC-0001",
    "firmware_version": "A101",
    "user_capacity": {"bytes": 4_000_787_030_016},
    "rotation_rate": 7200,
    "trim": {"supported": False},
    "interface_speed": {"max": _speed(6), "current": _speed(6)},
    "smart_status": {"passed": True},
    "ata_smart_attributes": {
        "table": [
            attribute(5, "Reallocated_Sector_Ct", 0, thresh=10),
            attribute(187, "Reported_Uncorrect", 0),
            attribute(188, "Command_Timeout", 0),
            attribute(197, "Current_Pending_Sector", 0),
            attribute(198, "Offline_Uncorrectable", 0),
            attribute(199, "UDMA_CRC_Error_Count", 0),
        ]
    },
    "power_on_time": {"hours": 20_100},
    "temperature": {"current": 31, "op_limit_max": 60, "limit_max": 70},
    "ata_smart_self_test_log": {
        "extended": {
            "table": [
                _ended("Short offline", 20_000, "Completed without error", True),
                _ended("Extended offline", 19_000, "Aborted by host", None),
            ]
        }
    },
}
FAILING_SATA: dict[str, Any] = {
    **SATA,
    **_smartctl("/dev/sdb", "ATA", "sat", 24),
    "serial_number": "AC-0002",
    "firmware_version": "A099",
    "interface_speed": {"max": _speed(6), "current": _speed(1)},
    "smart_status": {"passed": False},
    "ata_smart_attributes": {
        "table": [
            attribute(5, "Reallocated_Sector_Ct", 1900, value=1, thresh=10, failed="now"),
            attribute(187, "Reported_Uncorrect", 7),
            attribute(188, "Command_Timeout", 0x0001_0002_0003),
            attribute(197, "Current_Pending_Sector", 8),
            attribute(198, "Offline_Uncorrectable", 4),
            attribute(199, "UDMA_CRC_Error_Count", 12),
        ]
    },
    "temperature": {"current": 61, "op_limit_max": 60, "limit_max": 70},
    "ata_smart_self_test_log": {
        "standard": {
            "table": [
                _ended("Short offline", 20_050, "Completed: read failure", False),
                _ended("Extended offline", 15_000, "Completed without error", True),
                _ended("Extended offline", 14_000, "Completed: read failure", False),
            ]
        }
    },
}
WORN_SATA: dict[str, Any] = {
    **_smartctl("/dev/sdc", "ATA", "sat"),
    "model_name": "ACME FLASH480",
    "model_family": "ACME FLASH",
    "serial_number": "AF-0003",
    "firmware_version": "F7",
    "rotation_rate": 0,
    "trim": {"supported": True},
    "interface_speed": {"max": _speed(6), "current": _speed(6)},
    "smart_status": {"passed": True},
    "ata_smart_attributes": {
        "table": [
            attribute(5, "Reallocated_Sector_Ct", 0),
            attribute(197, "Not_In_Use", 55),
            attribute(232, "Available_Reservd_Space", 0, value=96, thresh=10),
            attribute(233, "Media_Wearout_Indicator", 0, value=14),
        ]
    },
    "power_on_time": {"hours": 41_000},
    "temperature": {"current": 40},
}
SAS: dict[str, Any] = {
    **_smartctl("/dev/sdd", "SCSI", "scsi"),
    "scsi_model_name": "ACME SAS600",
    "scsi_revision": "S003",
    "serial_number": "AS-0004",
    "rotation_rate": 10_020,
    "smart_status": {"passed": True},
    "scsi_grown_defect_list": 260,
    "scsi_error_counter_log": {
        "read": {"total_uncorrected_errors": 1},
        "write": {"total_uncorrected_errors": 535},
    },
    "scsi_pending_defects": {"count": 2},
    "power_on_time": {"hours": 90_000, "minutes": 3},
    "temperature": {"current": 33, "drive_trip": 68},
    "scsi_sas_port_0": {
        "relative_target_port_id": 1,
        "phy_0": {"negotiated_logical_link_rate": "phy enabled; 12 Gbps", "invalid_dword_count": 3,
                  "running_disparity_error_count": 2, "phy_reset_problem_count": 0},
    },
    "scsi_self_test_0": {
        "code": {"string": "Background long"}, "result": {"value": 5, "string": "Failed in second segment"},
        "power_on_time": {"hours": 80_000},
    },
    "scsi_self_test_1": {"code": {"string": "Background long"}, "result": {"value": 1, "string": "Aborted"}},
}  # fmt: skip
FAILING_SAS: dict[str, Any] = {
    **SAS,
    "smart_status": {"passed": False, "scsi": {"asc": 93, "ascq": 16, "ie_string": "HARDWARE IMPENDING FAILURE"}},
}
NVME: dict[str, Any] = {
    **_smartctl("/dev/nvme0n1", "NVMe", "nvme"),
    "model_name": "ACME FAST3200",
    "serial_number": "AN-0005",
    "firmware_version": "N1.2",
    "nvme_total_capacity": 3_200_631_791_616,
    "smart_status": {"passed": True, "nvme": {"value": 0}},
    "nvme_smart_health_information_log": {
        "critical_warning": 0, "temperature": 40, "available_spare": 100, "available_spare_threshold": 10,
        "percentage_used": 3, "media_errors": 0, "power_on_hours": 18_376,
    },
    "nvme_composite_temperature_threshold": {"warning": 83, "critical": 88},
    "temperature": {"current": 40, "op_limit_max": 83, "critical_limit_max": 88},
    "power_on_time": {"hours": 18_376},
    "nvme_self_test_log": {
        "table": [
            {"self_test_code": {"value": 2, "string": "Extended"}, "self_test_result": {"value": 15, "string": "?"}},
        ]
    },
}  # fmt: skip
FAILING_NVME: dict[str, Any] = {
    **NVME,
    "serial_number": "AN-0006",
    "smart_status": {"passed": False, "nvme": {"value": 5}},
    "nvme_smart_health_information_log": {
        "critical_warning": 5, "temperature": 40, "available_spare": 4, "available_spare_threshold": 10,
        "percentage_used": 112, "media_errors": 9, "power_on_hours": 18_376,
    },
    "nvme_self_test_log": {
        "table": [
            {"self_test_code": {"value": 1, "string": "Short"},
             "self_test_result": {"value": 7, "string": "Completed: failed segments"}, "power_on_hours": 18_000},
        ]
    },
}  # fmt: skip
BEHIND_MEGARAID: dict[str, Any] = {
    **SATA,
    **_smartctl("/dev/bus/0", "ATA", "sat+megaraid,9"),
    "serial_number": "AC-0009",
}
UNKNOWN_USB: dict[str, Any] = {
    "json_format_version": [1, 0],
    "smartctl": {
        "version": [7, 3],
        "messages": [{"string": "/dev/sde: Unknown USB bridge [0x152d:0x0578 (0x508)]", "severity": "error"}],
        "exit_status": 1,
    },
}
ASLEEP: dict[str, Any] = {
    **_smartctl("/dev/sdf", "ATA", "sat", 2),
    "smartctl": {
        "exit_status": 2,
        "messages": [{"string": "Device is in STANDBY mode, exit(2)", "severity": "information"}],
    },
}
SCAN: dict[str, Any] = {
    "smartctl": {"exit_status": 0},
    "devices": [
        {"name": "/dev/sda", "info_name": "/dev/sda", "type": "scsi", "protocol": "SCSI"},
        {"name": "/dev/bus/0", "info_name": "/dev/bus/0 [megaraid_disk_08]", "type": "megaraid,8", "protocol": "SCSI"},
        {"name": "/dev/bus/0", "info_name": "/dev/bus/0 [megaraid_disk_09]", "type": "megaraid,9", "protocol": "SCSI"},
    ],
}
ALL = (SATA, FAILING_SATA, WORN_SATA, SAS, FAILING_SAS, NVME, FAILING_NVME, BEHIND_MEGARAID, UNKNOWN_USB, ASLEEP)


def said(document: object) -> str:
    """As smartctl prints it."""
    return json.dumps(document)
