"""`disks` of a recorded machine, in words and as JSON; `doctor`'s two options."""

import json
import re
import sys
from pathlib import Path

import pytest

from raidtui import practice
from raidtui.cli import machine, output
from raidtui.core.disks.machine import Machine
from raidtui.core.documents.documents import Finding
from raidtui.runs import locks
from raidtui.system import claims, doctor, privilege
from tests.builders.machines import device
from tests.cli.conftest import RECORDED, Command

IN_USE = str(RECORDED / "machines" / "in-use.json")


def test_each_disk_has_its_verdict_in_words_and_as_a_value(command: Command) -> None:
    status, words, _ = command("disks", "--machine", IN_USE)
    assert status == 0
    disks = json.loads(command("disks", "--machine", IN_USE, "--json")[1])["disks"]
    assert len(disks) > 3
    for disk in disks:
        assert f"{disk['name']}  " in words and f"    id: {disk['id']}\n" in words
        assert not disk["verdict"]["reason"] or f"{disk['verdict']['standing']}: {disk['verdict']['reason']}" in words


def test_a_recording_that_is_not_there_is_one_sentence(command: Command, tmp_path: Path) -> None:
    status, out, err = command("disks", "--machine", str(tmp_path / "none"))
    assert (status, out) == (output.BAD_INPUT, "")
    assert err == f"raidtui: {tmp_path / 'none'}: No such file or directory\n"


@pytest.mark.parametrize("given", [["--free", "--blank"], ["--free"]])
def test_whether_disks_are_free_or_blank_too_is_asked_as_given(
    command: Command, monkeypatch: pytest.MonkeyPatch, given: list[str]
) -> None:
    monkeypatch.setattr(claims, "disks_not_free", lambda ids, *, blank, own: ["it holds data"] if blank else [])
    status, out, err = command("disks", *given, "wwn-1")
    assert (status, out) == ((output.REFUSED, "") if "--blank" in given else (0, ""))
    assert err == ("raidtui: it holds data\n" if "--blank" in given else "")


def test_a_disk_of_a_run_that_pauses_is_not_free(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "disks_not_free", lambda ids, *, blank, own: [])
    monkeypatch.setattr(locks, "locked_elsewhere", lambda ids: {ids[1]: "another run holds the disk"})
    assert command("disks", "--free", "wwn-1", "wwn-2") == (output.REFUSED, "", "raidtui: another run holds the disk\n")


def test_to_ask_for_blank_disks_alone_is_bad_input(command: Command) -> None:
    assert command("disks", "--blank", "wwn-1")[0] == output.BAD_INPUT


def test_to_mask_nothing_is_bad_input(command: Command) -> None:
    assert command("doctor", "--mask")[0] == output.BAD_INPUT


@pytest.mark.parametrize("missing, status", [(None, 0), ("fio is not there", output.FAILED)])
def test_the_doctor_fails_where_no_run_can_be_started(
    command: Command, monkeypatch: pytest.MonkeyPatch, missing: str | None, status: int
) -> None:
    monkeypatch.setattr(doctor, "missing_for_run", lambda: missing)
    monkeypatch.setattr(doctor, "doctor", lambda: (Finding("fio", not missing, "3.33", "apt install fio"),))
    told, words, _ = command("doctor")
    assert told == status and ("no run can start here: fio is not there" in words) == bool(missing)
    told, printed, _ = command("doctor", "--json")
    assert told == status and json.loads(printed)["run"] == missing


@pytest.mark.parametrize("impossible, offered", [(None, "practice"), ("no namespaces here.", "demo")])
def test_the_doctor_offers_what_works_here(
    command: Command, monkeypatch: pytest.MonkeyPatch, impossible: str | None, offered: str
) -> None:
    monkeypatch.setattr(doctor, "missing_for_run", lambda: "no md driver.")
    monkeypatch.setattr(doctor, "doctor", lambda: (Finding("kernel", False, "no md driver", "boot another"),))
    monkeypatch.setattr(practice, "refusal", lambda: impossible)
    words = command("doctor")[1]
    assert words.endswith(f"works here: `raidtui {offered}`\n") and ("raidtui practice" in words) == (not impossible)


def unread(*names: str) -> Machine:
    return Machine(devices=tuple(device(name, read=False, unknown_blocks=None) for name in names))


def test_without_root_disks_are_not_checked_and_the_command_is_printed(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(privilege, "is_root", lambda: False)
    monkeypatch.setattr(locks, "machine_here", lambda: unread("sda", "sdb"))
    status, words, err = command("disks")
    assert status == 0 and words.count("on it: not checked") == 2 and "data" not in words
    assert re.fullmatch(r"raidtui: contents need root: `sudo .*raidtui disks`\n", err)
    disks = json.loads(command("disks", "--json")[1])["disks"]
    assert [disk["holds"] for disk in disks] == ["not checked"] * 2
    monkeypatch.setattr(locks, "machine_here", lambda: Machine(root=True, devices=(device("sda"),)))
    assert command("disks")[2] == ""


@pytest.mark.parametrize(
    "seen, root, sentence",
    [
        (
            unread("sda", "sdb"),
            False,
            "no free disk (2 not checked); read them with `sudo PROGRAM advise --for files`, name disks, or describe"
            " some: --disk 8TBx6",
        ),
        (unread("sda"), True, "no free disk (1 not checked); name disks, or describe some: --disk 8TBx6"),
        (
            Machine(root=True, devices=(device("sda", unknown_blocks=1), device("sdb", attributes={"ro": "1"}))),
            True,
            "no free disk (1 with data, 1 in use); name disks, or describe some: --disk 8TBx6",
        ),
        (Machine(root=True), True, "no free disk (no disks); name disks, or describe some: --disk 8TBx6"),
    ],
)
def test_advice_without_a_free_disk_names_the_ways_out(
    command: Command, monkeypatch: pytest.MonkeyPatch, seen: Machine, root: bool, sentence: str
) -> None:
    monkeypatch.setattr(privilege, "is_root", lambda: root)
    monkeypatch.setattr(locks, "machine_here", lambda: seen)
    words = ("advise", "--for", "files")
    monkeypatch.setattr(sys, "argv", [sys.argv[0], *words])
    status, out, err = command(*words)
    program = privilege.as_root().removeprefix("sudo ")
    assert (status, out, err) == (output.BAD_INPUT, "", f"raidtui: {sentence.replace('PROGRAM', program)}\n")


def test_a_disk_that_was_not_read_is_advised_on_if_it_is_named(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "machine_here", lambda: unread("sda", "sdb"))
    status, words, _ = command("advise", "--for", "files", "sda", "sdb")
    assert status == 0 and words.startswith("Proposed: RAID 1")


_COLOURS = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE")


@pytest.mark.parametrize(
    "terminal, term, variables, coloured",
    [
        (True, "xterm", {}, True),
        (True, "dumb", {}, False),
        (False, "xterm", {}, False),
        (True, "xterm", {"NO_COLOR": ""}, True),
        (True, "xterm", {"NO_COLOR": "0"}, False),
        (False, "dumb", {"FORCE_COLOR": "1"}, True),
        (False, "xterm", {"FORCE_COLOR": "0"}, True),  # whatever its value is (force-color.org)
        (False, "xterm", {"FORCE_COLOR": ""}, False),
        (False, "xterm", {"CLICOLOR_FORCE": "1"}, True),
        (False, "xterm", {"CLICOLOR_FORCE": "0"}, False),
        (False, "xterm", {"CLICOLOR_FORCE": ""}, False),
        (False, "xterm", {"NO_COLOR": "1", "FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"}, False),
        (False, "xterm", {"NO_COLOR": "", "FORCE_COLOR": "1"}, True),
    ],
)
def test_marks_have_colours_where_they_are_wanted(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, term: str, variables: dict[str, str], coloured: bool
) -> None:
    for name in _COLOURS:
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": term, **variables}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    marks = [machine._mark(ok) for ok in (True, False)]
    assert marks == (["\x1b[32mok  \x1b[0m", "\x1b[31mMISS\x1b[0m"] if coloured else ["ok  ", "MISS"])
