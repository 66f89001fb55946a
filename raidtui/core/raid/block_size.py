"""The logical block size in 1.x superblocks. Linux 6.19 and later write it into each array that they create or start
(drivers/md/md.c since commit 62ed1b582246, byte 224); older kernels refuse such an array ("does not have a valid v1.2
superblock"). Seen with 7.2.7 and 6.1.176.
"""

from raidtui.core.text import is_since

MD_BLOCK_SIZE = "md-block-size"  # this kernel writes it
SINCE = "Linux 6.19"
NOTE = f"Kernels older than {SINCE} refuse this array: its superblock has a logical block size (docs/hardware.md)."
_SINCE = (6, 19)


def is_written_by(kernel: str) -> bool | None:
    """`kernel`: its release, "7.2.7" or "Linux 7.2.7"; None: not known."""
    return is_since(kernel, _SINCE)
