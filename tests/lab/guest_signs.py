"""What a guest's pytest (`-p tests.lab.guest_signs`) tells the host, so that silence means that nothing goes on.

A line at the beginning of each test, and one whenever the journal of a run has grown. A thread that lives proves
nothing and says nothing; a journal grows only where a step or a measurement began or ended.
"""

import os
import threading
from pathlib import Path

from raidtui.runs import directory

BEGINS = "begins: "
_LOOK_S = 5.0
_errors = os.dup(2)  # pytest, which loads this before it captures anything, has another stderr later


def pytest_runtest_logstart(nodeid: str) -> None:
    _tell(f"{BEGINS}{nodeid.rpartition('::')[2]}")


def pytest_sessionstart() -> None:
    threading.Thread(target=_watch, args=(directory.runs_root(),), daemon=True).start()


def _watch(root: Path) -> None:
    before = 0
    while True:
        threading.Event().wait(_LOOK_S)
        journals_bytes = sum(path.stat().st_size for path in root.glob(f"*/{directory.JOURNAL}"))
        if journals_bytes != before:
            _tell(f"journals of {journals_bytes} bytes")
        before = journals_bytes


def _tell(line: str) -> None:
    os.write(_errors, f"{line}\n".encode())
