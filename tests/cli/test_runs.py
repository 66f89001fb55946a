"""`runs`, `again`, `stop`, `resume` on a run that was recorded."""

import io
import json
import os
import tomllib
from pathlib import Path

import msgspec
import pytest
import tomli_w
from msgspec.structs import replace

from raidtui.cli import output
from raidtui.cli.runs import watch_to_its_end
from raidtui.core.plan import model as plans
from raidtui.core.plan import slots
from raidtui.core.plan.answers import to_document
from raidtui.core.run import events
from raidtui.runs import directory, launch
from raidtui.runs.removal.decision import Consent
from raidtui.runs.status import status_of_run
from tests.cli.conftest import Command
from tests.runs.proof.proving import STARTED, plan
from tests.runs.rig import run_in


def test_the_runs_in_words_and_as_json(command: Command, recorded_run: Path) -> None:
    status, words, _ = command("runs")
    (run,) = json.loads(command("runs", "--json")[1])["runs"]
    assert status == 0 and words.startswith(f"{recorded_run.name}  {run['standing']}")
    assert (run["run"], run["trials"], run["path"]) == (recorded_run.name, 12, str(recorded_run))


def test_the_runs_of_answers(command: Command, recorded_run: Path, tmp_path: Path) -> None:
    answers = to_document(directory.read_plan(recorded_run).answers)
    listed = []
    for changes in ({}, {"recipe": "burn-in"}):
        path = tmp_path / "answers.toml"
        path.write_text(tomli_w.dumps(answers | changes))
        listed.append(json.loads(command("runs", "--of", str(path), "--json")[1])["runs"])
    ((run,), none) = listed
    plan = json.loads((recorded_run / "plan.json").read_bytes())
    assert (run["run"], run["code"], run["alive"], none) == (recorded_run.name, plan["code"], False, [])
    assert command("runs", "--of", str(path))[1] == f"no runs of {path} in {recorded_run.parent}\n"


def test_answers_for_one_trial_can_be_planned_again(command: Command, recorded_run: Path) -> None:
    status, printed, _ = command("again", "ab12", "members-seq_read")
    assert status == 0 and tomllib.loads(printed)["jobs"] == ["seq_read"]
    status, out, err = command("again", "ab12")
    assert (status, out) == (output.BAD_INPUT, "") and "has a result; name the TRIAL to repeat" in err
    status, out, err = command("again", "ab12", "nosuch")
    assert out == "" and status == output.BAD_INPUT and "its trials are member0-seq_write" in err


def test_a_run_that_is_over_cannot_be_stopped(command: Command, recorded_run: Path) -> None:
    status, out, err = command("stop", "ab12")
    assert (status, out) == (output.FAILED, "") and f"{recorded_run.name}: not running" in err


@pytest.mark.parametrize("verb", ["stop", "resume", "clean", "attach", "report", "again"])
def test_a_run_that_is_not_there_is_bad_input(command: Command, recorded_run: Path, verb: str) -> None:
    assert command(verb, "nosuch") == (
        output.BAD_INPUT,
        "",
        "raidtui: no run 'nosuch'; `raidtui runs` lists all\n",
    )


@pytest.mark.parametrize("verb", ["clean", "resume"])
def test_an_edited_plan_is_refused_before_anything_is_asked(
    command: Command, signed_run: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    monkeypatch.setattr("builtins.input", pytest.fail)
    monkeypatch.setattr("raidtui.system.doctor.missing_for_run", lambda: None)
    plan = directory.read_plan(signed_run)
    member = replace(plan.members[0], id="wwn-0xsomebodys")
    plan = replace(plan, members=(member, *plan.members[1:]))
    (signed_run / directory.PLAN).write_bytes(plans.encode(plan))
    status, out, err = command(verb, "ab12")
    assert (status, out) == (output.REFUSED, "") and "its code does not fit; nothing was done" in err


@pytest.mark.parametrize("erases", [True, False])
def test_to_go_on_passes_the_code_and_whether_it_was_typed(
    command: Command, signed_run: Path, monkeypatch: pytest.MonkeyPatch, erases: bool
) -> None:
    resumed: list[tuple[Consent, bool]] = []
    code = directory.read_plan(signed_run).code
    monkeypatch.setattr(launch, "resume", lambda path, consent, erases: resumed.append((consent, erases)))
    monkeypatch.setattr("raidtui.runs.journal.going_on", lambda state: not erases)
    monkeypatch.setattr("raidtui.core.run.state.RunState.is_complete", lambda *_: False)
    monkeypatch.setattr("raidtui.system.doctor.missing_for_run", lambda: None)
    monkeypatch.setattr("raidtui.cli.runs.as_now", lambda plan: ())
    monkeypatch.setattr("builtins.input", (lambda question: code) if erases else pytest.fail)
    assert command("resume", "ab12", "--detach")[0] == 0
    assert resumed == [(Consent(code=code, typed=erases), erases)]


@pytest.mark.parametrize("outcome, status", [("finished", 0), ("failed", output.FAILED), ("stopped", 130)])
def test_a_resumed_run_ends_in_one_document(
    command: Command, signed_run: Path, monkeypatch: pytest.MonkeyPatch, outcome: str, status: int
) -> None:
    def ends(path: Path, consent: Consent, erases: bool) -> None:
        with (path / directory.JOURNAL).open("ab") as file:
            file.write(msgspec.json.encode(events.RunEnded(at_s=2e9, outcome=outcome, reason="")) + b"\n")

    code = directory.read_plan(signed_run).code
    monkeypatch.setattr(launch, "resume", ends)
    monkeypatch.setattr("raidtui.core.run.state.RunState.is_complete", lambda *_: False)
    monkeypatch.setattr("raidtui.system.doctor.missing_for_run", lambda: None)
    monkeypatch.setattr("raidtui.cli.runs.as_now", lambda plan: ())
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{code}\n"))
    ended, out, err = command("resume", "ab12", "--json")
    action = json.loads(out)
    assert (ended, action["command"], action["result"]) == (status, "resume", outcome)
    assert f"Type {code}" in err


def test_a_stopped_run_is_one_document(command: Command, recorded_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "stop", lambda path: True)
    action = json.loads(command("stop", "ab12", "--json")[1])
    assert action == {
        "run": recorded_run.name,
        "command": "stop",
        "result": "stopping",
        "path": str(recorded_run),
        "reason": "",
    }


@pytest.mark.parametrize(
    "words, number, refused",
    [
        (("--acknowledged", "01234567 41"), 41, ""),
        (("--no-cut",), 0, ""),
        (("--cut-again",), None, ""),
        ((), None, 'power was cut? `raidtui resume --acknowledged "01234567 NUMBER"`'),
        (("--acknowledged", "0123aaaa 41"), None, "no line of this run's 01234567; give another, --cut-again"),
        (("--acknowledged", "01234567 41", "--no-cut"), None, "--acknowledged, --cut-again and --no-cut: give one"),
    ],
)
def test_after_a_power_cut_the_witness_is_asked_for(
    command: Command,
    recorded_run: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    number: int | None,
    refused: str,
) -> None:
    made = plan("teardown", witness="/dev/ttyS0")
    began = events.PowerCutAwaited(at_s=40.0, tag="0123456789abcdef", boot_id="another")
    steps = (events.StepStarted(at_s=2.0, stage=0, what="", line="", role=role) for role in ("create", "fill"))
    run_in(recorded_run.parent, directory.drawn(made), "20261128T000000Z-cccc", STARTED, *steps, began)
    resumed: list[Consent] = []
    monkeypatch.setattr(launch, "resume", lambda path, consent, erases: resumed.append(consent))
    monkeypatch.setattr("raidtui.core.plan.slots.why_unfit", lambda *_: "")
    monkeypatch.setattr("raidtui.system.doctor.missing_for_run", lambda: None)
    monkeypatch.setattr("raidtui.cli.runs.as_now", lambda plan: ())
    monkeypatch.setattr("builtins.input", lambda question: made.code)
    status, _, err = command("resume", "cccc", "--detach", *words)
    assert refused in err and (status != 0) == bool(refused)
    expected = [] if refused else [(number, "--cut-again" in words)]
    assert [(consent.acknowledged, consent.cut_again) for consent in resumed] == expected


@pytest.mark.parametrize("confirmed", [True, False])
def test_to_continue_a_proof_names_what_is_written_to(
    command: Command, recorded_run: Path, monkeypatch: pytest.MonkeyPatch, confirmed: bool
) -> None:
    made = directory.drawn(plan())
    steps = (events.StepStarted(at_s=2.0, stage=0, what="", line="", role=role) for role in ("create", "fill"))
    run_in(recorded_run.parent, made, "20261128T000000Z-cccc", STARTED, *steps)
    resumed: list[Consent] = []
    monkeypatch.setattr(launch, "resume", lambda path, consent, erases: resumed.append(consent))
    monkeypatch.setattr("raidtui.core.plan.slots.why_unfit", lambda *_: "")
    monkeypatch.setattr("raidtui.system.doctor.missing_for_run", lambda: None)
    monkeypatch.setattr("raidtui.cli.runs.as_now", lambda plan: ())
    monkeypatch.setattr("builtins.input", pytest.fail if confirmed else lambda question: made.code)
    status, _, err = command("resume", "cccc", "--detach", *(("--confirm", made.code) if confirmed else ()))
    array = slots.filled(made).stages[-1].array
    assert array and status == 0 and len(resumed) == 1
    assert f"Written to: array {array.name} (RAID 5" in err and array.uuid in err


def test_to_watch_wants_a_screen_and_names_what_does_without(command: Command, recorded_run: Path) -> None:
    status, _, err = command("attach")
    assert status == output.BAD_INPUT and f"raidtui report {recorded_run.name}" in err


@pytest.mark.parametrize("verb, status", [("stop", "running"), ("resume", "resumable"), ("clean", "left to clean")])
def test_without_a_name_the_only_run_that_it_can_be_is_meant(
    command: Command, recorded_run: Path, verb: str, status: str
) -> None:
    assert command(verb) == (output.BAD_INPUT, "", command(verb)[2]) and f"no run is {status}" in command(verb)[2]


def test_of_two_runs_one_has_to_be_named(command: Command, recorded_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = status_of_run(recorded_run)
    alive = replace(one, alive=True)
    monkeypatch.setattr("raidtui.runs.status.all_statuses", lambda root: (alive, one))
    monkeypatch.setattr(launch, "stop", lambda path: True)
    assert command("stop")[:2] == (0, f"{one.name} is stopping; `raidtui attach {one.name}` shows its progress\n")
    monkeypatch.setattr("raidtui.runs.status.all_statuses", lambda root: (alive, alive))
    status, _, err = command("stop")
    assert status == output.BAD_INPUT and "2 runs are running; name one: " in err


def test_a_run_that_has_just_begun_is_not_called_cut_off(command: Command, recorded_run: Path) -> None:
    (recorded_run / "journal.jsonl").unlink()
    os.utime(recorded_run / "plan.json")
    assert "  starting  0/12  " in command("runs")[1]
    os.utime(recorded_run / "plan.json", (0, 0))
    assert "  not begun  0/12  " in command("runs")[1]
    (recorded_run / "journal.jsonl").write_bytes(b"\0" * 9)
    name, lost = recorded_run.name, "of the 9 bytes of its journal none can be read; its array may still exist"
    told = command("runs")[1]
    assert f"{name}  unreadable" in told and f"\n    {lost}: `raidtui clean {name}` removes the array\n" in told


@pytest.mark.parametrize("refused, status", [(True, output.REFUSED), (False, output.FAILED)])
def test_a_run_that_is_watched_ends_as_its_worker_did(
    recorded_run: Path, capsys: pytest.CaptureFixture[str], refused: bool, status: int
) -> None:
    with (recorded_run / directory.JOURNAL).open("ab") as file:
        ended = events.RunEnded(at_s=2e9, outcome="failed", reason="sda is mounted", refused=refused)
        file.write(msgspec.json.encode(ended) + b"\n")
    assert watch_to_its_end(recorded_run) == status and "sda is mounted" in capsys.readouterr().err
