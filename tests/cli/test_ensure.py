"""`ensure`: JSON however it ends, exit codes, and nothing started without the code and the names."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import tomli_w

from raidtui.cli import ensure as ensure_command
from raidtui.core.arrays.boot import BootFiles
from raidtui.core.plan.model import Plan, confirmation_code
from raidtui.core.run import events
from raidtui.runs import directory, launch
from raidtui.runs.care import ensuring
from raidtui.system import discovery, doctor
from raidtui.system.arrays import boot_files
from tests.builders import ensuring as builders
from tests.builders.arrays import UUID
from tests.builders.ensuring import BLANK, FREE, RUN, kept_run, standing
from tests.builders.machines import device, machine
from tests.cli.conftest import Command
from tests.runs.rig import run_in

HOLDING = machine(*BLANK.devices[:2], device("sdc", signatures=device("sdc").signatures, unknown_blocks=9))
ANSWERS = {"disks": {"count": 3}, "setup": {"level": "5", "filesystem": "ext4"}, "after": "keep"}


@pytest.fixture
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "runs"
    root.mkdir(mode=0o700)
    monkeypatch.setattr(directory, "runs_root", lambda: root)
    monkeypatch.setattr(doctor, "missing_for_run", lambda: None)
    monkeypatch.setattr(boot_files, "read", BootFiles)
    monkeypatch.setattr(discovery, "with_volumes", lambda seen: seen)
    here(monkeypatch, BLANK)
    return written(tmp_path)


def here(monkeypatch: pytest.MonkeyPatch, seen: Any) -> None:
    monkeypatch.setattr(discovery, "read_machine", lambda: seen)


def written(folder: Path, **changes: Any) -> Path:
    path = folder / "answers.toml"
    path.write_text(tomli_w.dumps(ANSWERS | changes))
    return path


def test_what_does_not_stand_is_a_plan_and_needs_its_code(command: Command, answers: Path) -> None:
    status, printed, said = command("ensure", str(answers))
    outcome = json.loads(printed)
    assert (status, outcome["changed"], outcome["uuid"], outcome["run"]) == (3, False, "", "")
    assert said.endswith(f"read `raidtui plan {answers}` and give the code at its end with --confirm\n")
    assert (
        outcome["refused"] in said
        and confirmation_code(msgspec.convert(outcome["plan"], Plan)) == (outcome["plan"]["code"])
    )
    status, printed, _ = command("ensure", str(answers), "--confirm", "00000000")
    assert status == 3 and "is not this plan's" in json.loads(printed)["refused"]
    assert not list(directory.runs_root().iterdir())


def test_a_check_says_what_would_be_done_with_a_diff_and_ends_well(command: Command, answers: Path) -> None:
    status, printed, said = command("ensure", str(answers), "--check")
    outcome = json.loads(printed)
    assert (status, outcome["changed"], outcome["refused"]) == (0, True, "")
    assert {"-array: none", "+array: RAID 5 of 3 disks"} <= set(said.splitlines())
    assert said.endswith("nothing was changed; would be built\n")
    assert command("ensure", str(answers), "--check", "--confirm", outcome["plan"]["code"])[0] == 0
    status, printed, _ = command("ensure", str(answers), "--check", "--confirm", "00000000")
    assert status == 3 and not json.loads(printed)["changed"]
    assert not list(directory.runs_root().iterdir())


def test_what_stands_is_no_change_also_with_more_disks_there(
    command: Command, answers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_run(directory.runs_root())
    here(monkeypatch, standing(*FREE))
    for words in ((), ("--check",), ("--confirm", "00000000")):
        status, printed, said = command("ensure", str(answers), *words)
        outcome = json.loads(printed)
        assert (status, outcome["changed"], outcome["uuid"], outcome["run"]) == (0, False, UUID, RUN)
        assert said == "raidtui: array exists; nothing to do\n"
    status, printed, said = command("ensure", str(written(answers.parent, setup={"level": "5", "chunk": "64KiB"})))
    outcome = json.loads(printed)
    assert (status, outcome["changed"], outcome["run"]) == (3, False, RUN) and outcome["refused"] in said


def test_something_else_on_the_disks_is_refused(
    command: Command, answers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here(monkeypatch, standing(*FREE[:2]))
    status, printed, _ = command("ensure", str(answers))
    outcome = json.loads(printed)
    assert (status, outcome["plan"]) == (3, None) and "is on 3 such disks" in outcome["refused"]


def test_a_disk_with_a_warning_is_named_or_nothing_is_started(
    command: Command, answers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here(monkeypatch, HOLDING)
    given = str(written(answers.parent, disks={"count": 3, "standing": "warn"}))
    status, printed, _ = command("ensure", given, "--check")
    outcome = json.loads(printed)
    (doubtful,) = outcome["erase"]
    assert status == 3 and f"add --erase {doubtful['name']}" in outcome["refused"] and not outcome["changed"]
    code = outcome["plan"]["code"]
    assert command("ensure", given, "--confirm", code)[0] == 3
    assert command("ensure", given, "--check", "--erase", doubtful["name"])[0] == 0
    assert command("ensure", given, "--check", "--erase", "nobody")[0] == 2
    assert not list(directory.runs_root().iterdir())


@pytest.mark.parametrize(
    ("ending", "status", "expected"),
    [
        ({"outcome": "finished", "kept": True}, 0, {"changed": True, "uuid": UUID, "refused": "", "failed": ""}),
        ({"outcome": "failed", "reason": "fio ended with 1"}, 1,
         {"changed": True, "uuid": "", "refused": "", "failed": "fio ended with 1"}),
        ({"outcome": "failed", "reason": "sda is in use", "refused": True}, 3,
         {"changed": False, "uuid": "", "refused": "sda is in use", "failed": ""}),
        ({"outcome": "stopped"}, 130, {"changed": True, "uuid": "", "refused": "", "failed": "stopped"}),
    ],
)  # fmt: skip
def test_with_its_code_it_is_carried_out_and_told(
    command: Command, answers: Path, monkeypatch: pytest.MonkeyPatch, ending: dict[str, Any], status: int,
    expected: dict[str, Any],
) -> None:  # fmt: skip
    def start(plan: Plan, root: Path) -> Path:
        drawn = msgspec.structs.replace(plan, uuids=builders.plan().uuids)
        begun = [events.StepStarted(at_s=2.0, stage=0, what="Create", line="mdadm", role="create", members=("wwn-1",))]
        wrote = begun if expected["changed"] else []
        return run_in(root, drawn, RUN, builders.WORKER, *wrote, events.RunEnded(at_s=9.0, **ending))

    monkeypatch.setattr(launch, "start", start)
    monkeypatch.setattr(ensure_command, "watch_to_its_end", lambda path, report: status)
    code = json.loads(command("ensure", str(answers))[1])["plan"]["code"]
    ended, printed, _ = command("ensure", str(answers), "--confirm", code)
    outcome = json.loads(printed)
    assert ended == status and {key: outcome[key] for key in expected} == expected and outcome["run"] == RUN


def test_what_does_not_stay_is_bad_input(command: Command, answers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    status, printed, said = command("ensure", str(written(answers.parent, after="teardown")))
    assert (status, printed) == (2, "") and 'add after = "keep"' in said and said.count("\n") == 1
    monkeypatch.setattr(ensuring, "existing_for", lambda given, seen: None)
    assert command("ensure", str(written(answers.parent, setup={"level": "99"})))[0] == 2
