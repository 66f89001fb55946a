"""Writes the requests of a power cut's proof one after the other, each synced to the disks before its line goes to the
witness, until it is ended. A process of its own: `python -m raidtui.runs.proof.acknowledging DEVICE BEGIN REQUESTS TAG
WITNESS`.
"""

import mmap
import os
import sys
from collections.abc import Callable, Generator
from itertools import count

from raidtui.core.proof import pattern
from raidtui.core.proof.pattern import REQUEST_BYTES
from raidtui.core.proof.witnessed import AcknowledgedWrites
from raidtui.runs.proof import witness


def acknowledged(device: str, writes: AcknowledgedWrites, send: Callable[[bytes], None]) -> Generator[int, None, None]:
    """Each number, once its block is synced and its line sent; without end. OSError if either fails."""
    descriptor = os.open(device, os.O_WRONLY | os.O_DIRECT | os.O_CLOEXEC)
    try:
        with mmap.mmap(-1, REQUEST_BYTES) as page:
            for number in count(1):
                address = writes.address(number)
                page[:] = pattern.content(writes.tag_of(number), address)
                if os.pwrite(descriptor, page, address) != REQUEST_BYTES:
                    raise OSError(f"{device} took only a part of byte {address}")
                os.fdatasync(descriptor)
                send(writes.line(number).encode())
                yield number
    finally:
        os.close(descriptor)


def main() -> None:
    device, begin, requests, tag, where = sys.argv[1:]
    try:
        with witness.opened(where) as send:
            for _ in acknowledged(device, AcknowledgedWrites(tag, int(begin), int(requests)), send):
                pass
    except OSError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
