"""Drives' self-tests by smartctl: they write no user data. Parsed in `raidtui.core.hardware.smartctl`."""

from collections.abc import Iterable
from typing import Any

from raidtui.core.hardware.fields import decode, rows, words
from raidtui.core.hardware.smartctl import SelfTestStatus, newest
from raidtui.system.process import ProcessError, run, side_by_side
from raidtui.system.programs import which

_TIMEOUT_S = 30.0
_NOT_CARRIED_OUT = 0b111  # bits of smartctl's exit status: its command line, the device, a command to it


def begin(name: str, length: str) -> str:
    """`length`: "short", "long". The reason if it did not start, or ""."""
    if which("smartctl") is None:
        return "smartctl is not installed; `raidtui doctor` names its package"
    try:
        done = run(("smartctl", "--json", f"--test={length}", f"/dev/{name}"), _TIMEOUT_S)
        document = decode(done.stdout, "smartctl")
    except (ProcessError, ValueError) as error:
        return str(error)
    if not done.returncode & _NOT_CARRIED_OUT:
        return ""
    messages = [text for row in rows(document, "smartctl", "messages") if (text := words(row, "string"))]
    return "; ".join(messages) or "the disk has no such test"


def end(name: str) -> None:
    _answered(name, "--abort")


def statuses(names: Iterable[str]) -> dict[str, SelfTestStatus]:
    """Kernel name -> newest test, where known."""
    disks_asked = list(names)
    documents = side_by_side(lambda name: _answered(name, "--capabilities", "--log=selftest"), disks_asked)
    by_name = dict(zip(disks_asked, map(newest, documents), strict=True))
    return {name: status for name, status in by_name.items() if status}


def _answered(name: str, *options: str) -> dict[str, Any]:
    try:
        return decode(run(("smartctl", "--json", *options, f"/dev/{name}"), _TIMEOUT_S).stdout, "smartctl")
    except (ProcessError, ValueError):
        return {}
