"""A run's executor on a machine that is written down: which commands it would give, answered by a function of theirs.

Nothing is started and no disk is opened; the plan, the journal and the course are the real ones.
"""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import msgspec
import pytest

from raidtui import recipes
from raidtui.core.disks.machine import Machine, Signature
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import planner
from raidtui.core.plan.answers import After, Answers, Setup
from raidtui.core.plan.model import Plan
from raidtui.core.plan.steps import Role
from raidtui.runs import (
    checks,
    context,
    members,
    stages,
)
from raidtui.runs.executor import Executor
from raidtui.runs.journal import Journal
from raidtui.runs.sampler import Sampler
from raidtui.runs.stages import Outcome
from raidtui.runs.waiting import Ended
from raidtui.system import block, leftovers, md
from raidtui.system.process import Done
from tests.core.disks.test_verdicts import device, machine

SEEN = machine(*(device(name) for name in ("sda", "sdb", "sdc")))
Argv = tuple[str, ...]


class Rig:
    """An executor whose commands go to `answer`; `given` are those that it gave, with the devices of this machine.

    `superblocks`: device -> the UUID in it; `array`: the kernel name of the run's array, while it stands;
    `partitions` and `signatures`: of a disk, of every device; `remembered`: disks that hold a test's own data.
    """

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, plan: Plan, seen: Machine = SEEN) -> None:
        self.plan = plan
        self.seen = seen
        self.given: list[Argv] = []
        self.answer: Callable[[Argv], Ended] = lambda argv: Ended(0, "")
        self.superblocks: dict[str, str] = {}
        self.array: str | None = None
        self.signatures: tuple[Signature, ...] = ()
        self.partitions: dict[str, tuple[str, ...]] = {}
        self.remembered: list[str] = []
        self.mounted = False
        self.folder = folder
        patch.setattr(members, "read_machine", lambda: self.seen)
        patch.setattr(members.members, "not_free", lambda paths: {})
        patch.setattr(members.members, "lock_nodes", lambda paths: nullcontext())
        patch.setattr(checks.members, "why_not_free", lambda path: None)
        patch.setattr(md, "find", lambda uuid: self.array)
        patch.setattr(md, "superblock", self.superblocks.get)
        patch.setattr(md, "is_dead", lambda name: self.array is None)
        patch.setattr(md, "is_degraded", lambda name: False)
        patch.setattr(md, "working", lambda name: {one.name for one in self.seen.devices})
        patch.setattr(block, "is_mounted", lambda folder: self.mounted)
        patch.setattr(block, "partitions", lambda name: self.partitions.get(name, ()))
        patch.setattr(leftovers, "remember", self.remembered.append)
        patch.setattr(checks, "run", lambda argv, timeout_s: Done(0, "", ""))
        patch.setattr(
            context.signatures,
            "read",
            lambda names: {name: msgspec.structs.replace(device(name), signatures=self.signatures) for name in names},
        )
        self.open()

    def open(self) -> None:
        """As another worker finds it."""
        self.journal = Journal(self.folder / "journal.jsonl")
        self.sampler = Sampler(self.folder / "samples.bin", tuple(member.id for member in self.plan.members))
        self.executor = Executor(self.folder, self.plan, self.journal, self.sampler, wakeup=0)
        self.executor.waiter.run = self._run  # type: ignore[method-assign]
        self.executor.waiter.pause = lambda duration_s: None  # type: ignore[method-assign]

    def _run(self, argv: Argv, stdin: str = "", role: Role = "settled") -> Ended:
        self.given.append(argv)
        return self.answer(argv)

    def build(self) -> None:
        """The array and the members' superblocks come and go as mdadm is told from now on."""
        array = self.plan.stages[-1].array
        assert array

        def answer(argv: Argv) -> Ended:
            if argv[:2] == ("mdadm", "--create"):
                self.array = "md127"
                self.superblocks |= {one.path: array.uuid for one in self.seen.devices}
            if argv[:2] == ("mdadm", "--stop"):
                self.array = None
            if argv[:2] == ("mdadm", "--zero-superblock"):
                del self.superblocks[argv[-1]]
            return Ended(0, "")

        self.answer = answer

    def without(self, index: int) -> None:
        """The disk of this index is gone."""
        devices = (*SEEN.devices[:index], *SEEN.devices[index + 1 :])
        self.seen = msgspec.structs.replace(self.seen, devices=devices)

    def go(self) -> Outcome:
        return stages.go(self.plan, self.executor, self.journal.state)

    def programs(self) -> list[str]:
        """What was given, without udev's settling: program and first word, as "mdadm --create"."""
        return [" ".join(argv[:2]) for argv in self.given if argv[0] != "udevadm"]


def plan_of(level: str = "5", after: After = "teardown", filesystem: str = "none", seen: Machine = SEEN) -> Plan:
    disks = disks_of(seen)
    setup = Setup(level=level, filesystem=filesystem, first_sync="skip")
    answers = Answers(disks=tuple(disk.id for disk in disks), setup=setup, after=after)
    return planner.make(answers, recipes.load("quick"), disks, "machine")
