"""Runs below a test's own folder, on a machine whose boot files name no array."""

from pathlib import Path

import pytest

from raidtui.core.arrays.boot_files import BootFiles
from raidtui.runs import directory
from raidtui.system.arrays import boot_files


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(directory, "runs_root", lambda: tmp_path)
    monkeypatch.setattr(boot_files, "read", BootFiles)
    return tmp_path
