"""The journal on disk: appended, cut where a crash tore it, folded."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.core.run import events, journal_lines
from raidtui.core.run.state import RunState, fold_all
from raidtui.runs.journal import Journal, alive, going_on, of_this_boot, read_state, why_lost
from raidtui.system import block
from raidtui.system.files.trusted import NotRead


def test_what_was_added_is_there_for_the_next_reader(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j")
    journal.add(events.Warned(at_s=1.0, text="first"))
    assert read_state(tmp_path / "j") == journal.state
    journal.close()


def test_a_torn_last_line_is_cut_before_more_is_written(tmp_path: Path) -> None:
    path = tmp_path / "j"
    path.write_bytes(journal_lines.encode(events.Warned(at_s=1.0, text="first")) + b'{"event": "warn')
    journal = Journal(path)
    journal.add(events.Warned(at_s=2.0, text="second"))
    assert read_state(path).warnings == ("first", "second")
    journal.close()


def test_no_journal_yet_is_an_empty_state(tmp_path: Path) -> None:
    assert read_state(tmp_path / "none") == RunState()


def test_the_journal_is_its_owners_alone(tmp_path: Path) -> None:
    Journal(tmp_path / "j").close()
    assert (tmp_path / "j").stat().st_mode & 0o077 == 0


def warned(text: str) -> events.Warned:
    return events.Warned(at_s=1.0, text=text)


def lines(*texts: str) -> bytes:
    return b"".join(journal_lines.encode(warned(text)) for text in texts)


@pytest.mark.parametrize(
    "found, is_left",
    [
        (lines("first"), lines("first")),
        (b"", b""),
        (lines("first") + lines("torn")[:-1], lines("first")),
        (lines("first") + bytes(9), lines("first") + bytes(9) + b"\n"),  # damage, of which the next line is no part
        (b"no line\n", b"no line\n"),
    ],
)
def test_more_is_written_behind_whole_lines_alone(tmp_path: Path, found: bytes, is_left: bytes) -> None:
    path = tmp_path / "j"
    path.write_bytes(found)
    journal = Journal(path)
    assert path.read_bytes() == is_left
    journal.add(warned("second"))
    assert path.read_bytes() == is_left + lines("second") and journal.state.warnings[-1] == "second"
    assert read_state(path) == journal.state
    journal.close()


class FullDisk:
    """Takes `room` bytes until something is given up; or fails to `sync`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, room: int, *, syncs: bool = True) -> None:
        self.room, self.syncs = room, syncs
        self.write, self.sync = os.write, os.fsync
        self.synced = 0
        monkeypatch.setattr(os, "write", self._write)
        monkeypatch.setattr(os, "fsync", self._sync)

    def _write(self, file: int, content: bytes) -> int:
        if not self.room:
            raise OSError(28, "No space left on device")
        written = self.write(file, content[: self.room])
        self.room -= written
        return written

    def _sync(self, file: int) -> None:
        if not self.syncs:
            raise OSError(5, "Input/output error")
        self.synced += 1
        self.sync(file)


@pytest.mark.parametrize("room, syncs", [(0, True), (10, True), (10**6, False)])
def test_what_cannot_be_written_waits_whole_and_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], room: int, syncs: bool
) -> None:
    path = tmp_path / "j"
    journal = Journal(path)
    journal.add(warned("first"))
    disk = FullDisk(monkeypatch, room, syncs=syncs)
    journal.add(warned("second"))
    assert journal.full and path.read_bytes() == lines("first"), "no part of a line"
    assert journal.state.warnings == ("first", "second"), "the run goes on with what it knows"
    reason = "No space left on device" if syncs else "Input/output error"
    assert capfd.readouterr().err.startswith(f"not journalled yet ({reason}): Warned(")
    disk.room, disk.syncs = 10**6, True
    journal.add(warned("third"))
    assert path.read_bytes() == lines("first", "second", "third") and disk.synced == 1
    assert capfd.readouterr().err == ""
    journal.add(warned("fourth"))
    assert path.read_bytes() == lines("first", "second", "third", "fourth")
    journal.close()


def test_its_own_reserve_is_given_up_before_a_line_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    path, reserve = tmp_path / "j", tmp_path / "reserve"
    reserve.write_bytes(bytes(4096))
    journal = Journal(path, reserve)
    journal.add(warned("first"))
    assert not journal.full and reserve.exists()
    disk = FullDisk(monkeypatch, 10)
    unlink = Path.unlink

    def given_up(file: Path, missing_ok: bool = False) -> None:
        unlink(file, missing_ok=missing_ok)
        disk.room = 10**6

    monkeypatch.setattr(Path, "unlink", given_up)
    for text in ("second", "third"):
        journal.add(warned(text))
    assert journal.full and not reserve.exists() and capfd.readouterr().err == ""
    assert path.read_bytes() == lines("first", "second", "third")
    disk.room = 0
    journal.add(warned("fourth"))  # nothing is left to be given up
    assert path.read_bytes() == lines("first", "second", "third", "fourth")
    journal.close()


def test_a_log_on_the_same_full_disk_ends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

        def flush(self) -> None: ...

    journal = Journal(tmp_path / "j")
    FullDisk(monkeypatch, 0)
    monkeypatch.setattr("sys.stderr", Full())
    journal.add(warned("first"))
    assert journal.state.warnings == ("first",)
    journal.close()  # nor does what is not written by then
    assert (tmp_path / "j").read_bytes() == b""


def test_it_is_closed_once_and_nothing_is_written_again(tmp_path: Path) -> None:
    files = len([*Path("/proc/self/fd").iterdir()])
    journal = Journal(tmp_path / "j")
    journal.add(warned("first"))
    journal.close()
    assert (tmp_path / "j").read_bytes() == lines("first")
    assert len([*Path("/proc/self/fd").iterdir()]) == files


@pytest.mark.parametrize(
    "content, why",
    [
        (None, ""),
        (b"", ""),
        (lines("first"), ""),
        (b"no line\n" + lines("first"), ""),
        (b"no line\n", "of the 8 bytes of its journal none can be read"),
        (bytes(4096), "of the 4096 bytes of its journal none can be read"),
    ],
)
def test_a_journal_is_lost_if_none_of_its_lines_can_be_read(tmp_path: Path, content: bytes | None, why: str) -> None:
    if content is not None:
        (tmp_path / "j").write_bytes(content)
    assert why_lost(tmp_path / "j") == why


def test_what_is_no_journal_is_refused_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "j").symlink_to("/dev/null")
    with pytest.raises(NotRead, match=r"^\S+/j: no plain file$"):
        read_state(tmp_path / "j")
    (tmp_path / "k").write_bytes(lines("first"))
    monkeypatch.setattr(journal_lines, "_MOST_KEPT_BYTES", 8)
    with pytest.raises(NotRead, match=r"^\S+/k: a journal with more than 0 MiB of events$"):
        read_state(tmp_path / "k")
    os.truncate(tmp_path / "k", (2 << 30) + 1)
    for read in (read_state, why_lost):
        with pytest.raises(NotRead, match=r"too large \(2\.00 GiB, at most 2\.00 GiB\)$"):
            read(tmp_path / "k")


HERE = events.WorkerStarted(
    at_s=1.0,
    schema=1,
    run="r",
    boot_id=block.boot_id(),
    pid=os.getpid(),
    start_ticks=block.start_ticks(os.getpid()) or 0,
)
ENDED = events.RunEnded(at_s=2.0, outcome="failed")
Look = Callable[[RunState], bool]


@pytest.mark.parametrize(
    "told, looks",
    [
        ((), ()),
        ((HERE,), (of_this_boot, alive, going_on)),
        ((HERE, ENDED), (of_this_boot, alive)),
        ((replace(HERE, boot_id="another"),), ()),
        ((replace(HERE, start_ticks=HERE.start_ticks + 1),), (of_this_boot,)),
    ],
)
def test_a_worker_lives_by_its_boot_its_number_and_its_start(
    told: tuple[events.AnyEvent, ...], looks: tuple[Look, ...]
) -> None:
    state = fold_all(told)
    assert tuple(look for look in (of_this_boot, alive, going_on) if look(state)) == looks
