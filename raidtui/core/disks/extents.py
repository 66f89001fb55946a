"""Extents of a file on its device, and their alignment to a grid."""

from typing import Annotated

import msgspec
from msgspec import Meta

from raidtui.core.text import MOST_COUNTED

_MOST_OF_IT = 0.99
_Bytes = Annotated[int, Meta(ge=0, le=MOST_COUNTED)]


class Extent(msgspec.Struct, frozen=True):
    """A contiguous run of a file."""

    in_file_bytes: _Bytes
    on_device_bytes: _Bytes
    length_bytes: _Bytes


def start_on_grid(extents: tuple[Extent, ...], grid_bytes: int) -> int | None:
    """Offset of the file's start on the grid, if laid out like 99 % of it; None otherwise, or if unknown."""
    bytes_by_start: dict[int, int] = {}
    for extent in extents:
        start_bytes = (extent.on_device_bytes - extent.in_file_bytes) % grid_bytes
        bytes_by_start[start_bytes] = bytes_by_start.get(start_bytes, 0) + extent.length_bytes
    if not bytes_by_start:
        return None
    start, most_bytes = max(bytes_by_start.items(), key=lambda pair: pair[1])
    return start if most_bytes >= _MOST_OF_IT * sum(bytes_by_start.values()) else None
