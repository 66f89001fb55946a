"""A plan: all steps in order, known before the first runs; its shape and confirmation code. Made by `planner`."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from raidtui.core.digest import sha256
from raidtui.core.disks.disk import Content
from raidtui.core.disks.identity import Emulator, emulator_of
from raidtui.core.disks.machine import Bus, Erc
from raidtui.core.disks.selection import DiskRule
from raidtui.core.plan.answers import Answers, Bitmap, Setup
from raidtui.core.plan.recipe import Bare, Published, Question
from raidtui.core.plan.steps import SELF_TESTS, Step, Wait, array_nodes, group_node, undo_of
from raidtui.core.plan.target import Care, Existing
from raidtui.core.proof.pattern import ProofPlan
from raidtui.core.raid import zfs
from raidtui.core.raid.capacity import Capacity, Outer
from raidtui.core.raid.layers import LAYERS, LayerKind
from raidtui.core.raid.levels import Level, level
from raidtui.core.structs import given
from raidtui.core.threshold import Expect

SCHEMA = 1
ASSUMED_COMMAND_S = 0.04  # what `fio --version` takes on a server
MOUNTPOINT = "mnt"  # in the run directory, the worker's working directory
KEPT_FILE = ".raidtui-kept"  # in the root folder of a file system that is kept: which run made it
CONF_FILE = "array.conf"  # in the run's folder: the line of mdadm.conf by which a proof assembles the array
Target = Literal["member", "members", "array", "filesystem", "existing"]


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """A disk of the plan, found again by `id` and `size_bytes` alone; the rest identifies it to people. `name`,
    `found`: at planning time. What is on it when the run starts will be erased.
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
    erc: Erc = "not checked"

    @property
    def emulator(self) -> Emulator:
        return emulator_of(self.model)


class GroupPlan(msgspec.Struct, frozen=True, kw_only=True):
    """One of the arrays under a RAID 0, its `uuid`, `name` as an ArrayPlan's; `members`: their indices; `spares`: of
    those which it begins with.
    """

    uuid: str
    name: str
    members: tuple[int, ...]
    spares: tuple[int, ...] = ()


class Shape(NamedTuple):
    """What md tells of an array, as planned: its own level, chunk and so on. `groups`: of a RAID 0 over them."""

    uuid: str
    name: str
    level: str
    layout: str
    chunk_bytes: int | None
    bitmap: str
    groups: int = 0


class ArrayPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The array of a stage. `uuid` in mdadm's notation, or its slot; node `/dev/md/NAME`. `tables`: UUIDs of the
    members' new partition tables, where members are partitions. `groups`: level, layout, chunk and bitmap are theirs,
    UUID and name those of the RAID 0 over them.
    """

    level: str
    layout: str
    chunk_bytes: int | None
    bitmap: Bitmap | Literal[""]  # "": of a level without redundancy
    uuid: str
    name: str
    capacity: Capacity
    tables: tuple[str, ...] = ()
    groups: tuple[GroupPlan, ...] = ()

    @property
    def outer(self) -> Outer:
        """Of groups only."""
        assert self.capacity.outer
        return self.capacity.outer

    @property
    def parts(self) -> tuple[str, ...]:
        """Placeholders of the arrays that are made of disks."""
        return array_nodes(len(self.groups))

    def group_with(self, index: int) -> int | None:
        """Number of the group that has this member, or begins with it as its spare."""
        numbered = enumerate(self.groups)
        return next((number for number, group in numbered if index in (*group.members, *group.spares)), None)

    def part_with(self, index: int) -> str:
        """Placeholder of the array made of disks that has this member."""
        number = self.group_with(index)
        return "{array}" if number is None else group_node(number)

    @property
    def uuids(self) -> tuple[str, ...]:
        """Of the array, then of its groups."""
        return (self.uuid, *(group.uuid for group in self.groups))

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Of its groups, then of the array."""
        of_disks = (self.level, self.layout, self.chunk_bytes, self.bitmap)
        if not self.groups:
            return (Shape(self.uuid, self.name, *of_disks),)
        below = (Shape(group.uuid, group.name, *of_disks) for group in self.groups)
        return (*below, Shape(self.uuid, self.name, "0", "", self.outer.chunk_bytes, "", len(self.groups)))

    @property
    def uuids_of_groups(self) -> dict[str, str]:
        """By placeholder."""
        return {node: group.uuid for node, group in zip(self.parts, self.groups, strict=False)}

    def uuids_on(self, index: int) -> frozenset[str]:
        """Of the arrays that may have this member: a spare is moved between groups."""
        own = {group.uuid for group in self.groups if index in group.members}
        return frozenset(own or {group.uuid for group in self.groups} or {self.uuid})

    @property
    def raid(self) -> Level:
        return level(self.level)

    @property
    def partitioned(self) -> bool:
        return bool(self.tables)


class LayerPlan(msgspec.Struct, frozen=True, kw_only=True):
    """LVM volume (own group) or LUKS container over the whole array. `uuid`: of the PV (LVM's notation) or header, or
    its slot; `group`: of the VG, or the open container; data start at a multiple of `align_bytes`. `volume_bytes`: of
    the volume where room is left free in its group; 0: all of it.
    """

    uuid: str
    group: str
    align_bytes: int
    kind: LayerKind = "lvm"
    volume_bytes: int = 0

    @property
    def node(self) -> str:
        return LAYERS[self.kind].node.format(self.group)


class FilesystemPlan(msgspec.Struct, frozen=True, kw_only=True):
    """`geometry` as given to mkfs and read back (empty: none). `uuids`: separate disks: one per member, `uuid` the
    first; ZFS: of the members' partition tables, `uuid` names the pool unless `pool_name` does (its GUID is ZFS' own).
    `reserved_percent`: for root, as given to mkfs; None: mkfs' own.
    """

    kind: str
    uuid: str
    geometry: dict[str, int] = {}
    uuids: tuple[str, ...] = ()
    pool_name: str = ""
    label: str = ""
    reserved_percent: int | None = None

    @property
    def pool(self) -> str:
        """Name of a ZFS pool, once slots are filled; else ""."""
        return (self.pool_name or zfs.pool_name(self.uuid[:8])) if self.kind == zfs.KIND else ""

    @property
    def tables(self) -> tuple[str, ...]:
        """UUIDs of a ZFS pool's partition tables, by member."""
        return self.uuids if self.kind == zfs.KIND else ()


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One setup x fio job x repetition. `member`: index of the measured member, for a `member` trial."""

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
    disk_queue: int = 0  # queue depth of each disk, where the job's is by disk
    state: int = 0  # of a proof that it reads back, from 1; 0: it measures
    file_test: bool = False  # on a file of the array: not set beside one disk
    bare: Bare = ""  # of a sequential test before mkfs, with a job name of its own
    of_job: str = ""  # the recipe's job of such a test

    @property
    def recipe_job(self) -> str:
        return self.of_job or self.job

    @property
    def baseline_job(self) -> str:
        """Job of the disks' own tests that may be set beside it: disks are measured from their start."""
        return self.of_job if self.bare == "start" else self.job


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """A baseline on bare members, or one setup (a cell of a sweep). Steps carry their undo. The first `build` steps
    only make the array: a following stage with the same ones may reuse it (`goes_on`). `written_bytes`: to all members,
    as far as known; `sync_bytes`: share of the initial resync.
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
    proof: ProofPlan | None = None  # before its file system
    permanent: bool = False  # it makes the array of the stage before it come back at each boot

    @property
    def journals(self) -> int:
        """Number of members used as its journal, behind the array's own."""
        return self.setup.journals if self.setup else 0

    @property
    def spares(self) -> int:
        """Number of members used as its spares, behind all others."""
        return self.setup.spares if self.setup else 0

    @property
    def block(self) -> int:
        """Block of its trials; 0: none, or several (ablation)."""
        blocks = {trial.block for trial in self.trials}
        return blocks.pop() if len(blocks) == 1 else 0


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A run before it begins. `code` is typed (headless) to carry it out. `members` are erased. `beneath`: disks under
    a target or a cared-for array (except a replaced disk): looked at, never written to.
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
    rmapbt: bool = False  # does mkfs.xfs there switch it on?
    command_s: float = ASSUMED_COMMAND_S  # what a short program takes on the machine that it was made on
    written_bytes: int = 0  # to all members together
    code: str = ""
    uuids: tuple[str, ...] = ()  # that fill its slots, drawn when its run's folder was made
    boot_id: str = ""  # of the boot in which that was, and in which the members had their `diskseq`
    beneath: tuple[Member, ...] = ()
    mail_to: str = ""  # whom mdadm writes to of its arrays, at boot: asked for, or by mdadm.conf as it was ("": nobody)
    disk_rule: DiskRule | None = None  # by which the members were chosen; None: by name
    setups: tuple[Setup, ...] = ()  # in the recipe's order, where every block has one of its own

    @property
    def disks(self) -> tuple[Member, ...]:
        return (*self.members, *self.beneath)

    @property
    def existing(self) -> Existing | None:
        """What is measured as it is; None if something is built."""
        return next((stage.existing for stage in self.stages if stage.existing), None)

    @property
    def care(self) -> Care | None:
        return self.stages[-1].care

    @property
    def partitioned(self) -> bool:
        return any(array.partitioned for stage in self.stages if (array := stage.array or stage.care))

    @property
    def tables(self) -> dict[str, str]:
        """Disk identity -> UUID of its new partition table."""
        arrays = [array for stage in self.stages if (array := stage.array or stage.care)]
        return {member.id: uuid for array in arrays for member, uuid in zip(self.members, array.tables, strict=False)}

    @property
    def permanence(self) -> int | None:
        """Number of the stage that makes the array permanent, or None."""
        return len(self.stages) - 1 if self.stages[-1].permanent else None

    @property
    def kept_stage(self) -> int | None:
        """Number of the stage whose array is kept, or None."""
        if self.answers.after != "keep":
            return None
        return len(self.stages) - 1 - self.stages[-1].permanent

    @property
    def trials(self) -> tuple[Trial, ...]:
        return tuple(trial for stage in self.stages for trial in stage.trials)

    @property
    def title(self) -> str:
        """Its one setup, recipe and number of setups, or the array cared for."""
        if self.care:
            return self.recipe_title
        built = {stage.setup: stage.title for stage in self.stages if stage.setup is not None}
        if len(built) == 1:
            return next(iter(built.values()))
        return f"{self.recipe_title}, {len(self.members)} disks, {len(built)} setups"

    @property
    def blocks(self) -> int:
        """How often every setup is built and measured; 0: repetitions follow each other."""
        return max((stage.block for stage in self.stages), default=0)

    def trial(self, trial_id: str) -> Trial | None:
        return next((trial for trial in self.trials if trial.id == trial_id), None)


def undo(steps: tuple[Step, ...]) -> Iterator[Step]:
    """Undo of exactly these steps, last first: the teardown of an interrupted stage."""
    for step in reversed(steps):
        yield from undo_of(step)


def goes_on(plan: Plan, number: int) -> bool:
    """Whether the stage reuses the array of the stage before it."""
    if not 0 < number < len(plan.stages):
        return False
    stage_before, stage = plan.stages[number - 1], plan.stages[number]
    return (
        0 < stage.build == stage_before.build and stage_before.steps[: stage_before.build] == stage.steps[: stage.build]
    )


def steps_of(plan: Plan, number: int) -> tuple[Step, ...]:
    """Steps of a stage if the stages before it were carried out."""
    stage = plan.stages[number]
    return stage.steps[stage.build :] if goes_on(plan, number) else stage.steps


def stays(plan: Plan, number: int) -> bool:
    """Whether the stage's result (array, or its permanence) is kept."""
    kept_number = plan.kept_stage
    return kept_number is not None and number >= kept_number


def array_of(plan: Plan, stage: Stage | None) -> ArrayPlan | Care | None:
    """The stage's array, or the one the plan cares for."""
    return (stage.array if stage else None) or plan.care


def carried_out(plan: Plan, number: int) -> Stage:
    """With the array that a permanence stage works on."""
    stage = plan.stages[number]
    if not stage.permanent:
        return stage
    built = plan.stages[number - 1]
    return msgspec.structs.replace(
        stage, array=built.array, layer=built.layer, filesystem=built.filesystem, setup=built.setup
    )


def teardown_of(plan: Plan, number: int) -> tuple[Step, ...]:
    """Undo of all its steps; without the array if the next stage reuses it."""
    stage = plan.stages[number]
    if stage.care or stays(plan, number):
        return ()
    return tuple(undo(stage.steps[stage.build :] if goes_on(plan, number + 1) else stage.steps))


def heading(stage: Stage, blocks: int) -> str:
    """With its pass where the plan has several."""
    return f"Pass {stage.block} of {blocks}: {stage.title}" if stage.block else stage.title


class Section(msgspec.Struct, frozen=True):
    """Steps done in one go: of a stage, or (`undoing`) its undo. `title` is for people."""

    stage: int
    undoing: bool
    title: str
    steps: tuple[Step, ...]


def sections(plan: Plan) -> Iterator[Section]:
    """In order, teardowns included, without empty ones: as Review and a script show them."""
    blocks = plan.blocks  # asked once: it looks at every trial
    for number, stage in enumerate(plan.stages):
        title = heading(stage, blocks)
        if steps := steps_of(plan, number):
            yield Section(number, False, title, steps)
        if steps := teardown_of(plan, number):
            yield Section(number, True, f"{title}: remove", steps)


def shown_steps(plan: Plan) -> Iterator[Step]:
    for section in sections(plan):
        yield from section.steps


def machine_digest(machine_id: str) -> str:
    """Tells machines apart without identifying them."""
    return sha256(machine_id.encode()).hexdigest()[:16]


def confirmation_code(plan: Plan) -> str:
    """Eight characters over machine, identities, sizes, contents, disk rule, steps and slots; no time, no run id.
    Fields at their default are left out, so that a version with more fields gives the same code.
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
        for field in ("diskseq", "firmware", "buses", "volume", "erc"):  # these may change from one boot to the next
            del member[field]
        name = member.pop("name")
        member["found"], member["warning"] = (member[key].replace(name, "*") for key in ("found", "warning"))
    return sha256(msgspec.json.encode(hashed, order="deterministic")).hexdigest()[:8]


def encode(plan: Plan) -> bytes:
    return msgspec.json.format(msgspec.json.encode(plan))


def self_tests_after(plan: Plan, number: int) -> bool:
    """Whether the disks' own tests of this stage follow a trial."""
    return any(stage.trials for stage in plan.stages[:number])


def self_tests_planned(plan: Plan) -> frozenset[bool]:
    """Of `self_tests_after`, the values that the plan has."""
    waits = ((number, step) for number, stage in enumerate(plan.stages) for step in stage.steps)
    tests = (number for number, step in waits if isinstance(step, Wait) and step.condition in SELF_TESTS)
    return frozenset(self_tests_after(plan, number) for number in tests)
