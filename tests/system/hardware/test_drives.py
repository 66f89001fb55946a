"""The drives of a machine with their health: which are asked, how they are named, what is told where none is."""

import pytest

from raidtui.core.disks.machine import BlockDevice, Bus, Machine
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.hardware.drive import Fitness
from raidtui.core.hardware.smartctl import parse
from raidtui.system import drives, health
from raidtui.system.health import DriveAnswer
from tests.builders import smart


def device(name: str, number: int, **attributes: str) -> BlockDevice:
    return BlockDevice(
        name=name,
        devnum=f"8:{number}",
        properties={"ID_WWN": f"0x5000c5000000000{number}", "DEVNAME": f"/dev/{name}"},
        attributes={"size": "8388608", **attributes},
        buses=(Bus(kind="pcie", name="0000:03:00.0", speed="8.0 GT/s", width=2, best_width=4),),
    )


MACHINE = Machine(devices=(device("sda", 1, **{"queue/zoned": "host-aware"}), device("nvme0n1", 2), device("vda", 3)))
SDA = "wwn-0x5000c50000000001"


def asked(path: str, document: object, device_type: str = "") -> DriveAnswer:
    return DriveAnswer(path=path, device_type=device_type, health=parse(smart.said(document)))


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {"/dev/sda": asked("/dev/sda", smart.SATA), "/dev/nvme0n1": asked("/dev/nvme0n1", smart.NVME)}
    monkeypatch.setattr(drives, "which", lambda name: "/usr/sbin/smartctl")
    monkeypatch.setattr(drives, "is_root", lambda: True)
    monkeypatch.setattr(drives, "read_machine", lambda: MACHINE)
    monkeypatch.setattr(health, "whole", lambda paths: {path: answers[path] for path in paths})
    behind = [asked("/dev/bus/0", smart.FAILING_SATA, "megaraid,8")]
    monkeypatch.setattr(health, "behind_controllers", lambda: behind)


@pytest.mark.usefixtures("machine")
def test_those_that_can_tell_and_those_behind_controllers() -> None:
    found, why_nothing = drives.examined(())
    assert [drive.name for drive in found] == ["nvme0n1", "sda", "megaraid,8"] and why_nothing == ""
    assert [drive.judgement.fitness for drive in found] == [Fitness.WATCH, Fitness.WATCH, Fitness.REPLACE]
    assert "x2, could be 8.0 GT/s x4" in found[0].judgement.reasons[0].words
    of_sda = [reason.words for reason in found[1].judgement.reasons]
    assert of_sda[0] == "its firmware is A101; 1 other drive of this model has A099"
    assert of_sda[1].startswith("shingled (SMR): it is zoned (host-aware)")
    assert found[2].title == "megaraid,8 at /dev/bus/0  ACME RUST4000 AC-0002"


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("name", ["sda", "/dev/sda", SDA, "AC-0001"])
def test_a_drive_is_named_in_any_way_that_a_person_knows_it_by(name: str) -> None:
    assert [drive.id for drive in drives.examined([name])[0]] == [SDA]


@pytest.mark.usefixtures("machine")
def test_a_name_that_means_no_drive_is_refused() -> None:
    with pytest.raises(drives.NoSuchDrive, match=r"named 'vda' with SMART; available: nvme0n1, sda, megaraid,8"):
        drives.examined(["sda", "vda"])


@pytest.mark.parametrize("has_it, root, why", [(False, True, "not installed"), (True, False, "root alone")])
def test_why_no_drive_is_asked(monkeypatch: pytest.MonkeyPatch, has_it: bool, root: bool, why: str) -> None:
    for module in (drives, health):
        monkeypatch.setattr(module, "which", lambda name: "/usr/sbin/smartctl" if has_it else None)
    monkeypatch.setattr(drives, "is_root", lambda: root)
    found, reason = drives.examined(())
    assert found == [] and why in reason


def test_a_machine_of_virtual_disks_alone_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drives, "which", lambda name: "/usr/sbin/smartctl")
    monkeypatch.setattr(drives, "is_root", lambda: True)
    monkeypatch.setattr(drives, "read_machine", lambda: Machine(devices=(device("vda", 3),)))
    monkeypatch.setattr(health, "behind_controllers", list)
    assert drives.examined(()) == ([], "no disk here is of a kind that tells its health")


def test_a_drive_that_did_not_answer_says_why() -> None:
    machine = Machine(devices=(device("sda", 1),))
    (drive,) = drives.judged(machine, disks_of(machine), [DriveAnswer(path="/dev/sda", why_not="asleep")], [])
    assert (drive.judgement.fitness, drive.why_not) == (Fitness.UNKNOWN, "asleep")
