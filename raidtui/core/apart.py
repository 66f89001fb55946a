"""What a person tells disks apart by, where model and size are the same."""

from collections import Counter
from collections.abc import Collection
from typing import Protocol


class Recognised(Protocol):
    """A disk, or a member of a plan."""

    @property
    def id(self) -> str: ...
    @property
    def serial(self) -> str: ...


def marks(disks: Collection[Recognised]) -> dict[str, str]:
    """By identity: the serial number, or the identity itself where there is none or another disk has the same."""
    serials = Counter(disk.serial.strip() for disk in disks)

    def alone(serial: str) -> bool:
        return bool(serial) and serials[serial] == 1

    return {disk.id: disk.serial if alone(disk.serial.strip()) else disk.id for disk in disks}
