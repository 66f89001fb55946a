"""Paths of files and folders as the person finds them: in practice the guest's folder is one of the machine outside."""

import os
from pathlib import Path

from raidtui.system.new_file import write_new

PRACTICE, DEMO = -1, -2  # what the wizard returns if one of these is to be opened instead
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


def report_text(path: Path, demo: bool) -> str:
    """Where the report of the run in `path` is."""
    return f"`raidtui demo --run {path.name} | cat`" if demo else path_text(path / "report.md")


def shown_default(name: str) -> str:
    """Where a file of this name is written; in practice only a bare name is persistent."""
    return name if in_practice() else path_text(Path(name).absolute())


def written(chosen: str | None, content: str) -> tuple[str, str]:
    """Writes what a person named, and never over a file: the result in a line, and its look."""
    if not chosen:
        return "Nothing was written.", "dim"
    path = lasting(Path(chosen).expanduser().absolute())
    if path is None:
        lost = f"Not written: {chosen} would be lost with the practice machine; give a name without a folder."
        return lost, "bad"
    try:
        write_new(path, content.encode())
    except FileExistsError:
        return f"Not written: {path_text(path)} exists; choose another name.", "warn"
    except OSError as error:
        return f"Not written: {path_text(path)}: {error.strerror}; choose another place.", "bad"
    return f"Written to {path_text(path)}", "good"
