"""SHA-256 of files."""

import hashlib
from collections.abc import Iterable
from pathlib import Path


def digests(folder: Path, paths: Iterable[str]) -> dict[str, str]:
    """Hexadecimal, by path below `folder`. OSError if one cannot be read."""
    found = {}
    for path in paths:
        with (folder / path).open("rb") as file:
            found[path] = hashlib.file_digest(file, "sha256").hexdigest()
    return found
