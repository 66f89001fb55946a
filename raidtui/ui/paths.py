"""Paths of files and folders as the person finds them: in practice the guest's folder is one of the machine outside."""

import os
from pathlib import Path

PRACTICE = -1  # what the wizard returns if practice is to be opened instead
_IN_THE_GUEST = Path("/var/lib/raidtui")


def in_practice() -> bool:
    """Does this run in the practice machine? Leaving the program ends that machine, and every run in it."""
    return os.environ.get("RAIDTUI_PRACTICE") == "1"


def path_text(path: Path) -> str:
    """`path` as it is written on the screen."""
    outside_folder = _outside_folder()
    return str(
        outside_folder / path.relative_to(_IN_THE_GUEST)
        if outside_folder and path.is_relative_to(_IN_THE_GUEST)
        else path
    )


def lasting(path: Path) -> Path | None:
    """Where to write what shall lie at `path`, as a person names it; None where it would end with the machine."""
    outside_folder = _outside_folder()
    if outside_folder is None or path.is_relative_to(_IN_THE_GUEST):
        return path
    return _IN_THE_GUEST / path.relative_to(outside_folder) if path.is_relative_to(outside_folder) else None


def _outside_folder() -> Path | None:
    """Where the machine outside keeps what is in the guest's folder; None where there is no such machine."""
    folder = os.environ.get("RAIDTUI_PRACTICE_RESULTS")
    return Path(folder) if in_practice() and folder else None
