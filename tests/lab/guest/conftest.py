"""What tests of whole runs share: short answers, and disks that are blank again afterwards."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from raidtui.core.disks.verdicts import disks_of
from raidtui.runs import directory
from raidtui.runs.journal import read_state
from raidtui.system import leftovers
from raidtui.system.discovery import read_machine
from tests.lab import light_fio
from tests.lab.guest.brief_runs import READ, WRITE, ended, raidtui, wait_for, write_answers, write_recipe
from tests.lab.guest.loops import Loops, run


@pytest.fixture(scope="session", autouse=True)
def light() -> None:
    """A fio of fewer pages: each that is touched is a fault, 15 us of a processor (CONTRIBUTING.md)."""
    light_fio.put_in_place()


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder of recipes."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def answers(config: Path) -> Path:
    """All disks, RAID 5, xfs, the brief recipe."""
    return write_answers(config, write_recipe(config, WRITE, READ))


@pytest.fixture
def nothing_left() -> Iterator[None]:
    """After the test no run goes on, no disk has a signature, and no fio goes on."""
    yield
    assert not list(_stopped_runs())  # by a test that failed, it would be on the disks of the next ones
    for disk in disks_of(read_machine()):
        assert disk.found in ("blank", "unknown data"), disk  # no signature; a stopped baseline leaves its blocks
        leftovers.remember(disk.name)
    assert subprocess.run(["pgrep", "-x", "fio"], check=False).returncode == 1


def _stopped_runs() -> Iterator[str]:
    for path in directory.list_runs(directory.runs_root()):
        if not ended(read_state(path / directory.JOURNAL)):
            raidtui("stop", path.name)
            wait_for(path, ended)
            yield path.name


@pytest.fixture(scope="module")
def loops(tmp_path_factory: pytest.TempPathFactory) -> Loops:
    run("modprobe", "loop")
    return Loops(tmp_path_factory.mktemp("loops"))
