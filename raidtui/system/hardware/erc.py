"""SCT Error Recovery Control of an ATA disk, by smartctl. Lost at a power cycle, as the disk has it."""

import errno
import re
from collections.abc import Callable, Sequence

from raidtui.core.hardware.smartctl import SmartError, parse
from raidtui.system.packages import how_to_install
from raidtui.system.process import Done, ProcessError, run
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
