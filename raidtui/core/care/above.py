"""Layers and file systems on a grown array: who grows them, the run or a person. Pure."""

import re
from collections.abc import Iterator
from shlex import quote

from raidtui.core.arrays.array import Array
from raidtui.core.raid.filesystems import FILE_SYSTEMS
from raidtui.core.units import Units, format_bytes

NESTED = "# a partition, or several layers, lie on it: each gets the room by hand, from the array upwards"
_NODE = re.compile(r"/dev(?![\w-])")  # a device's, whatever is before and after it
_GROW = {row.key: row.grow for row in FILE_SYSTEMS}
_OF_32_BITS = {row.key: row.most_bytes_of_32_bits for row in FILE_SYSTEMS}


def ends_before(array: Array, grown_bytes: int) -> str:
    """A note if a file system on it may not grow that far, or ""."""
    for upon in array.upon:
        limit_bytes = _OF_32_BITS.get(upon.kind, 0)
        if limit_bytes and (array.size_bytes or 0) <= limit_bytes < grown_bytes:
            limit = format_bytes(limit_bytes, Units.BINARY)
            return f"{upon.kind} without the feature 64bit ends at {limit} (`tune2fs -l` shows its features)"
    return ""


def command(array: Array) -> tuple[str, ...]:
    """Grows a mounted file system directly on the array; () if a person must."""
    if len(array.upon) != 1:
        return ()
    (upon,) = array.upon
    folder = upon.mounted_at[0] if upon.mounted_at else ""
    if (
        not folder
        or "{" in folder
        or _NODE.search(folder)
        or upon.device != array.name
        or upon.volume
        or upon.container
    ):
        return ()
    return tuple(word.format(node="{array}", folder=folder) for word in _GROW.get(upon.kind, "").split())


def lines(array: Array) -> Iterator[str]:
    """For a person; with several volumes, layers or partitions they decide who gets the space."""
    if any(upon.nested for upon in array.upon):
        yield NESTED
        return
    on_volumes = [upon for upon in array.upon if upon.volume]
    yield from (f"cryptsetup resize {upon.container}" for upon in array.upon if upon.container)
    if on_volumes:
        yield f"pvresize {array.node}"
    for upon in array.upon if len(on_volumes) < 2 else ():
        if upon.volume:
            yield f"lvextend --extents +100%FREE {upon.volume}"
        node = f"/dev/{upon.volume or (f'mapper/{upon.container}' if upon.container else upon.device)}"
        yield from _grown(upon.kind, upon.mounted_at[0] if upon.mounted_at else "", node)


def _grown(kind: str, mounted_at: str, node: str) -> list[str]:
    line = _GROW.get(kind, "")
    where = quote(mounted_at or "/mnt")
    mount = [f"mount {node} {where}"] if "{folder}" in line and not mounted_at else []
    return [*mount, line.format(node=node, folder=where)] if line else []
