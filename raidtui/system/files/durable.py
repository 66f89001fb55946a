"""Writes that are on the disk when the call returns."""

import os
from pathlib import Path


def make(path: Path, content: bytes) -> None:
    """OSError if it exists or fails."""
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def replace(path: Path, content: bytes) -> None:
    """Atomic; OSError keeps the old file."""
    new_file = path.with_name(f".{path.name}.new")
    new_file.unlink(missing_ok=True)  # of a writer that died
    try:
        make(new_file, content)
        new_file.rename(path)
    except OSError:
        new_file.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Names made, renamed or removed in it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
