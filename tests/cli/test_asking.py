"""The plain questions: what an empty answer takes, what is asked again, when nothing is written."""

import io
import tomllib
from pathlib import Path

import pytest

from raidtui.cli import output
from raidtui.core.raid.levels import LAYOUTS_10, LEVELS
from tests.cli.conftest import RECORDED, Command

RACK = str(RECORDED / "machines" / "rack-of-six.json")
ALL = ["wwn-0x33333330000007d0", "wwn-0x3333333000000fa0", "wwn-0x3333333000001770", "wwn-0x3333333000001f40",
       "wwn-0x3333333000002710", "wwn-0x3333333000002ee0"]  # fmt: skip
Asked = tuple[int, str, str]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "a b.toml"


def asked(command: Command, monkeypatch: pytest.MonkeyPatch, file: Path, *answers: str, machine: str = RACK) -> Asked:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in answers)))
    return command("plan", "--ask", str(file), "--machine", machine)


@pytest.mark.parametrize(
    "answers, chosen, setup",
    [
        (("",) * 6, (ALL, "files", "keep"), {"level": "6", "chunk": "128KiB", "filesystem": "xfs"}),
        (("vms", "sdb sda sdd sdc", "10 f2", "1MiB", "ext4", "remove"),
         ([ALL[1], ALL[0], ALL[3], ALL[2]], "vms", "teardown"),
         {"level": "10", "layout": "f2", "chunk": "1MiB", "filesystem": "ext4"}),
        (("scratch", "sda sdb", "1", "none", "keep"), (ALL[:2], "scratch", "keep"), {"level": "1"}),  # without a chunk
        (("tapes", "vms", "sda", "sdq", "", "7", "6", "3", "", "ntfs", "", "burn", ""), (ALL, "vms", "keep"),
         {"level": "6", "chunk": "128KiB", "filesystem": "xfs"}),  # each wrong answer is asked again
    ],
)  # fmt: skip
def test_answers_are_written_that_lead_to_a_plan(
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
    file: Path,
    answers: tuple[str, ...],
    chosen: tuple[list[str], str, str],
    setup: dict[str, str],
) -> None:
    status, said, error = asked(command, monkeypatch, file, *answers)
    assert (status, error) == (0, "")
    document = tomllib.loads(file.read_text())
    assert (document["disks"], document["use"], document["after"]) == chosen and document["setup"] == setup
    assert said.endswith(f"    raidtui plan '{file}'\n    raidtui run '{file}'\n")
    assert [said.count(f"{number} of 6: ") for number in range(1, 7)] == [1] * 6
    assert command("plan", str(file), "--machine", RACK)[0] == 0


def test_each_level_that_these_disks_can_have_is_offered(
    command: Command, monkeypatch: pytest.MonkeyPatch, file: Path
) -> None:
    _, said, _ = asked(command, monkeypatch, file, *("",) * 6)
    offered = said.partition("3 of 6")[2].partition("Answer")[0].splitlines()[1:]
    keys = [row.key for row in LEVELS if row.md_name and row.key != "10"]
    keys += [f"10 {name}" for name, row in LAYOUTS_10.items() if row.usual]
    assert sorted(line.strip().partition(":")[0] for line in offered) == sorted(keys)
    assert "    6: 1.25 GB = 1.17 GiB usable, any 2 disks may fail" in offered


@pytest.mark.parametrize("answers", [0, 1, 5])
def test_without_an_answer_nothing_is_written(
    command: Command, monkeypatch: pytest.MonkeyPatch, file: Path, answers: int
) -> None:
    status, _, error = asked(command, monkeypatch, file, *("",) * answers)
    assert (status, error) == (output.BAD_INPUT, f"raidtui: no answer to question {answers + 1}; nothing was written\n")
    assert not file.exists()


def test_a_file_that_exists_stays(command: Command, monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    file.write_text("mine")
    status, said, error = asked(command, monkeypatch, file, *("",) * 6)
    assert (status, said) == (output.BAD_INPUT, "") and "exists; give another file" in error
    assert file.read_text() == "mine"


def test_without_a_free_disk_one_is_named_and_where_none_can_be_it_is_said(
    command: Command, monkeypatch: pytest.MonkeyPatch, file: Path
) -> None:
    machines = RECORDED / "machines"
    status, said, error = asked(command, monkeypatch, file, "", "", "sda", machine=str(machines / "in-use.lsblk.json"))
    assert status == output.BAD_INPUT and error.startswith("raidtui: no answer to question 2; ")
    assert said.count("no disks to build an array of") == 1 and "needs 2 disks" in said and "on it: not checked" in said
    status, _, error = asked(command, monkeypatch, file, "", machine=str(machines / "arrays.json"))
    assert status == output.BAD_INPUT
    assert error == "raidtui: no disk here can be a member; `raidtui disks` has the reasons\n"
