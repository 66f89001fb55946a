"""The write caches of NVMe disks in a script: its functions are there where a step calls them, and bash reads them.

What they do is seen in a server of the lab.
"""

import subprocess

from raidtui import recipes
from raidtui.core.plan.answers import Answers, Axes
from raidtui.core.plan.planner import make
from raidtui.core.script.nvme import FUNCTIONS
from raidtui.core.script.render import script
from tests.builders.racks import disk

NVME = tuple(disk(number, name=f"nvme{number}n1", path=f"/dev/nvme{number}n1", model="FLASH") for number in range(4))
AXES = Axes(level=("10",), layout=("n2",), chunk=("64KiB",), filesystem=("xfs",))


def script_of(job: str) -> str:
    ids = tuple(disk.id for disk in NVME)
    answers = Answers(disks=ids, recipe="levels-random-4k", axes=(AXES,), jobs=(job,), repeat=1)
    return script(make(answers, recipes.load("levels-random-4k"), NVME, "here"))


def test_a_script_brings_the_functions_that_switch_it_where_it_is_switched() -> None:
    switching, reading = script_of("rand_write"), script_of("rand_read")
    assert """\nnvme_setting nvme/"$(name "${member_0}")"/volatile-write-cache 'write through'\n""" in switching
    assert """\nput_back nvme/"$(name "${member_0}")"/volatile-write-cache\n""" in switching
    assert FUNCTIONS in switching and FUNCTIONS not in reading and "\nnvme_setting nvme/" not in reading
    assert subprocess.run(["bash", "-n"], input=switching, text=True, capture_output=True).stderr == ""
