"""Members failed on purpose in a scratch array: the last ones, removed, re-added as new, rebuilt. A removed member is
blanked at once under the same lock, so that nobody re-adds it and an interrupted teardown works.
"""

from collections.abc import Collection

from raidtui.core.plan.answers import PlanRefused, Setup
from raidtui.core.plan.member_steps import carrier
from raidtui.core.plan.parsed_setup import ParsedSetup
from raidtui.core.plan.roles import CommandRole
from raidtui.core.plan.steps import Command, Step, Wait, Write, put_back
from raidtui.core.raid import partitioning

REBUILD_ALONE_S = 20.0  # that a rebuild is watched without a user beside it
_MAX_KIB_S = 10_000_000  # beyond what a disk does: the kernel's own limit of 200 MB/s is not what is measured
_MAX_PATH = "/sys/block/{array}/md/sync_speed_max"


def check(cell: ParsedSetup, after: str) -> None:
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


def taken_out(indices: tuple[int, ...], *, partitioned: bool = False) -> list[Step]:
    steps: list[Step] = []
    number = partitioning.NUMBER if partitioned else 0
    for index in indices:
        member = carrier(index, partitioned=partitioned)
        commands: tuple[tuple[str, CommandRole, tuple[str, ...]], ...] = (
            (f"Fail {member}", "fail", ("mdadm", "--fail", "{array}", member)),
            (f"Remove {member} from the array", "take-out", ("mdadm", "--remove", "{array}", member)),
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


def unlimited(wait: Wait) -> list[Step]:
    """`wait` for md without the kernel's limit of 200,000 KiB/s a disk, which is back before anything is measured."""
    lift = Write(
        what=f"Lift the resync limit to {_MAX_KIB_S} KiB/s",
        path=_MAX_PATH,
        value=str(_MAX_KIB_S),
        optional=True,
        lifts=True,
    )
    return [lift, wait, put_back(lift)]


def rebuilt_anew(setup: Setup, disks: int, *, first: bool) -> list[Step]:
    """A rebuild that starts right before a test; unless `first`, its disk fails again."""
    if not setup.rebuild_min_kib_s:
        return []
    members_taken_out = members_out(setup, disks)
    steps = [] if first else taken_out(members_taken_out)
    for index in members_taken_out:
        member = f"{{member:{index}}}"
        add = ("mdadm", "--add", "{array}", member)
        steps.append(Command(what=f"Add {member} as a new disk", role="add", argv=add, members=(index,)))
    return [*steps, Wait(what="Wait for the rebuild to begin", condition="rebuild-began")]


def rebuilt_alone(setup: Setup) -> list[Step]:
    if not setup.rebuild_min_kib_s:
        return []
    title = f"Watch the rebuild without load, at most {REBUILD_ALONE_S:.0f} s"
    return [Wait(what=title, condition="rebuild-alone", estimate_s=REBUILD_ALONE_S)]


def absent_after(absent: Collection[int], step: Step) -> set[int]:
    """Members absent on purpose after this step, given those before it."""
    match step:
        case Command(role="fail", members=members):
            return {*absent, *members}
        case Command(role="add", members=members):
            return {*absent} - {*members}
    return {*absent}
