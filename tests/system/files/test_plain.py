"""Plain files alone, within a bound; nothing is waited for."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from raidtui.system.files import trusted

MOST = 16


def a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


MADE: dict[str, tuple[Callable[[Path], object], str]] = {
    "pipe": (os.mkfifo, "no plain file"),
    "folder": (Path.mkdir, "no plain file"),
    "socket": (a_socket, "no plain file"),
    "link": (lambda path: path.symlink_to("/dev/null"), "no plain file"),
    "large": (lambda path: path.write_bytes(bytes(MOST + 1)), "too large (17 B, at most 16 B)"),
}


@pytest.mark.parametrize("name", MADE)
def test_others_are_refused_with_a_reason(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path is short
    make, says = MADE[name]
    make(Path(name))
    with pytest.raises(trusted.NotRead) as refused:
        trusted.read(Path(name), MOST)
    assert str(refused.value) == f"{name}: {says}" and isinstance(refused.value, ValueError)


def test_a_plain_one_is_read_and_a_link_where_it_was_named(tmp_path: Path) -> None:
    (file := tmp_path / "file").write_bytes(b"all of it")
    (link := tmp_path / "link").symlink_to(file)
    assert trusted.read(file, 9) == trusted.read(file, MOST) == trusted.read(link, MOST, follow=True) == b"all of it"
    with pytest.raises(FileNotFoundError):
        trusted.read(tmp_path / "none", MOST)
