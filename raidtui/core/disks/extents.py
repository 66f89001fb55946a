"""Where a file lies on its device: extents, and how its bytes fall on a grid of the device's.

Knows addresses. What device that is, and what grid, the caller knows.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

from raidtui.core.text import MOST_COUNTED

_MOST_OF_IT = 0.99
_Bytes = Annotated[int, Meta(ge=0, le=MOST_COUNTED)]


class Extent(msgspec.Struct, frozen=True):
    """A run of a file's bytes that lie together: where in the file, where on the device, how many."""

    in_file_bytes: _Bytes
    on_device_bytes: _Bytes
    length_bytes: _Bytes


def start_on_grid(extents: tuple[Extent, ...], grid_bytes: int) -> int | None:
    """Where the file's first byte would lie on a grid of so many bytes if all of it lay as most of it does.

    None where extents are not known, or where less than 99 of 100 bytes agree.
    """
    bytes_by_start: dict[int, int] = {}
    for extent in extents:
        start_bytes = (extent.on_device_bytes - extent.in_file_bytes) % grid_bytes
        bytes_by_start[start_bytes] = bytes_by_start.get(start_bytes, 0) + extent.length_bytes
    if not bytes_by_start:
        return None
    start, most_bytes = max(bytes_by_start.items(), key=lambda pair: pair[1])
    return start if most_bytes >= _MOST_OF_IT * sum(bytes_by_start.values()) else None
