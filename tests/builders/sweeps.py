"""A sweep's run made by hand: any plan, each trial with the rate that a function gives it."""

from collections.abc import Callable

from msgspec.structs import replace

from raidtui import recipes
from raidtui.core.fio.measurement import DiskRates
from raidtui.core.plan.answers import Answers, Setup
from raidtui.core.plan.model import Plan, Stage, Trial
from raidtui.core.plan.planner import make
from raidtui.core.plan.summary import imagined
from raidtui.core.run import events
from raidtui.core.run.state import RunState, fold_all
from raidtui.core.units import GB
from tests.builders import handmade
from tests.builders.journals import started

Rate = Callable[[Stage, Trial], float]
# QD128 on all targets: each disk of an array does what it did alone at that depth.
SATURATED = {job: {"iodepth": 32, "numjobs": 4} for job in ("rand_write", "rand_read")}


def plan(
    name: str, disks: int, flash: bool = False, size: int = 1000 * GB, command_s: float = 0.04, **more: object
) -> Plan:
    """The plan of a recipe in one block on imagined disks; they have serials, so that they can be told apart. `more`:
    of the answers, or of their setup.
    """
    found = imagined([size] * disks, flash)
    of_setup = {name: more.pop(name) for name in Setup.__struct_fields__ if name in more}
    if of_setup:
        more["setup"] = Setup(**of_setup)  # type: ignore[arg-type]
    given: dict[str, object] = {"disks": tuple(disk.id for disk in found), "recipe": name, "repeat": 1, **more}
    answers = Answers(**given)  # type: ignore[arg-type]
    made = make(answers, recipes.load(name), found, "here", command_s=command_s)
    named = tuple(replace(m, serial=f"SER{i}", model="DISK") for i, m in enumerate(made.members))
    return replace(made, members=named)


def linked(made: Plan) -> Plan:
    """The plan with a link for each imagined disk, so that a script can be made of it."""
    members = tuple(replace(m, link=f"/dev/disk/by-id/{m.id}") for m in made.members)
    return replace(made, members=members)


def state(made: Plan, rate: Rate = lambda stage, trial: 100.0) -> RunState:
    """The whole run: `rate` is MB/s of a sequential trial, IOPS of a random one."""
    at = 1_700_000_000.0
    told: list[events.AnyEvent] = [started("r", at_s=at, tools={"fio": "3.33"})]
    for number, stage in enumerate(made.stages):
        told.append(events.StageStarted(at_s=at, stage=number))
        if stage.array:
            size = stage.array.capacity.array_bytes
            told += [
                events.StepStarted(
                    at_s=at, stage=number, what="Create the array", line="mdadm --create", role="create"
                ),
                events.StepEnded(at_s=at + 2, what="Create the array", duration_s=2),
                events.ArrayBuilt(at_s=at + 2, node="/dev/md0", size_bytes=size, detail={"stripe_cache_size": "256"}),
            ]
            at += 2
        if stage.filesystem:
            told.append(
                events.FilesystemMade(
                    at_s=at, filesystem=stage.filesystem.kind, geometry=stage.filesystem.geometry, total_bytes=10**12
                )
            )
        for trial in stage.trials:
            value = rate(stage, trial)
            moved = value * (trial.bs_bytes or 0) if trial.rw.startswith("rand") else value * 1e6
            disks = {m.id: DiskRates(0.0, moved / len(made.members), 0.9) for m in made.members}
            told += [
                events.TrialStarted(at_s=at, trial=trial.id, expected_s=trial.expected_s),
                events.TrialEnded(
                    at_s=at + 60, trial=trial.id, measurement=handmade.measurement(trial, value, disks=disks)
                ),
            ]
            at += 61
    return fold_all([*told, events.RunEnded(at_s=at, outcome="finished")])
