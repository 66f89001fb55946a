"""Care steps as shell lines for a person, for arrays that no run keeps; growing, explained.

Care of a ZFS pool as shell lines for a person; raidtui runs none of them. Pure.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from shlex import quote

import msgspec

from raidtui.core.arrays.array import Array
from raidtui.core.arrays.pools import NOT_IMPORTED, Pool
from raidtui.core.arrays.status import KeptArray
from raidtui.core.care import ensured, plans, rules
from raidtui.core.care.ensured import AsBuilt
from raidtui.core.care.plans import Replacement
from raidtui.core.care.rules import Old, Partition
from raidtui.core.disks.disk import Disk
from raidtui.core.disks.machine import sysfs_name
from raidtui.core.plan.kept.permanence import mount_point
from raidtui.core.plan.member_steps import table
from raidtui.core.plan.model import Plan
from raidtui.core.plan.steps import Command, Step, Wait, Write, resolve, settle, shell
from raidtui.core.raid import layers
from raidtui.core.raid.levels import is_further_copy

GROW_REMARKS = (
    "A reshape moves all data, takes hours to days, and cannot be undone.",
    "First make a backup and check that `raidtui status` is good; then watch `raidtui status` until it has ended.",
    "An array with a partial parity log is not reshaped: `mdadm --grow --consistency-policy=resync` removes the log.",
    "Nor is one with a journal: `mdadm --fail` and `--remove` that, then write resync to"
    " /sys/block/MD/md/consistency_policy.",
    "With a bitmap of an old kernel mdadm may ask for --bitmap=none first; what is mounted can stay so.",
    "Where it asks for --backup-file there is no room before the data: after a power cut the array is then down until"
    " `mdadm --assemble --backup-file=…` with that file.",
)
_OLD, _NEW = "/dev/OLD", "/dev/NEW"
_AFTER_CHECK = "cat /sys/block/{name}/md/mismatch_cnt  # sectors that differ"


class ByHand(msgspec.Struct, frozen=True):
    """`why` raidtui does not do it."""

    array: str
    why: str
    lines: tuple[str, ...]


def check(array: Array, steps: Sequence[Step]) -> tuple[str, ...]:
    return (*_lines(array, steps, {}), _AFTER_CHECK.format(name=sysfs_name(array.name)))


def replace(array: Array, how: Replacement) -> tuple[str, ...]:
    """The new disk is checked first, and erased if not blank."""
    nodes = {"member:0": how.new.path} | {
        f"beneath:{number}": f"/dev/{member.name}" for number, member in enumerate(how.beneath)
    }
    return (*_cleared(how.new), *_lines(array, how.steps, nodes))


def replace_any(array: Array, state: Old, partition: Partition | None = None) -> tuple[str, ...]:
    """For later use, of OLD and NEW. `partition`: made first where members are partitions."""
    part = f":{layers.PARTITION_NUMBER}" if partition else ""
    replace_steps = rules.replace(state, f"{{beneath:0{part}}}", 0.0, [], waits=True, partition=partition)
    nodes = {"member:0": _NEW, "beneath:0": _OLD}
    nodes |= {f"part:0{part}": f"{_NEW}{part[1:]}", f"beneath:0{part}": f"{_OLD}{part[1:]}"}
    return (_looked(_NEW), *_lines(array, replace_steps, nodes))


def replace_journal(array: Array, new: str) -> tuple[str, ...]:
    """For a failed journal. md does not release it while mounted."""
    return (
        _looked(new),
        f"umount {array.node}  # whatever is on it",
        f"mdadm --readonly {array.node}",
        f"mdadm {array.node} --remove failed",
        f"mdadm {array.node} --add-journal {new}",
    )


def new_device(array: Array, partition: Partition | None) -> tuple[tuple[str, ...], str]:
    """Lines that make the partition on NEW, if members are partitions; the node of what becomes a member."""
    if partition is None:
        return (), _NEW
    made = _lines(array, (table(0, partition.size_bytes), settle()), {"member:0": _NEW})
    return (_looked(_NEW), *made), f"{_NEW}{layers.PARTITION_NUMBER}"


def _cleared(new: Disk) -> Iterator[str]:
    if new.contents:
        yield f"wipefs --all {new.path}  # erases {new.found}"
    yield _looked(new.path)


def _looked(new: str) -> str:
    return f"wipefs --no-act {new}  # must print nothing, else stop"


def _lines(array: Array, steps: Iterable[Step], nodes: dict[str, str]) -> Iterator[str]:
    node_of = {"array": array.node, **nodes}

    def name_of(placeholder: str) -> str:
        return sysfs_name(array.name if placeholder == "array" else node_of[placeholder].removeprefix("/dev/"))

    for step in steps:
        match step:
            case Command(role="writable") if array.array_state != "read-auto":
                continue
            case Command(argv=argv):
                yield shell(
                    msgspec.structs.replace(step, argv=tuple(resolve(word, node_of.__getitem__) for word in argv))
                )
            case Write(path=path):
                yield shell(msgspec.structs.replace(step, path=resolve(path, name_of)))
            case Wait(condition="settled"):
                yield shell(step)
            case Wait():
                yield f"mdadm --wait {array.node}"


def explained(array: Array, new: Sequence[Disk]) -> tuple[str, ...]:
    """With what must be known first."""
    cleared = (line for disk in new for line in _cleared(disk))
    return (*(f"# {remark}" for remark in GROW_REMARKS), *cleared, *grow(array, [disk.path for disk in new]))


def grow(array: Array, new: Sequence[str]) -> tuple[str, ...]:
    """`new`: nodes."""
    node, count = array.node, (array.slots or 0) + len(new)
    above_it = () if new and is_further_copy(array.level) else tuple(plans.lines(array))
    lines = []
    if new and array.level in ("4", "5", "6", "10", "1"):
        lines += [f"mdadm --add {node} {' '.join(new)}"]
        lines += [f"mdadm --grow {node} --raid-devices={count}", f"mdadm --wait {node}"]
    elif not new:
        lines += [f"mdadm --grow {node} --size=max", f"mdadm --wait {node}"]
    return (*lines, *above_it) if lines else ()


def not_own(
    plan: Plan, array: Array | None, kept: KeptArray | None, strange: Mapping[str, str], groups: Sequence[AsBuilt] = ()
) -> Iterator[str]:
    """In words, for a filled `plan`. `strange`: folder of a mount -> names in it that are not the run's, in words."""
    assert plan.kept_stage is not None
    built = msgspec.structs.replace(plan, stages=plan.stages[: plan.kept_stage + 1])  # its boot lines go first
    filesystem = built.stages[-1].filesystem
    if filesystem is None:
        yield "it has no file system, so data on it cannot be detected"
    if array is None or kept is None:
        yield "it does not run"
        return
    if kept.grown_by:
        yield f"run {kept.grown_by} has grown it"
    whole = AsBuilt(array, kept.disks)
    yield from ensured.lacking(built, whole, groups)
    own = {member.id for member in plan.members}
    for member in (member for part in groups or (whole,) if part.array for member in part.array.members):
        if member.device and (member.disk is None or member.disk.id not in own):
            yield f"its member {member.disk.title if member.disk else f'/dev/{member.device}'} is not the run's"
    for volume in array.upon:
        if not filesystem or volume.uuid != filesystem.uuid:
            yield f"/dev/{volume.device} has {volume.kind}, which is not the run's"
            continue
        for folder in volume.mounted_at:
            if folder != mount_point(plan):
                yield f"it is mounted at {folder}"
            if folder in strange:
                yield strange[folder]


_WHY = "{name} is a ZFS pool: raidtui only prints the commands"
_GROWN_BY = (
    "# Adds a disk to a stripe, a mirror (mirror NEW NEW), or a raidz like the first (raidz1 NEW NEW …). Cannot be",
    "# undone. One more disk in a raidz needs OpenZFS 2.3: zpool attach {name} raidz1-0 NEW",
    "zpool add -n {name} {kind}{new}  # dry run; without -n it is done",
)
_GROWN_IN_PLACE = (
    "# Larger disks: `zpool replace` each in turn, and wait for its rebuild; after the last one:",
    "{online}",
)


def scrub(pool: Pool) -> ByHand:
    name = quote(pool.name)
    return _by_hand(pool, (f"zpool scrub {name}", f"zpool status {name}  # how far it is, what it found"))


def replace_pool(pool: Pool, old: str, new: str) -> ByHand:
    """`old`: serial number, identity or node; `new`: node or link."""
    link = new if new.startswith("/") else f"/dev/disk/by-id/{new}"
    return _by_hand(pool, replace_lines(pool.name, device_of(pool, old), link))


def replace_lines(name: str, old: str, new: str) -> tuple[str, ...]:
    name, old, new = map(quote, (name, old, new))
    return (
        f"wipefs --no-act {new}  # must print nothing; a link below /dev/disk/by-id outlives a boot",
        f"zpool replace {name} {old} {new}",
        f"zpool status {name}  # until it is resilvered; the old disk is let go then",
    )


def grow_pool(pool: Pool, new: Sequence[str]) -> ByHand:
    return _by_hand(pool, grow_lines(pool.name, new, [device.device for device in pool.devices]))


def grow_lines(name: str, new: Sequence[str], devices: Sequence[str], kind: str = "") -> tuple[str, ...]:
    """`kind`: "mirror " or "raidz1 ", or ""."""
    name = quote(name)
    online = "\n".join(f"zpool online -e {name} {quote(device)}" for device in devices)
    fields = {"name": name, "new": " ".join(map(quote, new)), "online": online, "kind": kind}
    return tuple(line.format(**fields) for line in (_GROWN_BY if new else _GROWN_IN_PLACE))


def device_of(pool: Pool, old: str) -> str:
    names = (
        (device.device, {device.disk.serial, device.disk.id, device.disk.name} if device.disk else set())
        for device in pool.devices
    )
    return next((device for device, of_disk in names if old in of_disk), old)


def _by_hand(pool: Pool, lines: tuple[str, ...]) -> ByHand:
    """Only the import if not imported: another pool may have the name."""
    if pool.health == NOT_IMPORTED:
        lines = (f"zpool import -N {pool.guid}  # it is not imported: nothing else can be done for it before",)
    return ByHand(pool.name, _WHY.format(name=pool.name), lines)
