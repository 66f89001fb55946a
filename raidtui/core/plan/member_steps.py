"""Steps on members, and on a whole array: checks, the disks' own tests, partition tables, wiping, assembly."""

from collections.abc import Collection, Iterable, Sequence

import msgspec

from raidtui.core.plan.answers import Answers, PlanRefused, SelfTest
from raidtui.core.plan.estimate import DiskSpeed
from raidtui.core.plan.model import Member, Stage
from raidtui.core.plan.recipe import Recipe
from raidtui.core.plan.steps import SELF_TESTS, SMARTCTL, Check, Command, Step, Wait, Write, nvme_cache, settle
from raidtui.core.raid import partitioning

_SHORT_TEST_S = 120.0  # as long as ACS-4 and SPC-5 allow a short self-test
_LONG_TEST_SHARE = 0.8  # of a disk's speed: a long one reads all of it, and its end is slower


def tables(members: Sequence[Member], uuids: Sequence[str], kind: str = partitioning.LINUX_RAID) -> list[Step]:
    """One partition on each member, journal and spare; none where members are whole disks."""
    if not uuids:
        return []
    sizes = [partitioning.partition_bytes(member.size_bytes) for member in members]
    first, *others = (table(index, sizes[index], uuid, kind) for index, uuid in enumerate(uuids))
    undo = (*first.undo, settle(), blank_check())  # the first one is the last to be undone
    return [msgspec.structs.replace(first, undo=undo), *others, settle(), partitions_check(sizes)]


def table(index: int, size_bytes: int, uuid: str = "", kind: str = partitioning.LINUX_RAID) -> Command:
    """Partition table with one partition over the whole member."""
    device, members = f"{{member:{index}}}", (index,)
    reread = ("blockdev", "--rereadpt", device)
    return Command(
        what=f"Create a partition for the {'array' if kind == partitioning.LINUX_RAID else 'pool'} on {device}",
        role="partition",
        argv=("sfdisk", "--quiet", "--label=gpt", "--wipe=always", "--wipe-partitions=always", device),
        stdin=partitioning.table_lines(size_bytes, uuid, kind),
        members=members,
        locked=True,
        undo=(
            wipe(index),
            Command(
                what=f"Release the partition of {device}", role="reread", argv=reread, members=members, locked=True
            ),
        ),
    )


def partitions_check(sizes: Sequence[int]) -> Check:
    """Checks all members' partitions before anything is written to one."""
    expected = {f"member {index}": size for index, size in enumerate(sizes)}
    return Check(what="Check that each partition is the run's own", question="partitions-own", expected=expected)


def carrier(index: int, *, partitioned: bool) -> str:
    """Device of a member that an array or a pool uses."""
    return f"{{part:{index}:{partitioning.NUMBER}}}" if partitioned else f"{{member:{index}}}"


def added(index: int, *, partitioned: bool, kind: str = "", write_mostly: bool = False) -> Command:
    device, number = carrier(index, partitioned=partitioned), partitioning.NUMBER if partitioned else 0
    argv = ("mdadm", "--add", "{array}", *(["--write-mostly"] if write_mostly else []), device)
    what = f"Add {device} as {kind}" if kind else f"Add {device}"
    return Command(what=what, role="add", argv=argv, members=(index,), partition=number)


def assembled(uuid: str, indices: Sequence[int], what: str, *, partitioned: bool) -> Command:
    """The array of this UUID, from these members."""
    named = (carrier(index, partitioned=partitioned) for index in indices)
    return Command(
        what=what,
        role="assemble",
        argv=("mdadm", "--assemble", f"--uuid={uuid}", "{array}", *named),
        members=tuple(indices),
        partition=partitioning.NUMBER if partitioned else 0,
    )


def writable() -> Command:
    return Command(what="Make it writable", role="writable", argv=("mdadm", "--readwrite", "{array}"))


def copies_check(what: str, estimate_s: float) -> tuple[Step, ...]:
    """md's check of all copies and parity, to its end. An earlier paused check would continue."""
    idle = Command(what="End the check", role="idle", argv=("mdadm", "--action=idle", "{array}"))
    return (
        Write(
            what="Begin at the members' first sector", path="/sys/block/{array}/md/sync_min", value="0", restore=False
        ),
        Command(what=what, role="check", argv=("mdadm", "--action=check", "{array}"), undo=(idle,)),
        Wait(what="Wait for the end of the check", condition="check-ended", estimate_s=estimate_s),
    )


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
