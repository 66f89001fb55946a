"""From answers to a plan: disks, stages, order, names. Refuses in one sentence."""

from collections.abc import Collection, Sequence

import msgspec

from raidtui.core.boot.distributions import BootPlace
from raidtui.core.disks.buses import narrowest
from raidtui.core.disks.disk import Disk
from raidtui.core.disks.selection import DiskRule
from raidtui.core.disks.verdicts import warnings_of
from raidtui.core.fio import job as fio_job
from raidtui.core.fio.job import USUAL_REQUESTS, Job, on_array, resolved
from raidtui.core.plan import blocks, estimate, proof, recipe, sweep, trials, tunables, validate
from raidtui.core.plan.answers import Answers, PlanRefused, answers_seed
from raidtui.core.plan.baseline import baseline
from raidtui.core.plan.estimate import DiskSpeed, sync_notes
from raidtui.core.plan.kept import lasting, names, permanence, pool_steps, watching
from raidtui.core.plan.member_steps import blank_check, free_check, is_nvme, self_test_stage, self_tests
from raidtui.core.plan.model import (
    ASSUMED_COMMAND_S,
    SCHEMA,
    Member,
    Plan,
    Stage,
    confirmation_code,
    goes_on,
    machine_digest,
)
from raidtui.core.plan.parsed_setup import ParsedSetup, on_partitions, titles
from raidtui.core.plan.recipe import Recipe
from raidtui.core.plan.selection import chosen_disks, in_groups, member_of, spread_note, until_level
from raidtui.core.plan.stages import stage_of
from raidtui.core.plan.steps import SMARTCTL, Command, settle
from raidtui.core.plan.storage_layers import luks
from raidtui.core.plan.trials import PRECONDITION_PASSES, StageInputs
from raidtui.core.raid import block_size, zfs
from raidtui.core.raid.disk_kinds import kind_of, slowest
from raidtui.core.raid.filesystems import XFS_RMAPBT
from raidtui.core.raid.levels import possible
from raidtui.core.raid.space import caution, no_reserve
from raidtui.core.units import MB, parse_bytes_per_s

_MOST_TESTS = 20_000  # a week of the shortest


def make(
    answers: Answers,
    chosen: Recipe,
    disks: Sequence[Disk],
    machine_id: str,
    *,
    mdadm: str = "4.2",
    programs: Collection[str] = (),
    memory_bytes: int = 0,
    aio_requests: int = USUAL_REQUESTS,
    command_s: float = ASSUMED_COMMAND_S,
    place: BootPlace | None = None,
) -> Plan:
    """Pure: same input, same plan. `programs`: installed (empty: assumed); `memory_bytes` 0: unknown; `aio_requests`:
    fs.aio-max-nr; `command_s`: run
    time of a short program, for the estimate; `place`: boot files (None: unknown). PlanRefused: bad answers;
    PlanNotSafe: a disk may not be used.
    """
    if chosen.existing:
        instead = f'{answers.recipe} measures existing storage: give `target = "/srv/data"` instead of `disks`'
        raise PlanRefused(instead, "disks", where="")
    if answers.after == "keep" and chosen.scratch:
        raise PlanRefused(f'{answers.recipe} wears its arrays out and keeps none; choose after = "teardown"', "after")
    if answers.after == "keep" and chosen.question == "integrity":
        keeps = f"{answers.recipe} verifies each disk by itself and keeps no array"
        raise PlanRefused(f'{keeps}; choose after = "teardown"', "after", where="recipe, after")
    selected_disks = in_groups(answers, chosen.sweeps, chosen_disks(answers.disks, disks))
    rule = answers.disks if isinstance(answers.disks, DiskRule) else None
    answers = msgspec.structs.replace(answers, disks=tuple(disk.id for disk in selected_disks))
    members = tuple(member_of(disk) for disk in selected_disks)
    jobs, speed = jobs_of(answers, chosen), speed_of(answers, members, memory_bytes)
    flash, most = all(member.rotational is False for member in members), (aio_requests, memory_bytes)
    jobs = tuple(resolved(job, flash, len(members), *most) for job in jobs)
    jobs = until_level(jobs, members, answers)
    if len(members) < chosen.min_disks:
        raise PlanRefused(f"{answers.recipe} needs {chosen.min_disks} disks or more; choose more", "disks", where="")
    cells = sweep.sweep(answers, chosen, [member.size_bytes for member in members], mdadm, programs)
    cells = _without_pools_on_maps(cells, selected_disks)
    _refuse_surplus(members, cells.cells)
    _refuse_spare_sectors(selected_disks, cells.cells)
    if any(on_partitions(cell.setup) for cell in cells.cells):
        refuse_maps(selected_disks)
    if any(cell.is_mounted for cell in cells.cells):
        refuse_offset(jobs)
    if answers.reserved_percent is not None and (reason := no_reserve([cell.setup.filesystem for cell in cells.cells])):
        raise PlanRefused(reason, "reserved_percent")
    if answers.after == "keep" and len(cells.cells) > 1:
        raise PlanRefused('of a sweep no array is kept; choose after = "teardown"', "after")
    if answers.after == "keep":
        pool_steps.check(answers, cells.cells[0])
        names.check(answers, cells.cells[0])
        luks.check_backup(answers)
    _refuse_taken_name(answers.pool_name, disks)
    tested = self_tests(answers, chosen, programs)
    if answers.explain:
        chosen = _explaining(answers, chosen, cells.cells, jobs)
    preconditioned = chosen.precondition if answers.precondition is None else answers.precondition
    passes = PRECONDITION_PASSES if preconditioned else 0
    _refuse_rounds(answers, chosen, jobs)
    usual = tunables.BLOCKS if answers.explain else recipe.repetitions(chosen, answers.variant, len(cells.cells))
    repeat = answers.repeat or usual
    if (tests := repeat * len(jobs) * len(cells.cells)) > _MOST_TESTS:
        raise PlanRefused(f"{repeat} blocks are {tests} tests, more than {_MOST_TESTS}; give fewer", "repeat")
    answers = msgspec.structs.replace(answers, repeat=repeat)
    health = chosen.health or answers.permanent  # one that stays is handed over with its disks' health
    asks_health = health and (not programs or SMARTCTL in programs)
    inputs = StageInputs(members, jobs, speed, {}, mdadm, health=asks_health, explain=answers.explain)
    inputs = msgspec.structs.replace(inputs, repeat=repeat, passes=passes, rounds=chosen.rounds, steady=chosen.steady)
    inputs = msgspec.structs.replace(inputs, reserved_percent=answers.reserved_percent)
    inputs = msgspec.structs.replace(
        inputs, published=bool(chosen.source), by_filesystem=sweep.by_filesystem(answers, chosen, cells.cells)
    )
    inputs = msgspec.structs.replace(inputs, single=len(cells.cells) == 1)
    if chosen.question == "proof":
        proof.refuse(answers, cells.cells)
        inputs = msgspec.structs.replace(inputs, proof=answers.proof)
    reading = asks_health and bool(chosen.self_test)
    stages = [self_test_stage(tested.before, members, speed, health=reading)] if tested.before else []
    stages += erase(members)
    stages += _measured(len(stages), chosen, inputs, answers, cells.cells)
    if tested.after:
        stages.append(self_test_stage(tested.after, members, speed, health=reading, title="Self-tests after"))
    kept_pool = answers.after == "keep" and cells.cells[0].level.filesystem == zfs.KIND
    if kept_pool:
        stages.append(pool_steps.kept_stage(answers, inputs.slot, members, cells.cells[0]))
    permanent = permanence.notes(answers, place) if answers.permanent and not (kept_pool and place) else ()
    watching.check(answers, place, programs, is_pool=kept_pool)
    if answers.permanent and not kept_pool:
        lasting.check(cells.cells[0].setup, members, place)
    if answers.permanent and place:
        permanent = (*permanent, *(() if kept_pool else lasting.notes(stages[-1], members, place)))
        permanent = (*permanent, *watching.notes(answers, members, place))
        stages.append(permanence.stage_of(answers, stages[-1], members, place))
    plan = Plan(
        schema=SCHEMA,
        machine=machine_digest(machine_id),
        members=members,
        answers=answers,
        disk_rule=rule,
        recipe_title=chosen.title,
        question=chosen.question,
        stages=tuple(stages),
        notes=(
            *_notes(cells.cells, chosen, answers, selected_disks, stages, speed),
            *_journal_note(cells.cells, members),
            *filter(None, [spread_note(cells.cells[0], members)]),
            *_kernels_note(answers, cells.cells, programs),
            *_bus_note(members, speed, bool(answers.disk_speed)),
            *_cache_notes(jobs, members, selected_disks, disks),
            *tested.notes,
            *permanence.program_notes(answers, programs, asks_health=health),
            *pool_steps.notes(answers, cells.cells, place),
            *names.notes(answers, cells.cells[0]),
            *luks.notes(stages, answers.luks_header_backup),
            *trials.notes(stages, members),
            *permanent,
        ),
        source=chosen.source,
        link=chosen.link,
        published=chosen.published,
        expect=chosen.expect,
        pruned=cells.pruned,
        rmapbt=XFS_RMAPBT in programs,
        command_s=command_s,
        mail_to=answers.mailaddr or (place.mailaddr if place else "") if answers.permanent else "",
        setups=tuple(cell.setup for cell in cells.cells) if repeat > 1 and not answers.explain else (),
    )
    seconds_by_part = {str(part): seconds for part, seconds in estimate.whole(plan).items()}
    plan = msgspec.structs.replace(
        plan, estimate_s=sum(seconds_by_part.values()), estimated_s=seconds_by_part, written_bytes=_written_bytes(plan)
    )
    return sealed(plan)


def _explaining(answers: Answers, chosen: Recipe, cells: Sequence[ParsedSetup], jobs: Sequence[Job]) -> Recipe:
    """Recipe of an ablation; PlanRefused unless one setup and one job, or if a suspect cannot be changed. A suspected
    slow disk is found by one single-disk measurement of each.
    """
    if len(cells) != 1 or len(jobs) != 1:
        raise PlanRefused(f"name one setup and one job, not {len(cells)} and {len(jobs)}", "explain")
    (cell,), (job,) = cells, jobs
    job = on_array(job, cell.disks)
    tunables.arms(answers.explain, job, tunables.Case(cell, job.fio, cell.disks), ())
    alone = any(tunables.tunable(key).disks for key in answers.explain)
    return msgspec.structs.replace(chosen, baseline="each-member") if alone else chosen


def sealed(plan: Plan) -> Plan:
    """With its code; PlanRefused if it could not be read back, as for NaN."""
    try:
        validate.check(plan)
    except ValueError as error:
        raise PlanRefused(str(error)) from error
    return msgspec.structs.replace(plan, code=confirmation_code(plan))


def _refuse_rounds(answers: Answers, chosen: Recipe, jobs: Sequence[Job]) -> None:
    """Rounds end by one of their jobs and replace repetitions."""
    if chosen.rounds and chosen.steady not in {job.name for job in jobs}:
        raise PlanRefused(f"the rounds of {answers.recipe} end by {chosen.steady}: name that one, too", "jobs")
    if chosen.rounds and answers.repeat not in (None, 1):
        raise PlanRefused(f"{answers.recipe} repeats its jobs in rounds until they are steady; leave it out", "repeat")


def _refuse_surplus(members: Sequence[Member], cells: Sequence[ParsedSetup]) -> None:
    """A disk in no setup would be erased for nothing."""
    most_disks = max(cell.disks + cell.beside for cell in cells)
    if surplus := members[most_disks:]:
        surplus_names = ", ".join(member.name or member.id for member in surplus)
        verb, pronoun = ("is", "it") if len(surplus) == 1 else ("are", "them")
        sentence = f"{len(surplus)} of these disks {verb} in no setup: {surplus_names}; leave {pronoun} out of `disks`"
        raise PlanRefused(sentence, "disks", where="")


def _refuse_spare_sectors(disks: Sequence[Disk], cells: Sequence[ParsedSetup]) -> None:
    """A spare with larger sectors raises the array's sector size when added; existing data become unreadable."""
    for cell in cells:
        first = cell.disks + cell.setup.journals  # the journal is there from the first moment on
        own_bytes = max(disk.logical_sector_bytes for disk in disks[:first])
        for spare in disks[first : first + cell.setup.spares]:
            if spare.logical_sector_bytes > own_bytes:
                raise PlanRefused(
                    f"{spare.name} ({spare.title}) has sectors of {spare.logical_sector_bytes} bytes, the"
                    f" array's disks of {own_bytes}: what is on it could not be read in such; choose another",
                    "setup.spares",
                )


def _refuse_taken_name(pool_name: str, disks: Sequence[Disk]) -> None:
    """Of two pools with one name only one is imported, even if the other is exported now."""
    labels = ((disk, content.label) for disk in disks for content in disk.contents if content.kind == zfs.SIGNATURE)
    if pool_name and (disk := next((disk for disk, label in labels if label == pool_name), None)):
        reason = f"{disk.name} ({disk.title}) is of a pool {pool_name} already"
        raise PlanRefused(f"{reason}, be it imported or not; choose another name", "pool_name")


def _without_pools_on_maps(swept: sweep.Sweep, disks: Sequence[Disk]) -> sweep.Sweep:
    """Without ZFS pools if a disk is a multipath map; PlanRefused if nothing else is left."""
    disk = next((disk for disk in disks if disk.name.startswith("dm-")), None)
    pools = [cell for cell in swept.cells if cell.level.filesystem == zfs.KIND] if disk else []
    if not pools or disk is None:
        return swept
    reason = f"{disk.name} ({disk.title}) is a multipath map, on which no pool is built; leave it, or ZFS, out"
    others = tuple(cell for cell in swept.cells if cell not in pools)
    if not others:
        raise PlanRefused(reason, "setup.level")
    return sweep.Sweep(others, (*swept.pruned, *(f"{cell.title}: {reason}" for cell in pools)))


def refuse_maps(disks: Sequence[Disk]) -> None:
    """Partitions of a multipath map are maps that the kernel does not tie to a disk."""
    if disk := next((disk for disk in disks if disk.name.startswith("dm-")), None):
        raise PlanRefused(
            f"{disk.name} ({disk.title}) is a multipath map, and is not partitioned; leave it out, or"
            ' choose members = "disks"',
            "setup.members",
        )


def _written_bytes(plan: Plan) -> int:
    """To all members, initial resyncs included; that of a kept array counts once."""
    reused = [number for number in range(len(plan.stages)) if goes_on(plan, number)]
    return sum(stage.written_bytes for stage in plan.stages) - sum(plan.stages[number].sync_bytes for number in reused)


def speed_of(answers: Answers, members: Sequence[Member], memory_bytes: int) -> DiskSpeed:
    """One disk, assumed or as the answers say."""
    kind = slowest(kind_of(member.rotational, is_nvme(member)) for member in members)
    try:
        bytes_per_s = parse_bytes_per_s(answers.disk_speed) if answers.disk_speed else 0
    except ValueError as error:
        raise PlanRefused(str(error), "disk_speed") from error
    return estimate.assumed(kind, memory_bytes, bytes_per_s, answers.disk_iops)


def refuse_offset(jobs: Sequence[Job]) -> None:
    """PlanRefused for an offset in a job on a file: fio would pass the file's end."""
    if job := next((job for job in jobs if "offset" in job.fio), None):
        raise PlanRefused("offset cannot be given where the test is on a file; leave it out", f"job.{job.name}")


def jobs_of(answers: Answers, chosen: Recipe) -> tuple[Job, ...]:
    """PlanRefused for an option that a job may not have."""
    jobs = recipe.jobs(chosen, answers.variant, answers.job, answers.fio, answers.jobs, answers.use)
    for job in jobs:
        try:
            fio_job.check(job)
        except ValueError as error:
            raise PlanRefused(str(error), f"job.{job.name}", where="") from error
    return jobs


def erase(members: Sequence[Member]) -> list[Stage]:
    """Clear members: partitions' signatures first, else an old file system returns with its table. `wipefs --backup`
    keeps overwritten bytes in the run directory.
    """
    wipe = ("wipefs", "--all", "--backup")
    steps = []
    for index, member in enumerate(members):
        if member.found == "blank":
            continue
        device_whole = f"{{member:{index}}}"
        steps += [
            Command(
                what=f"Erase the signatures on {device}",
                role="wipe",
                argv=(*wipe, device),
                members=(index,),
                partition=number,
                locked=True,
            )
            for number in (*member.partitions, 0)
            for device in [f"{{part:{index}:{number}}}" if number else device_whole]
        ]
        if member.partitions:
            steps.append(
                Command(
                    what="Release its partitions",
                    role="reread",
                    argv=("blockdev", "--rereadpt", device_whole),
                    members=(index,),
                    locked=True,
                )
            )
    if not steps:
        return []
    return [Stage(title="Erase", steps=(free_check(), *steps, settle(), blank_check()), trials=())]


def _measured(
    before: int, chosen: Recipe, inputs: StageInputs, answers: Answers, cells: Sequence[ParsedSetup]
) -> list[Stage]:
    """Baseline and every cell, once per block, each block in its own order. `before`: stages before them. Cells of one
    array stay together in a block; an ablation has its blocks in one stage.
    """
    repeat = 1 if answers.explain else answers.repeat or 1
    titled = tuple(zip(cells, titles([cell.setup for cell in cells], len(inputs.members)), strict=True))
    seed = answers_seed(answers)
    orders = (
        (titled,)
        if repeat == 1
        else blocks.orders(titled, repeat, seed, lambda titled_cell: sweep.array_of(titled_cell[0].setup))
    )
    stages: list[Stage] = []
    for block, order in enumerate(orders, 1):
        keep = answers.after == "keep" and block == repeat
        name, label = (answers.array_name, answers.label) if keep else ("", "")
        inputs = msgspec.structs.replace(
            inputs, block=block if repeat > 1 else 0, keep=keep, array_name=name, label=label
        )
        inputs = msgspec.structs.replace(inputs, header_backup=answers.luks_header_backup if keep else "")
        stages += baseline(before + len(stages) + 1, chosen, inputs)
        for cell, title in order:
            stages.append(stage_of(inputs, before + len(stages) + 1, cell, title))
    return stages


def _notes(
    cells: Sequence[ParsedSetup],
    chosen: Recipe,
    answers: Answers,
    disks: Sequence[Disk],
    stages: Sequence[Stage],
    speed: DiskSpeed,
) -> tuple[str, ...]:
    notes = [possible(cell.level.key, cell.layout, cell.disks, None)[1] for cell in cells]
    notes += [*warnings_of(disks), *recipe.notes(chosen, answers)]
    notes += [caution(cell.setup.filesystem, cell.capacity.array_bytes) for cell in cells if cell.level.md_name]
    notes += sync_notes(cells, stages, speed, {disk.emulator for disk in disks})
    files = any(trial.target == "filesystem" for stage in stages for trial in stage.trials)
    if files and any(disk.rotational is not False for disk in disks):
        notes.append("The test file is smaller than the file system: heads move less than they would on a full one.")
    return tuple(dict.fromkeys(note for note in notes if note))


def _cache_notes(
    jobs: Sequence[Job], members: Sequence[Member], taken: Sequence[Disk], disks: Sequence[Disk]
) -> list[str]:
    """Write caches that stay on: an NVMe controller's is shared by its namespaces."""
    if all(job.write_cache != "off" for job in jobs):
        return []
    others = [disk for disk in disks if disk.id not in {member.id for member in members} and disk.serial]
    notes = []
    for member, disk in zip(members, taken, strict=True):
        beside = [other for other in others if (other.model, other.serial) == (disk.model, disk.serial)]
        if is_nvme(member) and beside:
            names = ", ".join(other.name for other in beside)
            notes.append(
                f"{disk.name} ({disk.title}) has its write cache together with {names}, which this plan does not name:"
                " it stays as it is."
            )
    return notes


def _bus_note(members: Sequence[Member], speed: DiskSpeed, is_measured: bool) -> tuple[str, ...]:
    tight = narrowest([member.buses for member in members], [speed.bytes_per_s] * len(members))
    if tight is None:
        return ()
    rate_each = f"{speed.bytes_per_s / MB:.0f} MB/s each{'' if is_measured else ' assumed'}"
    return (f"{tight.describe(len(members))} ({rate_each}): it is the limit of sequential figures.",)


def _kernels_note(answers: Answers, cells: Sequence[ParsedSetup], programs: Collection[str]) -> tuple[str, ...]:
    """Of a kept md array: others are gone before another kernel looks."""
    is_kept = answers.after == "keep" and any(cell.level.md_name for cell in cells)
    return (block_size.NOTE,) if is_kept and block_size.MD_BLOCK_SIZE in programs else ()


def _journal_note(cells: Sequence[ParsedSetup], members: Sequence[Member]) -> tuple[str, ...]:
    on = next((members[cell.disks] for cell in cells if cell.setup.journals and members[cell.disks].rotational), None)
    if on is None:
        return ()
    return (
        f"The write journal is on a hard disk ({on.model} {on.serial or on.id}): each write waits for its seeks;"
        " use flash with power-loss protection.",
    )
