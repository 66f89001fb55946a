"""Where programs are looked for: whole paths alone, administrators' folders behind them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from packing import unpack
from raidtui import configuration
from raidtui.practice import shim
from raidtui.runs import directory
from raidtui.system.programs import search_path, which, xdg_folder


@pytest.mark.parametrize(
    "path, first",
    [("/opt/bin:/bin", "/opt/bin:/bin"), (".:/bin::tools", "/bin"), ("", "/usr/bin:/bin"), ("bin", "/usr/bin:/bin")],
)
def test_no_program_is_taken_from_where_somebody_stands(path: str, first: str) -> None:
    assert search_path(path) == f"{first}:/usr/local/sbin:/usr/sbin:/sbin"


def test_a_program_of_the_folder_one_stands_in_is_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "raidtui-nothing").write_text("#!/bin/sh\n")
    (tmp_path / "raidtui-nothing").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".")
    assert which("raidtui-nothing") is None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert which("raidtui-nothing") == str(tmp_path / "raidtui-nothing")


def test_a_folder_that_cannot_be_searched_ends_no_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (program := tmp_path / "raidtui-nothing").write_text("#!/bin/sh\n")
    program.chmod(0o755)
    unsearchable = "/" + "x" * 300  # root may search any other one
    monkeypatch.setenv("PATH", f"{unsearchable}:{tmp_path}")
    with pytest.raises(OSError, match="name too long"):
        Path(unsearchable, program.name).is_file()
    assert which(program.name) == str(program)


@pytest.mark.parametrize(
    "given, folder", [("/srv/x", "/srv/x"), ("x/y", "HOME/.x"), ("", "HOME/.x"), ("~/y", "HOME/.x")]
)
def test_a_relative_folder_of_a_person_is_ignored(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, given: str, folder: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_X_HOME", given)
    assert xdg_folder("XDG_X_HOME", "~/.x") == Path(folder.replace("HOME", str(tmp_path)))


@pytest.mark.parametrize(
    "variable, asked, usual",
    [
        ("XDG_CONFIG_HOME", configuration.folder, ".config/raidtui"),
        ("XDG_STATE_HOME", directory.practice_folder, ".local/state/raidtui/practice"),
        ("XDG_CACHE_HOME", shim._cache_folder, ".cache/raidtui"),
        ("XDG_CACHE_HOME", unpack.own_cache, ".cache"),
    ],
)
def test_everybody_who_asks_ignores_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str, asked: Callable[[], Path], usual: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SUDO_USER", raising=False)
    monkeypatch.setenv(variable, "relative")
    assert asked() == tmp_path / "home" / usual
    assert not (tmp_path / "relative").exists()
