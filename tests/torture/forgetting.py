"""A disk whose write cache is lost with the power, as a process that serves the kernel's nbd: what no flush has written
to its file is in its memory alone. It imports nothing of ours: a practice kernel has little memory.

`python -S forgetting.py FILE NODE`; SIGUSR1: from now on flushes do nothing, and succeed.
"""

import fcntl
import os
import signal
import socket
import struct
import sys
import threading

_SET_SOCK, _SET_BLOCK, _DO_IT, _SET_BLOCKS, _SET_FLAGS = 0xAB00, 0xAB01, 0xAB03, 0xAB07, 0xAB0A
_HAS_FLAGS, _SEND_FLUSH = 1, 4
REQUEST, REPLY = struct.Struct(">IHHQQI"), struct.Struct(">IIQ")  # nbd's doc/proto.md
ASKS, ANSWERS = 0x25609513, 0x67446698
READ, WRITE, END, FLUSH = 0, 1, 2, 3
BLOCK_BYTES = 4096
MOST_BLOCKS = 1024  # that the cache has room for


class Cache:
    """A file, and the blocks that were written since the last flush. The oldest leave it where it is full."""

    def __init__(self, file: str) -> None:
        self._file = os.open(file, os.O_RDWR | os.O_CLOEXEC)
        self.size_bytes = os.fstat(self._file).st_size
        self._blocks: dict[int, bytes] = {}
        self.drops = False

    def read(self, offset: int, length: int) -> bytes:
        stored = os.pread(self._file, length, offset)
        blocks = range(offset, offset + length, BLOCK_BYTES)
        return b"".join(self._blocks.get(at, stored[at - offset : at - offset + BLOCK_BYTES]) for at in blocks)

    def write(self, offset: int, data: bytes) -> None:
        for at in range(0, len(data), BLOCK_BYTES):
            self._blocks.pop(offset + at, None)
            self._blocks[offset + at] = data[at : at + BLOCK_BYTES]
        while len(self._blocks) > MOST_BLOCKS:
            self._store(next(iter(self._blocks)))

    def flush(self) -> None:
        while self._blocks and not self.drops:
            self._store(next(iter(self._blocks)))

    def _store(self, at: int) -> None:
        os.pwrite(self._file, self._blocks.pop(at), at)


def serve(cache: Cache, connection: socket.socket) -> None:
    """Until the other side ends it."""
    stream = connection.makefile("rwb")
    while len(asked := stream.read(REQUEST.size)) == REQUEST.size:
        magic, _, kind, handle, offset, length = REQUEST.unpack(asked)
        if magic != ASKS or kind == END:
            return
        if kind == WRITE:
            cache.write(offset, stream.read(length))
        elif kind == FLUSH:
            cache.flush()
        answer = cache.read(offset, length) if kind == READ else b""
        stream.write(REPLY.pack(ANSWERS, 0 if kind in (READ, WRITE, FLUSH) else 22, handle) + answer)
        stream.flush()


def main() -> None:
    file, node = sys.argv[1:]
    cache = Cache(file)

    def drop(number: int, frame: object) -> None:
        cache.drops = True

    signal.signal(signal.SIGUSR1, drop)
    ours, kernels = socket.socketpair()
    device = os.open(node, os.O_RDWR | os.O_CLOEXEC)
    fcntl.ioctl(device, _SET_BLOCK, BLOCK_BYTES)
    fcntl.ioctl(device, _SET_BLOCKS, cache.size_bytes // BLOCK_BYTES)
    fcntl.ioctl(device, _SET_FLAGS, _HAS_FLAGS | _SEND_FLUSH)
    fcntl.ioctl(device, _SET_SOCK, kernels.fileno())
    threading.Thread(target=fcntl.ioctl, args=(device, _DO_IT), daemon=True).start()
    serve(cache, ours)


if __name__ == "__main__":
    main()
