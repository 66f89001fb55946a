"""What a command answers that needs neither a machine nor a run: each case of `commands.toml`."""

import shlex
from pathlib import Path

import pytest

from raidtui.cli import output
from tests.builders.cases import agrees, cases, expected
from tests.cli.conftest import Command


@pytest.mark.parametrize("given, then", cases(Path(__file__).with_name("commands.toml")))
def test_a_command_answers_so(command: Command, given: str, then: str) -> None:
    status, out, err = command(*shlex.split(given))
    ((stream, _, pattern),) = expected(then)
    told = {"out": (0, True, 0), "err": (output.BAD_INPUT, False, 1), "usage": (output.BAD_INPUT, False, 4)}[stream]
    assert (status, bool(out), err.count("\n")) == told
    assert agrees(pattern, (out or err).strip("\n"))
