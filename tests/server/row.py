"""A row of the lab: what is carried out in a server of its own."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from tests.server import rack
from tests.server.machine import Server

Act = Callable[[Server, Path], str]


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """`act` is carried out in a server that has booted; the folder is for what is kept. `core`: run by default;
    `zfs`: its server has OpenZFS.
    """

    name: str
    disks: tuple[rack.Disk, ...]
    act: Act
    core: bool = False
    zfs: bool = False
