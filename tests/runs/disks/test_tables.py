"""Partition tables that a run makes on its members: looked at by all nodes, and taken away where they are its own."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from raidtui.core.disks.machine import Signature
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan
from raidtui.core.raid import layers
from raidtui.core.run import events
from raidtui.runs.waiting import Ended
from raidtui.system.process import Done
from tests.builders.journals import started
from tests.builders.plans import planned
from tests.runs.disks.pool_rig import OnDisks
from tests.runs.rig import BOOT, FINISHED, SEEN, Argv

EXT4 = Signature(kind="ext4", uuid="1234")
OTHER = Signature(kind="gpt", uuid="00000000-0000-0000-0000-000000000001")
NAMES = ("sda", "sdb", "sdc")


def plan() -> Plan:
    setup = Setup(level="5", members="partitions")
    return planned(disks_of(SEEN), setup, baseline="none", after="keep", jobs=("seq_write",))


class Disks(OnDisks):
    """What is `on` each device comes and goes with sfdisk, mdadm and wipefs; `shows`: the kernel reads new tables.

    `then` happens after a disk has its table: name -> what somebody does.
    """

    def __init__(self, folder: Path) -> None:
        self.on = {}
        self.shows = True
        self.size = layers.partition_bytes(SEEN.devices[0].size_bytes or 0)
        self.number = "259:1"
        self.protective: tuple[str, ...] = ()
        self.then: Callable[[str], object] = lambda name: None
        super().__init__(folder, plan())
        self.answer = self._told
        self.creates = 0

    def size_bytes(self, name: str) -> int:
        return self.size if name.endswith("1") else 0

    def devnum_of(self, path: str) -> str:
        return self.number

    def slaves(self, array: str) -> tuple[str, ...]:
        return self.stands_on or ()

    def ask(self, argv: Sequence[str], timeout_s: float) -> Done:
        disk = argv[-1].removeprefix("/dev/")
        if argv[0] != "wipefs":
            return super().ask(argv, timeout_s)
        kinds = [signature.kind for signature in self.on.get(disk, ())] + ["PMBR"] * (disk in self.protective)
        return Done(0, "\n".join(kinds), "")

    def own(self, disk: str) -> Signature:  # type: ignore[override]
        ids = {member.name: member.id for member in self.plan.members}
        return Signature(kind="gpt", uuid=self.plan.tables[ids[disk]].upper())

    def _told(self, argv: Argv) -> Ended:
        disk = argv[-1].removeprefix("/dev/")
        if argv[0] == "sfdisk":
            self.on[disk] = (self.own(disk),)
            if self.shows:
                self.partitions[disk] = (f"{disk}1",)
            self.then(disk)
        if argv[:2] == ("mdadm", "--create"):
            self.creates += 1
            return Ended(1, "mdadm: RUN_ARRAY failed: Invalid argument")
        if argv[:2] == ("wipefs", "--all"):
            self.on.pop(disk, None)
            self.protective = tuple(name for name in self.protective if name != disk)
        if argv[0] == "blockdev":
            self.partitions.pop(disk, None)
        return Ended(0, "")


@pytest.fixture
def disks(tmp_path: Path) -> Disks:
    return Disks(tmp_path)


def test_a_table_on_each_member_then_the_array_of_their_partitions(disks: Disks) -> None:
    outcome, reason, left = disks.go()
    assert (outcome, left) == ("failed", []) and "RUN_ARRAY failed" in reason  # and all of it is taken back
    words = [" ".join(argv) for argv in disks.given if argv[0] != "udevadm"]
    made = "sfdisk --quiet --label=gpt --wipe=always --wipe-partitions=always"
    assert words[:3] == [f"{made} /dev/{name}" for name in NAMES]
    assert words[3].endswith("--run /dev/sda1 /dev/sdb1 /dev/sdc1")
    undone = [[f"wipefs --all /dev/{name}", f"blockdev --rereadpt /dev/{name}"] for name in reversed(NAMES)]
    assert words[4:] == [line for lines in undone for line in lines]
    assert disks.on == {} and disks.partitions == {}


def test_a_table_that_the_kernel_does_not_read_ends_the_run_and_is_taken_away(disks: Disks) -> None:
    disks.shows = False
    outcome, reason, left = disks.go()
    assert (outcome, left, disks.creates) == ("failed", [], 0)
    assert "the kernel does not show the partition that was made on sda" in reason and "find and end that" in reason
    assert disks.on == {} and not disks.executor.refused


def add(name: str, *signatures: Signature) -> Callable[[Disks, str], None]:
    def act(disks: Disks, disk: str) -> None:
        device = disk if name == "disk" else f"{disk}1"
        disks.on[device] = signatures

    return act


def beside(disks: Disks, disk: str) -> None:
    disks.partitions[disk] = (f"{disk}1", f"{disk}2")


def smaller(disks: Disks, disk: str) -> None:
    disks.size -= 1 << 20


def elsewhere(disks: Disks, disk: str) -> None:
    disks.number = "8:17"


@pytest.mark.parametrize(
    "somebody, says, stays",
    [
        (add("disk", OTHER), "has not the partition table that this run made: gpt 0000", True),
        (add("disk"), "has not the partition table that this run made: there is none on sdb", False),
        (add("part", EXT4), "/dev/sdb1 holds ext4 1234", True),
        (beside, "has sdb2, which this run did not make", True),
        (smaller, "made was another", False),
        (elsewhere, "does not lead to the partition", False),
    ],
)
def test_nothing_is_written_into_a_partition_that_is_not_the_runs_own_and_alone(
    disks: Disks, somebody: Callable[[Disks, str], None], says: str, stays: bool
) -> None:
    disks.then = lambda disk: somebody(disks, disk) if disk == "sdb" else None
    outcome, reason, left = disks.go()
    assert outcome == "failed" and says in reason and disks.creates == 0 and disks.executor.refused
    assert bool(left) == stays and not (stays and ("wipefs", "--all", "/dev/sdb") in disks.given)
    assert not {"sda", "sdc"} & disks.on.keys()  # those of the others are taken away


def cut_off(disks: Disks, *steps: str) -> None:
    """As another worker finds it after the tables of these members were made."""
    disks.journal.add(started(boot_id=BOOT))
    disks.journal.add(events.StageStarted(at_s=1.0, stage=0))
    ids = {member.name: member.id for member in disks.plan.members}
    for name in steps:
        begun = events.StepStarted(
            at_s=1.0, stage=0, what="table", line="sfdisk", role="partition", members=(ids[name],)
        )
        disks.journal.add(begun)
        disks.on[name], disks.partitions[name] = (disks.own(name),), (f"{name}1",)
    disks.open()


def test_what_a_killed_worker_made_is_taken_away_and_no_more(disks: Disks) -> None:
    cut_off(disks, "sda", "sdb")
    assert disks.taken_back() == FINISHED
    assert [argv[-1] for argv in disks.given if argv[0] == "wipefs"] == ["/dev/sdb", "/dev/sda"]
    assert disks.on == {} and disks.partitions == {}


def test_the_half_of_a_table_that_protects_it_is_taken_away_of_a_member_that_was_written(disks: Disks) -> None:
    cut_off(disks, "sda")
    disks.on, disks.partitions, disks.protective = {}, {}, ("sda", "sdc")
    outcome, _, left = disks.taken_back()
    assert [argv[-1] for argv in disks.given if argv[0] == "wipefs"] == ["/dev/sda"]
    assert outcome == "failed" and len(left) == 1 and "sdc" in left[0] and "PMBR" in left[0]  # somebody's


def test_the_table_of_another_is_left_alone_and_said(disks: Disks) -> None:
    cut_off(disks, "sda", "sdb")
    disks.on["sdb"] = (OTHER,)
    outcome, _, left = disks.taken_back()
    assert outcome == "failed" and OTHER.uuid in left[0] and "left alone" in left[0] and disks.executor.refused
    assert disks.on == {"sdb": (OTHER,)}
