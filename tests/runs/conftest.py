"""What a worker has, or changes in its own process: put back after a test that is one for a while."""

import os
import signal
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from raidtui.core.disks.disk import Disk
from raidtui.core.disks.machine import Machine
from raidtui.core.disks.verdicts import disks_of
from raidtui.runs import member_guard
from tests.runs.rig import ENDS


@pytest.fixture
def wakeup() -> Iterator[tuple[int, int]]:
    ends = os.pipe2(os.O_NONBLOCK)
    yield ends
    for end in ends:
        os.close(end)


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


@pytest.fixture(autouse=True)
def workers_end() -> Iterator[None]:
    """With the test: a process has so many files."""
    yield
    for end in ENDS:
        end()
    ENDS.clear()


@pytest.fixture(autouse=True)
def judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A written machine is one value, judged again at each look: a fifth of all time."""
    judged: dict[tuple[int, frozenset[str]], tuple[Machine, tuple[Disk, ...]]] = {}

    def once(machine: Machine, own_tables: Collection[str] = ()) -> tuple[Disk, ...]:
        key = id(machine), frozenset(own_tables)
        if key not in judged:
            judged[key] = machine, disks_of(machine, own_tables)
        return judged[key][1]

    monkeypatch.setattr(member_guard, "disks_of", once)
