"""`raidtui health --json` and `raidtui controllers --json`: what hardware tells of itself."""

import msgspec

from raidtui.core.hardware.controllers import RaidHardware
from raidtui.core.hardware.judgement import Drive


class HealthDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`why_not`: why no drive told anything, or ""."""

    drives: tuple[Drive, ...]
    why_not: str


class TiedDisk(msgspec.Struct, frozen=True, kw_only=True):
    """A disk of the machine, by the kernel's name, and the virtual disk that it is."""

    controller: int
    target: int
    disk: str


class ControllersDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`answer`: what the controllers' own program told."""

    answer: RaidHardware
    disks: tuple[TiedDisk, ...]
