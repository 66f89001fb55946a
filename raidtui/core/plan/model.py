"""A plan: everything that will be done, as ordered steps, known before the first is done.

Knows shape and confirmation code; how answers become steps is `planner`, carrying out is the worker's.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import msgspec

from raidtui.core.digest import sha256
from raidtui.core.disks.disk import Content
from raidtui.core.disks.emulators import Emulator, emulator_of
from raidtui.core.disks.machine import Bus
from raidtui.core.disks.selection import DiskRule
from raidtui.core.plan.answers import Answers, Bitmap, Setup
from raidtui.core.plan.cell import journals
from raidtui.core.plan.recipe import Published, Question
from raidtui.core.plan.steps import Step, undo_of
from raidtui.core.plan.target import Care, Existing
from raidtui.core.raid import zfs
from raidtui.core.raid.capacity import Capacity
from raidtui.core.raid.layers import LAYERS, LayerKind
from raidtui.core.structs import given
from raidtui.core.threshold import Expect

SCHEMA = 1
ASSUMED_COMMAND_S = 0.04  # what `fio --version` takes on a server
MOUNTPOINT = "mnt"  # in the run directory, the worker's working directory
KEPT_FILE = ".raidtui-kept"  # in the root folder of a file system that is kept: which run made it
Target = Literal["member", "members", "array", "filesystem", "existing"]


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """A disk that the plan names. Found again by `id` and `size_bytes` alone; the rest is to recognise it by.

    `name` and `found` are as they were when the plan was made: what is on it now will be erased.
    """

    id: str
    size_bytes: int
    name: str
    model: str = ""
    serial: str = ""
    slot: str = ""
    link: str = ""  # a /dev/disk/by-id/… for scripts
    found: str = "blank"
    warning: str = ""  # the verdict's reason, where the disk may be used with a confirmation of its own
    volume: str = ""  # what its RAID controller tells of it
    partitions: tuple[int, ...] = ()  # their numbers
    rotational: bool | None = None
    diskseq: int | None = None  # of the boot in which the plan was made
    firmware: str = ""
    buses: tuple[Bus, ...] = ()  # between it and the machine's memory, from the disk on upwards
    contents: tuple[Content, ...] = ()  # what `found` says in words

    @property
    def emulator(self) -> Emulator:
        """Who makes it, where it is no hardware: by its model."""
        return emulator_of(self.model)


class ArrayPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The array of a stage. `uuid` in mdadm's notation, or its slot; `name` is its own and `/dev/md/NAME` its node.

    `tables`: where its members are partitions, the UUIDs of the tables that are made for it, by member.
    """

    level: str
    layout: str
    chunk_bytes: int | None
    bitmap: Bitmap | Literal[""]  # "": of a level without redundancy
    uuid: str
    name: str
    capacity: Capacity
    tables: tuple[str, ...] = ()

    @property
    def partitioned(self) -> bool:
        return bool(self.tables)


class LayerPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What lies between an array and its file system: an LVM volume of all of it in a group of its own, or a LUKS
    container of all of it.

    `uuid`: of the physical volume, in LVM's notation, or of the header, or its slot; `group`: the name of the group, or
    of the container where it is open; the data begin at a multiple of `align_bytes`.
    """

    uuid: str
    group: str
    align_bytes: int
    kind: LayerKind = "lvm"

    @property
    def node(self) -> str:
        """Where what the file system is on is, below /dev."""
        return LAYERS[self.kind].node.format(self.group)


class FilesystemPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The file system of a stage; `geometry` as given to mkfs and as it must be read back (empty: none is given).

    `uuids`: on separate disks that of each member's own, in order; then `uuid` is the first of them. Of a ZFS pool they
    are those of the members' partition tables, and the pool has its name of `uuid`, as its GUID is its own, unless it
    is asked for by a `pool_name`.
    """

    kind: str
    uuid: str
    geometry: dict[str, int] = {}
    uuids: tuple[str, ...] = ()
    pool_name: str = ""

    @property
    def pool(self) -> str:
        """The name of a ZFS pool, of a plan whose slots are filled; "" of any other."""
        return (self.pool_name or zfs.pool_name(self.uuid[:8])) if self.kind == zfs.KIND else ""

    @property
    def tables(self) -> tuple[str, ...]:
        """The UUIDs of the tables of a ZFS pool's members, in their order."""
        return self.uuids if self.kind == zfs.KIND else ()


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One setup x one fio job x one repetition. `member` is the index of the member that a `member` trial measures."""

    id: str
    job: str  # the recipe's name of the job, the same on every target
    title: str
    target: Target
    rw: str
    member: int | None = None
    bs_bytes: Annotated[int, msgspec.Meta(ge=1)] | None = None
    iodepth: int | None = None
    numjobs: int | None = None
    repetition: int = 1
    block: int = 0  # in which every setup is measured once; 0: there are none, repetitions follow each other
    expected_s: float = 0.0
    runtime_s: float | None = None  # asked of fio; None where the job ends by size
    span_bytes: int = 0  # of the targets together, that it goes over; 0: not known
    written_bytes: int = 0  # expected, to all members together
    family: str = ""  # of jobs that differ only in what a recipe varies
    suspect: str = ""  # the key of what was changed for it; "" for the test unchanged
    varied: dict[str, int | str] = {}  # by which it differs from them: fio's option -> its value
    rounds: int = 0  # of which its repetition is one, at most; 0: it is no round
    share_of: str = ""  # the job of whose IOPS it offers a share


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """What is measured: a baseline on bare members, or one setup, a cell of a sweep. Steps carry their own undo.

    The first `build` steps make the array, and nothing else: a stage after another with the same ones may go on with
    the array that stands (see `goes_on`), and builds its own where none does. `written_bytes` are those that the
    members together are written, as far as it can be known; `sync_bytes` those among them of the first sync.
    """

    title: str
    steps: tuple[Step, ...]
    trials: tuple[Trial, ...]
    build: int = 0
    written_bytes: int = 0
    sync_bytes: int = 0
    setup: Setup | None = None  # None: a baseline
    array: ArrayPlan | None = None
    layer: LayerPlan | None = None
    filesystem: FilesystemPlan | None = None
    existing: Existing | None = None  # what is measured as it stands, in place of a setup that is built
    care: Care | None = None  # the array that stands, and is cared for
    permanent: bool = False  # it makes the array of the stage before it come back at each boot

    @property
    def journals(self) -> int:
        """How many of the plan's members are the journal of its array: those behind the array's own."""
        return journals(self.setup) if self.setup else 0

    @property
    def spares(self) -> int:
        """How many of the plan's members wait in its array: those behind all others."""
        return self.setup.spares if self.setup else 0

    @property
    def block(self) -> int:
        """The block that its trials are of; 0 where there is none, or it has several itself, as of an ablation."""
        blocks = {trial.block for trial in self.trials}
        return blocks.pop() if len(blocks) == 1 else 0


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The whole of a run before it begins. `code` is what has to be typed (headless) to carry it out.

    `members` are the disks that it erases; where it measures what exists there are none, and `beneath` are the disks
    that this stands on, as far as they are known: looked at, never touched. So are those of an array that is cared for,
    but for the one that is replaced.
    """

    schema: int
    machine: str  # a digest that tells machines apart
    members: tuple[Member, ...]
    answers: Answers
    recipe_title: str
    stages: tuple[Stage, ...]
    question: Question | None = None  # the recipe's
    notes: tuple[str, ...] = ()  # what the person should know before confirming
    source: str = ""  # of the published figures
    link: str = ""  # to it
    published: Published = {}
    expect: tuple[Expect, ...] = ()  # the recipe's thresholds
    pruned: tuple[str, ...] = ()  # cells that cannot be, each with its reason
    estimate_s: float = 0.0
    estimated_s: dict[str, float] = {}  # what it is made of, by `timing`'s parts
    command_s: float = ASSUMED_COMMAND_S  # what a short program takes on the machine that it was made on
    written_bytes: int = 0  # to all members together
    code: str = ""
    uuids: tuple[str, ...] = ()  # that fill its slots, drawn when its run's folder was made
    boot_id: str = ""  # of the boot in which that was, and in which the members had their `diskseq`
    beneath: tuple[Member, ...] = ()
    disk_rule: DiskRule | None = None  # by which the members were chosen; None: by name
    setups: tuple[Setup, ...] = ()  # in the recipe's order, where every block has one of its own

    @property
    def disks(self) -> tuple[Member, ...]:
        """The disks whose rates are recorded."""
        return (*self.members, *self.beneath)

    @property
    def existing(self) -> Existing | None:
        """What is measured as it stands; None where something is built."""
        return next((stage.existing for stage in self.stages if stage.existing), None)

    @property
    def care(self) -> Care | None:
        """The array that is cared for, and how; None where a plan builds or measures."""
        return self.stages[-1].care

    @property
    def partitioned(self) -> bool:
        """Are the members of the array that it builds or cares for partitions?"""
        return any(array.partitioned for stage in self.stages if (array := stage.array or stage.care))

    @property
    def tables(self) -> dict[str, str]:
        """By the identity of a disk: the UUID of the partition table that the plan makes on it."""
        arrays = [array for stage in self.stages if (array := stage.array or stage.care)]
        return {member.id: uuid for array in arrays for member, uuid in zip(self.members, array.tables, strict=False)}

    @property
    def permanence(self) -> int | None:
        """The number of the stage that makes the kept array permanent; None where none does."""
        return len(self.stages) - 1 if self.stages[-1].permanent else None

    @property
    def kept_stage(self) -> int | None:
        """The number of the stage whose array stays; None where none does."""
        if self.answers.after != "keep":
            return None
        return len(self.stages) - 1 - self.stages[-1].permanent

    @property
    def trials(self) -> tuple[Trial, ...]:
        return tuple(trial for stage in self.stages for trial in stage.trials)

    @property
    def title(self) -> str:
        """What the run is about: its one setup, the recipe and how many setups it sweeps over, the array cared for."""
        if self.care:
            return self.recipe_title
        built = {stage.setup: stage.title for stage in self.stages if stage.setup is not None}
        if len(built) == 1:
            return next(iter(built.values()))
        return f"{self.recipe_title}, {len(self.members)} disks, {len(built)} setups"

    @property
    def blocks(self) -> int:
        """How often every setup is built and measured anew; 0 where repetitions follow each other."""
        return max((stage.block for stage in self.stages), default=0)

    def trial(self, trial_id: str) -> Trial | None:
        return next((trial for trial in self.trials if trial.id == trial_id), None)


def undo(steps: tuple[Step, ...]) -> Iterator[Step]:
    """What takes back `steps`, last first: the teardown of a stage of which exactly these were begun."""
    for step in reversed(steps):
        yield from undo_of(step)


def goes_on(plan: Plan, number: int) -> bool:
    """Does stage `number` find its array standing, as the stage before it built the very same one?"""
    if not 0 < number < len(plan.stages):
        return False
    stage_before, stage = plan.stages[number - 1], plan.stages[number]
    return (
        0 < stage.build == stage_before.build and stage_before.steps[: stage_before.build] == stage.steps[: stage.build]
    )


def steps_of(plan: Plan, number: int) -> tuple[Step, ...]:
    """The steps of stage `number` where the stages before it were carried out."""
    stage = plan.stages[number]
    return stage.steps[stage.build :] if goes_on(plan, number) else stage.steps


def stays(plan: Plan, number: int) -> bool:
    """Does what stage `number` makes stay: the array, or what makes it permanent?"""
    kept_number = plan.kept_stage
    return kept_number is not None and number >= kept_number


def array_of(plan: Plan, stage: Stage | None) -> ArrayPlan | Care | None:
    """The array that the stage builds, or that the plan cares for."""
    return (stage.array if stage else None) or plan.care


def carried_out(plan: Plan, number: int) -> Stage:
    """Stage `number` with what it works on: one that makes an array permanent has built none itself."""
    stage = plan.stages[number]
    if not stage.permanent:
        return stage
    built = plan.stages[number - 1]
    return msgspec.structs.replace(
        stage, array=built.array, layer=built.layer, filesystem=built.filesystem, setup=built.setup
    )


def teardown_of(plan: Plan, number: int) -> tuple[Step, ...]:
    """What takes stage `number` back after all its steps; the array stays where the next stage goes on with it."""
    stage = plan.stages[number]
    if stage.care or stays(plan, number):
        return ()
    return tuple(undo(stage.steps[stage.build :] if goes_on(plan, number + 1) else stage.steps))


def heading(stage: Stage, blocks: int) -> str:
    """The title of a stage, with its pass where the plan has several."""
    return f"Pass {stage.block} of {blocks}: {stage.title}" if stage.block else stage.title


class Section(msgspec.Struct, frozen=True):
    """What is done in one go: a stage's steps, or (`undoing`) what takes them back. `title` is for people."""

    stage: int
    undoing: bool
    title: str
    steps: tuple[Step, ...]


def sections(plan: Plan) -> Iterator[Section]:
    """Every section in order, teardowns included, those without a step left out: what Review and a script show."""
    blocks = plan.blocks  # asked once: it looks at every trial
    for number, stage in enumerate(plan.stages):
        title = heading(stage, blocks)
        if steps := steps_of(plan, number):
            yield Section(number, False, title, steps)
        if steps := teardown_of(plan, number):
            yield Section(number, True, f"{title}: remove", steps)


def shown_steps(plan: Plan) -> Iterator[Step]:
    """The steps of all sections, in order."""
    for section in sections(plan):
        yield from section.steps


def machine_digest(machine_id: str) -> str:
    """What tells machines apart in a plan, without saying which they are."""
    return sha256(machine_id.encode()).hexdigest()[:16]


def confirmation_code(plan: Plan) -> str:
    """Eight characters over machine, identities, sizes, contents, disk rule, steps and their slots; no time, no run id.

    Fields at their default are left out: a version with further ones gives the plan the same code.
    """
    fields: dict[str, Any] = msgspec.to_builtins(plan)
    hashed = {key: fields[key] for key in ("schema", "machine", "members")}
    hashed |= {"answers": given(plan.answers), "stages": given(plan.stages)}
    if plan.disk_rule:
        hashed["disk_rule"] = fields["disk_rule"]
    for member in hashed["members"]:
        marks = {
            f"{signature['kind']} {signature['uuid']}" for signature in member.pop("contents") if signature["uuid"]
        }
        if marks:  # another file system of the same label is other data
            member["marks"] = sorted(marks)
        for field in ("diskseq", "firmware", "buses", "volume"):  # these may change from one boot to the next
            del member[field]
        name = member.pop("name")
        member["found"], member["warning"] = (member[key].replace(name, "*") for key in ("found", "warning"))
    return sha256(msgspec.json.encode(hashed, order="deterministic")).hexdigest()[:8]


def encode(plan: Plan) -> bytes:
    return msgspec.json.format(msgspec.json.encode(plan))
