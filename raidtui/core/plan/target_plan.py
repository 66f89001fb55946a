"""The plan for a target as it is: no step builds, erases, mounts or changes anything. Devices: reads only. Folders: one
new file of the run, at most a tenth of the free space, always removed.
"""

from collections.abc import Sequence

import msgspec

from raidtui.core.fio.job import Job, directions, on_array, resolved
from raidtui.core.plan import estimate, recipe, tunables
from raidtui.core.plan.answers import Answers, PlanRefused, Setup
from raidtui.core.plan.blocks import orders
from raidtui.core.plan.model import ASSUMED_COMMAND_S, SCHEMA, Member, Plan, Stage, machine_digest
from raidtui.core.plan.planner import jobs_of, refuse_offset, sealed, speed_of
from raidtui.core.plan.proof import in_file
from raidtui.core.plan.recipe import Recipe
from raidtui.core.plan.selection import member_of, until_level
from raidtui.core.plan.steps import Check, Command
from raidtui.core.plan.target import FREE_SHARE, Seen, file_bytes, why_not_direct
from raidtui.core.plan.trials import Place, fill, measured
from raidtui.core.plan.tunables import Arm
from raidtui.core.units import both

_SETUP = Setup(level="existing")
_SHARED = "What else uses it is measured along: these figures are what it leaves, and they slow it down."
_SWITCHED = "Writeback throttling (wbt) of the underlying disks is off during single tests, and restored after each."
_READ_ONLY = "The device is opened for reading only, and fio is told so as well (--readonly)."


def make(
    answers: Answers,
    chosen: Recipe,
    lookup: Seen,
    machine_id: str,
    memory_bytes: int = 0,
    command_s: float = ASSUMED_COMMAND_S,
) -> Plan:
    """PlanRefused if recipe or free space do not allow it."""
    proves = chosen.question == "proof"
    if not chosen.existing and not answers.explain and not proves:
        sentence = f'{answers.recipe} builds what it measures; with `target` choose recipe = "existing"'
        raise PlanRefused(sentence, "recipe", where="")
    target = lookup.target
    is_device = target.kind == "device"
    if proves and is_device:
        raise PlanRefused(f"a proof writes, and {target.path} is a device with data; give a folder on it", "target")
    if proves and (why_not := why_not_direct(target.filesystem)):
        raise PlanRefused(f"no proof on {target.filesystem} ({target.path}): {why_not}; prove its array", "target")
    if answers.proof.cut:
        raise PlanRefused("a power cut is for an array built here; leave proof.cut out", "proof.cut", where="")
    jobs_reasons = [(job, _why_not(job, is_device)) for job in jobs_of(answers, chosen)]
    jobs = tuple(_untouching(job, is_device) for job, reason in jobs_reasons if not reason)
    pruned = tuple(f"{job.title or job.name}: {reason}" for job, reason in jobs_reasons if reason)
    if not jobs:
        raise PlanRefused(f"no job of {answers.recipe} can be measured on {target.path}: {'; '.join(pruned)}")
    if not is_device:
        refuse_offset(jobs)
    size = 0 if is_device else file_bytes(lookup.free_bytes)
    if not is_device and not size:
        raise PlanRefused(f"{target.path} has {both(lookup.free_bytes)} free, too little for a test file; make room")
    members = tuple(msgspec.structs.replace(member_of(disk), warning="") for disk in lookup.disks)
    flash, disks = all(member.rotational is False for member in members), max(1, len(members))
    jobs = tuple(on_array(resolved(job, flash and bool(members), disks), disks) for job in jobs)
    jobs = until_level(jobs, members, answers)
    speed = speed_of(answers, members, memory_bytes)
    where = "{target}" if is_device else "{held}"  # fio would lengthen, or remove, another file of that name
    place = Place(
        target="existing",
        targets=(where,),
        per_disk=(where,),
        room_bytes=target.size_bytes or size,
        each_bytes=target.size_bytes or size,
        files=() if is_device else (where,),
        file_bytes=size,
        readonly=is_device,
    )
    check_same = Check(what=f"Check that {target.path} is the planned one", question="target-same")
    steps = []
    written_bytes = 0
    proof, proved = None, None
    if not is_device:
        filling, written_bytes = fill(place, jobs, None, max(1, len(members)), speed, creates=False)
        if proves:
            proof, filling, proved = in_file(jobs[0], speed, max(1, len(members)), size)
            written_bytes = size
        steps = [
            msgspec.structs.replace(check_same, expected={"file_bytes": size}),
            Command(
                what="Create a new test file",
                role="make-file",
                argv=("dd", "if=/dev/null", "of={file}", "conv=excl", "status=none"),
                undo=(Command(what="Remove the file", role="remove", argv=("rm", "--force", "{file}")),),
            ),
            Check(what="Check the file", question="file-own"),
            # fio would put another file in the place of one that is too short
            Command(
                what="Set its size",
                role="lengthen",
                argv=("truncate", f"--size={written_bytes}", "{held}"),
            ),
            *filling,
        ]
    usual = tunables.BLOCKS if answers.explain else recipe.repetitions(chosen, answers.variant, 1)
    answers = msgspec.structs.replace(answers, repeat=answers.repeat or usual)
    trials = [proved] if proved else []
    for repetition, arms in enumerate(() if proves else _blocks(answers, jobs, members), 1):
        block = repetition if answers.explain and (answers.repeat or 1) > 1 else 0
        for arm in arms:
            trial, measure_steps = measured(1, arm.job, place, repetition, speed, None, members, block, arm.suspect)
            trials.append(trial)
            steps += [check_same, *arm.before, *measure_steps, *arm.after]
            written_bytes += trial.written_bytes
    plan = Plan(
        schema=SCHEMA,
        machine=machine_digest(machine_id),
        members=(),
        beneath=members,
        answers=answers,
        recipe_title=chosen.title,
        question=chosen.question,
        stages=(
            Stage(
                title=target.title,
                steps=tuple(steps),
                trials=tuple(trials),
                written_bytes=written_bytes,
                setup=_SETUP,
                existing=target,
                proof=proof,
            ),
        ),
        notes=(*recipe.notes(chosen, answers), *_notes(lookup, size, answers.explain)),
        source=chosen.source,
        link=chosen.link,
        published=chosen.published,
        expect=chosen.expect,
        pruned=pruned,
        command_s=command_s,
        written_bytes=written_bytes,
    )
    plan = msgspec.structs.replace(plan, estimate_s=sum(estimate.whole(plan).values()))
    return sealed(plan)


def _blocks(answers: Answers, jobs: Sequence[Job], members: Sequence[Member]) -> tuple[tuple[Arm, ...], ...]:
    """Per repetition: every job; of an ablation its arms in random order."""
    if not answers.explain:
        return (tuple(map(Arm, jobs)),) * (answers.repeat or 1)
    if len(jobs) != 1:
        raise PlanRefused(f"name one job, not {len(jobs)}", "explain")
    (job,) = jobs
    case = tunables.Case(None, job.fio, len(members), existing=True)
    beneath = tuple(f"{{beneath:{index}}}" for index in range(len(members)))
    arms = tunables.arms(answers.explain, job, case, beneath)
    return orders(arms, answers.repeat or 1, f"{job} {answers.target}")


def _why_not(job: Job, is_device: bool) -> str:
    """Why the job must not run on something in use; "" if it may."""
    if is_device and directions(str(job.fio.get("rw", "read"))) != ("read",):
        return "it writes, and a device with data on it is only read"
    if job.write_cache:
        return "it switches the disks' write caches, and nothing is changed here"
    return ""


def _untouching(job: Job, is_device: bool) -> Job:
    """Without options that reach beyond itself: fio would flush the cache of a mounted device."""
    return msgspec.structs.replace(job, files="one", fio={**job.fio, **({"invalidate": False} if is_device else {})})


def _notes(lookup: Seen, size_bytes: int, explain: Sequence[str]) -> tuple[str, ...]:
    notes = [_SHARED, _READ_ONLY if not size_bytes else ""]
    notes += [_SWITCHED] if "wbt" in explain else []
    if size_bytes:
        notes.append(
            f"A file of {both(size_bytes)} is made in {lookup.target.path}, at most {100 * FREE_SHARE:.0f} % of what is"
            " free, and removed at the end: heads move over no more than that."
        )
    if not lookup.disks:
        notes.append("Which disks lie beneath could not be found out: their own rates are missing.")
    return tuple(note for note in notes if note)
