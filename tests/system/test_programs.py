"""Where programs are looked for: whole paths alone, administrators' folders behind them."""

from pathlib import Path

import pytest

from raidtui.system.programs import search_path, which


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
