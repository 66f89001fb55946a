"""Creates an array, or groups and the RAID 0 over them, each step with its undo. Groups are zeroed of the outer
superblock before they are stopped: else it comes to light in the next array at that place.
"""

from collections.abc import Sequence

from raidtui.core.plan.member_steps import added, blank_check, carrier, unlimited, wipe
from raidtui.core.plan.model import ArrayPlan, GroupPlan
from raidtui.core.plan.parsed_setup import ParsedSetup
from raidtui.core.plan.steps import Check, Command, Step, Wait, group_node, settle
from raidtui.core.raid.after_crash import AFTER_CRASH
from raidtui.core.raid.layers import PARTITION_NUMBER
from raidtui.core.units import MIB

_ARRAY = "{array}"


def created(array: ArrayPlan, cell: ParsedSetup, synced: Sequence[Wait]) -> list[Step]:
    """`synced`: the wait for the initial resync, if it is waited for."""
    check = built_check(array, cell)
    if not array.groups:
        return [_create(array, cell), settle(), check, *_unlimited(synced, array)]
    return [
        *(_zero_start(index, array) for group in array.groups for index in group.members),
        *(_create_group(array, cell, number) for number in range(len(array.groups))),
        settle(),
        Check(
            what="Check that all groups are of one size",
            question="groups-built",
            expected={"group_bytes": array.outer.group_bytes, "data_offset_bytes": array.capacity.data_offset_bytes},
        ),
        *(_wipe_group(number) for number in range(len(array.groups))),
        settle(),
        *_unlimited(synced, array),
        _create_outer(array),
        settle(),
        check,
    ]


def built_check(array: ArrayPlan, cell: ParsedSetup) -> Check:
    holds, expected = array.capacity, {"array_bytes": array.capacity.array_bytes}
    expected["data_offset_bytes"] = holds.outer.data_offset_bytes if holds.outer else holds.data_offset_bytes
    if cell.setup.write_mostly:
        expected["write_mostly"] = cell.setup.write_mostly
    if holds.outer:
        expected["chunk_bytes"] = holds.outer.chunk_bytes
    return Check(what="Check the array", question="array-built", expected=expected)


def _unlimited(synced: Sequence[Wait], array: ArrayPlan) -> list[Step]:
    return [step for wait in synced for step in unlimited(wait, array.parts)]


def _create(array: ArrayPlan, cell: ParsedSetup) -> Command:
    """The journal is named last: see `AfterCrash`."""
    setup = cell.setup
    members = tuple(range(cell.disks + setup.journals))
    devices = [carrier(index, partitioned=array.partitioned) for index in members]
    if setup.write_mostly:  # an option for all devices after it
        devices.insert(cell.disks - setup.write_mostly, "--write-mostly")
    number = PARTITION_NUMBER if array.partitioned else 0
    options = [*_names(array.uuid, array.name), f"--level={cell.level.key}", f"--raid-devices={cell.disks}"]
    options += _options(array, cell)
    if array.bitmap:
        devices[-1] = AFTER_CRASH[array.bitmap].disk_option + devices[-1]
    undo: list[Step] = [
        Command(what="Wipe the array's signatures", role="wipe", argv=("wipefs", "--all", _ARRAY)),
        settle(),
        Command(what="Stop the array", role="stop", argv=("mdadm", "--stop", _ARRAY), locked=True),
    ]
    taken_back = range(cell.disks + cell.beside)
    undo += _zeroed(taken_back, partitioned=array.partitioned)
    if not array.partitioned:  # else the tables are left to take away
        undo += [*map(wipe, taken_back), settle(), blank_check()]
    return Command(
        what="Create the array",
        role="create",
        argv=("mdadm", "--create", _ARRAY, *options, "--run", *devices),
        members=members,
        partition=number,
        locked=True,
        undo=tuple(undo),
    )


def _create_group(array: ArrayPlan, cell: ParsedSetup, number: int) -> Command:
    """One size of each disk in all groups: unequal ones would make zones of the RAID 0. The first is undone last."""
    group, node = array.groups[number], group_node(number)
    devices = [carrier(index, partitioned=array.partitioned) for index in group.members]
    options = [*_names(group.uuid, group.name), f"--level={cell.level.key}", f"--raid-devices={len(devices)}"]
    options += _options(array, cell)
    # Spares once all groups are stopped: md may have moved them.
    taken_back = group.members if number else (*group.members, *range(cell.disks, cell.disks + cell.setup.spares))
    undo = [
        Command(what=f"Stop group {number + 1}", role="stop", argv=("mdadm", "--stop", node), locked=True),
        *_zeroed(taken_back, partitioned=array.partitioned),
    ]
    if not array.partitioned:
        undo += map(wipe, taken_back)
    if not number and not array.partitioned:
        undo += [settle(), blank_check()]
    return Command(
        what=f"Create group {number + 1} of {len(array.groups)}",
        role="create",
        argv=("mdadm", "--create", node, *options, "--run", *devices),
        members=group.members,
        partition=PARTITION_NUMBER if array.partitioned else 0,
        locked=True,
        undo=tuple(undo),
    )


def _create_outer(array: ArrayPlan) -> Command:
    outer, nodes = array.outer, array.parts
    options = (
        *_names(array.uuid, array.name),
        "--level=0",
        f"--raid-devices={len(nodes)}",
        f"--chunk={outer.chunk_bytes // 1024}",
        f"--data-offset={outer.data_offset_bytes // 1024}",
    )
    undo: list[Step] = [
        Command(what="Wipe the array's signatures", role="wipe", argv=("wipefs", "--all", _ARRAY)),
        settle(),
        Command(what="Stop the RAID 0", role="stop", argv=("mdadm", "--stop", _ARRAY)),
        *(
            Command(
                what=f"Zero its superblock on group {number + 1}",
                role="zero",
                argv=("mdadm", "--zero-superblock", node),
            )
            for number, node in enumerate(nodes)
        ),
        settle(),
    ]
    return Command(
        what="Create the RAID 0 over the groups",
        role="create",
        argv=("mdadm", "--create", _ARRAY, *options, "--run", *nodes),
        undo=tuple(undo),
    )


def _zero_start(index: int, array: ArrayPlan) -> Command:
    """Where a group begins: udev would assemble at once what an earlier array's superblock there tells of."""
    device, zeros = f"{{member:{index}}}", ("dd", "if=/dev/zero")
    at = (f"bs={MIB}", "count=1", f"seek={array.capacity.data_offset_bytes}", "oflag=seek_bytes")
    return Command(
        what=f"Zero the first MiB of the group on {device}",
        role="wipe",
        argv=(*zeros, f"of={device}", *at, "conv=fsync", "status=none"),
        members=(index,),
        locked=True,
    )


def _wipe_group(number: int) -> Command:
    """What an earlier array left there must not be found on it."""
    return Command(
        what=f"Clear old signatures from group {number + 1}", role="wipe", argv=("wipefs", "--all", group_node(number))
    )


def _names(uuid: str, name: str) -> tuple[str, ...]:
    return f"--uuid={uuid}", f"--name={name}", "--homehost=any", "--metadata=1.2"


def _options(array: ArrayPlan, cell: ParsedSetup) -> list[str]:
    setup, options = cell.setup, []
    if array.chunk_bytes:
        options.append(f"--chunk={array.chunk_bytes // 1024}")
    if array.layout:
        options.append(f"--layout={array.layout}")
    if array.bitmap:
        options += filter(None, [AFTER_CRASH[array.bitmap].option])
    if setup.member_size or array.groups:
        options.append(f"--size={array.capacity.member_used_bytes // 1024}")
    if cell.level.has_sync and setup.first_sync == "skip":
        options.append("--assume-clean")
    return options


def _zeroed(indices: Sequence[int], *, partitioned: bool) -> list[Step]:
    number, steps = PARTITION_NUMBER if partitioned else 0, []
    for index in indices:
        device = carrier(index, partitioned=partitioned)
        steps.append(
            Command(
                what=f"Zero the superblock of {device}",
                role="zero",
                argv=("mdadm", "--zero-superblock", device),
                members=(index,),
                partition=number,
                locked=True,
            )
        )
    return list(steps)


def groups_of(cell: ParsedSetup, name: str, uuids: Sequence[str]) -> tuple[GroupPlan, ...]:
    """In the order of the disks, the spares in turn; none without `uuids`."""
    each, last = cell.group_disks, cell.disks + cell.setup.spares
    return tuple(
        GroupPlan(
            uuid=uuid,
            name=f"{name}-g{number + 1}",
            members=tuple(range(number * each, number * each + each)),
            spares=tuple(range(cell.disks + number, last, len(uuids))),
        )
        for number, uuid in enumerate(uuids)
    )


def spares_added(array: ArrayPlan, cell: ParsedSetup) -> list[Step]:
    """To the array, or each to a group."""
    spares = range(cell.disks + cell.setup.journals, cell.disks + cell.beside)
    return [
        added(index, partitioned=array.partitioned, kind="a spare", node=array.part_with(index)) for index in spares
    ]
