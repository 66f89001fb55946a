"""`clean`, `undo`, `forget` on a run that was recorded: asked first, and one document with `--json`."""

import io
import json
from contextlib import nullcontext
from pathlib import Path

import pytest

from raidtui.cli import output
from raidtui.runs import directory, launch
from raidtui.runs.directory import NotDone
from raidtui.runs.removal.decision import Consent
from tests.cli.conftest import Command


def test_to_clean_asks_for_the_code(command: Command, signed_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cleaned: list[tuple[Path, Consent]] = []
    monkeypatch.setattr(launch, "clean", lambda path, consent: cleaned.append((path, consent)))
    monkeypatch.setattr("raidtui.cli.runs.as_now", lambda plan: plan.members)
    code = json.loads((signed_run / "plan.json").read_bytes())["code"]
    monkeypatch.setattr("builtins.input", lambda question: "yes")
    assert command("clean", "ab12")[0] == output.REFUSED and not cleaned
    monkeypatch.setattr("builtins.input", lambda question: code)
    assert command("clean", "ab12")[:2] == (0, f"{signed_run.name}: array removed\n") and cleaned == [
        (signed_run, Consent(code=code, typed=True))
    ]


@pytest.mark.parametrize("verb", ["clean", "undo"])
def test_what_was_taken_away_is_one_document(
    command: Command, signed_run: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    monkeypatch.setattr(launch, verb, lambda path, consent: None)
    monkeypatch.setattr("raidtui.cli.runs.as_now", lambda plan: plan.members)
    code = directory.read_plan(signed_run).code
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{code}\n"))
    status, out, err = command(verb, "ab12", "--json")
    result = {"clean": "removed", "undo": "undone"}[verb]
    fields = {"run": signed_run.name, "command": verb, "result": result, "path": str(signed_run), "reason": ""}
    assert status == 0 and json.loads(out) == fields and f"Type {code}" in err


def test_to_forget_asks_and_deletes(command: Command, recorded_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raidtui.runs.forget._lock", lambda path: nullcontext())
    monkeypatch.setattr("builtins.input", lambda question: "yes")
    assert command("forget", "ab12")[0] == output.REFUSED and recorded_run.exists()
    monkeypatch.setattr("builtins.input", lambda question: "forget")
    assert command("forget", "ab12")[:2] == (0, f"{recorded_run.name}: deleted\n") and not recorded_run.exists()


@pytest.mark.parametrize("as_json", [False, True])
def test_forgetting_prints_one_document_if_asked(
    command: Command, recorded_run: Path, monkeypatch: pytest.MonkeyPatch, as_json: bool
) -> None:
    monkeypatch.setattr("raidtui.runs.forget._lock", lambda path: nullcontext())
    monkeypatch.setattr("sys.stdin", io.StringIO("forget\n"))  # the real prompt, which input() writes to stdout
    status, out, err = command("forget", "ab12", *(["--json"] if as_json else []))
    assert status == 0 and not recorded_run.exists() and ("Type forget" in err) == as_json
    if as_json:
        fields = {"run": recorded_run.name, "command": "forget", "result": "deleted", "path": str(recorded_run)}
        assert json.loads(out) == fields | {"reason": ""}


@pytest.mark.parametrize("refused, status", [(True, output.REFUSED), (False, output.FAILED)])
def test_what_a_worker_refuses_is_told_from_what_it_cannot_do(
    command: Command, signed_run: Path, monkeypatch: pytest.MonkeyPatch, refused: bool, status: int
) -> None:
    def not_done(path: Path, consent: Consent) -> None:
        raise NotDone("the array is in use", refused=refused)

    monkeypatch.setattr(launch, "clean", not_done)
    monkeypatch.setattr("raidtui.cli.runs.as_now", lambda plan: plan.members)
    monkeypatch.setattr("builtins.input", lambda question: json.loads((signed_run / "plan.json").read_bytes())["code"])
    assert command("clean", "ab12")[0] == status
