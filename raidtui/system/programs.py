"""Where the programs that are started lie: one answer for all of them. Nothing but the standard library."""

import os
from pathlib import Path

# Administrators' programs live in sbin, which an ordinary user's PATH leaves out on Debian.
_SYSTEM_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin")


def search_path(path: str | None = None) -> str:
    """Where every program is looked for: the whole paths in `path` (PATH if left out), then administrators' folders.

    An empty or relative entry is the folder in which the program was started, where anybody may have put a mdadm.
    """
    entries = (os.environ.get("PATH", "") if path is None else path).split(":")
    absolute_entries = [entry for entry in entries if entry.startswith("/")] or ["/usr/bin", "/bin"]
    return ":".join(dict.fromkeys((*absolute_entries, *_SYSTEM_FOLDERS)))


def which(program: str) -> str | None:
    """Where a program lies that would be started; None where it is not installed."""
    places = (Path(folder, program) for folder in search_path().split(":"))
    return next((str(place) for place in places if place.is_file() and os.access(place, os.X_OK)), None)
