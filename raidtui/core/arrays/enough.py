"""Are the members that work enough for an array's data? As the kernel's md decides it, level by level."""

from collections.abc import Set

# Kernel drivers/md/raid5.c (has_failed): so many slots may be empty.
_PARITY = {"4": 1, "5": 1, "6": 2}


def enough(level: str, slots: int, working: Set[int], near: int = 1, copies: int = 1) -> bool:
    """Does every block have a working copy, or enough of its stripe? `working`: the slots whose members are in sync.

    `near` and `copies` are those of RAID 10. A level that is not known needs all of its members.
    """
    if level == "1":
        return bool(working)
    if level == "10" and slots and 0 < near <= copies <= slots:
        return _enough10(slots, working, near, copies)
    return slots - len(working) <= _PARITY.get(level, 0)


def _enough10(slots: int, working: Set[int], near: int, copies: int) -> bool:
    """Kernel drivers/md/raid10.c (_enough): of each `copies` slots in a row, begun every `near`, one must work."""
    first = 0
    while True:
        if not any((first + place) % slots in working for place in range(copies)):
            return False
        first = (first + near) % slots
        if first == 0:
            return True
