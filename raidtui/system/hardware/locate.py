"""Locate LED of a disk: of its enclosure slot (sysfs) or by ledctl, put out again; else steady reads of the disk.

Nothing is written to the disk: it is opened read-only.
"""

import errno
import mmap
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from raidtui.system.process import Done, ProcessError, run
from raidtui.system.programs import which

_TIMEOUT_S = 20.0  # ledctl looks at all slots first
_READ_BYTES = 1 << 20
_MOST_ERRORS = 10  # reads in a row: a failing disk is one that people look for, one that is gone never answers
Ask = Callable[[Sequence[str], float], Done]
SYS_BLOCK = Path("/sys/block")


class Led(msgspec.Struct, frozen=True):
    """How it is lit, and the command that puts it back if this program is killed."""

    place: str
    put_back: str


@contextmanager
def lit(
    disk: str, announce: Callable[[Led], None], sys_block: Path = SYS_BLOCK, ask: Ask = run
) -> Iterator[Led | None]:
    """The LED of a disk, by kernel name, on; afterwards as before. None where no LED can be lit."""
    if file := _of_enclosure(disk, sys_block):
        before = file.read_text().strip()
        led = Led(f"locate LED of slot {file.parent.name}", f"echo {before} > {file}")
        announce(led)
        try:
            if is_lit := _is_lit_by(file):
                yield led
        finally:
            file.write_text(before)
        if is_lit:
            return
    off = ("ledctl", f"locate_off=/dev/{disk}")
    led = Led("locate LED by ledctl", " ".join(off))
    if which("ledctl") is None:
        yield None
        return
    announce(led)
    try:
        yield led if _answers(ask, ("ledctl", f"locate=/dev/{disk}")) else None
    finally:
        _answers(ask, off)


def _of_enclosure(disk: str, sys_block: Path) -> Path | None:
    """The `locate` file of the disk's slot, if it is there and has a value that can be put back."""
    for file in sorted((sys_block / disk / "device").glob("enclosure_device:*/locate")):
        try:
            if file.read_text().strip() in ("0", "1") and os.access(file, os.W_OK):
                return file
        except OSError:  # the enclosure does not answer
            continue
    return None


def _is_lit_by(file: Path) -> bool:
    """Read back: some enclosures take the value and have no LED."""
    try:
        file.write_text("1")
        return file.read_text().strip() == "1"
    except OSError:
        return False


def _answers(ask: Ask, argv: Sequence[str]) -> bool:
    try:
        return ask(argv, _TIMEOUT_S).returncode == 0
    except ProcessError:
        return False


def read_steadily(path: str, size_bytes: int, pause: Callable[[], bool]) -> None:
    """Direct reads of 1 MiB until `pause` is true. OSError if the disk no longer answers."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_DIRECT)
    at_byte = errors = 0
    try:
        with mmap.mmap(-1, _READ_BYTES) as buffer:
            while True:
                try:
                    os.preadv(descriptor, [buffer], at_byte)
                    errors = 0
                except OSError as error:
                    errors += 1
                    if errors >= _MOST_ERRORS or error.errno in (errno.ENODEV, errno.ENXIO):
                        raise OSError(error.errno, f"no longer answers: {error.strerror}", path) from error
                at_byte = at_byte + _READ_BYTES if at_byte + 2 * _READ_BYTES <= size_bytes else 0
                if pause():
                    return
    finally:
        os.close(descriptor)
