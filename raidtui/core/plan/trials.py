"""Tests of a stage: where jobs run, the steps of each, its fio options. What is built there is in `stages`.

mkfs discards the blocks of flash that it makes a file system of: tests on files begin on blocks never written.

mke2fs(8), mkfs.xfs(8) and mkfs.btrfs(8) do by default. md passes it on but for parity (raid5.c:
devices_handle_discard_safely is off), LUKS only if asked.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from raidtui.core.fio import job as fio_job
from raidtui.core.fio.job import FioOptions, Job, of_disk, of_disks, on_array
from raidtui.core.plan import member_steps, tunables
from raidtui.core.plan.answers import ProofAnswers, setup_seed
from raidtui.core.plan.blocks import orders
from raidtui.core.plan.estimate import DiskSpeed, work_of, written_of
from raidtui.core.plan.member_steps import write_caches_off
from raidtui.core.plan.model import MOUNTPOINT, Member, Stage, Target, Trial
from raidtui.core.plan.parsed_setup import ParsedSetup
from raidtui.core.plan.recipe import BARE_NAMES, ROUNDS, Bare
from raidtui.core.plan.steps import Check, Command, Step, Write, put_back, role_of
from raidtui.core.plan.tunables import Arm
from raidtui.core.raid import zfs
from raidtui.core.raid.filesystems import filesystem
from raidtui.core.units import GIB, MIB, format_bytes

TEST_FILE = "raidtui.fio"
FILE_SPAN_BYTES = 4 * GIB  # the test file of a file system, where half of it is not less
PRECONDITION_PASSES = 2  # over the whole span: SNIA's workload-independent preconditioning
_LEFT_ALONE_BYTES = MIB
_MOST_FULL = 0.8  # of a file system that the test files of a size of their own may take
_DROP_CACHES = "/proc/sys/vm/drop_caches"


def tests_end(stage: Stage) -> int:
    """Number of steps up to its last test, a proof's power cut, and the mount where tests are before it; all if it
    measures nothing.
    """
    after = (("mount", "acknowledged") if stage.proof else ("mount",)) if stage.trials else ()
    measuring = [
        at
        for at, step in enumerate(stage.steps)
        if (isinstance(step, Command) and step.trial) or role_of(step) in after
    ]
    return measuring[-1] + 1 if measuring else len(stage.steps)


def test_files(disks: int) -> frozenset[str]:
    """Test files' names in the root folder of an array's file system."""
    return frozenset((TEST_FILE, *(f"{index}-{TEST_FILE}" for index in range(disks))))


class StageInputs(msgspec.Struct, frozen=True):
    """Common to all stages. `slots` numbers UUIDs as they come; `keep`: of the last stage."""

    members: tuple[Member, ...]
    jobs: tuple[Job, ...]
    speed: DiskSpeed
    slots: dict[tuple[object, ...], int]
    mdadm: str
    keep: bool = False
    array_name: str = ""  # of a kept one, and the label of its file system
    label: str = ""
    header_backup: str = ""  # of a kept LUKS container: the file
    health: bool = False
    block: int = 0  # of several in which every setup is built anew; 0: there is one
    explain: tuple[str, ...] = ()  # the suspects of an ablation of the one job
    repeat: int = 1  # blocks of an ablation, all on the one array
    rounds: int = 0  # of all jobs in a stage, at most; 0: each job is measured once
    steady: str = ""  # the job by which they end
    passes: int = 0  # over what is measured, before it is; 0: over test files one, over anything else none
    reserved_percent: int | None = None  # for root; None: by size
    proof: ProofAnswers | None = None  # the array is proved, not measured
    published: bool = False  # the recipe has published figures: its tests on files are as published
    by_filesystem: bool = False  # file systems are compared: all tests are on files
    single: bool = False  # there is one setup

    @property
    def devices(self) -> tuple[str, ...]:
        return tuple(f"{{member:{index}}}" for index in range(len(self.members)))

    def slot(self, *key_parts: object) -> int:
        """Slot number of a UUID: in one block the same for equal keys."""
        return self.slots.setdefault((self.block, *key_parts), len(self.slots))


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where jobs run: `targets` of one job, `per_disk` one target a member; `room_bytes` of one target, `each_bytes` of
    one of `per_disk`; `readonly`: nothing may write.
    """

    target: Target
    targets: tuple[str, ...]
    per_disk: tuple[str, ...]
    room_bytes: int
    each_bytes: int
    member: int | None = None  # a single measured member
    members: tuple[int, ...] = ()  # those that the targets are
    files: tuple[str, ...] = ()  # that have to be written before they can be read
    file_bytes: int = 0  # largest file; 0: half of the room
    readonly: bool = False
    start_bytes: int = 0  # skipped by a job without an offset
    disks: int = 1  # that share the load of a target: each has the depth of one
    file_test: bool = False  # its figures are those of a file, never of the array
    bare: Bare = ""  # its tests have names of their own
    mark: str = ""  # ends the titles of its tests

    @property
    def is_file(self) -> bool:
        return bool(self.files)

    def of(self, job: Job) -> tuple[tuple[str, ...], int]:
        """Its targets, one fio job each, and the bytes of each."""
        return (self.per_disk, self.each_bytes) if job.files == "per-disk" else (self.targets, self.room_bytes)


def start_bytes(device_bytes: int, stripe_bytes: int = 0) -> int:
    """Start of tests on a bare device: after the first MiB, stripe-aligned; 0 if too small. The kernel may take random
    blocks in the first sectors for a partition table (Atari, Amiga: no checksum), and the disk would not be blank
    again.
    """
    stripes = max(1, stripe_bytes)
    start = -(-_LEFT_ALONE_BYTES // stripes) * stripes
    return start if start <= device_bytes // 2 else 0


class Tests(NamedTuple):
    """Of one place; bytes to all members."""

    steps: list[Step]
    trials: tuple[Trial, ...]
    written_bytes: int


def place_of(cell: ParsedSetup, jobs: Sequence[Job], holds_bytes: int, device: str) -> Place:
    """`holds_bytes`: capacity; of separate disks the smallest's."""
    separate, mounted, disks = cell.level.key == "jbod", cell.is_mounted, cell.disks
    if separate:
        targets = tuple(f"{MOUNTPOINT}{i}/{TEST_FILE}" if mounted else f"{{member:{i}}}" for i in range(disks))
        per_disk_files, share_bytes = targets, holds_bytes
    elif mounted:
        targets = (f"{MOUNTPOINT}/{TEST_FILE}",)
        per_disk_files = tuple(f"{MOUNTPOINT}/{i}-{TEST_FILE}" for i in range(disks))
        share_bytes = holds_bytes // disks
    else:
        targets, per_disk_files, share_bytes = (device,), (device,) * disks, holds_bytes
    start = 0
    members = tuple(range(disks)) if separate and not mounted else ()
    if not mounted and not cell.setup.partition_start_sectors:
        shape = cell.geometry
        start = start_bytes(holds_bytes, shape.stripe_width_blocks * shape.block_bytes)
    devices = dict.fromkeys(name for job in jobs for name in (per_disk_files if job.files == "per-disk" else targets))
    return Place(
        target="filesystem" if mounted else "array",
        targets=targets,
        per_disk=per_disk_files,
        room_bytes=holds_bytes,
        each_bytes=share_bytes,
        files=tuple(devices) if mounted else (),
        members=members,
        start_bytes=start,
        disks=disks,
    )


def span_bytes(job: Job, place: Place) -> int:
    """Bytes of one target; on a file a share of the default span, never all of it."""
    _, room = place.of(job)
    if place.is_file:
        return fio_job.file_span_bytes(job.fio, _file_bytes(job, place))
    options = _options(job, place)
    return min(fio_job.file_span_bytes(options, room), room - fio_job.offset_bytes(options, room))


def fill(
    place: Place,
    jobs: Sequence[Job],
    cell: ParsedSetup | None,
    disks: int,
    speed: DiskSpeed,
    passes: int = 1,
    *,
    creates: bool = True,
) -> tuple[list[Step], int]:
    """Steps and bytes to write what is read later: unwritten blocks are read from no disk. A file covers the largest
    100 % span, so offsets mean the same. `passes` above one bring flash towards steady state. Without `creates` the
    file exists at that size.
    """
    sizes: dict[tuple[str, ...], int] = {}
    for job in jobs:
        names = tuple(dict.fromkeys(place.of(job)[0]))
        file_or_span_bytes = (
            _file_bytes(job, place) if place.is_file and fio_job.is_share(job.fio) else span_bytes(job, place)
        )
        sizes[names] = max(sizes.get(names, 0), file_or_span_bytes)
    steps: list[Step] = []
    for number, (names, size) in enumerate(sizes.items()):
        options: FioOptions = {
            "ioengine": "libaio",
            "direct": True,
            "rw": "write",
            "bs": "1m",
            "iodepth": 16,
            "size": size,
            "end_fsync": True,
            **({"loops": passes} if passes > 1 else {}),
            **_from(place),
        }
        output = f"fio/fill{number or ''}.json"
        argv = fio_job.argv(Job(name="fill", fio=options), output, names, creates=creates and place.is_file)
        sentence = f"Fill the test file ({format_bytes(size)})" if len(names) == 1 else f"Fill {len(names)} test files"
        if not place.is_file:
            sentence = f"Fill what is measured ({format_bytes(size)} of {', '.join(names)})"
        sentence += f", {passes} times" if passes > 1 else ""
        steps.append(
            Command(
                what=sentence,
                role="fill",
                argv=argv,
                members=place.members,
                estimate_s=work_of(options, cell, disks, passes * size * len(names), speed).duration_s,
            )
        )
    return steps, sum(passes * size * len(names) for names, size in sizes.items())


def measured(
    stage: int,
    job: Job,
    place: Place,
    repetition: int,
    speed: DiskSpeed,
    cell: ParsedSetup | None,
    members: Sequence[Member],
    block: int = 0,
    suspect: str = "",
) -> tuple[Trial, list[Step]]:
    """One trial: drop caches, disk write caches off, fio, restore. `block`: 0 if there is one."""
    names, _ = place.of(job)
    disks = 1 if place.member is not None else max(1, len(members))
    span = span_bytes(job, place)
    options = dict(_options(job, place))
    jobs_at_once = fio_job.count(options, "numjobs") * len(names)
    queue = fio_job.count(options, "iodepth") * jobs_at_once
    work = work_of(options, cell, disks, span * jobs_at_once, speed, queue)
    random_bytes = 0 if fio_job.is_sequential(str(options.get("rw", "read"))) else fio_job.block_bytes(options)
    where = {"member": f"member{place.member}-", "members": "members-"}.get(place.target, "")
    name = f"{job.name}-{BARE_NAMES[place.bare]}" if place.bare else job.name
    mark = "file" if place.file_test else place.mark
    suffix = f".{repetition}" if repetition > 1 else ""
    trial = Trial(
        id=f"s{stage}-{where}{name}{suffix}",
        job=name,
        title=f"{job.title or job.name}{f' ({mark})' if mark else ''}",
        target=place.target,
        rw=str(options.get("rw", "read")),
        member=place.member,
        bs_bytes=fio_job.block_bytes(options),
        iodepth=fio_job.count(options, "iodepth"),
        numjobs=jobs_at_once if len(names) > 1 else fio_job.count(options, "numjobs"),
        repetition=repetition,
        block=block,
        family=job.family,
        suspect=suspect,
        varied={option: values[0] for option, values in job.vary.items()} if job.family else {},
        share_of=job.share_of,
        file_test=place.file_test,
        bare=place.bare,
        of_job=job.name if place.bare else "",
        disk_queue=of_disk(job),
        expected_s=work.duration_s,
        runtime_s=fio_job.seconds(options, "runtime") or None,
        span_bytes=span * len(set(names)),
        written_bytes=written_of(cell, disks, work.written_bytes, random_bytes=random_bytes),
    )
    size = _file_bytes(job, place) if place.is_file else None
    if job.share_of:  # of what this one gives in this run; the worker fills it in
        flat_out = f"s{stage}-{where}{job.share_of}{suffix}"
        percent, jobs = fio_job.rate_percent(options), fio_job.count(options, "numjobs")
        options["rate_iops"] = f"{{rate:{flat_out}:{percent}:{jobs}}}"
    if options.get("verify") == "pattern":
        options["verify_pattern"] = fio_job.pattern("{name:0}", trial.id)
    job_with_latency = msgspec.structs.replace(job, fio=fio_job.with_whole_latency(options))
    argv = fio_job.argv(job_with_latency, f"fio/{trial.id}.json", names, size, readonly=place.readonly)
    on_what = {"member": f" on {{member:{place.member}}} alone", "members": " on all disks at once"}.get(
        place.target, ""
    )
    measure = Command(
        what=f"Measure: {trial.title}{on_what}", role="measure", argv=argv, members=place.members, trial=trial.id
    )
    indices = range(len(members)) if place.member is None else (place.member,)
    switched = write_caches_off(indices, members) if job.write_cache == "off" else []
    back = [put_back(step) for step in reversed(switched)]
    return trial, [*(drop_caches() if job.drop_caches_before else []), *switched, measure, *back]


def options_of(stage: Stage, trial_id: str) -> dict[str, str]:
    argv = next((step.argv for step in stage.steps if isinstance(step, Command) and step.trial == trial_id), ())
    return dict(word.removeprefix("--").split("=", 1) for word in argv if word.startswith("--") and "=" in word)


def measured_again(stage: Stage, trial_id: str) -> tuple[Step, ...]:
    """Steps of an immediate retry; drops the page cache if the trial did."""
    steps_before: list[Step] = []
    for step in stage.steps:
        if isinstance(step, Command) and step.trial == trial_id:
            return (*steps_before, step)
        dropping = isinstance(step, Write) and not step.restore
        if dropping or (isinstance(step, Command) and step.role == "sync-caches"):
            steps_before.append(step)
        elif not isinstance(step, Write):  # those switch write caches, and these are switched yet
            steps_before = []
    return ()


def _from(place: Place) -> FioOptions:
    return {"offset": place.start_bytes} if place.start_bytes else {}


def _options(job: Job, place: Place) -> FioOptions:
    """As fio gets them: on a device no job passes its end."""
    names, room = place.of(job)
    options = of_disks(job.fio, place.disks // len(names)) if job.disk_depth else job.fio
    return options if place.is_file else fio_job.clamped({**_from(place), **options}, room)


def _file_bytes(job: Job, place: Place) -> int:
    """Bytes of 100 % on a file; the limit of a size in bytes."""
    _, room = place.of(job)
    if place.file_bytes:
        return place.file_bytes
    return min(FILE_SPAN_BYTES, room // 2) if fio_job.is_share(job.fio) else int(room * _MOST_FULL)


def drop_caches() -> list[Step]:
    """Dirty pages cannot be dropped: synced first."""
    return [
        Command(what="Flush dirty pages", role="sync-caches", argv=("sync",)),
        Write(what="Drop the page cache", path=_DROP_CACHES, value="3", restore=False),
    ]


def tests(inputs: StageInputs, number: int, cell: ParsedSetup, place: Place) -> Tests:
    """Fills files, runs every job."""
    steps = []
    written_bytes = 0
    if place.files or inputs.passes:
        filling, filled = fill(place, inputs.jobs, cell, len(inputs.members), inputs.speed, inputs.passes or 1)
        steps += filling
        written_bytes += written_of(cell, len(inputs.members), filled)
    trials: list[Trial] = []
    for repetition, block, arms in _repetitions(inputs, cell):
        for arm in arms:
            trial, measure_steps = measured(
                number, arm.job, place, repetition, inputs.speed, cell, inputs.members, block, arm.suspect
            )
            rebuild = member_steps.rebuilt_anew(cell.setup, cell.disks, first=not trials)
            trials.append(msgspec.structs.replace(trial, rounds=inputs.rounds))
            steps += [*rebuild, *arm.before, *measure_steps, *arm.after]
            written_bytes += trial.written_bytes
        if ROUNDS <= repetition < inputs.rounds:
            steps.append(
                Check(
                    what=f"Is {inputs.steady} steady over its last {ROUNDS} rounds?",
                    question="steady",
                    where=inputs.steady,
                )
            )
    steps += member_steps.rebuilt_alone(cell.setup)
    return Tests(steps, tuple(trials), written_bytes)


def _repetitions(inputs: StageInputs, cell: ParsedSetup) -> list[tuple[int, int, tuple[Arm, ...]]]:
    """(repetition, block, arms): every job in the stage's block, maybe in rounds; of an ablation several blocks."""
    if not inputs.explain:
        numbers = range(1, inputs.rounds + 1) if inputs.rounds else (max(1, inputs.block),)
        return [(number, inputs.block, tuple(map(Arm, inputs.jobs))) for number in numbers]
    job = on_array(inputs.jobs[0], cell.disks)
    arms = tunables.arms(inputs.explain, job, tunables.Case(cell, job.fio, cell.disks), inputs.devices)
    arm_orders = orders(arms, inputs.repeat, f"{job} {setup_seed(cell.setup)}")
    return [(n, n if inputs.repeat > 1 else 0, arms_of_block) for n, arms_of_block in enumerate(arm_orders, 1)]


_NOTE = "mkfs discards the array's blocks on this flash: tests on files begin on blocks never written."


def notes(stages: Sequence[Stage], members: Sequence[Member]) -> tuple[str, ...]:
    on_files = [stage for stage in stages if any(trial.target == "filesystem" for trial in stage.trials)]
    return (_NOTE,) if any(is_discarded(stage, members) for stage in on_files) else ()


def is_discarded(stage: Stage, members: Sequence[Member]) -> bool:
    """Whether the mkfs of this stage discards."""
    kind = stage.filesystem.kind if stage.filesystem else ""
    if kind in ("", zfs.KIND) or not filesystem(kind).program:
        return False
    passes = stage.array is None or not stage.array.raid.parity_disks
    encrypted = stage.layer is not None and stage.layer.kind == "luks"
    return passes and not encrypted and all(member.rotational is False for member in members)
