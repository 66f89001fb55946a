"""`disks` of a recorded machine, in words and as JSON; `doctor`'s two options."""

import json
from pathlib import Path

import pytest

from raidtui import practice
from raidtui.cli import machine, output
from raidtui.core.documents.documents import Finding
from raidtui.runs import locks
from raidtui.system import claims, doctor
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


@pytest.mark.parametrize("terminal, no_color, coloured", [(True, "", True), (True, "1", False), (False, "", False)])
def test_its_marks_have_colours_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, no_color: str, coloured: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    marks = [machine._mark(ok) for ok in (True, False)]
    assert marks == (["\x1b[32mok  \x1b[0m", "\x1b[31mMISS\x1b[0m"] if coloured else ["ok  ", "MISS"])
