"""`raidtui health --json`, `raidtui controllers --json`."""

import msgspec

from raidtui.core.hardware.controllers import RaidHardware
from raidtui.core.hardware.judgement import Drive


class HealthDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`why_not`: why no drive answered, or ""."""

    drives: tuple[Drive, ...]
    why_not: str


class TiedDisk(msgspec.Struct, frozen=True, kw_only=True):
    """A kernel disk and its virtual disk."""

    controller: int
    target: int
    disk: str


class ControllersDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`answer`: of the controllers' program."""

    answer: RaidHardware
    disks: tuple[TiedDisk, ...]
