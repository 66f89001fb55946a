"""An array of a plan's steps, without what fio does: built, as large as computed, cleared away to blank members."""

import os
from pathlib import Path

from msgspec.structs import replace

from raidtui.core.disks.disk import Usability
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import slots
from raidtui.core.plan.answers import Answers, Setup
from raidtui.core.plan.model import Plan, Stage
from raidtui.core.plan.steps import Command
from raidtui.core.run.state import RunState
from raidtui.runs import directory, planning, stages
from raidtui.runs.executor import Executor
from raidtui.runs.journal import Journal
from raidtui.runs.local import LocalHost
from raidtui.runs.sampler import Sampler
from raidtui.runs.waiting import Waiter
from raidtui.system.discovery import read_machine


def built_only(stage: Stage) -> Stage:
    """The stage without what fio does: build, check, make the file system, mount."""
    steps = tuple(s for s in stage.steps if not (isinstance(s, Command) and s.argv[0] == "fio"))
    return replace(stage, steps=steps, trials=())


def plan(setup: Setup, members: int = 4) -> Plan:
    disks = [disk.id for disk in disks_of(read_machine()) if disk.verdict.standing is Usability.OK]
    assert len(disks) >= members
    return directory.drawn(planning.plan_here(Answers(disks=tuple(disks[:members]), setup=setup)))


def carry_out(made: Plan, stage: Stage, folder: Path) -> tuple[tuple[str, str, list[str]], RunState]:
    made, stage = slots.filled(made), slots.filled(replace(made, stages=(stage,))).stages[0]
    for name in ("fio", "mnt"):
        (folder / name).mkdir(exist_ok=True)
    journal = Journal(folder / "journal.jsonl")
    host = LocalHost()
    sampler = Sampler(folder / "samples.bin", tuple(member.id for member in made.members), host)
    wakeup, _ = os.pipe2(os.O_NONBLOCK)
    executor = Executor(folder, made, journal, sampler, Waiter(folder, journal, sampler, wakeup), host)
    executor.begin(len(made.stages) - 1, stage)
    try:
        return stages.run_stage(
            replace(made, stages=(*made.stages[:-1], stage)), len(made.stages) - 1, executor
        ), journal.state
    finally:
        executor.release()
        sampler.close()
        journal.close()


def leave_blank_members(setup: Setup, stripe: tuple[int, int] | None, folder: Path, members: int = 4) -> None:
    """`stripe`: KiB of chunk, and data disks, that the file system must know; (0, 0) where there is none to know."""
    made = plan(setup, members)
    (outcome, reason, left), state = carry_out(made, built_only(made.stages[-1]), folder)
    assert (outcome, left) == ("finished", []), (reason, left, state.steps[-1])
    assert state.warnings == ()
    planned = made.stages[-1].array
    assert state.array and planned and state.array.size_bytes == planned.capacity.array_bytes
    if stripe is not None:
        stride, data_disks = stripe[0] // 4, stripe[1]
        told = {"block_bytes": 4096, "stride_blocks": stride, "stripe_width_blocks": stride * data_disks}
        assert state.filesystems[state.stage].geometry == told
        assert state.filesystems[state.stage].total_bytes > 0.7 * state.array.size_bytes
    for disk in disks_of(read_machine()):
        if disk.id in {member.id for member in made.members}:
            assert (disk.verdict.standing, disk.found) == (Usability.OK, "blank"), disk
    assert "active" not in Path("/proc/mdstat").read_text()
    assert not list(Path("/dev/md").glob("*")) if Path("/dev/md").exists() else True
