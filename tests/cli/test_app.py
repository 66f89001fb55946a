"""The program as a whole: its version, its help, its exit codes, and what it does without."""

import shlex
import subprocess
import sys

import pytest

from raidtui.cli import app, output
from raidtui.core.plan.answers import PlanNotSafe
from tests.cli.conftest import Command


@pytest.mark.parametrize(
    "error, status, sentence",
    [
        (PlanNotSafe("sda is in use"), output.REFUSED, "raidtui: refused: sda is in use\n"),
        (ValueError("bad\n  \x1b[2Jinput"), output.BAD_INPUT, "raidtui: bad [2Jinput\n"),
        (FileNotFoundError(2, "No such file", "a.toml"), output.FAILED, "raidtui: a.toml: No such file\n"),
        (OSError("no room"), output.FAILED, "raidtui: no room\n"),
    ],
)
def test_an_error_is_one_sentence_and_an_exit_code(
    command: Command, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, sentence: str
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(output, "open_wizard", fail)
    assert command() == (status, "", sentence)


@pytest.mark.parametrize(
    "argv, file, code",
    [
        (("disks", "--machine", "/none"), "/none", output.BAD_INPUT),
        (("disks", "--machine=/none/x"), "/none", output.BAD_INPUT),
        (("report", "/runs/a"), "/runs/a/journal.jsonl", output.BAD_INPUT),
        (("disks", "--machine", ""), ".", output.BAD_INPUT),
        (("disks",), "/var/lib/raidtui/x", output.FAILED),
        (("report", "a"), "/var/lib/raidtui/runs/a/journal.jsonl", output.FAILED),
    ],
)
def test_a_file_that_was_named_and_cannot_be_used_is_bad_input(
    command: Command, monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...], file: str, code: int
) -> None:
    def fail(**_: object) -> None:
        raise PermissionError(13, "Permission denied", file)

    monkeypatch.setattr(app, "program", lambda _: fail)
    assert command(*argv) == (code, "", f"raidtui: {file}: Permission denied\n")


def test_without_an_output_the_exit_code_is_the_same() -> None:
    argv = (sys.executable, "-m", "raidtui", "capacity", "9", "--disk", "1TBx4")
    done = subprocess.run(f"{shlex.join(argv)} >&-", shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == output.BAD_INPUT and "Traceback" not in done.stderr and "'9'" in done.stderr


@pytest.mark.parametrize("words, option", [(("help",), ("--help",)), (("help", "stop"), ("stop", "--help"))])
def test_help_is_a_word_too(command: Command, words: tuple[str, ...], option: tuple[str, ...]) -> None:
    status, out, _ = command(*words)
    assert (status, out) == command(*option)[:2] and status == 0 and out.startswith("Usage: raidtui")


def loaded(*arguments: str) -> set[str]:
    """The modules that a command has imported when it ends."""
    code = """
import sys
from raidtui.cli.app import main
try:
    main()
except SystemExit:
    pass
print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_until_a_command_is_known_nothing_but_typer_is_imported() -> None:
    modules = loaded("--help")
    assert "typer" in modules
    assert not {"msgspec", "pydantic", "rich", "textual", "plotext", "psutil", "pyudev"}.intersection(modules)
    assert not [name for name in modules if name.startswith("raidtui.") and not name.startswith("raidtui.cli")]


def test_a_command_without_a_screen_imports_nothing_of_one() -> None:
    assert not {"pydantic", "rich", "textual", "plotext", "psutil", "pyudev"}.intersection(loaded("runs"))
