"""What is packed with the program is of today; the single file goes by nothing that others may have written."""

import re
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from packing import commands, manual, unpack
from raidtui.cli import completion
from raidtui.cli.app import program

REPOSITORY = Path(__file__).parents[1]


@pytest.mark.parametrize(("file", "module"), [("raidtui.1", manual), ("commands.md", commands)])
def test_the_generated_pages_are_current(file: str, module: ModuleType) -> None:
    page = module.page()
    assert (REPOSITORY / "docs" / file).read_text() == page, f"python -m {module.__name__} > docs/{file}"
    names = {command.callback.__name__ for command in program().registered_commands if command.callback}
    assert {*re.findall(r'^(?:\.SS "|### )(\w+)', page, re.MULTILINE)} == names


def test_a_note_on_no_command_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (file := tmp_path / "notes.md").write_text(commands.NOTES.read_text() + "\n## gone\n\nOld text.\n")
    monkeypatch.setattr(commands, "NOTES", file)
    with pytest.raises(ValueError, match="no command: gone"):
        commands.page()


def test_text_is_no_request_of_roffs() -> None:
    assert manual._text('.TH "a" \\fB-x') == r"\&.TH \(dqa\(dq \efB\-x"


@pytest.mark.parametrize("shell", completion.Shell)
def test_a_packages_completion_asks_the_installed_program(shell: completion.Shell) -> None:
    script = completion.script(shell, "/usr/bin/raidtui")
    assert "_TYPER_COMPLETE_ARGS=" in script and " /usr/bin/raidtui 2>/dev/null" in script
    assert "@ASKED@" not in script and "@PROGRAM@" not in script


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(unpack, "ROOTS_CACHE", tmp_path)
    return tmp_path / "raidtui" / "app"


@pytest.mark.parametrize("shared", [".", ".."])
def test_nothing_is_started_from_a_folder_of_others(
    cache: Path, shared: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert unpack.cache() == cache
    (cache / shared).resolve().chmod(0o777)
    with pytest.raises(SystemExit):
        unpack.cache()
    assert "others may write to it" in capsys.readouterr().err


def test_it_is_unpacked_once_and_whole(tmp_path: Path) -> None:
    archive, site = tmp_path / "x.pyz", tmp_path / "site-1"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("__main__.py", "")
        packed.writestr("site/raidtui/__init__.py", "")
    unpack.unpack(archive, site)
    unpack.unpack(archive, site)  # by another that began at the same time
    assert {path.name for path in tmp_path.iterdir()} == {"x.pyz", "site-1"}
    assert [path.relative_to(site).as_posix() for path in site.rglob("*.py")] == ["raidtui/__init__.py"]


def test_an_older_python_is_told_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.version_info", (3, 9, 2))
    with pytest.raises(SystemExit):
        unpack.main()
    assert "Python 3.11 or later is needed, this is 3.9" in capsys.readouterr().err


def test_the_workflow_runs_targets_that_exist() -> None:
    workflow = (REPOSITORY / ".github" / "workflows" / "check.yml").read_text()
    targets = {word for line in re.findall(r"run: make (.+)", workflow) for word in line.split() if "=" not in word}
    known = set(re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))
    assert targets == {"check", "setup", "deb", "zipapp"} and targets <= known
    assert "run: .ci/run\n" in workflow and (REPOSITORY / ".ci" / "run").exists()


@pytest.mark.parametrize("form", ["bug", "disk"])
def test_an_issue_form_asks_for_a_masked_recording(form: str) -> None:
    text = (REPOSITORY / ".github" / "ISSUE_TEMPLATE" / f"{form}.yml").read_text()
    (words,) = re.findall(r"`sudo raidtui (doctor .*?)`", text)
    assert words == "doctor --dump machine.json --mask"
    (doctor,) = (command for command in program().registered_commands if command.name == "doctor")
    assert doctor.callback is not None and {"dump", "mask"} <= doctor.callback.__annotations__.keys()
