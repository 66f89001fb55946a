"""Cells: product of a recipe's axes, without impossible ones, least rebuilding first. Built in `stages`."""

from collections.abc import Collection, Iterator, Sequence
from itertools import product
from typing import TypeVar

import msgspec

from raidtui.core.plan import member_steps
from raidtui.core.plan.answers import Answers, Axes, PlanRefused, Setup, check_counts, given_fields
from raidtui.core.plan.fields import FIELDS, default
from raidtui.core.plan.parsed_setup import ParsedSetup, lacks_parity, on_partitions, parse, title, unit_bytes
from raidtui.core.plan.recipe import Recipe
from raidtui.core.raid import filesystems, zfs
from raidtui.core.raid.after_crash import AFTER_CRASH, of_level
from raidtui.core.raid.layers import LAYERS, align_bytes, inside_bytes, partition_bytes
from raidtui.core.raid.levels import level, why_no_groups
from raidtui.core.units import both

MD_LINEAR = "md-linear"  # among the programs: the module of that level, which Linux 6.8 to 6.13 does not have
_MOST_CELLS = 500
_LOGICAL_SECTOR_BYTES = 512
_LEAST_JOURNAL_BYTES = 16 << 20  # a stripe cache of 256 pages a disk, of 16 disks
_MAX_UNIT_BYTES = 1 << 29  # of ext4's bigalloc: 2^(block size's 12 + 17)
Taken = TypeVar("Taken")


class Sweep(msgspec.Struct, frozen=True):
    """`cells` in build order; `pruned`: a sentence for each impossible one."""

    cells: tuple[ParsedSetup, ...]
    pruned: tuple[str, ...] = ()


def sweep(answers: Answers, recipe: Recipe, sizes: Sequence[int], mdadm: str, programs: Collection[str]) -> Sweep:
    """`sizes`: bytes; `programs`: installed, and `MD_LINEAR`. PlanRefused if the only or every cell fails."""
    cells = {}
    pruned: dict[str, None] = {}
    combinations = list(_combinations(answers, recipe))
    if len(combinations) > _MOST_CELLS:
        raise PlanRefused(f"{len(combinations)} combinations are more than {_MOST_CELLS}; give fewer values", "axes")
    last = PlanRefused("")
    fields_given = given_fields(answers.setup)
    waits = answers.after == "keep" or recipe.question == "proof"
    for combination in combinations:
        setup = _with_sync(_collapsed(combination, kept=fields_given), waits=waits)
        setup = _with_disks(setup, len(sizes))
        try:
            cell = judged(setup, answers.after, sizes, mdadm, programs)
        except PlanRefused as refused:
            last = refused
            pruned[f"{title(setup, len(sizes))}: {refused.sentence}"] = None
            continue
        if (built := _collapsed(setup)) not in cells:
            cells[built] = cell if built == setup else parse(built, taken(built, sizes), mdadm)
    if not cells:
        raise last if len(combinations) == 1 else PlanRefused(f"no cell can be built; the last one: {last}", "axes")
    first_of = {array_of(setup): number for number, setup in reversed(list(enumerate(cells)))}
    ordered = sorted(cells, key=lambda setup: first_of[array_of(setup)])
    return Sweep(tuple(cells[setup] for setup in ordered), tuple(pruned))


def array_of(setup: Setup) -> tuple[str, ...]:
    """Cells with the same key can share one array."""
    return tuple(str(getattr(setup, name)) for name, row in FIELDS.items() if row.array)


def by_filesystem(answers: Answers, recipe: Recipe, cells: Sequence[ParsedSetup]) -> bool:
    """Whether an axis names file systems, or a setup has no other place for tests than its files."""
    if any(cell.is_mounted and not cell.level.md_name for cell in cells):
        return True
    axes = answers.axes if isinstance(answers.axes, tuple) and answers.axes else recipe.sweeps
    own_axes = answers.axes if isinstance(answers.axes, Axes) else Axes()
    return any(row.filesystem for row in (own_axes, *axes))


def _combinations(answers: Answers, recipe: Recipe) -> Iterator[Setup]:
    """Answers' setup first, else an axis' values, else defaults."""
    own_axes = answers.axes if isinstance(answers.axes, Axes) else Axes()
    blocks = answers.axes if isinstance(answers.axes, tuple) and answers.axes else recipe.sweeps or (Axes(),)
    fields_given = given_fields(answers.setup)
    for block in blocks:
        values = []
        for field in Axes.__struct_fields__:
            axis = getattr(own_axes, field) or getattr(block, field)
            fixed = not getattr(own_axes, field) and field in fields_given
            values.append((getattr(answers.setup, field),) if fixed else axis or (getattr(answers.setup, field),))
        for combination in product(*values):
            fields = dict(zip(Axes.__struct_fields__, combination, strict=True))
            yield msgspec.structs.replace(answers.setup, **fields)


def _collapsed(setup: Setup, kept: frozenset[str] = frozenset()) -> Setup:
    """Without fields that its level lacks, except `kept`: RAID 1 is one cell, not one per chunk."""
    try:
        row = level(setup.level)
    except ValueError:
        return setup
    absent = {name: default(name) for name, field in FIELDS.items() if name not in kept and not field.applies(row)}
    return msgspec.structs.replace(setup, **absent)


def _with_sync(setup: Setup, *, waits: bool) -> Setup:
    """With the initial resync decided: skipped for an array that is neither kept nor proved."""
    try:
        has_sync = level(setup.level).has_sync
    except ValueError:
        return setup
    if setup.first_sync or not has_sync:
        return setup
    return msgspec.structs.replace(setup, first_sync="wait" if waits else "skip")


def _with_disks(setup: Setup, chosen: int) -> Setup:
    """With the number of disks where not all are used, as with spares."""
    if (beside := setup.journals + max(0, setup.spares)) and not setup.disks:
        return msgspec.structs.replace(setup, disks=max(0, chosen - beside))
    return msgspec.structs.replace(setup, disks=0) if setup.disks == chosen else setup


def taken(setup: Setup, chosen: Sequence[Taken]) -> Sequence[Taken]:
    """Items of the disks that the setup uses, of those of all selected."""
    return chosen[: setup.disks] if setup.disks else chosen


class _Case(msgspec.Struct, frozen=True):
    cell: ParsedSetup
    after: str
    sizes: Sequence[int]
    journal_sizes: Sequence[int]
    spare_sizes: Sequence[int]
    programs: Collection[str]

    def carried_bytes(self, disk_bytes: int) -> int:
        """Bytes of a disk that the array can use."""
        return partition_bytes(disk_bytes) if on_partitions(self.cell.setup) else disk_bytes


def judged(setup: Setup, after: str, sizes: Sequence[int], mdadm: str, programs: Collection[str]) -> ParsedSetup:
    """PlanRefused, with the field at fault, if it cannot be built."""
    check_counts(setup)
    if setup.disks > len(sizes):
        counts = f"{setup.disks} disks are asked for, {len(sizes)} are chosen"
        raise _refused("disks", f"{counts}; choose more, or ask for fewer")
    sizes, others = taken(setup, sizes), sizes[len(taken(setup, sizes)) :]
    journal_sizes, others = others[: setup.journals], others[setup.journals :]
    if len(journal_sizes) < setup.journals:
        lacking = "a journal takes a disk of its own, and no chosen one is left for it"
        raise _refused("bitmap", f"{lacking}; choose one more")
    if setup.spares > len(others):
        counts = f"{setup.spares} spares are asked for, and {len(others)} of the chosen disks are left"
        raise _refused("spares", f"{counts}; choose more, or ask for fewer")
    if not setup.level:
        raise PlanRefused("`level` is missing; give one: 0 1 4 5 6 10 linear jbod", "setup")
    if setup.level == "existing":
        what = "what exists is not built; give its path as `target` instead of `disks`"
        raise _refused("level", what)
    try:
        if reason := why_no_groups(level(setup.level), setup.groups, len(sizes)):
            raise _refused("groups", reason)
        filesystems.filesystem(setup.filesystem)
        cell = parse(setup, sizes, mdadm)
    except PlanRefused:
        raise
    except ValueError as error:
        raise PlanRefused(str(error), "setup") from error
    case = _Case(cell, after, sizes, journal_sizes, others[: setup.spares], programs)
    for check in _CHECKS:
        check(case)
    member_steps.check_failures(cell, after)
    return cell


def _refused(field: str, sentence: str) -> PlanRefused:
    return PlanRefused(sentence, f"setup.{field}")


def _level(case: _Case) -> None:
    setup, row, kind = case.cell.setup, case.cell.level, case.cell.level.filesystem
    if row.md_name == "linear" and case.programs and MD_LINEAR not in case.programs:
        raise _refused("level", "this machine's kernel has no md linear; take RAID 0, or separate disks (jbod)")
    if not row.pool:
        return
    if setup.filesystem not in ("none", kind):
        raise _refused("filesystem", f"{row.name} is a file system of its own; leave it out")
    if kind == zfs.KIND:
        if reason := _why_no_zpool(case):
            raise _refused("level", reason)
    elif case.programs and (maker := filesystems.filesystem(kind).program) not in case.programs:
        raise _refused("level", f"{maker} is not installed here; `raidtui doctor` names its package")


def _why_no_zpool(case: _Case) -> str:
    """ "" if possible. ZFS is not forced, so its own limits apply."""
    row, sizes = case.cell.level, case.sizes
    if missing := [name for name in zfs.PROGRAMS if name not in case.programs]:
        if "zpool" in missing:
            return "OpenZFS is not installed here; leave ZFS out, or install it (Debian: zfsutils-linux and zfs-dkms)"
        return f"{missing[0]} is not installed here; leave ZFS out, or install it"
    if zfs.MODULE not in case.programs:
        return "the kernel's module of ZFS is not loaded here; leave ZFS out, or load it: modprobe zfs"
    if len(sizes) % row.pool_copies:
        return f"{row.name} are of pairs, and {len(sizes)} disks are chosen; choose one more, or one less"
    alike = case.cell.vdev_disks
    vdevs = [sizes[start : start + alike] for start in range(0, len(sizes), alike)]
    if any(max(vdev) - min(vdev) > zfs.FUZZ_BYTES for vdev in vdevs):
        return f"{row.name} are not built of disks of unequal sizes; choose disks of one size, or the stripe"
    return ""


def _kept_setup(case: _Case) -> None:
    setup, row = case.cell.setup, case.cell.level
    if case.after == "keep" and lacks_parity(setup):
        raise _refused("first_sync", 'an array that is kept needs valid parity; choose first_sync = "wait"')
    if case.after == "keep" and row.pool and row.filesystem != zfs.KIND:
        raise PlanRefused(
            'pools of btrfs are not kept, only those of ZFS and md arrays are; choose after = "teardown"', "after"
        )
    if case.after == "keep" and row.md_name is None and not row.pool:
        raise PlanRefused('separate disks are not kept, there is no array to keep; choose after = "teardown"', "after")
    given = given_fields(setup)
    if name := next((name for name, field in FIELDS.items() if name in given and field.refused(row)), ""):
        raise _refused(name, f"only an md array has one; leave it out for {row.name}")


def _members(case: _Case) -> None:
    if not on_partitions(case.cell.setup):
        return
    if case.after != "keep":
        raise _refused("members", 'partitions are for an array that stays; add after = "keep", or leave it out')
    if case.programs and "sfdisk" not in case.programs:
        raise _refused("members", "sfdisk is not installed here (Debian: fdisk); install it")


def _spares(case: _Case) -> None:
    """A spare must be large enough for md to rebuild onto it, years later too."""
    setup, row, holds = case.cell.setup, case.cell.level, case.cell.capacity
    if not setup.spares:
        return
    if case.after != "keep":
        raise _refused("spares", 'a spare is for an array that stays; add after = "keep", or leave it out')
    if row.md_name is None or not holds.survives:
        raise _refused("spares", f"{row.name} survives no failure, so a spare is useless; leave them out")
    least_bytes = holds.data_offset_bytes + holds.member_used_bytes
    if (smallest := min(map(case.carried_bytes, case.spare_sizes))) < least_bytes:
        needs = f"one has {both(smallest)}, and the array needs {both(least_bytes)} of each"
        raise _refused("spares", f"{needs}; choose a larger one")


def _write_mostly(case: _Case) -> None:
    setup, disks = case.cell.setup, case.cell.disks
    if not setup.write_mostly:
        return
    if case.cell.level.key != "1":
        raise _refused("write_mostly", f"only RAID 1 has write-mostly disks; leave it out for {case.cell.level.name}")
    if setup.write_mostly >= disks:
        raise _refused("write_mostly", f"of {disks} disks at least 1 must be read; give 1 to {disks - 1}")
    if setup.failed:
        raise _refused(
            "write_mostly", "`failed` takes the last disks out, the write-mostly ones; leave one of them out"
        )


# Of which no one has seen that it works over groups.
_NOT_OF_GROUPS = {
    "bitmap": "groups have no write journal; choose bitmap, ppl or none",
    "members": "groups are of whole disks; leave members out",
    "failed": "no disk of a group is taken out for tests; leave it out, or measure one group as an array",
}


def _groups(case: _Case) -> None:
    setup = case.cell.setup
    if setup.groups == 1 and setup.groups_by:
        raise _refused("groups_by", "an array without groups has all disks in one; give groups, or leave it out")
    if setup.groups == 1:
        return
    given = given_fields(setup) - ({"bitmap"} if not setup.journals else set())
    if name := next((name for name in _NOT_OF_GROUPS if name in given), ""):
        raise _refused(name, _NOT_OF_GROUPS[name])


def _between(case: _Case) -> None:
    setup = case.cell.setup
    if setup.snapshot_room and setup.between != "lvm":
        raise _refused("snapshot_room", 'room for snapshots is of an LVM group; add between = "lvm", or leave it out')
    if not setup.between:
        return
    row = LAYERS[setup.between]
    if case.after != "keep":
        raise _refused("between", f'{row.title} is for an array that stays; add after = "keep", or leave it out')
    if setup.filesystem == "none":
        where = "between the array and a file system; choose setup.filesystem, or leave it out"
        raise _refused("between", f"{row.title} is put {where}")
    if case.programs and row.program not in case.programs:
        raise _refused("between", f"{row.title} is not installed here (Debian: {row.package}); install it")


def _partition(case: _Case) -> None:
    setup = case.cell.setup
    start = setup.partition_start_sectors
    if start < 0 or start * _LOGICAL_SECTOR_BYTES >= case.cell.capacity.array_bytes:
        raise _refused("partition_start_sectors", f"a partition cannot start at {start} on this array; 2048 is usual")
    if start and case.programs and "sfdisk" not in case.programs:
        raise _refused("partition_start_sectors", "sfdisk is not installed here (Debian: fdisk); install it")
    if start and case.after == "keep":
        raise _refused("partition_start_sectors", "an array with a partition is not kept; leave the partition out")


def _after_crash(case: _Case) -> None:
    kept = AFTER_CRASH[case.cell.setup.bitmap]
    if case.cell.setup.bitmap not in of_level(case.cell.level.key):
        alone = f"a {kept.words} is for {kept.only_of} alone"
        raise _refused("bitmap", f"{alone}, and this is {case.cell.level.name}; leave it out")
    if not kept.disks:
        return
    if case.after != "keep":
        raise _refused("bitmap", 'a journal is for an array that stays; add after = "keep", or leave it out')
    least_bytes = case.cell.capacity.data_offset_bytes + _LEAST_JOURNAL_BYTES
    if (smallest := min(map(case.carried_bytes, case.journal_sizes))) < least_bytes:
        needs = f"the journal has {both(smallest)}, and needs {both(least_bytes)}"
        raise _refused("bitmap", f"{needs}; choose a larger one")


def _unit(case: _Case) -> None:
    setup, most_bytes, most = case.cell.setup, _MAX_UNIT_BYTES, "512 MiB"
    if not setup.allocation_unit:
        return
    if case.cell.level.filesystem == zfs.KIND:
        most_bytes, most = zfs.MOST_RECORD_BYTES, "1 MiB"
    elif not filesystems.filesystem(setup.filesystem).unit_options:
        having = " and ".join(row.key for row in filesystems.FILE_SYSTEMS if row.unit_options)
        raise _refused("allocation_unit", f"{having} alone has one, as a cluster; {setup.filesystem} has not")
    try:
        unit = unit_bytes(setup)
    except ValueError as error:
        raise _refused("allocation_unit", str(error)) from error
    if not filesystems.BLOCK_BYTES <= unit <= most_bytes or unit & (unit - 1):
        raise _refused("allocation_unit", f"{setup.allocation_unit} is no power of two from 4 KiB to {most}")


def _room(case: _Case) -> None:
    setup, row = case.cell.setup, case.cell.level
    if setup.filesystem == "none":
        return
    room = min(case.sizes) if row.key == "jbod" else case.cell.capacity.array_bytes
    if setup.between:
        try:
            room = inside_bytes(setup.between, room, align_bytes(case.cell.geometry), setup.snapshot_room)
        except ValueError as error:
            raise _refused("snapshot_room", str(error)) from error
    can, reason = filesystems.possible(setup.filesystem, room, case.cell.geometry)
    if not can:
        raise _refused("filesystem", reason)


# In this order: the first that refuses is the reason.
_CHECKS = (
    *(_level, _groups, _after_crash, _kept_setup, _members, _spares, _write_mostly, _between, _partition, _unit),
    _room,
)
