"""What was made is on the disk when the call returns: its content, and its name."""

import os
import stat
from pathlib import Path

import pytest

from raidtui.system.files import durable


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was synced, by its name."""
    names: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda file: names.append(Path(f"/proc/self/fd/{file}").readlink().name))
    return names


def test_a_file_is_made_once_and_its_content_synced(tmp_path: Path, synced: list[str]) -> None:
    durable.make(tmp_path / "plan", b"content")
    assert (tmp_path / "plan").read_bytes() == b"content" and synced == ["plan"]
    with pytest.raises(FileExistsError):
        durable.make(tmp_path / "plan", b"another")
    assert (tmp_path / "plan").read_bytes() == b"content"


def test_a_folder_is_synced_and_nothing_else(tmp_path: Path, synced: list[str]) -> None:
    durable.sync_folder(tmp_path)
    assert synced == [tmp_path.name]
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        durable.sync_folder(tmp_path / "file")


def test_a_file_is_replaced_whole_or_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "page"
    for content in (b"old", b"new"):
        (tmp_path / ".page.new").touch()  # of a writer that died
        durable.replace(path, content)
        assert path.read_bytes() == content and [*tmp_path.iterdir()] == [path]

    def full(file: int) -> None:
        if not stat.S_ISDIR(os.fstat(file).st_mode):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        durable.replace(path, b"third")
    assert path.read_bytes() == b"new" and [*tmp_path.iterdir()] == [path]
