"""What disks say of their own health (SMART), by smartctl where it is installed. Asked once for each disk and process.

A disk that sleeps is left asleep. Disks behind a RAID controller are not asked: there smartctl wants the controller's
own numbers. No answer means nothing: most virtual disks have none.
"""

import shutil
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec

from raidtui.core.machine import clean
from raidtui.system.process import ProcessError, environment, run

_TIMEOUT_S = 5.0
_AT_ONCE = 8
_told: dict[tuple[str, str], str] = {}


def ask(disks: Mapping[str, str]) -> dict[str, str]:
    """Kernel name -> "passed", or "failing" with the disk's own words. `disks`: name -> diskseq, which no other has."""
    if shutil.which("smartctl", path=environment()["PATH"]) is None:
        return {}
    new = [name for name, diskseq in disks.items() if (name, diskseq) not in _told]
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        for name, health in zip(new, pool.map(_ask, new), strict=True):
            _told[name, disks[name]] = health
    return {name: health for name, diskseq in disks.items() if (health := _told[name, diskseq])}


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
