"""What the modules of the Ansible collection make of raidtui's answers; Ansible itself is not needed for it."""

import ast
import json
import re
from typing import Any

import pytest

from raidtui.cli import output
from raidtui.core.care.ensured import Diff, Ensured
from raidtui.core.documents.documents import RunLine
from tests.ansible.loaded import COLLECTION, module_of

SOURCE = COLLECTION / "plugins/module_utils/command.py"
ROLE = COLLECTION / "roles/commission"
TASKS = sorted((ROLE / "tasks").glob("*.yml"))


command: Any = module_of("command")
DOUBTFUL = {"name": "S4", "id": "wwn-0x4", "device": "sdd", "found": "ext4", "warning": "it holds ext4"}
PLAN = {"code": "1a2b3c4d", "erase": [DOUBTFUL]}


def line(**changes: Any) -> dict[str, Any]:
    """A line of `raidtui runs --json`, with every field that it has."""
    import msgspec

    run = RunLine(
        run="r1", standing="finished", alive=False, resumable=False, sentence="6 of 6 measured", code="1a2b3c4d",
        setup="RAID 5", kept=True, permanent=False, measured=6, trials=6, left_s=None, damage="", path="/var/lib/r1",
    )  # fmt: skip
    return dict(msgspec.to_builtins(msgspec.structs.replace(run, **changes)))


def ensured(**changes: Any) -> dict[str, Any]:
    import msgspec

    return dict(msgspec.to_builtins(Ensured(**changes)))


def test_it_needs_nothing_but_the_standard_library() -> None:
    imported = {node.module for node in ast.walk(ast.parse(SOURCE.read_text())) if isinstance(node, ast.ImportFrom)}
    named = [alias.name for node in ast.walk(ast.parse(SOURCE.read_text())) if isinstance(node, ast.Import)
             for alias in node.names]  # fmt: skip
    assert (imported, named) == ({"__future__"}, ["json"])
    assert command.REFUSED == output.REFUSED


@pytest.mark.parametrize(
    "confirm, erase, words",
    [
        ("", [], []),
        ("c", [], ["--confirm", "c"]),
        ("c", ["a", "b"], ["--confirm", "c", "--erase", "a", "--erase", "b"]),
    ],
)
def test_what_a_person_decided_is_handed_on_as_it_is(confirm: str, erase: list[str], words: list[str]) -> None:
    assert command.confirmed(confirm, erase) == words


def test_json_is_read_however_the_command_ended_and_else_its_sentence() -> None:
    assert command.document('{"a": 1}', "raidtui: refused: so") == {"a": 1}
    for printed in ("", "[]", "nothing"):
        with pytest.raises(command.CommandFailed, match=r"^no such file$"):
            command.document(printed, "looking\nraidtui: no such file\n\n")
    assert command.said("") == "raidtui ended without a message"


@pytest.mark.parametrize(
    "outcome, status, fails",
    [
        (ensured(uuid="u", run="r1"), 0, None),
        (ensured(changed=True, plan=None), 0, None),
        (ensured(refused="disk S4 is in use"), 3, "refused: disk S4 is in use"),
        (ensured(changed=True, failed="fio died"), 1, "fio died"),
        (ensured(changed=True), 130, "interrupted"),
    ],
)
def test_an_array(outcome: dict[str, Any], status: int, fails: str | None) -> None:
    result = command.array_result(outcome, status, "raidtui: interrupted")
    assert (result["changed"], result["uuid"], result.get("msg")) == (outcome["changed"], outcome["uuid"], fails)
    assert ("failed" in result) == (fails is not None)


def test_the_diff_is_that_of_the_command() -> None:
    result = command.array_result(ensured(diff=Diff("array: none", "array: RAID 5\nchunk: 64K\n")), 0, "")
    assert result["diff"] == {"before": "array: none\n", "after": "array: RAID 5\nchunk: 64K\n"}
    assert command.array_result({**ensured(), "plan": PLAN}, 3, "")["code"] == "1a2b3c4d"


def test_a_run_is_known_by_the_code_and_by_nothing_else() -> None:
    older, newer, other = line(run="r1"), line(run="r2"), line(run="r3", code="ffffffff")
    assert command.run_of_code([older, newer, other], "1a2b3c4d") is newer
    assert command.run_of_code([older, newer], "") is None is command.run_of_code([line(code="")], "")
    assert command.run_of_code([], "1a2b3c4d") is None


@pytest.mark.parametrize(
    "standing, resumable, over, resumes, fails",
    [
        ("starting", False, False, False, False),
        ("going on", False, False, False, False),
        ("stopping", False, False, False, False),
        ("finished", False, True, False, False),
        ("cut off", True, True, True, True),
        ("not begun", True, True, True, True),
        ("cut off", False, True, False, True),
        ("failed", True, True, False, True),  # a person has to look at it
        ("stopped", True, True, False, True),
        ("elsewhere", False, True, False, True),
        ("unreadable", False, True, False, True),
    ],
)
def test_how_a_run_stands(standing: str, resumable: bool, over: bool, resumes: bool, fails: bool) -> None:
    run = line(standing=standing, resumable=resumable)
    result = command.run_result(run, changed=False)
    assert (command.is_over(run), command.to_resume(run)) == (over, resumes)
    assert (result["over"], "failed" in result) == (over, fails)
    assert result["folder"] == run["path"] and not {"path", "dest"} & set(result)  # those are files to Ansible
    assert ("raidtui resume r1" in result.get("msg", "")) == (fails and resumable)


KEPT = "raidtui-e07784a4"
ASKED = f"{KEPT} is planned to be kept (md: no record); to remove it: `--erase {KEPT}`"


@pytest.mark.parametrize(
    "keeps, erase, given",
    [
        ((), ["S4"], ["S4"]),
        ((KEPT,), ["S4", "wwn-0x5"], ["S4", "wwn-0x5"]),
        ((KEPT,), [KEPT], []),
        ((KEPT,), ["S4", KEPT], ["S4"]),
        (("tank",), ["tank", KEPT], [KEPT]),
    ],
)
def test_no_playbook_names_an_array_that_the_plan_keeps(
    keeps: tuple[str, ...], erase: list[str], given: list[str]
) -> None:
    assert command.erased_by_resume(line(keeps=keeps), erase) == given


@pytest.mark.parametrize(
    "keeps, status, says",
    [
        ((), 3, ASKED),
        ((KEPT,), 1, ASKED),
        (
            (KEPT,),
            3,
            f"refused: {ASKED}. No playbook names a run's array: a person looks at it, then"
            f" `raidtui resume r1 --erase {KEPT}`",
        ),
    ],
)
def test_of_an_array_that_is_there_and_planned_to_be_kept_a_person_decides(
    keeps: tuple[str, ...], status: int, says: str
) -> None:
    assert command.not_resumed(line(keeps=keeps), status, f"raidtui: {ASKED}\n") == says


@pytest.mark.parametrize(
    "confirm, erase, check_mode, fails",
    [
        ("", [], True, ""),
        ("", [], False, "refused: the confirmation code is missing"),
        ("1a2b3c4d", ["S4"], False, ""),
        ("1a2b3c4d", ["wwn-0x4"], True, ""),
        ("1a2b3c4d", [], False, r"refused: not named in erase: S4 \(ext4\)"),
        ("1a2b3c4d", ["S5"], True, "refused: not named in erase"),
        ("00000000", ["S4"], True, "refused: the code '00000000' is not this plan's"),
    ],
)
def test_a_plan_is_carried_out_by_its_code_and_every_name(
    confirm: str, erase: list[str], check_mode: bool, fails: str
) -> None:
    result = command.plan_result(PLAN, "the plan", confirm, erase, check_mode)
    assert re.match(fails, result.get("msg", "")) and result["changed"] is not bool(fails)
    assert (result["plan_text"], result["code"], result["erase"]) == ("the plan", "1a2b3c4d", [DOUBTFUL])
    json.dumps(result)


@pytest.mark.parametrize(
    "state, check, words",
    [
        ("present", False, ["ensure", "/dev/stdin", "--confirm", "c", "--erase", "S4"]),
        ("absent", True, ["ensure", "/dev/stdin", "--absent", "--check", "--confirm", "c", "--erase", "S4"]),
    ],
)
def test_an_array_is_created_or_removed(state: str, check: bool, words: list[str]) -> None:
    assert command.ensure(state, check, "c", ["S4"]) == words


DECIDED = {
    "confirm": "commission_confirm[commission_array.name] | default(commission_listed.get(inventory_hostname, ''))",
    "erase": "commission_erase[commission_array.name] | default([])",
}
FACTS = {"unwell", "taken", "offered", "compared", "run", "begun"}  # none of which a person decides


def test_the_role_never_fills_in_what_a_person_decides() -> None:
    """What it confirms is what host_vars has, or what the list has whose code a person gave."""
    assert TASKS
    values = (ROLE / "vars/main.yml").read_text()
    for key, value in DECIDED.items():
        assert f'  {key}: "{{{{ {value} }}}}"\n' in values
    for file in TASKS:
        facts = False
        for text in file.read_text().splitlines():
            assert "add_host" not in text, (file, text)
            assert not re.search(r"register:\s*commission_(confirm|erase|same_plan|decided|list\w*)\s*$", text), (
                file,
                text,
            )
            assert not re.search(r"\bcommission_(confirm|erase|same_plan|decided|list\w*)\s*:(?! )?$", text), (
                file,
                text,
            )
            if given := re.match(r"\s*(confirm|erase):\s*(.*)$", text):
                assert given[2] == f'"{{{{ commission_decided.{given[1]} }}}}"', (file, text)
            if facts and (fact := re.match(r"    (  )*commission_(\w+):", text)):
                assert fact[2] in FACTS, (file, text)
            facts = "set_fact" in text or (facts and text.startswith("    "))
