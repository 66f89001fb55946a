"""Volatile write cache of an NVMe disk, by nvme-cli. The controller's, hence shared by its namespaces. The kernel keeps
flushing, which costs nothing without a cache.
"""

import errno
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from raidtui.core.hardware import nvme
from raidtui.system.packages import how_to_install
from raidtui.system.process import Done, ProcessError, run
from raidtui.system.programs import which

_TIMEOUT_S = 20.0  # a cache that is switched off is emptied first
_NAMESPACE = re.compile(r"(nvme\d+)(?:c\d+)?(n\d+)")  # with native multipath a controller has paths, nvme0c1n2
_SYSFS = Path("/sys")
Ask = Callable[[Sequence[str], float], Done]


class NvmeCache:
    """By kernel name; methods raise OSError with a sentence."""

    teller = "its controller"

    def __init__(self, disk: str, ask: Ask = run, sysfs: Path = _SYSFS) -> None:
        self._disk, self._ask, self._sysfs = disk, ask, sysfs

    def __str__(self) -> str:
        return f"the volatile write cache of {self._disk}"

    def shared_with(self) -> tuple[str, ...]:
        controller = self._controller()
        disks = self._namespaces(controller)
        listed = nvme.namespaces_listed(self._nvme("list-ns", controller))
        if listed != len(disks):
            raise _not_done(f"{controller} has {listed} namespaces, and {len(disks)} of them are disks here")
        return tuple(sorted(disks - {self._disk}))

    def read(self) -> str:
        """`write back`, or `write through` if off."""
        controller = self._controller()
        try:
            if not nvme.has_write_cache(self._nvme("id-ctrl", controller, "--output-format=json")):
                raise _not_done("its controller has no volatile write cache")
            return nvme.write_cache(self._nvme("get-feature", controller, f"--feature-id={nvme.WRITE_CACHE}"))
        except ValueError as error:
            raise _not_done(str(error)) from None

    def write(self, value: str) -> None:
        """Until the next controller reset; not saved."""
        words = (f"--feature-id={nvme.WRITE_CACHE}", f"--value={int(value == nvme.ON)}")
        self._nvme("set-feature", self._controller(), *words)

    def _controller(self) -> str:
        folders = sorted((self._sysfs / "class/nvme").glob("nvme*"))
        names = [folder.name for folder in folders if self._disk in self._namespaces(folder.name)]
        if len(names) != 1:
            reason = (
                f"hangs on {len(names)} controllers ({', '.join(names)})" if names else "hangs on no NVMe controller"
            )
            raise _not_done(f"{self._disk} {reason}, and it is not told whose cache it has")
        return names[0]

    def _namespaces(self, controller: str) -> set[str]:
        entries = (self._sysfs / "class/nvme" / controller).glob("nvme*n*")
        return {"".join(parts.groups()) for entry in entries if (parts := _NAMESPACE.fullmatch(entry.name))}

    def _nvme(self, command: str, controller: str, *options: str) -> str:
        if which("nvme") is None:
            raise _not_done(f"nvme is not installed, which switches it: {how_to_install('nvme')}")
        try:
            answer = self._ask(("nvme", command, f"/dev/{controller}", *options), _TIMEOUT_S)
        except ProcessError as error:
            raise _not_done(str(error).removesuffix(".")) from error
        if answer.returncode != 0:
            lines = (answer.stderr or answer.stdout).strip().splitlines()
            raise _not_done(f"nvme {command} {controller}: {lines[-1] if lines else 'it said nothing'}")
        return answer.stdout


def _not_done(sentence: str) -> OSError:
    return OSError(errno.EOPNOTSUPP, sentence)
