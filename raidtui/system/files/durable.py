"""What is on the disk when a call returns, whatever happens to the machine after it."""

import os
from pathlib import Path


def make(path: Path, content: bytes) -> None:
    """Make the file `path` with this content. OSError where it cannot be made or written, or is there already."""
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def replace(path: Path, content: bytes) -> None:
    """Put this content at `path` in one step: a reader sees the old file or the new one, whole. OSError, and the old
    one stays, where that cannot be.
    """
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
    """Have the names in this folder on the disk: of files made, renamed and removed there."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
