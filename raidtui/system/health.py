"""What disks say of their own health and temperature (SMART), by the kernel's hwmon or smartctl where it is installed.

Health is asked once for each disk and process; a disk that has told no temperature is not asked for it again.

A disk that sleeps is left asleep. Disks behind a RAID controller are not asked: there smartctl wants the controller's
own numbers. No answer means nothing: most virtual disks have none.
"""

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec

from raidtui.core.run.events import UNITS_WRITTEN
from raidtui.core.text import clean
from raidtui.system.block import text
from raidtui.system.process import ProcessError, run
from raidtui.system.programs import which

_TIMEOUT_S = 5.0
_COUNTS_S = 20.0  # of a disk that has just been busy for hours
_AT_ONCE = 8
_told: dict[tuple[str, str], str] = {}
_tells_none: set[str] = set()  # kernel names
# Where smartctl's JSON has the temperature from which a disk slows itself down: NVMe, SCSI, SATA
_LIMITS = (
    ("nvme_composite_temperature_threshold", "warning"),
    ("temperature", "drive_trip"),
    ("temperature", "op_limit_max"),
)
# And where that has the one above which it must not be used.
_CRITICAL = (
    ("nvme_composite_temperature_threshold", "critical"),
    ("temperature", "drive_trip"),
    ("temperature", "limit_max"),
)


_COUNTED_BY_ATA = {
    5: "reallocated sectors",
    187: "uncorrectable errors",
    197: "pending sectors",
    198: "offline uncorrectable",
    199: "link errors",
}
_COUNTED = (  # where smartctl's JSON has the others, of SATA, NVMe and SCSI disks
    ("power-on hours", ("power_on_time", "hours")),
    (UNITS_WRITTEN, ("nvme_smart_health_information_log", "data_units_written")),
    ("media errors", ("nvme_smart_health_information_log", "media_errors")),
    ("used, %", ("nvme_smart_health_information_log", "percentage_used")),
    ("grown defects", ("scsi_grown_defect_list",)),
    ("uncorrected reads", ("scsi_error_counter_log", "read", "total_uncorrected_errors")),
    ("uncorrected writes", ("scsi_error_counter_log", "write", "total_uncorrected_errors")),
    ("temperature, °C", ("temperature", "current")),
)


class Celsius(msgspec.Struct, frozen=True):
    """A temperature, from where on the disk slows itself down, and from where on it may be damaged; None where it does
    not tell.
    """

    now: float
    limit: float | None = None
    critical: float | None = None

    @property
    def is_critical(self) -> bool:
        return self.critical is not None and self.now >= self.critical


def ask(disks: Mapping[str, str]) -> dict[str, str]:
    """Kernel name -> "passed", or "failing" with the disk's own words. `disks`: name -> diskseq, which no other has."""
    if which("smartctl") is None:
        return {}
    new = [name for name, diskseq in disks.items() if (name, diskseq) not in _told]
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        for name, health in zip(new, pool.map(_ask, new), strict=True):
            _told[name, disks[name]] = health
    return {name: health for name, diskseq in disks.items() if (health := _told[name, diskseq])}


def temperatures(names: Iterable[str], sysfs: Path = Path("/sys")) -> dict[str, Celsius]:
    """Kernel name -> its temperature, of the disks that tell one. A disk that sleeps is left asleep."""
    wanted = list(names)
    found = told_by_kernel(wanted, sysfs)
    rest = [name for name in wanted if name not in found and name not in _tells_none]
    if not rest or which("smartctl") is None:
        return found
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        for name, celsius in zip(rest, pool.map(_ask_temperature, rest), strict=True):
            if celsius is None:
                _tells_none.add(name)
            else:
                found[name] = celsius
    return found


def told_by_kernel(names: Iterable[str], sysfs: Path = Path("/sys")) -> dict[str, Celsius]:
    """As `temperatures`, of the disks whose own the kernel's drivers tell: read in a moment, also during a test."""
    return {name: told for name in names if (told := _of_kernel(sysfs / "block" / name / "device"))}


def _of_kernel(device: Path) -> Celsius | None:
    """As the kernel's nvme and drivetemp drivers tell it, in thousandths of a degree."""
    for pattern in ("hwmon*/temp1_input", "hwmon/hwmon*/temp1_input"):
        for file in device.glob(pattern):
            said = (text(file), *(text(file.with_name(f"temp1_{name}")) for name in ("max", "crit")))
            now, most, critical = map(_thousandths, said)
            if now is not None:
                return Celsius(now, most, critical)
    return None


def _thousandths(said: str) -> float | None:
    return _possible(int(said) / 1000) if said.removeprefix("-").isdecimal() and said.isascii() else None


def _ask_temperature(name: str) -> Celsius | None:
    try:
        done = run(("smartctl", "--json", "--all", "--nocheck=standby", f"/dev/{name}"), _TIMEOUT_S)
    except ProcessError:
        return None
    return read_temperature(done.stdout)


def read_temperature(text: str) -> Celsius | None:
    """The temperature in smartctl's JSON; None where it tells none."""
    try:
        said: Any = msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    now = _degrees(said, "temperature", "current")
    slowed, critical = (
        next((limit for section, key in table if (limit := _degrees(said, section, key))), None)
        for table in (_LIMITS, _CRITICAL)
    )
    return None if now is None else Celsius(now, slowed, critical)


def _degrees(said: Any, section: str, key: str) -> float | None:
    part = said.get(section) if isinstance(said, dict) else None
    value = part.get(key) if isinstance(part, dict) else None
    return _possible(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _possible(celsius: float) -> float | None:
    """A temperature that a disk can have."""
    return celsius if -60 < celsius < 200 else None


def counts(names: Iterable[str]) -> dict[str, dict[str, float | str]]:
    """Kernel name -> what SMART counts there now, of the disks that answer. Asked anew each time."""
    if which("smartctl") is None:
        return {}
    wanted = list(names)
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        return {name: told for name, told in zip(wanted, pool.map(_ask_counts, wanted), strict=True) if told}


def why_nothing() -> str:
    """Why no disk told what it counts, in a sentence."""
    if which("smartctl") is None:
        return "smartctl is not installed, so no disk was asked for SMART; `raidtui doctor` names its package"
    return "no disk answered smartctl: virtual disks and disks behind a RAID controller do not"


def _ask_counts(name: str) -> dict[str, float | str]:
    try:
        done = run(("smartctl", "--json", "--all", "--nocheck=standby", f"/dev/{name}"), _COUNTS_S)
    except ProcessError:
        return {}
    return read_counts(done.stdout)


def read_counts(text: str) -> dict[str, float | str]:
    """Health and counts in smartctl's JSON, those that it has; {} where it has none."""
    try:
        said: Any = msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return {}
    found: dict[str, float | str] = {"health": health} if (health := read(text)) else {}
    rows = _at(said, ("ata_smart_attributes", "table"))
    for row in rows if isinstance(rows, list) else ():
        name = _COUNTED_BY_ATA.get(number) if isinstance(number := _at(row, ("id",)), int) else None
        if name and _is_count(value := _at(row, ("raw", "value"))):
            found[name] = value
    return found | {name: value for name, path in _COUNTED if _is_count(value := _at(said, path))}


def _at(said: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        said = said.get(key) if isinstance(said, dict) else None
    return said


def _is_count(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**63


def _ask(name: str) -> str:
    try:
        done = run(("smartctl", "--json", "--health", "--nocheck=standby", f"/dev/{name}"), _TIMEOUT_S)
    except ProcessError:
        return ""
    return read(done.stdout)


def read(text: str) -> str:
    """The health in smartctl's JSON; "" where it tells none. Its exit code is a bitmask of other things, too."""
    try:
        said: Any = msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return ""
    status = said.get("smart_status") if isinstance(said, dict) else None
    passed = status.get("passed") if isinstance(status, dict) else None
    if not isinstance(status, dict) or not isinstance(passed, bool):
        return ""
    if passed:
        return "passed"
    scsi = status.get("scsi")
    words = scsi.get("ie_string") if isinstance(scsi, dict) else None
    return f"failing: {clean(words)[:80]}" if isinstance(words, str) and clean(words) else "failing"
