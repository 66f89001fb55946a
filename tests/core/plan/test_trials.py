"""Where the jobs of a stage work: never on what must stand, never beyond the end, at a whole stripe."""

import pytest
from msgspec.structs import replace

from raidtui import recipes
from raidtui.core.fio.text import parse_bytes
from raidtui.core.plan.answers import Answers, PlanRefused, Setup
from raidtui.core.plan.planner import make
from raidtui.core.plan.steps import Command
from raidtui.core.plan.trials import start_bytes
from raidtui.core.units import GIB, KIB, MIB
from tests.builders.racks import RACK, answers, commands, plan
from tests.seeds import cases, paired


def test_a_trial_is_named_after_its_stage() -> None:
    repeated = plan(answers(repeat=2))
    ids = [trial.id for trial in repeated.trials]
    assert ids[0] == "s1-member0-seq_write" and "s1-members-seq_read" in ids and "s4-seq_read.2" in ids


SIZED = {  # the others measure a share of the device, which fio keeps to itself
    "flash-steady-state", "jbod-vs-raid0", "levels-random-4k", "proof", "raid0-gain",
    "stripe-x-allocation-unit-x-offset",
}  # fmt: skip
BUILDING = [name for name in recipes.names() if not recipes.load(name).existing]


@pytest.mark.parametrize("name", BUILDING)
def test_what_writes_to_a_bare_device_leaves_its_first_sectors_alone(name: str) -> None:
    """A kernel would take random blocks there for a partition table, once in some hundred runs."""
    setup = Setup() if recipes.load(name).axes else Setup(level="5")
    made = make(Answers(disks=tuple(disk.id for disk in RACK), setup=setup), recipes.load(name), RACK, "here")
    bare = [argv for argv in commands(made, "fio") if {"--filename={array}", "--filename={member:0}"} & {*argv}]
    assert bare or name == "alignment-proof"  # on a partition, in which no kernel looks for a table
    for argv in bare:
        offset = next(word.partition("=")[2] for word in argv if word.startswith("--offset="))
        assert not {"--rw=write", "--rw=randwrite"} & {*argv} if "%" in offset else int(offset) >= MIB


@pytest.mark.parametrize("name, offset", paired(BUILDING[:: cases(1, few=3)], ["", "1%", "64m"]))
def test_no_job_goes_beyond_the_end_of_its_device(name: str, offset: str) -> None:
    """fio ends at the first random block there, without an error."""
    chosen = recipes.load(name)
    own = {"offset": offset} if offset else {}
    jobs = tuple(replace(job, fio=job.fio | own) for job in chosen.job)
    setup = Setup() if chosen.axes else Setup(level="5")
    given = Answers(disks=tuple(disk.id for disk in RACK), setup=setup)
    try:
        made = make(given, replace(chosen, job=jobs), RACK, "here")
    except PlanRefused:
        assert offset  # where the test is on a file
        return
    sizes = {"{array}": 0, "{array:1}": 0, **{f"{{member:{n}}}": 4 * GIB for n in range(6)}}
    checked = 0
    for stage in made.stages:
        if stage.array:
            sizes |= dict.fromkeys(("{array}", "{array:1}"), stage.array.capacity.array_bytes)
        for step in stage.steps:
            if isinstance(step, Command) and step.argv[0] == "fio":
                said = dict(word.removeprefix("--").split("=", 1) for word in step.argv if "=" in word)
                room = sizes.get(said["filename"])
                if room and "size" in said and not said["size"].endswith("%"):
                    start = int(room * 0.01) if said["offset"] == "1%" else parse_bytes(said["offset"]) or 0
                    assert start + (parse_bytes(said["size"]) or 0) <= room
                    checked += 1
    assert bool(checked) == (name in SIZED)


def test_on_an_array_the_tests_begin_at_a_whole_stripe() -> None:
    assert any("--offset=1572864" in argv for argv in commands(plan(answers(members=4, chunk="512K")), "fio"))
    assert start_bytes(GIB, 3 * 512 * KIB) == 3 * 512 * KIB and start_bytes(GIB, 3 * 64 * KIB) == 6 * 192 * KIB
    assert start_bytes(GIB) == MIB and start_bytes(MIB, 64 * KIB) == 0
