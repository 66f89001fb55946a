"""A plan and its code: the same for the same question, another for other disks, contents or machines."""

import pytest

from raidtui.core.disks.disk import Content
from raidtui.core.plan.model import Plan, confirmation_code, encode
from raidtui.core.plan.validate import decode
from raidtui.core.units import GIB
from tests.builders.racks import RACK, answers, disk, plan


def test_the_same_question_gives_the_same_plan_and_code() -> None:
    assert plan() == plan()


@pytest.mark.parametrize(
    "other",
    [
        plan(machine="elsewhere"),
        plan(answers(4)),
        plan(answers(chunk="64K")),
        plan(disks=(disk(0, serial="OTHER"), *RACK[1:])),
        plan(disks=(disk(0, size_bytes=5 * GIB), *RACK[1:])),
        plan(disks=(disk(0, contents=(Content("sda", "xfs"),)), *RACK[1:])),
    ],
)
def test_the_code_fits_no_other_machine_disks_or_contents(other: Plan) -> None:
    assert other.code != plan().code


def test_another_file_system_of_the_same_label_is_other_data() -> None:
    def code(uuid: str) -> str:
        return plan(disks=(disk(0, contents=(Content("sda", "ext4", label="backup", uuid=uuid),)), *RACK[1:])).code

    assert code("1234") == code("1234") != code("5678")


def test_a_disk_that_came_back_under_another_name_keeps_the_code() -> None:
    assert plan(disks=(disk(0, name="sdx", path="/dev/sdx"), *RACK[1:])).code == plan().code


def test_a_plan_reads_back_as_written() -> None:
    made = plan(answers(filesystem="xfs"))
    assert decode(encode(made)) == made
    assert confirmation_code(decode(encode(made))) == made.code
