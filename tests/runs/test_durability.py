"""What docs/safety.md promises to be on the disk, in each state that a crash may leave; each sync and lock by name."""

import ast
import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from raidtui.core.boot.ownership import Owned
from raidtui.core.plan.model import Plan
from raidtui.core.run import events, journal_lines
from raidtui.core.run.state import RunState, fold_all
from raidtui.runs import directory
from raidtui.runs.child import Child
from raidtui.runs.journal import Journal
from raidtui.runs.waiting import Ended
from raidtui.system import new_file
from raidtui.system.arrays import boot_file, mount_root
from raidtui.system.files import durable
from tests.crashes import Disk, State
from tests.imports import ROOT, modules, tree
from tests.runs.permanent_rig import BEFORE, CONF, FSTAB, Permanent
from tests.runs.rig import FINISHED, Argv, plan_of
from tests.runs.ticks import Clock

OLD, NEW = b"old\n", b"new\n"


@pytest.fixture
def plan() -> Plan:
    return plan_of("5")


Replace = Callable[[Path], None]
REPLACED: dict[str, Replace] = {
    "page": lambda path: durable.replace(path, NEW),
    "boot file": lambda path: boot_file.replace(str(path), OLD, NEW, "mark"),
    "metrics": lambda path: new_file.replace_file(path, NEW),
}


@pytest.mark.parametrize("name", REPLACED)
def test_a_file_that_is_replaced_is_whole_at_any_moment(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(OLD)
    seen: set[bytes | None] = set()
    disk = Disk(tmp_path, monkeypatch, lambda state: seen.add(state.get("file")))
    REPLACED[name](tmp_path / "file")
    assert seen == {OLD, NEW}
    left = {state["file"] for state in disk.states()}
    assert left == ({OLD, NEW} if name == "metrics" else {NEW})  # metrics are written again


def test_a_boot_file_is_compared_under_its_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (file := tmp_path / "file").write_bytes(OLD)
    held: list[int] = []

    def another_run_had_it(descriptor: int, how: int) -> None:
        held.append(how)
        assert os.fstat(descriptor).st_ino == tmp_path.stat().st_ino
        file.write_bytes(b"theirs")

    monkeypatch.setattr(fcntl, "flock", another_run_had_it)
    with pytest.raises(OSError, match="changed by somebody"):
        boot_file.replace(str(file), OLD, NEW, "mark")
    assert held == [fcntl.LOCK_EX] and file.read_bytes() == b"theirs"


def test_an_owner_is_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder := tmp_path / "folder").mkdir()
    monkeypatch.setattr(mount_root, "_is_root", lambda descriptor, folder: True)
    modes: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: modes.append(os.fstat(descriptor).st_mode & 0o7777))
    now = mount_root.owned(str(folder))
    mount_root.own(str(folder), now, Owned(uid=now.uid, gid=now.gid, mode=0o2710))
    assert modes == [0o2710]


def test_a_boot_file_that_is_removed_is_gone_for_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(OLD)
    disk = Disk(tmp_path, monkeypatch)
    boot_file.replace(str(tmp_path / "file"), OLD, None, "mark")
    assert [*disk.states()] == [{}]


def test_a_file_that_is_made_has_its_content_as_soon_as_its_name_is_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(tmp_path, monkeypatch)
    durable.make(tmp_path / "file", NEW)
    assert sorted(map(str, disk.states())) == sorted(map(str, [{}, {"file": NEW}]))
    durable.sync_folder(tmp_path)
    assert [*disk.states()] == [{"file": NEW}]


def test_a_run_that_was_made_is_whole(tmp_path: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    (root := tmp_path / "runs").mkdir(mode=0o700)
    disk = Disk(tmp_path, monkeypatch)
    path = directory.create(plan, root)
    written = (path / directory.PLAN).read_bytes()
    name = str((path / directory.PLAN).relative_to(tmp_path))
    assert {state.get(name) for state in disk.states()} == {written}


def _read(state: State) -> RunState:
    return fold_all(journal_lines.read(state.get("journal", b""))[0])


def test_what_is_journalled_outlives_a_crash_that_follows_but_for_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(tmp_path, monkeypatch)
    journal = Journal(tmp_path / "journal")
    for number in range(3):
        journal.add(events.Warned(at_s=1.0, text=f"warning {number}"))
        assert {_read(state).warnings for state in disk.states()} == {journal.state.warnings}
    journal.add(events.SyncProgress(at_s=2.0, action="resync", done_bytes=1, total_bytes=2, bytes_per_s=1.0))
    assert {_read(state).sync is None for state in disk.states()} == {True, False}
    journal.close()


def test_what_found_no_room_is_written_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal, write = Journal(tmp_path / "journal"), os.write
    disk = Disk(tmp_path, monkeypatch)

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    journal.add(events.Warned(at_s=1.0, text="kept"))
    monkeypatch.setattr(os, "write", write)
    assert journal.full and {_read(state).warnings for state in disk.states()} == {()}
    journal.close()
    assert {_read(state).warnings for state in disk.states()} == {("kept",)}


class Watched(Permanent):
    """Before anything outside of the run's folder changes, what the journal has of it outlives a crash, and the copy
    of a boot file, too.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(folder)
        self.to_be_made()
        self.disk = Disk(folder, monkeypatch)
        self.changes: list[str] = []
        answered = self.answer

        def answer(argv: Argv) -> Ended:
            self.changed(argv[0])
            return answered(argv)

        self.answer = answer

    def changed(self, what: str) -> None:
        self.changes.append(what)
        for state in self.disk.states():
            left = fold_all(journal_lines.read(state[directory.JOURNAL])[0])
            now = self.journal.state
            assert (left.steps, left.edits, left.owners, left.settings) == (
                now.steps, now.edits, now.owners, now.settings
            )  # fmt: skip
            assert [state[edit.backup] for edit in left.edits.values()] == [BEFORE[path] for path in left.edits]

    def replace_boot_file(self, path: str, expected: bytes | None, content: bytes | None, mark: str) -> None:
        self.changed(path)
        super().replace_boot_file(path, expected, content, mark)

    def own(self, folder: str, expected: Owned, new: Owned) -> None:
        self.changed(folder)
        super().own(folder, expected, new)


def test_what_is_changed_is_in_the_journal_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Watched(tmp_path, monkeypatch)
    assert rig.settle() == FINISHED
    assert {CONF, FSTAB, "/srv/array", "update-initramfs", "mount"} <= {*rig.changes}
    made = len(rig.changes)
    assert rig.undo() == FINISHED
    assert {CONF, FSTAB, "umount"} <= {*rig.changes[made:]}


def test_what_a_test_prints_outlives_a_crash_as_soon_as_it_is_read(
    tmp_path: Path, wakeup: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    log, clock = tmp_path / "log", Clock(0.01)
    child = Child(("sh", "-c", "until [ -e go ]; do sleep 0.01; done; echo found"), tmp_path, log=log)
    disk = Disk(tmp_path, monkeypatch)
    (tmp_path / "go").touch()
    assert child.wait(clock.due_s, clock.tick, wakeup[0]) == 0
    assert {state.get("log") for state in disk.states()} == {b"found\n"}


_CALLS = ("fsync", "fdatasync", "flock", "sync_folder", "rename")
_HERE, _CLAIMS, _LOCKS = "tests/runs/test_durability.py", "tests/system/test_claims.py", "tests/runs/test_locks.py"
# Where in the program -> the call -> the test that fails without it.
CALLS = {
    ("system.files.durable", "make", "fsync"): (_HERE, "test_a_file_that_is_made_has_its_content"),
    ("system.files.durable", "replace", "rename"): (_HERE, "test_a_file_that_is_replaced_is_whole"),
    ("system.files.durable", "replace", "sync_folder"): (_HERE, "test_a_file_that_is_replaced_is_whole"),
    ("system.files.durable", "sync_folder", "fsync"): (_HERE, "test_a_file_that_is_made_has_its_content"),
    ("system.new_file", "_replace", "fsync"): (_HERE, "test_a_file_that_is_replaced_is_whole"),
    ("system.new_file", "_replace", "rename"): (_HERE, "test_a_file_that_is_replaced_is_whole"),
    ("system.arrays.boot_file", "replace", "rename"): (_HERE, "test_a_file_that_is_replaced_is_whole"),
    ("system.arrays.boot_file", "replace", "sync_folder"): (_HERE, "test_a_boot_file_that_is_removed"),
    ("system.arrays.boot_file", "_write", "fsync"): (_HERE, "test_a_file_that_is_replaced_is_whole"),
    ("system.arrays.boot_file", "_locked", "flock"): (_HERE, "test_a_boot_file_is_compared_under_its_lock"),
    ("system.arrays.mount_root", "own", "fsync"): (_HERE, "test_an_owner_is_synced"),
    ("system.claims", "_wait_for_lock", "flock"): (_CLAIMS, "test_a_lock_that_somebody_else_holds_is_said"),
    ("runs.locks", "_locks", "flock"): (_LOCKS, "test_two_runs_have_no_disk_in_common"),
    ("runs.child", "_keep_log", "fdatasync"): (_HERE, "test_what_a_test_prints_outlives_a_crash"),
    ("runs.journal", "__init__", "sync_folder"): (_HERE, "test_what_is_journalled_outlives_a_crash"),
    ("runs.journal", "_append", "fsync"): (_HERE, "test_what_is_journalled_outlives_a_crash"),
    ("runs.directory", "_filled", "sync_folder"): (_HERE, "test_a_run_that_was_made_is_whole"),
    ("runs.boot", "_backed_up", "sync_folder"): (_HERE, "test_what_is_changed_is_in_the_journal_before"),
    ("runs.proof.acknowledging", "acknowledged", "fdatasync"): (
        "tests/runs/proof/test_acknowledging.py",
        "test_each_block_is_there_and_synced_before_its_line",
    ),
}


def test_every_sync_and_lock_has_its_test() -> None:
    found = set()
    for name, file in modules("raidtui").items():
        if name.startswith(("raidtui.practice", "raidtui.core")):
            continue
        for function in (node for node in ast.walk(tree(file)) if isinstance(node, ast.FunctionDef)):
            calls = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
            names = {call.attr for call in calls if isinstance(call, ast.Attribute)}
            names |= {call.id for call in calls if isinstance(call, ast.Name)}
            found |= {(name.removeprefix("raidtui."), function.name, call) for call in names & {*_CALLS}}
    assert found == {*CALLS}
    for path, test in CALLS.values():
        assert f"def {test}" in (ROOT / path).read_text()
