"""SCT Error Recovery Control of an ATA disk, by smartctl. Lost at a power cycle, as the disk has it.

Drives' self-tests by smartctl: they write no user data. Parsed in `raidtui.core.hardware.smartctl`.
"""

import errno
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from raidtui.core.hardware.fields import decode, rows, words
from raidtui.core.hardware.smartctl import SelfTestStatus, SmartError, newest, parse
from raidtui.system.packages import how_to_install
from raidtui.system.process import Done, ProcessError, run, side_by_side
from raidtui.system.programs import which

_TIMEOUT_S = 10.0
_LIMITS = re.compile(r"[0-9]{1,4},[0-9]{1,4}", re.ASCII)
Ask = Callable[[Sequence[str], float], Done]


class DiskErc:
    """By kernel name; methods raise OSError with a sentence."""

    teller = "the disk"

    def __init__(self, disk: str, ask: Ask = run) -> None:
        self._disk, self._ask = disk, ask

    def __str__(self) -> str:
        return f"the error recovery limit of {self._disk}"

    def shared_with(self) -> tuple[str, ...]:
        return ()

    def read(self) -> str:
        """`READ,WRITE` in deciseconds, 0 where it is off."""
        try:
            recovery = parse(self._smartctl("scterc")).recovery
        except SmartError as error:
            raise _not_done(str(error)) from None
        if recovery.erc not in ("on", "off"):
            raise _not_done(f"{self._disk} tells no error recovery limit")
        return f"{round(recovery.read_s * 10)},{round(recovery.write_s * 10)}"

    def write(self, value: str) -> None:
        if not _LIMITS.fullmatch(value):
            raise _not_done(f"{value!r} is no limit")
        self._smartctl(f"scterc,{value}")

    def _smartctl(self, log: str) -> str:
        if which("smartctl") is None:
            raise _not_done(f"smartctl is not installed, which sets it: {how_to_install('smartctl')}")
        try:
            return self._ask(("smartctl", "--json", f"--log={log}", f"/dev/{self._disk}"), _TIMEOUT_S).stdout
        except ProcessError as error:
            raise _not_done(str(error).removesuffix(".")) from error


def _not_done(sentence: str) -> OSError:
    return OSError(errno.EOPNOTSUPP, sentence)


_TIMEOUT_S_SELF_TESTS = 30.0
_NOT_CARRIED_OUT = 0b111  # bits of smartctl's exit status: its command line, the device, a command to it


def begin_self_test(name: str, length: str) -> str:
    """`length`: "short", "long". The reason if it did not start, or ""."""
    if which("smartctl") is None:
        return "smartctl is not installed; `raidtui doctor` names its package"
    try:
        done = run(("smartctl", "--json", f"--test={length}", f"/dev/{name}"), _TIMEOUT_S_SELF_TESTS)
        document = decode(done.stdout, "smartctl")
    except (ProcessError, ValueError) as error:
        return str(error)
    if not done.returncode & _NOT_CARRIED_OUT:
        return ""
    messages = [text for row in rows(document, "smartctl", "messages") if (text := words(row, "string"))]
    return "; ".join(messages) or "the disk has no such test"


def end_self_test(name: str) -> None:
    _answered(name, "--abort")


def self_test_statuses(names: Iterable[str]) -> dict[str, SelfTestStatus]:
    """Kernel name -> newest test, where known."""
    disks_asked = list(names)
    documents = side_by_side(lambda name: _answered(name, "--capabilities", "--log=selftest"), disks_asked)
    by_name = dict(zip(disks_asked, map(newest, documents), strict=True))
    return {name: status for name, status in by_name.items() if status}


def _answered(name: str, *options: str) -> dict[str, Any]:
    try:
        return decode(run(("smartctl", "--json", *options, f"/dev/{name}"), _TIMEOUT_S_SELF_TESTS).stdout, "smartctl")
    except (ProcessError, ValueError):
        return {}
