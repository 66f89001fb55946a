"""Is a rotating drive shingled (SMR)? What it tells itself, and a short list of models whose makers said so.

A drive that neither tells it nor is in the list may be shingled all the same: then nothing is claimed.
"""

import re

from raidtui.core.hardware.drive import DriveHealth

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
    """What shows it, in words after "shingled (SMR): "; "" where nothing does. `zoned` is the kernel's queue/zoned."""
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
