"""Search path of all programs that are started, and a person's folders (XDG). Standard library only."""

import os
from pathlib import Path

# Administrators' programs live in sbin, which an ordinary user's PATH leaves out on Debian.
_SYSTEM_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin")


def search_path(path: str | None = None) -> str:
    """Absolute entries of `path` (default PATH), then sbin folders. Empty and relative entries mean the current folder,
    where anybody may put a mdadm.
    """
    entries = (os.environ.get("PATH", "") if path is None else path).split(":")
    absolute_entries = [entry for entry in entries if entry.startswith("/")] or ["/usr/bin", "/bin"]
    return ":".join(dict.fromkeys((*absolute_entries, *_SYSTEM_FOLDERS)))


def xdg_folder(variable: str, usual: str) -> Path:
    """A relative path in `variable` is ignored, as the XDG base directory specification wants it."""
    given = os.environ.get(variable, "")
    return Path(given if given.startswith("/") else usual).expanduser()


def which(program: str) -> str | None:
    """The first of that name; a folder that cannot be searched has none."""
    places = (os.path.join(folder, program) for folder in search_path().split(":"))  # noqa: PTH118
    # Path.is_file raises an error for a folder of somebody else
    return next((place for place in places if os.path.isfile(place) and os.access(place, os.X_OK)), None)  # noqa: PTH113
