"""Whether older kernels refuse an array, by the logical block size in its superblock (`core/raid/block_size.py`)."""

from collections.abc import Iterable, Iterator
from typing import Literal

from raidtui.core.raid.block_size import SINCE, is_written_by

OlderKernels = Literal["", "refuse it", "not known"]
TOLD = "md block size"  # of a member, read from its superblock: BlockDevice.told
_SAID: dict[OlderKernels, tuple[str, str]] = {
    "refuse it": (
        f"created or started by {SINCE} or later (logical block size in its superblock): older kernels refuse it",
        f"use {SINCE} or later, for a rescue system too",
    ),
    "not known": (
        f"if {SINCE} or later created or started it, older kernels refuse it",
        f"if `dmesg` has `does not have a valid v1.2 superblock`, start it with {SINCE} or later",
    ),
}


def of_running(block_size: str) -> OlderKernels:
    """`block_size`: md/logical_block_size; "" before 6.19."""
    return "refuse it" if block_size.strip("0") else ""


def of_stopped(told: Iterable[str], kernel: str) -> OlderKernels:
    """`told`: of its members, where read; `kernel`: the running one, which takes what a later one wrote."""
    sizes = {size for size in told if size}
    if sizes:
        return "refuse it" if sizes != {"0"} else ""
    return "" if is_written_by(kernel) else "not known"


def facts(older_kernels: OlderKernels) -> Iterator[dict[str, str]]:
    """Of the row `older-kernels`."""
    if older_kernels:
        said, do = _SAID[older_kernels]
        yield {"said": said, "do": do}
