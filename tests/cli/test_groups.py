"""The help of the program and of each command: in groups, nothing cut at 80 columns, no long line."""

from typing import cast

import pytest
import typer
from typer.core import TyperGroup

from raidtui.cli import app
from tests.cli.conftest import Command
from tests.language import SUMMARY_CHARACTERS, words

COMMANDS = [
    *("disks", "advise", "capacity", "predict", "recipes", "plan", "run", "ensure"),
    *("practice", "demo", "runs", "attach"),
    *("stop", "resume", "again", "passphrase", "clean", "undo", "forget", "report", "explain", "compare", "check"),
    *("fleet", "export", "commissioning", "status", "watch", "scrub", "replace", "grow", "health", "controllers"),
    *("doctor", "config", "themes", "schema", "completion"),
]
GROUPS = ["Plan (changes nothing)", "Build and benchmark", "Runs", "Results", "Maintain", "Setup", "Options"]


def test_the_help_names_every_command_in_its_group(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    status, out, _ = command("--help")
    lines = out.splitlines()
    assert [line[:-1] for line in lines if line.endswith(":") and line[:1] > " "] == GROUPS
    listed = [line for line in lines[: lines.index("Options:")] if line.startswith("  ")][1:]
    assert status == 0 and [line.split()[0] for line in listed] == COMMANDS  # and none on a second line


@pytest.mark.parametrize("name", COMMANDS)
def test_no_help_is_cut_or_long(command: Command, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    status, out, err = command(name, "-h")
    assert (status, err) == (0, "") and out.startswith(f"Usage: raidtui {name} ")
    assert not [line for line in out.splitlines()[1:] if line.endswith(("...", "…"))]
    of_command = cast(TyperGroup, typer.main.get_command(app.program())).commands[name]
    texts = [getattr(parameter, "help", None) or "" for parameter in of_command.params] + [of_command.short_help or ""]
    assert all(texts) and max(map(len, texts)) <= SUMMARY_CHARACTERS and max(map(words, texts)) <= 10
