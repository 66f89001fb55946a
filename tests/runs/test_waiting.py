"""What a worker waits for: programs on disks that fall silent are ended."""

import os
import signal
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
