"""Lines of a run's own udev rules, and of the unit that sets a disk's ERC: udev(7), systemd.unit(5).

The rules match an array by MD_UUID (set by 63-md-raid-arrays.rules, hence the file's number) and a disk by its WWN.
They set what is listed here; no write cache is among it.
"""

import re
from collections.abc import Mapping

from raidtui.core.boot.lines import UNITS

FOLDER = "/etc/udev/rules.d"
_NUMBER = 65
_WWN = re.compile(r"(0x|eui\.|nvme\.|uuid\.)[0-9A-Za-z.:-]{4,200}", re.ASCII)  # no pattern, quote or blank of udev's
_EACH = 'ACTION=="add|change", SUBSYSTEM=="block", ENV{DEVTYPE}=="disk"'
_ERC_LIMIT_S = 10  # smartctl may wait for a disk that does not answer


def rules_file(array: str) -> str:
    return f"{FOLDER}/{_NUMBER}-{array}.rules"


def unit_file(array: str) -> str:
    return f"{UNITS}/{array}-erc@.service"


def match_of(identity: str) -> str:
    """`PROPERTY=VALUE` of udev, by which a rule finds the disk of this identity; "" if it has no WWN."""
    kind, _, wwn = identity.partition("-")
    if kind != "wwn" or not _WWN.fullmatch(wwn):
        return ""
    return f"{'ID_WWN_WITH_EXTENSION' if wwn.startswith('0x') else 'ID_WWN'}={wwn}"


def of_array(uuid: str, values: Mapping[str, str]) -> str:
    """`uuid` in mdadm's notation, `values` by attribute."""
    return ", ".join((_EACH, 'KERNEL=="md*"', f'ENV{{MD_UUID}}=="{uuid}"', *_set(values)))


def of_disk(match: str, values: Mapping[str, str]) -> str:
    return ", ".join((_EACH, _matched(match), *_set(values)))


def starts_unit(match: str, array: str) -> str:
    """systemd starts it once udev is done with the disk, which does not wait for it."""
    return ", ".join((_EACH, _matched(match), f'ENV{{SYSTEMD_WANTS}}+="{array}-erc@%k.service"'))


def erc_unit(deciseconds: int) -> tuple[str, ...]:
    """An instance for each disk, by its kernel name."""
    return (
        "[Unit]",
        "Description=Error recovery limit of /dev/%I, a disk of an array that raidtui built",
        "",
        "[Service]",
        "Type=oneshot",
        f"ExecStart=smartctl --log=scterc,{deciseconds},{deciseconds} /dev/%I",
        f"TimeoutStartSec={_ERC_LIMIT_S}s",
    )


def _matched(match: str) -> str:
    key, _, value = match.partition("=")
    return f'ENV{{{key}}}=="{value}"'


def _set(values: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(f'ATTR{{{attribute}}}="{value}"' for attribute, value in values.items())
