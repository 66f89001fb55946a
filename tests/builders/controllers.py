"""What storcli, perccli and MegaCli print of controllers that do not exist, by hand after the form of real outputs."""

import json
from typing import Any

WWN = "600508b1001c0000000000000000a0b1"


def _answer(data: object, status: str = "Success", **more: object) -> dict[str, Any]:
    about = {"CLI Version": "007.1616.0000.0000", "Controller": 0, "Status": status, "Description": "None", **more}
    return {"Command Status": about, "Response Data": data}


def _drive(slot: int, state: str = "Onln", group: object = 0) -> dict[str, Any]:
    return {
        "EID:Slt": f"252:{slot}", "DID": slot + 8, "State": state, "DG": group, "Size": "893.750 GB", "Intf": "SATA",
        "Med": "SSD", "SeSz": "512B", "Model": "ACME FLASH960 ", "Sp": "U", "Type": "-",
    }  # fmt: skip


def _details(slot: int, media_errors: int = 0, foretold: int = 0, alert: str = "No") -> dict[str, Any]:
    drive = f"Drive /c0/e252/s{slot}"
    return {
        f"{drive} State": {
            "Media Error Count": media_errors, "Other Error Count": 0, "Drive Temperature": " 21C (69.80 F)",
            "Predictive Failure Count": foretold, "S.M.A.R.T alert flagged by drive": alert,
        },
        f"{drive} Device attributes": {
            "SN": f"  AF-100{slot}", "WWN": f"500A07510000000{slot}", "Firmware Revision": "F7 ", "NAND Vendor": "NA",
        },
    }  # fmt: skip


_VOLUME = {
    "DG/VD": "0/0", "TYPE": "RAID6", "State": "Optl", "Access": "RW", "Consist": "Yes", "Cache": "RWBD", "Cac": "-",
    "sCC": "ON", "Size": "1.745 TB", "Name": "data",
}  # fmt: skip
_BASICS = {
    "Basics": {"Controller": 0, "Model": "ACME RAID 9361", "Serial Number": "CT-77", "PCI Address": "00:3b:00:00"},
    "Version": {"Firmware Package Build": "24.21.0-0076"},
    "Status": {"Controller Status": "Optimal"},
    "HwCfg": {"BBU": "Present"},
}
SHOW = {
    "Controllers": [
        _answer(
            {
                **_BASICS,
                "VD LIST": [_VOLUME],
                "PD LIST": [_drive(slot) for slot in range(4)],
                "Cachevault_Info": [{"Model": "CVPM02", "State": "Optimal", "Temp": "18C", "Mode": "-"}],
            }
        )
    ]
}
VOLUMES = {
    "Controllers": [
        _answer(
            {
                "/c0/v0": [_VOLUME],
                "PDs for VD 0": [_drive(slot) for slot in range(4)],
                "VD0 Properties": {
                    "Strip Size": "256 KB", "Disk Cache Policy": "Disk's Default", "OS Drive Name": "/dev/sda",
                    "SCSI NAA Id": WWN,
                },
            }
        )
    ]
}  # fmt: skip
DRIVES = {
    "Controllers": [
        _answer(
            {
                key: value
                for slot in range(4)
                for key, value in {
                    f"Drive /c0/e252/s{slot}": [_drive(slot)],
                    f"Drive /c0/e252/s{slot} - Detailed Information": _details(slot),
                }.items()
            }
        )
    ]
}
FAILING = {
    "Controllers": [
        _answer(
            {
                **_BASICS,
                "Status": {"Controller Status": "Needs Attention"},
                "HwCfg": {"BBU": "Absent"},
                "VD LIST": [
                    {**_VOLUME, "State": "Pdgd"},
                    {**_VOLUME, "DG/VD": "1/1", "Cache": "NRAWBC", "Name": ""},
                    {**_VOLUME, "DG/VD": "2/2", "Cache": "NRWTD", "Access": "RO"},
                ],
                "Drive /c0/e252/s1": [_drive(1, "Rbld")],
                "Drive /c0/e252/s1 - Detailed Information": _details(1, media_errors=5),
                "Drive /c0/e252/s2": [_drive(2, "UBad", "-")],
                "Drive /c0/e252/s2 - Detailed Information": _details(2, foretold=3, alert="Yes"),
                "PD LIST": [_drive(0), _drive(3, "UGood", "F")],
            },
            status="Failure",
            **{"Detailed Status": [{"Ctrl": 0, "Status": "Failed", "ErrMsg": "Incomplete foreign configuration"}]},
        )
    ]
}
NO_CONTROLLER = {"Controllers": [{"Command Status": {"Status": "Failure", "Description": "No Controller found"}}]}
NO_DRIVE = {"Controllers": [_answer({}, status="Failure", Description="No drive found!")]}
FOREIGN = {
    "Controllers": [
        _answer(
            {
                "FOREIGN CONFIGURATION": [
                    {"DG": 0, "EID:Slot": "-", "Type": "RAID6", "State": "Frgn", "Size": "0 KB", "NoVDs": 1},
                    {"DG": 1, "EID:Slot": "-", "Type": "RAID1", "State": "Frgn", "Size": "0 KB", "NoVDs": 1},
                ],
                "Total foreign Drive Groups": 2,
            },
            Description="Operation on foreign configuration Succeeded",
        )
    ]
}
NO_FOREIGN = {"Controllers": [_answer({}, status="Failure", Description="Couldn't find any foreign Configuration")]}
STORCLI = (SHOW, VOLUMES, DRIVES, FAILING, NO_CONTROLLER, NO_DRIVE, FOREIGN, NO_FOREIGN)

ADAPTER = """\
Adapter #0

==============================================================================
                    Versions
                ================
Product Name    : ACME H730
Serial No       : CT-88
FW Package Build: 25.5.9.0001

                HW Configuration
                ================
BBU              : Present
Alarm            : Absent

                Supported Adapter Operations
                ================
BBU                             : Yes

Exit Code: 0x00
"""
PCI = """\

PCI information for Controller 0
--------------------------------
Bus Number      : 3b
Device Number   : 0
Function Number : 0

Exit Code: 0x00
"""
BATTERY = """\

BBU status for Adapter: 0

BatteryType: BBU
Voltage: 3909 mV
Temperature: 42 C
Battery State: Optimal
BBU Firmware Status:

  Charging Status              : None
  Temperature                             : OK
  Battery Pack Missing                    : No
  Battery Replacement required            : No

Exit Code: 0x00
"""


def megacli_disk(slot: int, state: str = "Online, Spun Up", foreign: str = "None", media_errors: int = 0) -> str:
    """A slot in -PDList and -LdPdInfo."""
    return f"""\
Enclosure Device ID: 32
Slot Number: {slot}
Enclosure position: 1
Device Id: {slot}
WWN: 5000C5004D29683{slot}
Sequence Number: 2
Media Error Count: {media_errors}
Other Error Count: 2
Predictive Failure Count: 0
PD Type: SAS

Raw Size: 558.911 GB [0x45dd2fb0 Sectors]
Firmware state: {state}
Device Firmware Level: S003
Inquiry Data: ACME    SAS600          S003AS-000{slot}
Foreign State: {foreign}
Media Type: Hard Disk Device
Drive Temperature :30C (86.00 F)
Drive has flagged a S.M.A.R.T alert : No

"""


VOLUME = f"""\
Adapter #0

Number of Virtual Disks: 1
Virtual Drive: 0 (Target Id: 0)
Name                :data
RAID Level          : Primary-1, Secondary-0, RAID Level Qualifier-0
Size                : 1.090 TB
State               : Optimal
Strip Size          : 64 KB
Number Of Drives per span:2
Span Depth          : 2
Default Cache Policy: WriteBack, ReadAdaptive, Direct, No Write Cache if Bad BBU
Current Cache Policy: WriteThrough, ReadAheadNone, Direct, No Write Cache if Bad BBU
Default Access Policy: Read/Write
Current Access Policy: Read/Write
Disk Cache Policy   : Disabled
Number of Spans: 2
Span: 0 - Number of PDs: 2

PD: 0 Information
{megacli_disk(0)}
PD: 1 Information
{megacli_disk(1)}
Span: 1 - Number of PDs: 2

PD: 0 Information
{megacli_disk(2)}
PD: 1 Information
{megacli_disk(3)}

Exit Code: 0x00
"""
SLOTS = "\nAdapter #0\n\n" + "".join(map(megacli_disk, range(4)))
SLOTS += megacli_disk(4, "Unconfigured(good), Spun Up", "Foreign") + megacli_disk(5, "Failed", media_errors=9)
# MegaCli 8.00: other words for the same, and no members
OLD_VOLUME = """\
Adapter 0 -- Virtual Drive Information:
Virtual Drive: 1 (Target Id: 1)
Name                :
RAID Level          : Primary-5, Secondary-0, RAID Level Qualifier-3
Size                : 135.972 GB
State               : Degraded
Stripe Size         : 128 KB
Number Of Drives    : 3
Span Depth          : 1
Default Cache Policy: WriteBack, ReadAhead, Cached, Write Cache OK if Bad BBU
Current Cache Policy: WriteBack, ReadAhead, Cached, Write Cache OK if Bad BBU
Access Policy       : Read/Write

Exit Code: 0x00
"""
MEGACLI = (ADAPTER, PCI, BATTERY, VOLUME, SLOTS, OLD_VOLUME)


def said(document: object) -> str:
    """As storcli prints it."""
    return json.dumps(document)
