"""The file systems: how each is made on an array so that it knows the array's stripes, and how that is read back.

Builds argument lists and reads the tools' output; starts nothing. mkfs is always told the geometry: its own guess comes
from what disks claim about themselves, and some claim nonsense.
"""

import re
from collections.abc import Callable

import msgspec

from raidtui.core.levels import copies, level
from raidtui.core.units import GIB, KIB, MIB, both

BLOCK_BYTES = 4096
_MAX_XFS_LOG_UNIT_BYTES = 256 * KIB
_XFS_LOG_UNIT_BYTES = 32 * KIB


class Geometry(msgspec.Struct, frozen=True):
    """What a file system knows of the array below it, in its own blocks; both 0 where there are no stripes.

    ext calls them stride and stripe-width; XFS sunit and swidth (`su` in bytes, `sw` in multiples of `su`).
    """

    block_bytes: int
    stride_blocks: int
    stripe_width_blocks: int

    @property
    def su_bytes(self) -> int:
        """One disk's share of a stripe: the chunk."""
        return self.stride_blocks * self.block_bytes

    @property
    def sw_disks(self) -> int:
        """How many disks' shares of data a stripe has."""
        return self.stripe_width_blocks // self.stride_blocks if self.stride_blocks else 0


NO_STRIPES = Geometry(block_bytes=BLOCK_BYTES, stride_blocks=0, stripe_width_blocks=0)
