"""A command as a person gives it, in this process: exit status, output, errors."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.cli import app, output
from raidtui.core.plan import model as plans
from raidtui.runs import directory
from tests.schemas import errors_in

RECORDED = Path(__file__).parents[1] / "recordings"
Command = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def every_document_is_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a command prints as JSON in a test is held against the schema of its name, however it was started."""

    def valid(document: str, value: Any) -> bytes:
        content = encode(document, value)
        assert errors_in(document, json.loads(content)) == []
        return content

    encode = output.encoded
    monkeypatch.setattr(output, "encoded", valid)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    def run(*argv: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["raidtui", *argv])
        with pytest.raises(SystemExit) as ended:
            app.main()
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    return run


@pytest.fixture
def recorded_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only run of this machine: one that was recorded, of three disks and 12 trials."""
    path = tmp_path / "state" / "raidtui" / "practice" / "runs" / "20260102T030405Z-ab12"
    shutil.copytree(RECORDED / "runs" / "raid5-of-3", path)
    path.chmod(0o700)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))  # for those who ask from another process, too
    monkeypatch.setattr(directory, "runs_root", lambda: path.parent)
    monkeypatch.setattr(directory, "roots", lambda: (path.parent,))
    return path


@pytest.fixture
def signed_run(recorded_run: Path) -> Path:
    """With the schema and the code of today."""
    plan = replace(directory.read_plan(recorded_run), schema=plans.SCHEMA)
    plan = replace(plan, code=plans.confirmation_code(plan))
    (recorded_run / directory.PLAN).write_bytes(plans.encode(plan))
    return recorded_run
