"""A plan as a bash script: bash reads it, each array has its name, a disk is found by the kind of its identity."""

import re
import subprocess

import msgspec
import pytest

from raidtui.core.plan import slots
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import (
    shown_steps,
)
from raidtui.core.plan.script import script
from raidtui.core.plan.steps import (
    Command,
)
from tests.builders import sweeps
from tests.builders.racks import RACK, answers, disk, plan


@pytest.mark.parametrize(
    ("identity", "link"),
    [
        ("wwn-0x1", "/dev/disk/by-id/wwn-0x1"),
        ("serial-IRONDISK_SER0", "/dev/disk/by-id/ata-IRONDISK_SER0"),
        ("path-pci-1", "/dev/disk/by-path/pci-1"),
        ("name-sda", ""),
    ],
)
def test_a_script_finds_a_disk_by_the_kind_of_its_identity(identity: str, link: str) -> None:
    """A doubled WWN makes udev's wwn link point at either disk: the identity is a path then, and so is the link."""
    links = ("/dev/disk/by-id/ata-IRONDISK_SER0", "/dev/disk/by-id/wwn-0x1", "/dev/disk/by-path/pci-1")
    first = disk(0, id=identity, links=links)
    given = msgspec.structs.replace(answers(), disks=(identity, *(d.id for d in RACK[1:3])))
    assert plan(given, (first, *RACK[1:])).members[0].link == link


@pytest.mark.parametrize(("name", "disks"), [("jbod-vs-raid0", 4), ("stripe-x-allocation-unit-x-offset", 4),
                                            ("levels-sequential", 3), ("levels-random-4k", 6)])  # fmt: skip
def test_the_script_of_a_sweep_is_bash_and_names_each_array(name: str, disks: int) -> None:
    made = sweeps.plan(name, disks)
    text = script(made)
    assert subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True).stderr == ""
    slot = re.compile(r"\{name:(\d+)\}")  # the script draws the UUIDs of which names are made
    arrays = {slot.sub(r'"${name_\1}"', stage.array.name) for stage in made.stages if stage.array}
    assert {line.removeprefix("array=/dev/md/") for line in text.splitlines() if line.startswith("array=")} == arrays
    mounts = [step.argv[-1] for step in shown_steps(made) if isinstance(step, Command) and step.argv[0] == "mount"]
    (folders,) = [line for line in text.splitlines() if line.startswith("mkdir -p fio")]
    assert set(folders.split()[3:]) == set(mounts)


def test_the_script_draws_uuids_of_its_own_each_time() -> None:
    """mdadm's with colons, the name's digits the first eight of them; what it made is known by the digits of all."""
    text = script(sweeps.plan("quick", 3, setup=Setup(level="5", filesystem="ext4")))
    drawing = text[text.index("own=") : text.index("expect=planned")]
    told = f'set -euo pipefail\n{drawing}\nprintf \'%s\\n\' "$uuid_0" "$name_0" "$uuid_1" "$own"'
    drawn = []
    for _ in range(2):
        done = subprocess.run(["bash"], input=told, text=True, capture_output=True, check=True)
        drawn.append(done.stdout.splitlines())
    for array, name, filesystem, own in drawn:
        assert re.fullmatch(r"[0-9a-f]{8}(:[0-9a-f]{8}){3}", array) and name == array[:8]
        assert slots.UUID.fullmatch(filesystem)
        assert own.split() == [array.replace(":", ""), filesystem.replace("-", "")]
    assert not set(drawn[0]) & set(drawn[1])
