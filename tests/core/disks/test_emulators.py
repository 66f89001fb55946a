"""What an emulator makes is told by its model, from the disk to the plan."""

import pytest

from raidtui.core.disks.identity import Emulator, are_in_memory, emulator_of
from raidtui.core.plan.selection import member_of
from tests.builders.machines import device, judged


@pytest.mark.parametrize(
    "model, emulator",
    [
        ("scsi_debug", "scsi_debug"),
        ("QEMU NVMe Ctrl", "QEMU"),
        ("QEMU HARDDISK", "QEMU"),
        ("QEMU HARDDISK   ", "QEMU"),
        ("WDC WD5003ABYX", ""),
    ],
)
def test_an_emulator_is_told_by_the_model(model: str, emulator: str) -> None:
    assert emulator_of(model) == emulator


def test_the_disk_and_the_member_say_who_makes_them() -> None:
    disk = judged(device(properties={"ID_MODEL_ENC": r"QEMU\x20NVMe\x20Ctrl"}))
    assert disk.emulator == member_of(disk).emulator == "QEMU"


@pytest.mark.parametrize(
    "emulators, ends",
    [(["scsi_debug"] * 2, True), (["scsi_debug", ""], False), (["QEMU"], False), ([""], False), ([], False)],
)
def test_of_no_disk_and_of_one_that_outlives_the_machine_nothing_ends_with_it(
    emulators: list[Emulator], ends: bool
) -> None:
    assert are_in_memory(emulators) is ends
