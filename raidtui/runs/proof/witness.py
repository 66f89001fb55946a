"""The witness of acknowledged writes, outside of this machine: a line a write to a serial line, a named pipe or a TCP
port. Nothing that it sends back is read; what it has is given by a person after the boot.
"""

import errno
import os
import select
import socket
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from raidtui.core.proof import witnessed

_CONNECTS_WITHIN_S, _TAKES_WITHIN_S = 10.0, 60.0


class WitnessError(OSError):
    """One sentence."""


def why_not(witness: str) -> str:
    """One sentence before anything is written; "" if it can be reached. A named pipe is not opened: its reader would
    take the end for its last line.
    """
    try:
        if not (witness.startswith("/") and Path(witness).is_fifo()):
            with opened(witness):
                pass
    except WitnessError as error:
        return str(error)
    return ""


@contextmanager
def opened(witness: str) -> Iterator[Callable[[bytes], None]]:
    """What sends it bytes. WitnessError if it cannot be reached, or takes nothing for a minute."""
    try:
        descriptor = _device(witness) if witness.startswith("/") else _connected(witness)
    except OSError as error:
        raise _failed(witness, error) from error
    try:
        yield lambda line: _send(descriptor, line, witness)
    finally:
        os.close(descriptor)


def _failed(witness: str, error: OSError) -> WitnessError:
    if isinstance(error, WitnessError):
        return error
    nobody = "nothing reads it" if error.errno == errno.ENXIO else ""
    return WitnessError(f"witness {witness}: {nobody or error.strerror or error}; start it, or write another")


def _device(path: str) -> int:
    descriptor = os.open(path, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    if stat.S_ISFIFO(os.fstat(descriptor).st_mode) or os.isatty(descriptor):
        return descriptor
    os.close(descriptor)
    raise WitnessError(f"witness {path} is neither a serial line nor a named pipe; write another")


def _connected(witness: str) -> int:
    host, _, port = witness.rpartition(":")
    connection = socket.create_connection((host.strip("[]"), int(port)), _CONNECTS_WITHIN_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setblocking(False)
    return connection.detach()


def _send(descriptor: int, line: bytes, witness: str) -> None:
    try:
        while line:
            try:
                line = line[os.write(descriptor, line) :]
            except BlockingIOError:
                if not select.select([], [descriptor], [], _TAKES_WITHIN_S)[1]:
                    raise WitnessError(f"witness {witness} takes no more lines; start it anew") from None
    except OSError as error:
        raise _failed(witness, error) from error


def acknowledged(given: str, tag: str) -> int:
    """The highest number of this tag in the witness' last line, or in a file of its lines. ValueError, one sentence."""
    if witnessed.is_line(given):
        number = witnessed.acknowledged([given], tag)
    else:
        try:
            with Path(given).open(errors="replace") as lines:
                number = witnessed.acknowledged(lines, tag)
        except OSError as error:
            example = f"{tag[: witnessed.SHOWN_DIGITS]} 1234"
            raise ValueError(f"--acknowledged {given}: {error.strerror}; give the last line ({example})") from error
    if not number:
        otherwise = "give another, --cut-again or --no-cut"
        raise ValueError(f"--acknowledged {given}: no line of this run's {tag[: witnessed.SHOWN_DIGITS]}; {otherwise}")
    return number
