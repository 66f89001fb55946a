"""The moment at which the plug is pulled: not by what was there before, and not missed."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.server import plug
from tests.server.plug import Moment, await_moment

_LONG_S = 20.0


def _watching(moment: Moment) -> threading.Thread:
    """It ends at the moment."""
    watched = threading.Event()
    watching = threading.Thread(target=await_moment, args=(moment, lambda _: watched.set()), daemon=True)
    watching.start()
    assert watched.wait(_LONG_S)
    return watching


def _struck(moment: Moment, acts: Callable[[], None]) -> bool:
    """Does the moment come once `acts` has been done?"""
    watching = _watching(moment)
    assert watching.is_alive()  # what is there already is not the moment
    acts()
    watching.join(_LONG_S)
    return not watching.is_alive()


def test_a_line_that_comes_to_a_file_and_not_one_that_stands_there(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    journal.write_text('{"role":"mkfs"}\n')

    def acts() -> None:
        with journal.open("a") as file:
            file.write('{"role":"mount"}\n')
            file.flush()
            file.write('{"role":"mkfs"}\n')

    assert _struck(Moment(folder=str(tmp_path), name="journal", text='"role":"mkfs"'), acts)


@pytest.mark.parametrize("name", ["fstab", ".fstab.*"])
def test_a_file_is_made_and_put_in_place(tmp_path: Path, name: str) -> None:
    (tmp_path / "fstab").write_text("old")
    beside = tmp_path / ".fstab.run"

    def acts() -> None:
        (tmp_path / "another").touch()
        beside.write_text("new")
        beside.rename(tmp_path / "fstab")

    assert _struck(Moment(folder=str(tmp_path), name=name), acts)


def test_a_file_that_is_made_is_not_half_written_yet(tmp_path: Path) -> None:
    watching = _watching(Moment(folder=str(tmp_path), name="*.new", least_bytes=8))
    with (tmp_path / "image.new").open("wb", buffering=0) as file:
        file.write(b"1234")
        (tmp_path / "another.new").touch()
        watching.join(0.1)
        assert watching.is_alive()
        file.write(b"5678")
        watching.join(_LONG_S)
    assert not watching.is_alive()


def test_the_folder_comes_later_with_the_line_in_it(tmp_path: Path) -> None:
    run = tmp_path / "run-1"

    def acts() -> None:
        run.mkdir()
        (run / "journal").write_text("begun")

    assert _struck(Moment(folder=str(tmp_path / "run-*"), name="journal", text="begun"), acts)


def test_no_other_machine_loses_its_power(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trigger, command_line = tmp_path / "trigger", tmp_path / "cmdline"
    trigger.touch()
    command_line.write_text(f"root=LABEL=root not.{plug.LAB_SERVER}\n")
    monkeypatch.setattr(plug, "_TRIGGER", str(trigger))
    monkeypatch.setattr(plug, "_COMMAND_LINE", command_line)
    monkeypatch.setattr(plug, "await_moment", lambda moment, tell: None)
    monkeypatch.setattr("sys.argv", ["plug.py", '{"folder":"/etc","name":"fstab"}'])
    monkeypatch.setattr("os.sched_setscheduler", lambda *words: None)
    with pytest.raises(SystemExit, match="no lab server"):
        plug.main()
    assert not trigger.read_text()
    command_line.write_text(f"root=LABEL=root {plug.LAB_SERVER}\n")
    plug.main()
    assert trigger.read_text() == "b"
