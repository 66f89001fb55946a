"""What a worker waits for: programs on disks that fall silent are ended."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from raidtui.core.plan.roles import Role
from raidtui.runs import waiting
from raidtui.runs.journal import Journal
from raidtui.runs.sampler import Sampler
from raidtui.runs.waiting import Waiter
from tests.runs.rig import WrittenHost


@pytest.mark.parametrize("program, role", [("fio", "measure"), ("mkfs.xfs", "mkfs")])
def test_fio_and_mkfs_on_disks_that_have_fallen_silent_are_interrupted(
    program: str, role: Role, tmp_path: Path, wakeup: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Silent(Sampler):
        def silent_s(self) -> float:
            return waiting.LIMIT_S + 1

    (tmp_path / program).write_text("#!/bin/sh\nexec sleep 60\n")
    (tmp_path / program).chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    silent = Silent(tmp_path / "samples.bin", (), WrittenHost())
    ended = Waiter(tmp_path, Journal(tmp_path / "journal.jsonl"), silent, wakeup[0]).run((program,), role=role)
    assert ended.silent and ended.status == -signal.SIGINT
    assert f"no disk answered any request for 600 s: {program} was interrupted" in ended.printed


def test_what_is_claimed_for_a_program_is_open_in_it_and_released_here(tmp_path: Path, wakeup: tuple[int, int]) -> None:
    """A claim that ended before its program would let another one write meanwhile."""
    lock, released = tmp_path / "lock", []

    @contextmanager
    def claim() -> Iterator[tuple[int, ...]]:
        with lock.open("w") as file:
            yield (file.fileno(),)
        released.append(file.closed)

    sampler = Sampler(tmp_path / "samples.bin", (), WrittenHost())
    waiter = Waiter(tmp_path, Journal(tmp_path / "journal.jsonl"), sampler, wakeup[0])
    ended = waiter.run(("find", "/proc/self/fd", "-lname", str(lock)), claim=claim())
    assert ended.status == 0 and ended.printed.startswith("/proc/self/fd/") and released == [True]
