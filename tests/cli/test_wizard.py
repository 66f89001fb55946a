"""The wizard wants a terminal, and says what does without one."""

import re
from pathlib import Path

import pytest

from raidtui.cli import output
from raidtui.core.report.markdown import whole
from raidtui.demo import recording
from raidtui.system import privilege
from raidtui.ui.services import Services
from tests.cli.conftest import Command


@pytest.mark.parametrize("terminal", ["", "dumb"])
def test_without_a_full_screen_it_names_the_commands_that_need_none(
    command: Command, monkeypatch: pytest.MonkeyPatch, terminal: str
) -> None:
    if terminal:
        monkeypatch.setenv("TERM", terminal)
        monkeypatch.setattr("sys.stdin.isatty", lambda: True)
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    status, out, err = command()
    assert (status, out) == (output.BAD_INPUT, "") and "raidtui plan ANSWERS.toml" in err
    assert ("TERM=dumb" in err) == bool(terminal)


def test_a_screen_is_opened_with_and_without_an_empty_command_line(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr("raidtui.ui.launch.wizard", lambda: 7)
    assert command()[0] == command("--")[0] == 7


def test_a_demo_names_the_recordings_that_there_are(command: Command) -> None:
    status, out, err = command("demo", "--run", "nosuch")
    assert (status, out) == (output.BAD_INPUT, "")
    assert err == "raidtui: --run nosuch: no such recording; available: raid6-of-6, slow-of-24\n"


@pytest.mark.parametrize("terminal", ["", "dumb"])
@pytest.mark.parametrize("run", ["raid6-of-6", "slow-of-24"])
def test_without_a_full_screen_a_demo_prints_the_recorded_report(
    command: Command, monkeypatch: pytest.MonkeyPatch, run: str, terminal: str
) -> None:
    if terminal:
        monkeypatch.setenv("TERM", terminal)
        monkeypatch.setattr("sys.stdin.isatty", lambda: True)
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    status, out, err = command("demo", "--run", run)
    recorded = recording.load(recording.folder_of(run))
    assert (status, out) == (0, whole(recorded.plan, recorded.view().state))
    assert "## Commands" in out and "## Attachments" not in out
    assert not re.search(r"\]\((?!https?://|#)", out)  # a link to a file would lead nowhere
    first, last = err.splitlines()
    assert first == f"DEMO: report of the recorded run {run}; nothing is touched"
    assert last == f"The demo touched nothing. On your own disks: `{privilege.as_root()}`"


def test_a_demo_is_recorded_to_a_new_file_only(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("raidtui.demo.film.film", lambda name: f"<svg>{name}</svg>")
    path = tmp_path / "demo.svg"
    assert command("demo", "--record", str(path))[0] == 0
    assert path.read_text() == "<svg>raid6-of-6</svg>"
    status, _, err = command("demo", "--record", str(path))
    assert status == 2 and "exists already" in err


def test_a_demo_opens_the_screens_over_its_recording(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    shown: list[Services] = []
    monkeypatch.setattr("raidtui.ui.launch.wizard", lambda services: shown.append(services()))
    status, _, err = command("demo", "--run", "slow-of-24")
    assert status == 0 and err == f"The demo touched nothing. On your own disks: `{privilege.as_root()}`\n"
    assert len(shown[0].scan().disks) == 24
