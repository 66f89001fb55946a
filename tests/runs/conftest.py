"""What a worker has, or changes in its own process: put back after a test that is one for a while."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def wakeup() -> tuple[int, int]:
    return os.pipe2(os.O_NONBLOCK)


@pytest.fixture
def as_worker() -> Iterator[None]:
    """This process may do as a worker does: its folder, its umask and its signals are what they were afterwards."""
    folder, umask = Path.cwd(), os.umask(0o077)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    yield
    signal.set_wakeup_fd(-1)
    for number, handler in handlers.items():
        signal.signal(number, handler)
    os.umask(umask)
    os.chdir(folder)
