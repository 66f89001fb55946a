"""Steps on members, and on a whole array: checks, the disks' own tests, partition tables, wiping, assembly.

Members failed on purpose in a scratch array: the last ones, removed, re-added as new, rebuilt. A removed member is
blanked at once under the same lock, so that nobody re-adds it and an interrupted teardown works.
"""

from collections.abc import Collection, Iterable, Sequence

import msgspec

from raidtui.core.plan.answers import Answers, PlanRefused, SelfTest, Setup
from raidtui.core.plan.estimate import DiskSpeed
from raidtui.core.plan.model import ArrayPlan, Member, Stage
from raidtui.core.plan.parsed_setup import ParsedSetup
from raidtui.core.plan.recipe import Recipe
from raidtui.core.plan.roles import CommandRole
from raidtui.core.plan.steps import (
    SELF_TESTS,
    SMARTCTL,
    Check,
    Command,
    Step,
    Wait,
    Write,
    nvme_cache,
    put_back,
    settle,
)
from raidtui.core.raid import layers

_SHORT_TEST_S = 120.0  # as long as ACS-4 and SPC-5 allow a short self-test
_LONG_TEST_SHARE = 0.8  # of a disk's speed: a long one reads all of it, and its end is slower


def tables(members: Sequence[Member], uuids: Sequence[str], kind: str = layers.LINUX_RAID) -> list[Step]:
    """One partition on each member, journal and spare; none where members are whole disks."""
    if not uuids:
        return []
    sizes = [layers.partition_bytes(member.size_bytes) for member in members]
    first, *others = (table(index, sizes[index], uuid, kind) for index, uuid in enumerate(uuids))
    undo = (*first.undo, settle(), blank_check())  # the first one is the last to be undone
    return [msgspec.structs.replace(first, undo=undo), *others, settle(), partitions_check(sizes)]


def table(index: int, size_bytes: int, uuid: str = "", kind: str = layers.LINUX_RAID) -> Command:
    """Partition table with one partition over the whole member."""
    device, members = f"{{member:{index}}}", (index,)
    return Command(
        what=f"Create a partition for the {'array' if kind == layers.LINUX_RAID else 'pool'} on {device}",
        role="partition",
        argv=("sfdisk", "--quiet", "--label=gpt", "--wipe=always", "--wipe-partitions=always", device),
        stdin=layers.table_lines(size_bytes, uuid, kind),
        members=members,
        locked=True,
        undo=(
            wipe(index),
            Command(
                what=f"Release the partition of {device}",
                role="reread",
                argv=("blockdev", "--rereadpt", device),
                members=members,
                locked=True,
            ),
        ),
    )


def partitions_check(sizes: Sequence[int]) -> Check:
    """Checks all members' partitions before anything is written to one."""
    return Check(
        what="Check that each partition is the run's own",
        question="partitions-own",
        expected={f"member {index}": size for index, size in enumerate(sizes)},
    )


def carrier(index: int, *, partitioned: bool) -> str:
    """Device of a member that an array or a pool uses."""
    return f"{{part:{index}:{layers.PARTITION_NUMBER}}}" if partitioned else f"{{member:{index}}}"


def added(
    index: int, *, partitioned: bool, kind: str = "", write_mostly: bool = False, node: str = "{array}"
) -> Command:
    device, number = carrier(index, partitioned=partitioned), layers.PARTITION_NUMBER if partitioned else 0
    return Command(
        what=f"Add {device} as {kind}" if kind else f"Add {device}",
        role="add",
        argv=("mdadm", "--add", node, *(["--write-mostly"] if write_mostly else []), device),
        members=(index,),
        partition=number,
    )


def by_hand(array: ArrayPlan, indices: Sequence[int]) -> list[Command]:
    """Assembles the array from these members; with groups, each of them after the array, which is put together last."""

    def assembled(what: str, uuid: str, node: str, own: Sequence[int], *named: str) -> Command:
        return Command(
            what=f"Assemble {what}, if it is not running",
            role="assemble",
            argv=("mdadm", "--assemble", f"--uuid={uuid}", node, *named),
            members=tuple(own),
            partition=layers.PARTITION_NUMBER if own and array.partitioned else 0,
        )

    def of_disks(what: str, uuid: str, node: str) -> Command:
        own = [index for index in indices if array.part_with(index) == node]
        return assembled(what, uuid, node, own, *(carrier(index, partitioned=array.partitioned) for index in own))

    if not array.groups:
        return [of_disks("the array", array.uuid, "{array}")]
    numbered = enumerate(zip(array.groups, array.parts, strict=True), 1)
    groups = (of_disks(f"group {number}", group.uuid, node) for number, (group, node) in numbered)
    return [assembled("the RAID 0", array.uuid, "{array}", (), *array.parts), *groups]


def writable(node: str = "{array}") -> Command:
    return Command(what="Make it writable", role="writable", argv=("mdadm", "--readwrite", node))


def copies_check(what: str, estimate_s: float, arrays: Sequence[str] = ("{array}",)) -> tuple[Step, ...]:
    """md's check of all copies and parity, of all `arrays` at once, to its end. An earlier paused check would continue.
    The wait for it comes last.
    """
    steps: list[Step] = []
    for number, array in enumerate(arrays, 1):
        idle = Command(what="End the check", role="idle", argv=("mdadm", "--action=idle", array))
        path = f"/sys/block/{array}/md/sync_min"
        of_group = f" of group {number}" if len(arrays) > 1 else ""
        steps += [
            Write(what="Begin at the members' first sector", path=path, value="0", restore=False),
            Command(what=what + of_group, role="check", argv=("mdadm", "--action=check", array), undo=(idle,)),
        ]
    return (*steps, Wait(what="Wait for the end of the check", condition="check-ended", estimate_s=estimate_s))


def free_check() -> Check:
    return Check(what="Check that the disks are the planned ones, and free", question="members-free")


def blank_check() -> Check:
    return Check(what="Check that the disks are blank", question="members-blank")


def wipe(index: int) -> Command:
    device = f"{{member:{index}}}"
    return Command(what=f"Wipe {device}", role="wipe", argv=("wipefs", "--all", device), members=(index,), locked=True)


class SelfTests(msgspec.Struct, frozen=True, kw_only=True):
    before: SelfTest | None = None
    after: SelfTest | None = None
    notes: tuple[str, ...] = ()


def self_tests(answers: Answers, chosen: Recipe, programs: Collection[str]) -> SelfTests:
    """`programs`: installed ones (empty: assumed). PlanRefused for an asked one without smartctl."""
    asked = answers.self_test
    length = asked or chosen.self_test
    if not length or length == "none":
        return SelfTests()
    if programs and SMARTCTL not in programs:
        if asked:
            raise PlanRefused("smartctl is not installed here; install it, or leave self_test out", "self_test")
        return SelfTests(notes=(f"No {length} self-tests before and after: smartctl is not installed.",))
    return SelfTests(before=length, after=length if chosen.self_test else None)


def self_test_stage(
    length: SelfTest, members: Sequence[Member], speed: DiskSpeed, *, health: bool, title: str = "Self-tests"
) -> Stage:
    """All disks at once. Needs no undo. `health`: with the SMART counters, which a test may raise."""
    largest_bytes = max(member.size_bytes for member in members)
    reads_s = largest_bytes / (speed.bytes_per_s * _LONG_TEST_SHARE) if length == "long" else 0.0
    condition = next(condition for condition, of_length in SELF_TESTS.items() if of_length == length)
    wait = Wait(
        what=f"Run the self-test of every disk ({length})", condition=condition, estimate_s=max(_SHORT_TEST_S, reads_s)
    )
    read = (Check(what="Read the SMART counters", question="health"),) if health else ()
    return Stage(title=title, steps=(free_check(), *read, wait, *read), trials=())


def write_caches_off(indices: Iterable[int], members: Sequence[Member]) -> list[Write]:
    """Members' write caches off, by the kernel's switch for SCSI and SATA. An NVMe cache is its controller's:
    `queue/write_cache` would only end flushes, and leave a volatile cache on.
    """
    return [
        Write(
            what=f"Switch the write cache of {{member:{index}}} off",
            path=cache_setting(index, members[index]),
            value="write through",
            optional=True,
        )
        for index in indices
    ]


def cache_setting(index: int, member: Member) -> str:
    if is_nvme(member):
        return nvme_cache(f"{{member:{index}}}")
    return f"/sys/block/{{member:{index}}}/device/scsi_disk/*/cache_type"


def is_nvme(member: Member) -> bool:
    """By its name's start, which its driver gives it in every boot."""
    return member.name.startswith("nvme")


REBUILD_ALONE_S = 20.0  # that a rebuild is watched without a user beside it
_MAX_KIB_S = 10_000_000  # beyond what a disk does: the kernel's own limit of 200 MB/s is not what is measured


def check_failures(cell: ParsedSetup, after: str) -> None:
    """PlanRefused, with the field at fault, if members cannot fail."""
    setup, survives = cell.setup, cell.capacity.survives if cell.level.md_name else 0
    if not 0 <= setup.failed <= survives:
        loses = f"survives {survives} failed disk{'' if survives == 1 else 's'}" if survives else "survives no failure"
        level_words = f"{cell.level.name} of {cell.disks} disks {loses}"
        raise PlanRefused(f"{level_words}; ask for fewer, or another level", "setup.failed")
    if setup.rebuild_min_kib_s < 0:
        raise PlanRefused(f"{setup.rebuild_min_kib_s} is no speed; 1000 is the kernel's own", "setup.rebuild_min_kib_s")
    if setup.rebuild_min_kib_s and not setup.failed:
        raise PlanRefused("nothing is rebuilt where no disk has failed; set failed = 1", "setup.rebuild_min_kib_s")
    if setup.failed and after == "keep":
        raise PlanRefused('a degraded array is not kept; choose after = "teardown"', "setup.failed")


def may_fail(setup: Setup | None, survives: int) -> int:
    """Further failures survived, of `survives` in a healthy array."""
    return survives - setup.failed if setup else survives


def may_fail_words(count: int) -> str:
    if count == 0:
        return "no disk may fail"
    return "any 1 disk may fail" if count == 1 else f"any {count} disks may fail"


def members_out(setup: Setup, disks: int) -> tuple[int, ...]:
    """Indices of the failed members: the array's last ones."""
    return tuple(range(disks - setup.failed, disks))


def taken_out(indices: tuple[int, ...], array: ArrayPlan | None = None) -> list[Step]:
    """`array`: None: without groups, of whole disks."""
    steps: list[Step] = []
    partitioned = array is not None and array.partitioned
    number = layers.PARTITION_NUMBER if partitioned else 0
    for index in indices:
        member, node = carrier(index, partitioned=partitioned), array.part_with(index) if array else "{array}"
        commands: tuple[tuple[str, CommandRole, tuple[str, ...]], ...] = (
            (f"Fail {member}", "fail", ("mdadm", "--fail", node, member)),
            (f"Remove {member} from the array", "take-out", ("mdadm", "--remove", node, member)),
            (f"Zero the superblock of {member}", "zero", ("mdadm", "--zero-superblock", member)),
        )
        for what, role, argv in commands:
            steps.append(Command(what=what, role=role, argv=argv, members=(index,), partition=number, locked=True))
    return steps


def rebuild_settings(setup: Setup) -> list[Step]:
    """Minimum rebuild speed under load; no other limit."""
    by_setting = (
        {"sync_speed_max": _MAX_KIB_S, "sync_speed_min": setup.rebuild_min_kib_s} if setup.rebuild_min_kib_s else {}
    )
    return [
        Write(what=f"Set {name} to {value} KiB/s", path=f"/sys/block/{{array}}/md/{name}", value=str(value))
        for name, value in by_setting.items()
    ]


def unlimited(wait: Wait, arrays: Sequence[str] = ("{array}",)) -> list[Step]:
    """`wait` for md without the kernel's limit of 200,000 KiB/s a disk, which is back before anything is measured."""
    lifts = [
        Write(
            what=f"Lift the resync limit{f' of group {number}' if len(arrays) > 1 else ''} to {_MAX_KIB_S} KiB/s",
            path=f"/sys/block/{array}/md/sync_speed_max",
            value=str(_MAX_KIB_S),
            optional=True,
            lifts=True,
        )
        for number, array in enumerate(arrays, 1)
    ]
    return [*lifts, wait, *map(put_back, lifts)]


def rebuilt_anew(setup: Setup, disks: int, *, first: bool) -> list[Step]:
    """A rebuild that starts right before a test; unless `first`, its disk fails again."""
    if not setup.rebuild_min_kib_s:
        return []
    members_taken_out = members_out(setup, disks)
    steps = [] if first else taken_out(members_taken_out)
    for index in members_taken_out:
        member = f"{{member:{index}}}"
        steps.append(
            Command(
                what=f"Add {member} as a new disk",
                role="add",
                argv=("mdadm", "--add", "{array}", member),
                members=(index,),
            )
        )
    return [*steps, Wait(what="Wait for the rebuild to begin", condition="rebuild-began")]


def rebuilt_alone(setup: Setup) -> list[Step]:
    if not setup.rebuild_min_kib_s:
        return []
    return [
        Wait(
            what=f"Watch the rebuild without load, at most {REBUILD_ALONE_S:.0f} s",
            condition="rebuild-alone",
            estimate_s=REBUILD_ALONE_S,
        )
    ]


def absent_after(absent: Collection[int], step: Step) -> set[int]:
    """Members absent on purpose after this step, given those before it."""
    match step:
        case Command(role="fail", members=members):
            return {*absent, *members}
        case Command(role="add", members=members):
            return {*absent} - {*members}
    return {*absent}
