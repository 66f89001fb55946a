"""Programs of RAID controllers as they are asked: by programs of this test's own that print what real ones would."""

from pathlib import Path

import pytest

from raidtui.core.hardware.controllers import Plugged
from raidtui.system.hardware import controllers
from raidtui.system.hardware.controllers import READERS, UNREAD, Node
from tests.builders import controllers as printed
from tests.builders.controllers import said

WWN = f"0x{printed.WWN}"
ANSWERS = {
    "/call show all J": said(printed.SHOW),
    "/call/vall show all J": said(printed.VOLUMES),
    "/call/eall/sall show all J": said(printed.DRIVES),
    "/call/sall show all J": said(printed.NO_DRIVE),
    "/call/fall show all J": said(printed.FOREIGN),
}


@pytest.fixture
def bin_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in which programs are found; the person is root."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setattr("raidtui.system.programs._SYSTEM_FOLDERS", ())
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(controllers, "is_root", lambda: True)
    monkeypatch.setattr(controllers, "plugged", lambda: (Plugged(pci="0000:3b:00.0", driver="megaraid_sas"),))
    return folder


def install(folder: Path, name: str, answers: dict[str, str]) -> Path:
    """A program that prints an answer to each of these arguments, notes them, and leaves a log where it was started."""
    for number, answer in enumerate(answers.values()):
        (folder / f"{name}.{number}").write_text(answer)
    cases = "".join(f"'{given}') n={number};;\n" for number, given in enumerate(answers))
    program = folder / name
    program.write_text(
        f'#!/bin/sh\necho "$*" >> {folder}/asked\necho x > {name}.log\ncase "$*" in\n{cases}*) exit 3;;\nesac\n'
        f'while IFS= read -r line; do printf "%s\\n" "$line"; done < {folder}/{name}.$n\n'
        f'[ -z "$line" ] || printf "%s\\n" "$line"\n'
    )
    program.chmod(0o755)
    return program


def test_every_question_only_shows() -> None:
    """What would change something is a verb of its own in both languages; nothing here is one."""
    storcli, megacli = READERS
    for question in storcli.questions:
        target, *verb = question.arguments
        assert target.startswith("/call") and verb == ["show", "all", "J"]
    shows = {"-AdpAllInfo", "-AdpGetPciInfo", "-AdpBbuCmd", "-GetBbuStatus", "-LdPdInfo", "-PDList", "-aALL", "-NoLog"}
    assert {word for question in megacli.questions for word in question.arguments} == shows


def test_a_controller_is_read_and_no_log_is_left(bin_: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = install(bin_, "perccli64", ANSWERS)
    monkeypatch.chdir(tmp_path)
    before = {*tmp_path.iterdir()}
    answer = controllers.ask()
    (controller,) = answer.controllers
    assert (controller.model, len(controller.physical_disks), answer.why_not) == ("ACME RAID 9361", 4, ())
    assert answer.program == str(program)
    assert (bin_ / "asked").read_text().splitlines() == [*ANSWERS]
    assert {*tmp_path.iterdir()} == before


def test_megacli_is_asked_where_storcli_is_not_there(bin_: Path) -> None:
    texts = (printed.ADAPTER, printed.PCI, printed.BATTERY, printed.VOLUME, printed.SLOTS)
    questions = (" ".join(question.arguments) for question in READERS[1].questions)
    install(bin_, "MegaCli64", dict(zip(questions, texts, strict=True)))
    (controller,) = controllers.ask().controllers
    assert (controller.program, controller.model, controller.pci) == ("megacli", "ACME H730", "0000:3b:00.0")


def test_one_broken_answer_takes_no_other_with_it(bin_: Path) -> None:
    install(bin_, "storcli64", {**ANSWERS, "/call/vall show all J": "Segmentation fault"})
    answer = controllers.ask()
    assert answer.controllers[0].virtual_disks[0].strip_bytes is None
    (why,) = answer.why_not
    assert why.startswith("/call/vall show all J: what storcli printed is not JSON")


def test_without_the_answer_that_all_hang_on_nothing_is_known(bin_: Path) -> None:
    install(bin_, "storcli64", {**ANSWERS, "/call show all J": "Segmentation fault"})
    answer = controllers.ask()
    assert answer.controllers == () and answer.why_not[0].startswith("what storcli printed is not JSON")


def test_who_is_not_root_is_told_so(bin_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(bin_, "storcli64", ANSWERS)
    monkeypatch.setattr(controllers, "is_root", lambda: False)
    assert "answers root alone" in controllers.ask().why_not[0]
    assert not (bin_ / "asked").exists()


def test_programs_that_are_not_read_are_named(bin_: Path) -> None:
    assert "none of the programs that read RAID controllers is installed" in controllers.ask().why_not[0]
    for program in UNREAD:
        install(bin_, program, {})
    assert len(controllers.ask().why_not) == len(UNREAD)
    assert not (bin_ / "asked").exists()


def test_controllers_on_the_pci_bus(tmp_path: Path) -> None:
    for address, kind in (("0000:3b:00.0", "0x010400"), ("0000:00:1f.2", "0x010601")):
        folder = tmp_path / "bus/pci/devices" / address
        folder.mkdir(parents=True)
        (folder / "class").write_text(f"{kind}\n")
    (tmp_path / "drivers/megaraid_sas").mkdir(parents=True)
    (tmp_path / "bus/pci/devices/0000:3b:00.0/driver").symlink_to(tmp_path / "drivers/megaraid_sas")
    assert controllers.plugged(tmp_path) == (Plugged(pci="0000:3b:00.0", driver="megaraid_sas"),)
    assert controllers.plugged(tmp_path / "none") == ()


def test_a_disk_is_asked_for_once_and_only_where_a_controller_is(bin_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(bin_, "storcli64", ANSWERS)
    monkeypatch.setattr(controllers, "_volumes", {})
    nodes = (Node("sda", "1", WWN, "pci-0000:3b:00.0-scsi-0:2:0:0"), Node("sdb", "2", "0x5", "pci-0000:00:1f.2-ata-1"))
    for _ in range(2):
        assert controllers.volumes(nodes) == {
            "sda": "RAID6 of 4 disks, strip 256 KiB, write-back, read-ahead, CVPM02 Optimal"
        }
    assert len((bin_ / "asked").read_text().splitlines()) == len(ANSWERS)
    monkeypatch.setattr(controllers, "plugged", tuple)
    assert controllers.volumes([Node("sdc", "3", WWN, "x")]) == {}
