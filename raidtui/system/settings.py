"""A setting of the machine by its path in a plan: a file of the kernel's, or the write cache of an NVMe disk."""

from pathlib import Path
from typing import Protocol

from raidtui.core.plan.steps import nvme_disk
from raidtui.system import block
from raidtui.system.hardware.nvme import NvmeCache


class Setting(Protocol):
    """What can be read and set; OSError where it cannot be. `teller`: who says what it is."""

    teller: str

    def read(self) -> str: ...
    def write(self, value: str) -> None: ...
    def shared_with(self) -> tuple[str, ...]: ...


class KernelFile:
    """A file below /sys or /proc/sys."""

    teller = "the kernel"

    def __init__(self, path: Path) -> None:
        self._path = path

    def __str__(self) -> str:
        return str(self._path)

    def read(self) -> str:
        """Its text, "" where it cannot be read."""
        return block.text(self._path)

    def write(self, value: str) -> None:
        """Write the text; OSError where the kernel does not take it."""
        self._path.write_text(value)

    def shared_with(self) -> tuple[str, ...]:
        """A file of the kernel's is of one device."""
        return ()


def settings_at(path: str) -> list[Setting]:
    """All that the path, in which a `*` may stand for what is there, leads to; its placeholders are filled in."""
    if disk := nvme_disk(path):
        return [NvmeCache(disk)]
    return [KernelFile(file) for file in block.matching(path)]
