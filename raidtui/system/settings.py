"""Settings by plan path: a kernel file, an NVMe disk's write cache, or a disk's ERC."""

from pathlib import Path
from typing import Protocol

from raidtui.core.plan.steps import erc_disk, immutable_folder, nvme_disk
from raidtui.system import block
from raidtui.system.files.immutable import ImmutableFolder
from raidtui.system.hardware.nvme import NvmeCache
from raidtui.system.hardware.smartctl import DiskErc


class Setting(Protocol):
    """OSError if inaccessible. `teller`: source of its value."""

    teller: str

    def read(self) -> str: ...
    def write(self, value: str) -> None: ...
    def shared_with(self) -> tuple[str, ...]: ...


class KernelFile:
    """Below /sys or /proc/sys."""

    teller = "the kernel"

    def __init__(self, path: Path) -> None:
        self._path = path

    def __str__(self) -> str:
        return str(self._path)

    def read(self) -> str:
        return block.text(self._path)

    def write(self, value: str) -> None:
        """OSError if the kernel refuses."""
        self._path.write_text(value)

    def shared_with(self) -> tuple[str, ...]:
        return ()


def settings_at(path: str) -> list[Setting]:
    """`*` matches any name; placeholders must be filled."""
    if disk := nvme_disk(path):
        return [NvmeCache(disk)]
    if disk := erc_disk(path):
        return [DiskErc(disk)]
    if folder := immutable_folder(path):
        return [ImmutableFolder(folder)]
    return [KernelFile(file) for file in block.matching(path)]
