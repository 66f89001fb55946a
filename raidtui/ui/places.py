"""Where things lie, as the person finds them: in practice the guest's folder is one of the machine outside."""

import os
from pathlib import Path

_IN_THE_GUEST = Path("/var/lib/raidtui")


def in_practice() -> bool:
    """Does this run in the practice machine? Leaving the program ends that machine, and every run in it."""
    return os.environ.get("RAIDTUI_PRACTICE") == "1"


def shown(path: Path) -> str:
    """`path` as it is written on the screen."""
    outside = os.environ.get("RAIDTUI_PRACTICE_RESULTS")
    if in_practice() and outside and path.is_relative_to(_IN_THE_GUEST):
        return str(Path(outside) / path.relative_to(_IN_THE_GUEST))
    return str(path)
