"""What two workers must not have at once: the same run, the same disk."""

import fcntl
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.core.disks.machine import Held
from raidtui.runs import locks
from raidtui.system import discovery
from tests.builders.machines import device, machine


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "PATIENCE_S", 0.0)


@pytest.mark.parametrize("identities", [(), ("wwn-1",)])
def test_one_run_has_one_worker_whatever_lies_beneath_it(tmp_path: Path, identities: tuple[str, ...]) -> None:
    run, held = tmp_path / "run", tmp_path / "locks"
    with locks.held(run, (), held), pytest.raises(locks.DiskLocked, match="at the run run"), locks.held(run, (), held):
        pass
    with locks.held(run, identities, held):  # let go
        pass


def test_one_person_types_for_a_run_which_hears_of_it(tmp_path: Path) -> None:
    run, held = tmp_path / "run", tmp_path / "locks"
    assert not locks.is_person_at(run, held)
    with locks.person_at(run, held):
        assert locks.is_person_at(run, held) and not locks.is_person_at(tmp_path / "another", held)
        with pytest.raises(locks.DiskLocked, match="in another terminal"), locks.person_at(run, held):
            pass
        with locks.held(run, (), held):  # its worker's own is another
            pass
    assert not locks.is_person_at(run, held)


def test_two_runs_have_no_disk_in_common(tmp_path: Path) -> None:
    one, other, held = tmp_path / "one", tmp_path / "other", tmp_path / "locks"
    with locks.held(one, ("wwn-1", "wwn-2"), held):
        with pytest.raises(locks.DiskLocked, match="holds the disk wwn-2"), locks.held(other, ("wwn-3", "wwn-2"), held):
            pass
        with locks.held(other, ("wwn-3",), held):
            pass


def test_a_disk_of_a_run_is_known_to_be_taken_also_while_nobody_works_on_it(tmp_path: Path) -> None:
    held, asked = tmp_path / "locks", ("wwn-1", "wwn-2")
    assert locks.locked_elsewhere(asked, held) == {}
    with locks.held(tmp_path / "run", ("wwn-2",), held):
        assert (
            list(locks.locked_elsewhere(asked, held)) == ["wwn-2"]
            and "holds the disk wwn-2" in locks.locked_elsewhere(asked, held)["wwn-2"]
        )
    assert locks.locked_elsewhere(asked, held) == {}
    with locks.held(tmp_path / "run", asked, held):  # to ask takes nothing
        pass


def test_what_is_held_now_names_its_run_and_what_was_does_not(tmp_path: Path) -> None:
    """A worker that was killed leaves its word, and the kernel lets go of its lock."""
    held = tmp_path / "locks"
    assert locks.held_now(held) == ()
    with locks.held(tmp_path / "20260101T000000Z-abcd", ("wwn-2", "wwn-1"), held), locks.person_at(tmp_path, held):
        now = locks.held_now(held)
        assert {(one.disk, one.run) for one in now} == {(f"wwn-{n}", "20260101T000000Z-abcd") for n in (1, 2)}
    assert len([*held.iterdir()]) == 4 and locks.held_now(held) == ()
    with locks.held(tmp_path / "b", ("wwn-1",), held):  # a shorter name over a longer one
        assert [(one.disk, one.run) for one in locks.held_now(held)] == [("wwn-1", "b")]


def test_a_killed_worker_holds_nothing(tmp_path: Path) -> None:
    words = (
        "import pathlib, sys, time; from raidtui.runs import locks; root = pathlib.Path(sys.argv[1])\n"
        "with locks.held(root / 'run', ['wwn-1'], root / 'locks'): print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", words, tmp_path], stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout and worker.stdout.readline() == "held\n"
        assert [one.run for one in locks.held_now(tmp_path / "locks")] == ["run"]
        worker.kill()
    assert locks.held_now(tmp_path / "locks") == ()


def test_what_is_no_lock_of_a_disk_is_nobodys(tmp_path: Path) -> None:
    (tmp_path / "a.lock").write_bytes(b"")
    (tmp_path / "b.lock").write_bytes(b'{"disk": 7')
    (tmp_path / "c.lock").mkdir()
    assert locks.held_now(tmp_path) == ()


def test_a_run_that_begins_waits_for_who_only_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = tmp_path / "locks"
    with locks.held(tmp_path / "run", ("wwn-1",), held):
        pass
    monkeypatch.setattr(locks, "PATIENCE_S", 30.0)
    with locks._file(held, "wwn-1").open() as asking:
        fcntl.flock(asking, fcntl.LOCK_SH)
        answered = threading.Timer(0.05, fcntl.flock, (asking.fileno(), fcntl.LOCK_UN))
        answered.start()
        with locks.held(tmp_path / "run", ("wwn-1",), held):
            answered.join()


def test_locks_are_their_owners_alone_and_links_are_none(tmp_path: Path) -> None:
    held = tmp_path / "run" / "raidtui"
    before = os.umask(0)
    try:
        with locks.held(tmp_path / "one", ("wwn-1",), held), locks.person_at(tmp_path / "one", held):
            files = [*held.iterdir()]
    finally:
        os.umask(before)
    assert held.stat().st_mode & 0o777 == 0o700
    assert [file.stat().st_mode & 0o777 for file in files] == [0o600] * 3
    (elsewhere := tmp_path / "elsewhere").write_bytes(b"theirs")
    for name in ("wwn-2", f"run {tmp_path / 'two'}"):
        locks._file(held, name).symlink_to(elsewhere)
        with pytest.raises(OSError, match="Too many levels"), locks.held(tmp_path / "two", ("wwn-2",), held):
            pass
        locks._file(held, name).unlink()
    assert elsewhere.read_bytes() == b"theirs"


def test_a_folder_for_locks_is_made_for_a_person_too(tmp_path: Path) -> None:
    assert Path("/run/raidtui") == locks.LOCKS  # where workers of other versions look, too
    held = tmp_path / "a" / "b"
    with locks.person_at(tmp_path, held):
        assert held.stat().st_mode & 0o777 == 0o700
    assert not locks.is_person_at(tmp_path, tmp_path / "none")


def test_all_disks_are_taken_in_one_order_or_none_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs that begin at once cannot wait for each other; what one had until then it gives back."""
    held = tmp_path / "locks"
    taken: list[str] = []
    locking = locks._locks

    def noted(descriptor: int, how: int) -> bool:
        taken.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        return locking(descriptor, how)

    monkeypatch.setattr(locks, "_locks", noted)
    files = len([*Path("/proc/self/fd").iterdir()])
    with locks.held(tmp_path / "one", ("wwn-3", "wwn-1", "wwn-2"), held):
        assert taken == [
            locks._file(held, name).name for name in ("wwn-1", "wwn-2", "wwn-3", f"run {tmp_path / 'one'}")
        ]
        with (
            pytest.raises(locks.DiskLocked, match=r"^another run holds the disk wwn-3; `raidtui runs` shows which"),
            locks.held(tmp_path / "two", ("wwn-0", "wwn-3"), held),
        ):
            pass
        assert locks.locked_elsewhere(("wwn-0", "wwn-3"), held).keys() == {"wwn-3"}
    assert len([*Path("/proc/self/fd").iterdir()]) == files


def test_a_lock_is_waited_for_as_long_as_patience_lasts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = tmp_path / "locks"
    now, slept = [100.0], list[float]()

    def sleep(duration_s: float) -> None:
        slept.append(duration_s)
        now[0] += 0.4

    monkeypatch.setattr(locks, "PATIENCE_S", 1.0)
    with locks.held(tmp_path / "one", (), held):
        monkeypatch.setattr(time, "monotonic", lambda: now[0])
        monkeypatch.setattr(time, "sleep", sleep)
        with pytest.raises(locks.DiskLocked), locks.held(tmp_path / "one", (), held):
            pass
        monkeypatch.undo()
    assert slept == [0.02] * 3


def test_what_a_lock_names_is_shown_without_what_a_terminal_obeys(tmp_path: Path) -> None:
    held = tmp_path / "locks"
    with locks.held(tmp_path / "x\x1b[2J", ("wwn-\x1b]0;y\x07",), held):
        (now,) = locks.held_now(held)
    assert "\x1b" not in now.disk + now.run and now.disk.startswith("wwn-") and now.run.startswith("x")


def test_this_machine_is_read_with_what_runs_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = machine(device("sda"))
    monkeypatch.setattr(discovery, "read_machine", lambda: seen)
    monkeypatch.setattr(discovery, "with_volumes", lambda read: replace(read, not_read=("volumes",)))
    held_now = (Held(disk="wwn-1", run="run"),)
    monkeypatch.setattr(locks, "held_now", lambda: held_now)
    assert locks.machine_here() == replace(seen, not_read=("volumes",), held=held_now)
