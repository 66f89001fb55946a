"""What an emulator makes is told by its model, from the disk to the plan; a plan's code does not change by that."""

import msgspec
import pytest

from raidtui.core.disks.emulators import emulator_of
from raidtui.core.plan.members import member_of
from raidtui.core.plan.model import confirmation_code
from tests.builders import racks
from tests.builders.machines import device, judged


@pytest.mark.parametrize(
    ("model", "emulator"),
    [("QEMU NVMe Ctrl", "QEMU"), ("QEMU HARDDISK", "QEMU"), ("QEMU HARDDISK   ", "QEMU"), ("WDC WD5003ABYX", "")],
)
def test_an_emulator_is_told_by_the_model(model: str, emulator: str) -> None:
    assert emulator_of(model) == emulator


def test_the_disk_and_the_member_say_who_makes_them() -> None:
    disk = judged(device(properties={"ID_MODEL_ENC": r"QEMU\x20NVMe\x20Ctrl"}))
    assert disk.emulator == member_of(disk).emulator == "QEMU"


def test_the_code_of_a_plan_from_before_stays() -> None:
    made = racks.plan()
    told = tuple(msgspec.structs.replace(one, emulator="QEMU") for one in made.members)
    assert confirmation_code(msgspec.structs.replace(made, members=told)) == confirmation_code(made)
