"""Every JSON document that a command prints is valid by its schema, and `raidtui schema` prints these."""

import json
from pathlib import Path

import msgspec
import pytest

from raidtui.core.documents.schema import DOCUMENTS
from raidtui.runs import directory
from raidtui.runs.after import on_end
from raidtui.runs.journal import read_state
from tests.cli.conftest import RECORDED, Command
from tests.recordings.reports import kept
from tests.schemas import errors_in

MACHINES = sorted(path.name for path in (RECORDED / "machines").glob("*.json") if "lsblk" not in path.name)


def test_schemas_are_listed_and_printed(command: Command) -> None:
    code, out, _ = command("schema")
    assert code == 0 and [line.split()[0] for line in out.splitlines()] == list(DOCUMENTS)
    assert json.loads(command("schema", "plan")[1])["$id"] == "urn:raidtui:plan:1"
    code, _, error = command("schema", "plans")
    assert code == 2 and "no document 'plans'; `raidtui schema`" in error


@pytest.mark.parametrize("machine", MACHINES)
def test_disks_and_arrays_of_recorded_machines(command: Command, machine: str) -> None:
    path = str(RECORDED / "machines" / machine)
    for name, argv in (("disks", ("disks", "--machine", path)), ("status", ("status", "--machine", path))):
        code, out, error = command(*argv, "--json")
        assert out, (code, error)
        assert errors_in(name, json.loads(out)) == []


@pytest.mark.parametrize(
    ("name", "argv"),
    [
        ("runs", ("runs",)),
        ("answer", ("report",)),
        ("check", ("check", "--fail-if", "*.gain < 5", "--fail-if", "mismatch_sectors > 0", "--against", "ab12")),
    ],
)
def test_what_is_said_of_a_run(command: Command, recorded_run: Path, name: str, argv: tuple[str, ...]) -> None:
    document = json.loads(command(*argv, "--json")[1])
    assert document and errors_in(name, document) == []


def test_its_plan_and_what_on_end_reads(recorded_run: Path) -> None:
    plan, state = directory.read_plan(recorded_run), read_state(recorded_run / directory.JOURNAL)
    assert errors_in("plan", json.loads(msgspec.json.encode(plan))) == []
    assert errors_in("run", json.loads(on_end.encoded(recorded_run))) == []
    assert errors_in("run", msgspec.to_builtins(on_end.message(recorded_run, plan, state)) | {"kept": 1})


@pytest.mark.parametrize("report", ["degraded", "flash-steady-state", "latency-at-load", "rebuild", "zones"])
def test_plans_and_answers_of_recorded_reports(report: str) -> None:
    from raidtui.core.answer.answer import of_run
    from raidtui.core.documents.documents import AnswerDocument
    from raidtui.core.report.measurements import measurements

    plan, state = kept.load(report)
    answer = AnswerDocument(answer=of_run(plan, state), measurements=tuple(measurements(plan, state)))
    assert errors_in("answer", json.loads(msgspec.json.encode(answer))) == []
    assert errors_in("plan", json.loads(msgspec.json.encode(plan))) == []
