"""The partition table of a disk that an array takes: made first, taken away again unless the array has it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.core.arrays.array import Sync
from raidtui.core.care import plans
from raidtui.core.care.plans import Limits
from raidtui.core.disks.machine import Machine, Signature
from raidtui.core.plan.model import Plan
from raidtui.core.plan.steps import Check
from raidtui.core.raid import layers
from raidtui.runs.waiting import Ended
from raidtui.system.signatures import Reading
from tests.builders.arrays import UUID
from tests.builders.care import THREE, cared_for, on_partitions
from tests.builders.machines import device, part
from tests.runs.rig import FINISHED, Argv, Rig

OTHER = Signature(kind="gpt", uuid="00000000-0000-0000-0000-000000000001")
ON_MEMBER = Signature(kind="linux_raid_member", uuid=UUID)
TABLE = ["sfdisk --quiet", "mdadm --add"]
TAKEN_AWAY = ["wipefs --all", "blockdev --rereadpt"]
NEW = ("sdd", "sde")


class OnPartitions(Rig):
    """An array of sda1, sdb1, sdc1, which takes new disks. `fails`: the word of the call that fails."""

    def __init__(self, folder: Path, plan: Plan, machine: Machine) -> None:
        checks = [step for step in plan.stages[-1].steps if isinstance(step, Check) and step.expected]
        self.size = checks[0].expected["member 0"]
        self.on: dict[str, tuple[Signature, ...]] = {}
        self.fails = ""
        self.then: Callable[[], object] = lambda: None
        super().__init__(folder, plan, machine)
        self.array, self.works = "md127", {"sda1", "sdb1", "sdc1"}
        self.members: tuple[str, ...] = ("sda1", "sdb1", "sdc1")
        self.partitions = {name: (f"{name}1",) for name in ("sda", "sdb", "sdc")}
        self.answer = self._told

    def read_machine(self) -> Machine:
        devices = [replace(one, signatures=self.on.get(one.name, ())) for one in self.seen.devices]
        new = [part(name, disk) for disk in NEW for name in self.partitions.get(disk, ())]
        return replace(self.seen, devices=(*devices, *new))

    def signatures_on(self, names: Sequence[str]) -> Mapping[str, Reading]:
        return {name: Reading(signatures=self.on.get(name, ())) for name in names}

    def slaves(self, array: str) -> tuple[str, ...]:
        return self.members

    def working(self, array: str) -> set[str]:
        return self.works

    def lacking(self, array: str) -> int:
        return 0

    def size_bytes(self, name: str) -> int:
        return self.size

    def devnum_of(self, path: str) -> str:
        return "259:1"

    def text(self, path: str | Path) -> str:
        files = {"start": str(layers.START_BYTES // 512), "dev": "259:1", "array_state": "clean"}
        return files.get(Path(path).name, "") or super().text(path)

    def sync(self, array: str) -> Sync | None:
        return None

    def _told(self, argv: Argv) -> Ended:
        node = argv[-1]
        name = node.removeprefix("/dev/")
        if self.fails and self.fails in argv:
            return Ended(1, "no")
        if argv[0] == "sfdisk":
            table = self.plan.tables[next(one.id for one in self.plan.members if one.name == name)]
            self.on[name], self.partitions[name] = (Signature(kind="gpt", uuid=table),), (f"{name}1",)
        if argv[1] == "--add":
            self.members, self.superblocks[node] = (*self.members, name), UUID
            self.on[name] = (ON_MEMBER,)
        if argv[1] == "--replace":
            self.works = {"sda1", "sdd1", "sdc1"}
            self.then()
        if argv[1] == "--remove":
            self.members = tuple(name for name in self.members if name != "sdb1")
        if argv[0] == "wipefs":
            del self.on[name]
        if argv[0] == "blockdev":
            del self.partitions[name]
        return Ended(0, "")


def replacing(folder: Path) -> OnPartitions:
    """sdd takes sdb's place."""
    machine = on_partitions(THREE)
    array, disks = cared_for(machine)
    ids = {disk.name: disk.id for disk in disks}
    how = plans.replacement(array, ids["sdb"], ids["sdd"], disks, Limits())
    return OnPartitions(folder, plans.replace(array, how, "machine"), machine)


def growing(folder: Path) -> OnPartitions:
    """The array takes sdd and sde."""
    machine = on_partitions(THREE)
    machine = replace(machine, devices=(*machine.devices, device("sde")))
    array, disks = cared_for(machine)
    new = [disk.id for disk in disks if disk.name in NEW]
    return OnPartitions(folder, plans.grow(array, new, disks, "machine", Limits()), machine)


@pytest.fixture
def replaced(tmp_path: Path) -> OnPartitions:
    return replacing(tmp_path)


def test_the_partition_is_made_first_and_stays_with_the_array(replaced: OnPartitions) -> None:
    assert replaced.go() == FINISHED
    assert replaced.programs() == [*TABLE, "mdadm --replace", "mdadm --remove"]
    words = [" ".join(argv[2:]) for argv in replaced.given if argv[0] == "mdadm"]
    assert words == ["/dev/md127 /dev/sdd1", "/dev/md127 /dev/sdb1 --with /dev/sdd1", "/dev/md127 /dev/sdb1"]
    assert replaced.partitions["sdd"] == ("sdd1",) and replaced.on["sdd1"] == (ON_MEMBER,)


def test_where_md_does_not_take_it_the_table_is_taken_away(replaced: OnPartitions) -> None:
    replaced.fails = "--add"
    outcome, _, left = replaced.go()
    assert (outcome, left) == ("failed", []) and replaced.programs() == [*TABLE, *TAKEN_AWAY]
    assert "sdd" not in replaced.partitions and replaced.on == {}


@pytest.mark.parametrize("known", [True, False])
def test_nothing_is_taken_from_what_the_array_has_not_even_where_its_superblock_cannot_be_read(
    replaced: OnPartitions, known: bool
) -> None:
    replaced.fails = "--remove"  # the last step
    replaced.then = replaced.superblocks.clear if not known else replaced.then
    outcome, _, left = replaced.go()
    assert outcome == "failed" and bool(left) != known and replaced.on["sdd"]
    assert not {"wipefs --all", "blockdev --rereadpt"} & {*replaced.programs()}


def test_a_table_of_another_stays_and_is_named(replaced: OnPartitions) -> None:
    replaced.fails = "--add"
    told = replaced.answer

    def answer(argv: Argv) -> Ended:
        ended = told(argv)
        if argv[1] == "--add":
            replaced.on["sdd"] = (OTHER,)
        return ended

    replaced.answer = answer
    outcome, _, left = replaced.go()
    assert outcome == "failed" and OTHER.uuid in left[0] and replaced.programs() == TABLE


def test_of_several_new_disks_the_one_that_the_array_has_keeps_its_table(tmp_path: Path) -> None:
    grown = growing(tmp_path)
    grown.fails = "/dev/sde1"
    outcome, _, left = grown.go()
    assert (outcome, left) == ("failed", [])
    assert grown.programs() == ["sfdisk --quiet", "sfdisk --quiet", "mdadm --add", "mdadm --add", *TAKEN_AWAY]
    assert "sde" not in grown.partitions and grown.members[-1] == "sdd1" and {*grown.on} == {"sdd", "sdd1"}
