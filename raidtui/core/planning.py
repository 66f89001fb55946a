"""From answers to a plan: which disks, which steps in which order, under which names. Refuses in one sentence.

The order of a teardown follows from each step's undo: unmount, wipe the array, settle, then under lock stop,
zero the superblocks and wipe the members (an old signature would come alive again with the array stopped first;
without the lock udev assembles it again between stop and zero).
"""

import hashlib
import re
import uuid
from collections.abc import Sequence

import msgspec

from raidtui.core import filesystems, fiojob, recipe
from raidtui.core.answers import Answers
from raidtui.core.capacity import capacity
from raidtui.core.disk import Disk, Standing
from raidtui.core.levels import DEFAULT_CHUNK_BYTES, Level, level, possible
from raidtui.core.mixture import warnings_of
from raidtui.core.plan import (
    MOUNTPOINT,
    SCHEMA,
    ArrayPlan,
    FilesystemPlan,
    Member,
    Plan,
    Stage,
    Target,
    Trial,
    confirmation_code,
)
from raidtui.core.recipe import Job, Recipe
from raidtui.core.steps import Check, Command, Step, Wait
from raidtui.core.units import GIB, format_bytes, parse_bytes

TEST_FILE = "raidtui.fio"
FILE_SPAN_BYTES = 4 * GIB  # the test file of a file system, where half of it is not less
ASSUMED_BYTES_PER_S = {True: 180e6, False: 450e6, None: 180e6}  # of a disk not measured yet, by `rotational`
_NAMESPACE = uuid.UUID("6f0b6f8e-3f35-4be0-9bfc-2d9c6ee1c7d1")
_COMMAND_S = 2.0  # what a short command and its settling take


class PlanRefused(ValueError):
    """One sentence: what cannot be done, with which disk, and what would change it."""


class PlanNotSafe(PlanRefused):
    """Refused for safety: a disk that is in use, vanished, or was not looked at."""


def make(answers: Answers, chosen: Recipe, disks: Sequence[Disk], machine_id: str, *, mdadm: str = "4.2") -> Plan:
    """The plan that carries out `answers` on these `disks` of the machine with `machine_id`.

    Raises PlanRefused (bad answers) or PlanNotSafe (a disk may not be used). The same input gives the same plan.
    """
    chosen_ones = chosen_disks(answers.disks, disks)
    members = tuple(_member(disk) for disk in chosen_ones)
    row = _level(answers)
    jobs = _jobs(answers, chosen)
    machine = hashlib.sha256(machine_id.encode()).hexdigest()[:16]
    seed = msgspec.json.encode([machine, [m.id for m in members], msgspec.to_builtins(answers)]).decode()
    rotational = next((m.rotational for m in members if m.rotational is not None), None)
    speed = ASSUMED_BYTES_PER_S[rotational]

    stages = _erase(members)
    stages += _baseline(len(stages) + 1, chosen, jobs, members, answers.repeat, speed)
    build = _jbod if row.md_name is None else _array
    stages.append(build(len(stages) + 1, answers, row, jobs, members, seed, mdadm, speed))
    plan = Plan(
        schema=SCHEMA,
        machine=machine,
        members=members,
        answers=answers,
        recipe_title=chosen.title,
        stages=tuple(stages),
        notes=_notes(answers, row, chosen_ones, stages[-1]),
        estimate_s=sum(estimate_s(stage) for stage in stages),
    )
    return msgspec.structs.replace(plan, code=confirmation_code(plan))


def estimate_s(stage: Stage) -> float:
    """How long a stage may take: its trials, its first sync at the assumed speed, and its commands."""
    sync = sum(step.estimate_s for step in stage.steps if isinstance(step, Wait))
    return sum(trial.expected_s for trial in stage.trials) + sync + _COMMAND_S * len(stage.steps)


def chosen_disks(ids: Sequence[str], disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """The disks with these identities, in this order; PlanNotSafe if one is missing or may not be used."""
    by_id = {disk.id: disk for disk in disks}
    for identity in ids:
        if identity not in by_id:
            raise PlanNotSafe(f"no disk {identity} on this machine; `raidtui disks` lists those that are here")
        disk = by_id[identity]
        if disk.verdict.standing is Standing.REFUSE:
            remedy = f"; {disk.verdict.remedy}" if disk.verdict.remedy else ""
            raise PlanNotSafe(f"{disk.name} ({disk.title}) cannot be used: {disk.verdict.reason}{remedy}")
    return tuple(by_id[identity] for identity in ids)


def _member(disk: Disk) -> Member:
    return Member(
        id=disk.id,
        size_bytes=disk.size_bytes,
        name=disk.name,
        model=disk.model,
        serial=disk.serial,
        slot=disk.slot,
        link=_link(disk),
        found=disk.found,
        warning=disk.verdict.reason,
        partitions=tuple(_partition_number(name) for name in disk.partitions),
        rotational=disk.rotational,
        diskseq=disk.diskseq,
    )


def _link(disk: Disk) -> str:
    """The udev link of the same kind as its identity: one by WWN would mislead where a WWN is doubled."""
    wanted = {
        "wwn-": ("/dev/disk/by-id/wwn-", "/dev/disk/by-id/nvme-"),
        "serial-": tuple(f"/dev/disk/by-id/{bus}-" for bus in ("ata", "scsi", "nvme", "usb", "virtio", "mmc")),
        "path-": ("/dev/disk/by-path/",),
    }
    kind = disk.id.partition("-")[0] + "-"
    return next((link for link in disk.links if link.startswith(wanted.get(kind, ("-",)))), "")


def _partition_number(name: str) -> int:
    return int(re.search(r"\d+$", name).group())  # type: ignore[union-attr]  # partitions end in their number


def _level(answers: Answers) -> Level:
    setup = answers.setup
    try:
        row = level(setup.level)
        chunk = _chunk_bytes(answers, row)
        can, reason = possible(setup.level, setup.layout or None, len(answers.disks), chunk)
        filesystems.filesystem(setup.filesystem)
    except ValueError as error:
        raise PlanRefused(f"setup: {error}") from error
    if not can:
        raise PlanRefused(f"setup: {reason}")
    if answers.after == "keep" and setup.first_sync == "skip" and row.parity_disks:
        raise PlanRefused('setup.first_sync: an array that is kept needs valid parity; choose first_sync = "wait"')
    if answers.after == "keep" and row.md_name is None:
        raise PlanRefused('after: separate disks are not kept, there is no array to keep; choose after = "teardown"')
    return row


def _chunk_bytes(answers: Answers, row: Level) -> int | None:
    if answers.setup.chunk:
        return parse_bytes(answers.setup.chunk)
    return DEFAULT_CHUNK_BYTES if row.has_chunk else None


def _jobs(answers: Answers, chosen: Recipe) -> tuple[Job, ...]:
    try:
        jobs = recipe.jobs(chosen, answers.variant, answers.job)
        for job in jobs:
            fiojob.check(job)
    except ValueError as error:
        raise PlanRefused(str(error)) from error
    return jobs


def _erase(members: Sequence[Member]) -> list[Stage]:
    """Clear what is on the members: partitions' signatures first, else an old file system returns with its table.

    `wipefs --backup` keeps what it overwrites in the run directory.
    """
    wipe = ("wipefs", "--all", "--backup")
    steps: list[Step] = []
    for index, member in enumerate(members):
        if member.found == "blank":
            continue
        parts = [f"{{part:{index}:{number}}}" for number in member.partitions]
        steps += [
            Command(what=f"Erase the signatures on {device}", argv=(*wipe, device), locked=True)
            for device in (*parts, f"{{member:{index}}}")
        ]
        if parts:
            device = f"{{member:{index}}}"
            steps.append(Command(what="Let go of its partitions", argv=("blockdev", "--rereadpt", device), locked=True))
    if not steps:
        return []
    checks = _free_check(), Wait(what="Wait for udev", condition="settled"), _blank_check()
    return [Stage(title="Erase", steps=(checks[0], *steps, *checks[1:]), trials=())]


def _baseline(
    number: int, chosen: Recipe, jobs: Sequence[Job], members: Sequence[Member], repeat: int, speed: float
) -> list[Stage]:
    """The same jobs on members alone, then on all at once."""
    if chosen.baseline == "none":
        return []
    alone = range(len(members) if chosen.baseline == "each-member" else 1)
    steps: list[Step] = [_free_check()]
    trials: list[Trial] = []
    for repetition in range(1, repeat + 1):
        targets: list[tuple[Target, int | None, tuple[int, ...]]] = [("member", index, (index,)) for index in alone]
        targets += [("members", None, tuple(range(len(members))))]
        for target, index, among in targets:
            for job in jobs:
                span = sum(members[i].size_bytes for i in among)
                trial = _trial(number, job, target, repetition, span, speed * len(among), index)
                trials.append(trial)
                steps.append(_measure(trial, job, [f"{{member:{i}}}" for i in among]))
    return [Stage(title="Baseline", steps=tuple(steps), trials=tuple(trials))]


def _array(
    number: int,
    answers: Answers,
    row: Level,
    jobs: Sequence[Job],
    members: Sequence[Member],
    seed: str,
    mdadm: str,
    speed: float,
) -> Stage:
    """Build the array, make its file system, measure; each step with its undo."""
    setup = answers.setup
    chunk_bytes = _chunk_bytes(answers, row)
    layout = setup.layout or row.default_layout or ""
    try:
        holds = capacity(row.key, [m.size_bytes for m in members], chunk_bytes, layout or None, mdadm)
    except ValueError as error:
        raise PlanRefused(f"setup: {error}") from error
    md_uuid = uuid.uuid5(_NAMESPACE, f"md {seed}").hex
    array = ArrayPlan(
        level=row.key,
        layout=layout,
        chunk_bytes=chunk_bytes,
        bitmap=setup.bitmap if row.has_bitmap else "",
        uuid=":".join(md_uuid[i : i + 8] for i in range(0, 32, 8)),
        name=f"raidtui-{md_uuid[:8]}",
        capacity=holds,
    )
    filesystem = _filesystem(answers, row, array, len(members), seed)
    steps: list[Step] = [_free_check(), _create(array, row, setup.first_sync == "skip", len(members))]
    steps.append(Wait(what="Wait for udev", condition="settled"))
    expected = {"array_bytes": holds.array_bytes, "data_offset_bytes": holds.data_offset_bytes}
    steps.append(Check(what="Check the array", question="array-built", expected=expected))
    # What an earlier array left behind may come to light at the start of this one.
    steps.append(Command(what="Clear old signatures from the array", argv=("wipefs", "--all", "{array}")))
    if row.has_sync and setup.first_sync == "wait":
        sync_s = holds.member_used_bytes / speed
        steps.append(Wait(what="Wait for the first sync", condition="sync-finished", estimate_s=sync_s))
    filename, span, target = "{array}", None, "array"
    if filesystem:
        steps += _make_filesystem(filesystem)
        span = min(FILE_SPAN_BYTES, holds.array_bytes // 2)
        filename, target = f"{MOUNTPOINT}/{TEST_FILE}", "filesystem"
        steps.append(_fill([filename], jobs, span))
    trials: list[Trial] = []
    for repetition in range(1, answers.repeat + 1):
        for job in jobs:
            span_bytes = span or holds.array_bytes
            trial = _trial(number, job, target, repetition, span_bytes, speed, None)  # type: ignore[arg-type]
            trials.append(trial)
            steps.append(_measure(trial, job, [filename], span))
    if answers.after == "keep" and filesystem:
        steps.append(Command(what="Remove the test file", argv=("rm", "--force", filename)))
        steps.append(Command(what="Unmount", argv=("umount", MOUNTPOINT)))
    title = _title(row, array, setup.filesystem, len(members))
    return Stage(title=title, steps=tuple(steps), trials=tuple(trials), setup=setup, array=array, filesystem=filesystem)


def _title(row: Level, array: ArrayPlan, filesystem: str, members: int) -> str:
    chunk = format_bytes_binary(array.chunk_bytes) if array.chunk_bytes else ""
    layout = array.layout if row.key == "10" else ""
    return ", ".join(
        part
        for part in (
            " ".join(part for part in (row.name, layout) if part) + f" of {members} disks",
            chunk and f"chunk {chunk}",
            filesystem if filesystem != "none" else "no file system",
        )
        if part
    )


def format_bytes_binary(size_bytes: int) -> str:
    """A chunk as mdadm's users write it: 512 KiB, 1 MiB."""
    return f"{size_bytes // 1024} KiB" if size_bytes < 1024**2 else f"{size_bytes // 1024**2} MiB"


def _create(array: ArrayPlan, row: Level, skip_sync: bool, members: int) -> Command:
    devices = tuple(f"{{member:{index}}}" for index in range(members))
    options = [
        f"--uuid={array.uuid}",
        f"--name={array.name}",
        "--homehost=any",
        "--metadata=1.2",
        f"--level={row.key}",
        f"--raid-devices={members}",
    ]
    if array.chunk_bytes:
        options.append(f"--chunk={array.chunk_bytes // 1024}")
    if array.layout:
        options.append(f"--layout={array.layout}")
    if array.bitmap:
        options.append(f"--bitmap={array.bitmap}")
    if row.has_sync and skip_sync:
        options.append("--assume-clean")
    undo: list[Step] = [
        Command(what="Wipe the array's signatures", argv=("wipefs", "--all", "{array}")),
        Wait(what="Wait for udev", condition="settled"),
        Command(what="Stop the array", argv=("mdadm", "--stop", "{array}"), locked=True),
    ]
    for device in devices:
        zero = ("mdadm", "--zero-superblock", device)
        undo.append(Command(what=f"Zero the superblock of {device}", argv=zero, locked=True))
    undo += [_wipe(device) for device in devices]
    undo += [Wait(what="Wait for udev", condition="settled"), _blank_check()]
    argv = ("mdadm", "--create", "{array}", *options, "--run", *devices)
    return Command(what="Create the array", argv=argv, locked=True, undo=tuple(undo))


def _wipe(device: str) -> Command:
    return Command(what=f"Wipe {device}", argv=("wipefs", "--all", device), locked=True)


def _filesystem(answers: Answers, row: Level, array: ArrayPlan, members: int, seed: str) -> FilesystemPlan | None:
    kind = answers.setup.filesystem
    if kind == "none":
        return None
    geometry = filesystems.geometry(row.key, members, array.chunk_bytes, array.layout or None)
    can, reason = filesystems.possible(kind, array.capacity.array_bytes, geometry)
    if not can:
        raise PlanRefused(f"setup.filesystem: {reason}")
    return FilesystemPlan(
        kind=kind, uuid=str(uuid.uuid5(_NAMESPACE, f"fs {seed}")), geometry=msgspec.to_builtins(geometry)
    )


def _make_filesystem(filesystem: FilesystemPlan) -> list[Step]:
    geometry = msgspec.convert(filesystem.geometry, filesystems.Geometry)
    made = filesystems.mkfs_argv(filesystem.kind, "{array}", filesystem.uuid, geometry)
    mount = ("mount", "-t", filesystem.kind, "{array}", MOUNTPOINT)
    told = Check(what="Read the geometry back", question="geometry", expected=filesystem.geometry)
    unmount = Command(what="Unmount", argv=("umount", MOUNTPOINT))
    return [
        Command(what=f"Make the {filesystem.kind} file system", argv=made),
        Wait(what="Wait for udev", condition="settled"),
        *([told] if filesystems.filesystem(filesystem.kind).readback else []),
        Command(what="Mount it", argv=mount, undo=(unmount,)),
        Check(what="Look at the space it offers", question="mounted"),
    ]


def _fill(filenames: Sequence[str], jobs: Sequence[Job], span: int) -> Command:
    """Write the test file once: blocks never written are read from no disk."""
    size = max(fiojob.file_span_bytes(job.fio, span) for job in jobs)
    options: recipe.FioOptions = {
        "ioengine": "libaio",
        "direct": True,
        "rw": "write",
        "bs": "1m",
        "iodepth": 16,
        "size": size,
        "end_fsync": True,
    }
    argv = fiojob.argv(Job(name="fill", fio=options), "fio/fill.json", filenames, creates=True)
    return Command(what=f"Fill the test file ({format_bytes(size)})", argv=argv)


def _jbod(
    number: int,
    answers: Answers,
    row: Level,
    jobs: Sequence[Job],
    members: Sequence[Member],
    seed: str,
    mdadm: str,
    speed: float,
) -> Stage:
    """Separate disks without a file system: all of them at once, one fio job a disk."""
    if answers.setup.filesystem != "none":
        raise PlanRefused("setup.filesystem: separate disks are measured without a file system; choose none")
    steps: list[Step] = [_free_check()]
    trials = []
    devices = [f"{{member:{index}}}" for index in range(len(members))]
    span = sum(member.size_bytes for member in members)
    for repetition in range(1, answers.repeat + 1):
        for job in jobs:
            trial = _trial(number, job, "array", repetition, span, speed, None)
            trials.append(trial)
            steps.append(_measure(trial, job, devices))
    steps += [_wipe(device) for device in devices]
    steps += [Wait(what="Wait for udev", condition="settled"), _blank_check()]
    return Stage(
        title=f"{row.name} of {len(members)} disks", steps=tuple(steps), trials=tuple(trials), setup=answers.setup
    )


def _trial(
    stage: int, job: Job, target: Target, repetition: int, span_bytes: int, speed: float, member: int | None
) -> Trial:
    """One trial. Its id names the stage, counted from 1, so that no other cell of a sweep has it, and a file of it."""
    runtime = fiojob.seconds(job.fio, "runtime")
    by_size = span_bytes / speed
    lasts = runtime if job.fio.get("time_based") else min(runtime or by_size, by_size)
    where = {"member": f"member{member}-", "members": "members-"}.get(target, "")
    return Trial(
        id=f"s{stage}-{where}{job.name}" + (f".{repetition}" if repetition > 1 else ""),
        job=job.name,
        title=job.title or job.name,
        target=target,
        rw=str(job.fio.get("rw", "read")),
        member=member,
        bs_bytes=fiojob.block_bytes(job.fio),
        iodepth=fiojob.count(job.fio, "iodepth"),
        numjobs=fiojob.count(job.fio, "numjobs"),
        repetition=repetition,
        expected_s=lasts + fiojob.seconds(job.fio, "ramp_time"),
        runtime_s=runtime or None,
    )


def _measure(trial: Trial, job: Job, filenames: Sequence[str], size_bytes: int | None = None) -> Command:
    argv = fiojob.argv(job, f"fio/{trial.id}.json", filenames, size_bytes)
    return Command(what=f"Measure: {trial.title}", argv=argv, trial=trial.id)


def _free_check() -> Check:
    return Check(what="Check that the disks are the planned ones, and free", question="members-free")


def _blank_check() -> Check:
    return Check(what="Check that the disks are blank", question="members-blank")


def _notes(answers: Answers, row: Level, disks: Sequence[Disk], last: Stage) -> tuple[str, ...]:
    """What the person should know before confirming."""
    setup = answers.setup
    notes = [possible(row.key, setup.layout or None, len(disks), None)[1], *warnings_of(disks)]
    if row.parity_disks and setup.first_sync == "skip":
        notes.append("The first sync is skipped: parity is not valid. Only for an array that is thrown away.")
    if last.filesystem:
        notes.append("The test file is smaller than the file system: heads move less than they would on a full one.")
    return tuple(note for note in notes if note)
