"""`health` and `controllers`: pages, JSON, exit codes."""

import json

import pytest

from raidtui.cli import output
from raidtui.cli.machine import machine_of
from raidtui.core.disks.machine import BlockDevice, Machine
from raidtui.core.hardware import storcli
from raidtui.core.hardware.controllers import Plugged, RaidHardware
from raidtui.core.hardware.drive import Drive, judge
from raidtui.core.hardware.smartctl import parse
from raidtui.system import discovery, drives, health
from raidtui.system.hardware import controllers
from tests.builders import controllers as printed
from tests.builders import smart
from tests.builders.controllers import said
from tests.cli.conftest import RECORDED, Command

RECORDED_MACHINE = machine_of(RECORDED / "machines" / "server.json")


def drive(document: object) -> Drive:
    told = parse(smart.said(document))
    return Drive(name="sda", title=f"sda  {told.serial}", id="wwn-1", health=told, judgement=judge(told))


@pytest.mark.parametrize(
    "documents, status",
    [((smart.SATA,), 0), ((smart.SATA, smart.SAS, smart.FAILING_NVME), output.FAILED), ((smart.UNKNOWN_USB,), 0)],
)
def test_a_drive_to_replace_is_exit_1(
    command: Command, monkeypatch: pytest.MonkeyPatch, documents: tuple[object, ...], status: int
) -> None:
    found = [*map(drive, documents)]
    monkeypatch.setattr(drives, "examined", lambda names: (found, ""))
    told, words, err = command("health")
    assert (told, err) == (status, "") and all(one.title in words for one in found)
    told, words, _ = command("health", "--json")
    assert told == status
    assert [one["judgement"]["fitness"] for one in json.loads(words)["drives"]] == [
        one.judgement.fitness for one in found
    ]


def test_why_no_drive_told_anything(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drives, "examined", lambda names: ([], "smartctl is not installed"))
    assert command("health") == (0, "Smartctl is not installed.\n", "")


def test_a_drive_that_is_not_here_is_bad_input(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drives, "which", lambda name: "/usr/sbin/smartctl")
    monkeypatch.setattr(drives, "is_root", lambda: True)
    monkeypatch.setattr(drives, "read_machine", Machine)
    monkeypatch.setattr(health, "behind_controllers", list)
    status, out, err = command("health", "sdz")
    assert (status, out) == (output.BAD_INPUT, "") and "no disk named 'sdz'" in err


def test_a_controller_with_the_disk_that_its_virtual_disk_is(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    found = storcli.parse(said(printed.SHOW), said(printed.VOLUMES), said(printed.DRIVES))
    monkeypatch.setattr(controllers, "ask", lambda: RaidHardware(controllers=found, why_not=("/call: x",)))
    properties = {"ID_WWN_WITH_EXTENSION": f"0x{printed.WWN}", "DEVNAME": "/dev/sdq"}
    machine = Machine(devices=(BlockDevice(name="sdq", properties=properties, attributes={"size": "8"}),))
    monkeypatch.setattr(discovery, "read_machine", lambda: machine)
    status, words, _ = command("controllers")
    assert status == 0 and "virtual disk 0  is sdq, RAID6" in words and "not read: /call: x\n" in words
    told = json.loads(command("controllers", "--json")[1])
    assert told["disks"] == [{"controller": 0, "target": 0, "disk": "sdq"}]
    assert told["answer"]["controllers"][0]["model"] == "ACME RAID 9361"


@pytest.mark.parametrize(
    "answer, words",
    [
        (RaidHardware(), "no RAID controller on the PCI bus\n"),
        (
            RaidHardware(plugged=(Plugged(pci="0000:3b:00.0"),), why_not=("no program",)),
            "0000:3b:00.0: a RAID controller, driver none\nnot read: no program\n",
        ),
    ],
)
def test_what_is_there_and_not_read(
    command: Command, monkeypatch: pytest.MonkeyPatch, answer: RaidHardware, words: str
) -> None:
    monkeypatch.setattr(controllers, "ask", lambda: answer)
    assert command("controllers") == (0, words, "")


def test_to_locate_a_disk_needs_root_and_one_disk(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    status, out, err = command("locate", "sda")
    assert (status, out) == (output.FAILED, "") and "locate needs root; start it with `sudo" in err
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(discovery, "read_machine", lambda: RECORDED_MACHINE)
    status, out, err = command("locate", "sdzz")
    assert (status, out) == (output.BAD_INPUT, "") and "no disk named 'sdzz'; available: sda" in err


def test_a_disk_without_a_led_is_read_and_a_disk_in_use_too(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[tuple[str, int]] = []
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(discovery, "read_machine", lambda: RECORDED_MACHINE)
    monkeypatch.setattr("raidtui.system.hardware.locate.which", lambda program: None)
    monkeypatch.setattr(
        "raidtui.system.hardware.locate.read_steadily", lambda path, size_bytes, pause: read.append((path, size_bytes))
    )
    monkeypatch.setattr("signal.signal", lambda *_: None)
    status, out, err = command("locate", "KEEP0001")
    assert (status, out, read) == (0, "", [("/dev/sda", 4_000_786_153_472)]) and "no locate LED; read steadily" in err
