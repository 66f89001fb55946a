"""Arrays that kernels before 6.19 refuse: by the kernel's file, by superblocks, or not known."""

import pytest
from msgspec.structs import replace

from raidtui.core.arrays.array import Array, Grade
from raidtui.core.arrays.status import Surroundings, status_of
from raidtui.core.arrays.superblock import TOLD
from raidtui.core.disks import dumps
from raidtui.core.disks.machine import Machine
from raidtui.core.raid.block_size import is_written_by
from tests.builders.arrays import NOW_S
from tests.builders.machines import CASES


@pytest.mark.parametrize(
    "kernel, written",
    [
        ("6.18.40", False), ("6.19.0-rc1", True), ("7.2.7", True), ("Linux 7.2.7", True), ("6.1.176", False),
        ("10.0", True), ("", None), ("GNU 0.9", None),
    ],
)  # fmt: skip
def test_the_kernels_that_write_a_block_size(kernel: str, written: bool | None) -> None:
    assert is_written_by(kernel) is written


def of_report(kernel: str = "", told: str = "") -> Array:
    machine = dumps.read((CASES / "t91_stopped_members.json").read_bytes())
    devices = tuple(replace(one, told={TOLD: told} if told else {}) for one in machine.devices)
    there: Machine = replace(machine, kernel=kernel, devices=devices)
    return status_of(there, Surroundings(), NOW_S).arrays[0]


@pytest.mark.parametrize(
    "kernel, told, says",
    [
        ("", "", "not known"),  # as reported: from a rescue system, without its superblocks
        ("6.12.57", "", "not known"),
        ("7.2.7", "", ""),
        ("6.12.57", "512", "refuse it"),
        ("7.2.7", "4096", "refuse it"),
        ("6.12.57", "0", ""),
    ],
)
def test_a_stopped_array_that_older_kernels_refuse(kernel: str, told: str, says: str) -> None:
    array = of_report(kernel, told)
    assert (array.health, array.older_kernels) == ("stopped", says)
    found = [condition for condition in array.conditions if condition.kind == "older-kernels"]
    assert [condition.grade for condition in found] == [Grade.GOOD] * bool(says)
    assert all("6.19" in condition.words and "6.19" in condition.remedy for condition in found)
