"""nvme-cli's output (1.x, 2.x) about a controller's volatile write cache. NVM Express Base Specification 2.0: VWC of
Identify Controller (byte 525, bit 0), feature 06h (bit 0).
"""

import re

from raidtui.core.hardware.fields import count, decode, words
from raidtui.core.text import brief

WRITE_CACHE = 6  # the feature's number
ON, OFF = "write back", "write through"  # as the kernel calls them of a SCSI disk
_CURRENT = re.compile(r"\bcurrent value\s*:\s*(?:0x)?([0-9a-f]{1,8})\b", re.I)
_LISTED = re.compile(r"^\[\s*\d+\]:\s*0x[0-9a-f]+\s*$", re.I | re.M)


def has_write_cache(id_ctrl: str) -> bool:
    """From `nvme id-ctrl`'s JSON. ValueError, one sentence, if missing."""
    document = decode(id_ctrl, "nvme id-ctrl")
    vwc = count(document, "vwc")
    if vwc is None:  # some versions write numbers as texts
        text = words(document, "vwc")
        if not re.fullmatch(r"0x[0-9a-f]{1,2}|\d{1,3}", text, re.I):
            raise ValueError("nvme id-ctrl does not tell whether there is a volatile write cache (vwc)")
        vwc = int(text, 0)
    return bool(vwc & 1)


def write_cache(get_feature: str) -> str:
    """ON or OFF, from `nvme get-feature --feature-id=6`; ValueError, one sentence, if neither."""
    current = _CURRENT.search(get_feature)
    if current is None:
        raise ValueError(f"nvme get-feature does not tell the value of feature 6: {brief(repr(get_feature.strip()))}")
    return ON if int(current[1], 16) & 1 else OFF


def namespaces_listed(list_ns: str) -> int:
    """Of the controller, from `nvme list-ns`."""
    return len(_LISTED.findall(list_ns))
