"""`ensure`: JSON however it ends, exit codes, and nothing started without the code and the names."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import tomli_w

from raidtui.cli import ensure as ensure_command
from raidtui.core.arrays.boot_files import BootFiles
from raidtui.core.plan.model import Plan, confirmation_code
from raidtui.core.run import events
from raidtui.core.run.journal_lines import encode
from raidtui.runs import directory, ensuring, launch
from raidtui.runs.removal.decision import Consent
from raidtui.system import discovery, doctor
from raidtui.system.arrays import boot_files
from tests.builders import ensuring as builders
from tests.builders.arrays import UUID, in_sync
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
    "ending, status, expected",
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


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Consent]]:
    """What was handed to workers: undo, clean."""
    handed: list[tuple[str, Consent]] = []
    for way in ("undo", "clean"):
        monkeypatch.setattr(launch, way, lambda path, consent, way=way: handed.append((way, consent)))
    return handed


def absent(command: Command, answers: Path, *words: str, status: int) -> dict[str, Any]:
    ended, printed, _ = command("ensure", str(answers), "--absent", *words)
    assert ended == status, printed
    return dict(json.loads(printed))


def test_an_absent_array_is_no_change(command: Command, answers: Path, taken: list[Any]) -> None:
    for words in ((), ("--check",), ("--confirm", "00000000", "--erase", UUID)):
        outcome = absent(command, answers, *words, status=0)
        assert (outcome["changed"], outcome["uuid"], outcome["refused"]) == (False, "", "")
    assert not taken


@pytest.mark.parametrize("erase", [UUID, UUID.replace(":", "-"), UUID.upper()])
def test_the_array_is_taken_away_with_its_code_and_its_own_uuid(
    command: Command, answers: Path, monkeypatch: pytest.MonkeyPatch, taken: list[Any], erase: str
) -> None:
    code = directory.read_plan(kept_run(directory.runs_root())).code
    here(monkeypatch, standing())
    checked = absent(command, answers, "--check", "--erase", erase, status=0)
    assert checked["changed"] and checked["diff"]["after"] == "array: none\n" and not taken
    outcome = absent(command, answers, "--confirm", code, "--erase", erase, status=0)
    assert (outcome["changed"], outcome["uuid"], outcome["run"]) == (True, "", RUN) and outcome["diff"] == checked[
        "diff"
    ]
    name = f"raidtui-{UUID[:8]}"
    assert taken == [("clean", Consent(code=code, typed=True, arrays=(name,)))]


def test_each_refusal_leaves_everything_as_it_is(
    command: Command, answers: Path, monkeypatch: pytest.MonkeyPatch, taken: list[Any]
) -> None:
    code = directory.read_plan(kept_run(directory.runs_root())).code
    here(monkeypatch, standing())
    other = UUID[:-1] + ("0" if UUID[-1] != "0" else "1")
    for words, says in (
        ((), "the confirmation code is missing"),
        (("--erase", UUID), "the confirmation code is missing"),
        (("--confirm", "00000000", "--erase", UUID), f"the code '00000000' is not that of run {RUN}"),
        (("--check", "--confirm", "00000000"), f"the code '00000000' is not that of run {RUN}"),
        (("--confirm", code), f"`--erase {UUID}` removes it, with all data on it"),
        (("--check",), f"`--erase {UUID}` removes it, with all data on it"),
        (("--confirm", code, "--erase", other), f"'{other}' is not the UUID of raidtui-{UUID[:8]}"),
        (("--confirm", code, "--erase", UUID, "--erase", "sda"), "'sda' is not the UUID"),
        (("--confirm", code, "--erase", ""), "'' is not the UUID"),
    ):
        outcome = absent(command, answers, *words, status=3)
        assert says in outcome["refused"] and (outcome["changed"], outcome["uuid"]) == (False, UUID)
    here(monkeypatch, standing(slots=in_sync("sda", "sdb") | {"sdc": ("none", "faulty")}, raid_disks="3", degraded="1"))
    outcome = absent(command, answers, "--confirm", code, "--erase", UUID, status=3)
    assert "is not in sync in it" in outcome["refused"] and f"see `raidtui clean {RUN}`" in outcome["refused"]
    (directory.runs_root() / RUN / directory.PLAN).write_text("{}")
    outcome = absent(command, answers, "--confirm", code, "--erase", UUID, status=3)
    assert f"whether run {RUN} built these is not known" in outcome["refused"] and not taken


EDITED = events.FileEdited(at_s=3.0, path="/etc/fstab", lines=("x",), mark="raidtui", backup="")
AT_BOOT = (builders.WORKER, events.StageEnded(at_s=2.0, stage=0), EDITED, builders.KEPT[1])


@pytest.mark.parametrize("erase", [(), (UUID,)])
def test_boot_entries_go_with_the_code_alone_and_before_the_array(
    command: Command, answers: Path, monkeypatch: pytest.MonkeyPatch, taken: list[Any], erase: tuple[str, ...]
) -> None:
    code = directory.read_plan(kept_run(directory.runs_root(), None, *AT_BOOT)).code
    here(monkeypatch, standing())
    words = [word for name in erase for word in ("--erase", name)]
    outcome = absent(command, answers, "--confirm", code, *words, status=0 if erase else 3)
    assert outcome["changed"] and [way for way, _ in taken] == ["undo", *(["clean"] if erase else [])]
    assert "at boot" in outcome["diff"]["before"] and "at boot" not in outcome["diff"]["after"]


@pytest.mark.parametrize("refused, status", [(True, 3), (False, 1)])
@pytest.mark.parametrize("begun", [True, False])
def test_what_a_worker_does_not_do_is_told_as_it_is(
    command: Command, answers: Path, monkeypatch: pytest.MonkeyPatch, refused: bool, status: int, begun: bool
) -> None:
    path = kept_run(directory.runs_root())
    code = directory.read_plan(path).code
    here(monkeypatch, standing())

    def clean(path: Path, consent: Consent) -> None:
        step = events.StepStarted(at_s=10.0, stage=0, what="Stop", line="mdadm", role="stop", members=(), undoing=True)
        if begun:
            with (path / directory.JOURNAL).open("ab") as journal:
                journal.write(encode(step))
        raise directory.NotDone("it holds 'photos', which this run did not write", refused=refused)

    monkeypatch.setattr(launch, "clean", clean)
    outcome = absent(command, answers, "--confirm", code, "--erase", UUID, status=status)
    told = outcome["refused"] if refused else outcome["failed"]
    assert told.startswith("it holds 'photos'") and (outcome["changed"], outcome["uuid"]) == (begun, UUID)
