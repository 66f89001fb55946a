"""What disks say of their own health and temperature (SMART), by the kernel's hwmon or smartctl where it is installed.

Health is asked once for each disk and process; a disk that has told no temperature is not asked for it again.

A disk that sleeps is left asleep. Disks behind a RAID controller are not asked: there smartctl wants the controller's
own numbers. No answer means nothing: most virtual disks have none.
"""

import shutil
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec

from raidtui.core.machine import clean
from raidtui.system.block import text
from raidtui.system.process import ProcessError, environment, run

_TIMEOUT_S = 5.0
_AT_ONCE = 8
_told: dict[tuple[str, str], str] = {}
_tells_none: set[str] = set()  # kernel names
# Where smartctl's JSON has the temperature from which a disk slows itself down: NVMe, SCSI, SATA
_LIMITS = (
    ("nvme_composite_temperature_threshold", "warning"),
    ("temperature", "drive_trip"),
    ("temperature", "op_limit_max"),
)


class Celsius(msgspec.Struct, frozen=True):
    """A temperature, and from where on the disk slows itself down; None where it does not tell."""

    now: float
    limit: float | None = None


def ask(disks: Mapping[str, str]) -> dict[str, str]:
    """Kernel name -> "passed", or "failing" with the disk's own words. `disks`: name -> diskseq, which no other has."""
    if shutil.which("smartctl", path=environment()["PATH"]) is None:
        return {}
    new = [name for name, diskseq in disks.items() if (name, diskseq) not in _told]
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        for name, health in zip(new, pool.map(_ask, new), strict=True):
            _told[name, disks[name]] = health
    return {name: health for name, diskseq in disks.items() if (health := _told[name, diskseq])}


def temperatures(names: Iterable[str], sysfs: Path = Path("/sys")) -> dict[str, Celsius]:
    """Kernel name -> its temperature, of the disks that tell one. A disk that sleeps is left asleep."""
    wanted = list(names)
    found = {name: told for name in wanted if (told := _of_kernel(sysfs / "block" / name / "device"))}
    rest = [name for name in wanted if name not in found and name not in _tells_none]
    if not rest or shutil.which("smartctl", path=environment()["PATH"]) is None:
        return found
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        for name, celsius in zip(rest, pool.map(_ask_temperature, rest), strict=True):
            if celsius is None:
                _tells_none.add(name)
            else:
                found[name] = celsius
    return found


def _of_kernel(device: Path) -> Celsius | None:
    """As the kernel's nvme and drivetemp drivers tell it, in thousandths of a degree."""
    for pattern in ("hwmon*/temp1_input", "hwmon/hwmon*/temp1_input"):
        for file in device.glob(pattern):
            now, most = _thousandths(text(file)), _thousandths(text(file.with_name("temp1_max")))
            if now is not None:
                return Celsius(now, most)
    return None


def _thousandths(said: str) -> float | None:
    return int(said) / 1000 if said.removeprefix("-").isdecimal() and said.isascii() else None


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
    limits = (limit for section, key in _LIMITS if (limit := _degrees(said, section, key)))
    return None if now is None else Celsius(now, next(limits, None))


def _degrees(said: Any, section: str, key: str) -> float | None:
    part = said.get(section) if isinstance(said, dict) else None
    value = part.get(key) if isinstance(part, dict) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) and -60 < value < 200 else None


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
