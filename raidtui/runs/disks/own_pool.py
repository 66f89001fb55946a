"""A stage's ZFS pool, known by the GUID read after creation and by its members; before that by its unique name and its
members' tables. Nothing else is mounted, destroyed or cleared.
"""

import time
from collections.abc import Collection, Iterator, Sequence
from shlex import quote

import msgspec

from raidtui.core.plan.steps import Check, Command
from raidtui.core.raid import zfs
from raidtui.core.run import events
from raidtui.core.run.kept import pool_made
from raidtui.runs.context import StageContext
from raidtui.runs.waiting import Refused, StepFailed

_QUERY_S = 60.0
_NO_LABEL = 2  # zdb's exit status


def check_made(context: StageContext, _: Check) -> None:
    """Journals the GUID; StepFailed if missing, or not on the run's members."""
    name = _own(context)
    if name is None:
        raise StepFailed("the run's pool did not come up; see `zpool status`")
    made = events.PoolMade(at_s=time.time(), pool=name, guid=_imported(context)[name])
    context.journal.add(made)  # before anything else is asked: from here on the pool is known by it
    used, available = zfs.space(_ask(context, (*zfs.SPACE, name)))
    properties = zfs.settings(_ask(context, (*zfs.SETTINGS, name)))
    properties |= zfs.settings(_ask(context, (*zfs.POOL_SETTINGS, name)))
    context.journal.add(
        msgspec.structs.replace(
            made, at_s=time.time(), used_bytes=used, available_bytes=available, properties=properties
        )
    )


def look(context: StageContext, step: Command) -> None:
    """Before creation no pool has its name; mounts, exports, properties and imports concern only the run's own."""
    if step.role == "create-pool" and _name(context) in _imported(context):
        raise Refused(f"there is a pool {_name(context)} already, which is not this run's: it is left alone")
    _need_imported(context, step)
    if step.role == "export-pool":
        _need_unmounted(context, _name(context))
    if step.role == "import-pool":
        _need_own_labels(context)


def last_look(context: StageContext, step: Command) -> None:
    """Before commands by pool name (all but import): the journal may have waited for its disk."""
    if step.role == "destroy-pool" and is_destroyed(context):
        raise StepFailed(_NOT_IMPORTED)
    _need_imported(context, step)


def _need_imported(context: StageContext, step: Command) -> None:
    if step.role in _OF_IMPORTED and _name(context) and _own(context) is None:
        raise StepFailed(_NOT_IMPORTED)


_OF_IMPORTED = ("mount", "export-pool", "place-pool", "forget-pool")
_NOT_IMPORTED = "the run's pool is not imported any more"


def _need_own_labels(context: StageContext) -> None:
    """Each member has the run's table, and only this pool's labels."""
    guid = pool_made(context.plan, context.journal.state, context.number).guid
    for member in context.plan.members[: len(context.members.tables)]:
        disk = context.members.disk(member)
        title = context.members.title(disk.name)
        if reason := context.members.why_no_own_table(member, disk):
            raise Refused(f"{title} has not the run's table, but {reason}; the pool is left alone")
        labels = zfs.labels(_ask(context, zfs.labels_argv(f"/dev/{context.members.carrier(disk)}"), ok=(0, _NO_LABEL)))
        if {label.guid for label in labels} != {guid}:
            others = ", ".join(sorted(f"{label.pool} ({label.guid})" for label in labels)) or "none"
            raise Refused(f"{title} should carry the labels of the run's pool, {guid}, and has {others}")


def is_imported(context: StageContext) -> bool:
    """Under its name and GUID. Refused if another is, or on other disks."""
    return _own(context) is not None


def need_free(context: StageContext, kept: bool) -> None:
    """Refused if the (`kept`) pool is mounted, or absent and uncheckable. A destroyed one passes."""
    if not kept:
        return
    name = _own(context)
    if name is None:
        if guid := next((label.guid for label in _labels_here(context) if _is_own(context, label)), None):
            raise Refused(
                "the pool that was kept is not imported, so that it cannot be looked at; import it by its GUID first:"
                f" zpool import -N {guid}"
            )
    else:
        _need_unmounted(context, name)


def may_hold_data(context: StageContext) -> bool:
    """Creation began, and labels of a pool not destroyed are on members."""
    return _was_begun(context) and any(_is_own(context, label) for label in _labels_here(context))


def _is_own(context: StageContext, label: zfs.Label) -> bool:
    made = _made(context)
    return not label.is_destroyed and (label.guid == made.guid if made else label.pool == _name(context))


def _need_unmounted(context: StageContext, name: str) -> None:
    """Pool and datasets: export and destroy would unmount silently."""
    mounted = (line.split(" ", 1) for line in _ask(context, zfs.MOUNTED, ok=(0, 1)).splitlines())
    if folders := [folder for source, folder in mounted if source.partition("/")[0] == name]:
        raise Refused(f"the pool {name} is in use: it is mounted at {', '.join(folders)}; unmount it first")


def _labels_here(context: StageContext) -> Iterator[zfs.Label]:
    for disk in context.members.look(all_needed=False).values():
        if partition := context.members.carrier(disk):
            yield from zfs.labels(_ask(context, zfs.labels_argv(f"/dev/{partition}"), ok=(0, _NO_LABEL)))


def check_start(context: StageContext, _: Check) -> None:
    """Boot imports pools, from a cache file, for existing ones too."""
    if units := context.host.pool_units_off():
        raise StepFailed(f"boot imports no pools here: systemctl enable {' '.join(units)}")
    if reason := context.host.why_pools_by_scan(_name(context)):
        raise Refused(reason)


def check_came_back(context: StageContext, _: Check) -> None:
    if (name := _own(context)) is None:
        raise StepFailed("ZFS did not import the pool by its GUID; see `zpool import`")
    if (health := _ask(context, (*zfs.HEALTH, name)).strip()) != zfs.ONLINE:
        raise StepFailed(f"the pool {name} came back {health}; see `zpool status {name}`")


def check_at_boot(context: StageContext, _: Check) -> None:
    if not _is_cached(context):
        raise StepFailed(f"the pool is not in {zfs.CACHE_FILE}, by which boot imports pools")


def check_forgotten(context: StageContext, _: Check) -> None:
    if _is_cached(context):
        raise StepFailed(
            f"the pool is in {zfs.CACHE_FILE} yet, by which boot imports pools: bring its disks back, then undo again;"
            " where they are lost, ZFS writes that file anew as another pool is imported or exported, and without any"
            " other it may be removed"
        )


def _is_cached(context: StageContext) -> bool:
    guid = pool_made(context.plan, context.journal.state, context.number).guid
    printed = _ask(context, zfs.CACHED, ok=range(256))  # without that file it fails
    return any(label.guid == guid for label in zfs.labels(printed))


def is_placed(context: StageContext, folder: str) -> bool:
    """By its own property, as set by the run; later changes stay."""
    if (name := _own(context)) is None:
        return False
    place = _ask(context, (*zfs.PLACED, name)).removesuffix("\n")
    if place not in (folder, zfs.NOWHERE):
        context.waiter.warn(f"the mountpoint of {name} is {place} by now, and stays so: the run had set {folder}")
    return place == folder


def stays_placed(context: StageContext, folder: str) -> bool:
    """Nothing to revert. Refused if datasets of others inherit it."""
    if not is_placed(context, folder):
        return True
    name = _name(context)
    sources = zfs.settings(_ask(context, (*zfs.PLACE_SOURCES, name)))
    if heirs := sorted(other for other, source in sources.items() if source == f"inherited from {name}"):
        raise Refused(
            f"{', '.join(heirs)} would not be mounted any more, by the mountpoint of {name}; set one of its own first:"
            f" zfs set mountpoint={quote(f'{folder}{heirs[0].removeprefix(name)}')} {heirs[0]}"
        )
    return False


def is_destroyed(context: StageContext) -> bool:
    """Nothing to destroy. Refused if it contains foreign datasets."""
    if not _was_begun(context):
        return True  # whoever made one of its name since: it is not the run's
    name = _own(context)
    if name is None:
        return True
    if others := sorted({*_ask(context, (*zfs.DATASETS, name)).splitlines()} - {name}):
        raise Refused(f"the pool {name} holds {', '.join(others)}, which this run did not make; it is left alone")
    if context.journal.state.kept:
        _need_unmounted(context, name)
    return False


def is_cleared(context: StageContext, step: Command) -> bool:
    """No ZFS label. Refused with another pool's, or other contents in the partition."""
    (index,) = step.members
    member = context.plan.members[index]
    disk = context.members.disk(member)
    partition = context.members.carrier(disk)
    if not partition or context.members.why_no_own_table(member, disk):
        return True  # whatever that is, it is looked at again before the table goes
    signatures = context.host.signatures_on((partition,))[partition].signatures
    if signatures is None:
        raise StepFailed(f"/dev/{partition} cannot be read, so that nobody knows what it holds")
    labels = zfs.labels(_ask(context, zfs.labels_argv(f"/dev/{partition}"), ok=(0, _NO_LABEL)))
    made = _made(context)
    foreign = [
        f"{signature.kind} {signature.uuid}".strip()
        for signature in signatures
        if signature.kind != zfs.SIGNATURE or (made and signature.uuid not in ("", made.guid))
    ]
    for label in labels:
        if (label.guid != made.guid) if made else (label.pool != _name(context) or not _was_begun(context)):
            foreign.append(f"a label of the pool {label.pool} ({label.guid})")
    if foreign:
        title = context.members.title(disk.name)
        raise Refused(f"{title} holds {', '.join(sorted(foreign))}, which this run did not make; it is left alone")
    return not labels and not signatures


def _made(context: StageContext) -> events.PoolMade | None:
    """None if interrupted before the GUID was read."""
    try:
        return pool_made(context.plan, context.journal.state, context.number)
    except ValueError:
        return None


def _was_begun(context: StageContext) -> bool:
    """Since the tables were made; journalled before creation."""
    number = context.number - context.plan.stages[context.number].permanent
    roles = [step.role for step in context.journal.state.steps if step.stage == number and not step.undoing]
    last = next((role for role in reversed(roles) if role in ("partition", "create-pool")), "")
    return last == "create-pool" or _made(context) is not None


def _name(context: StageContext) -> str:
    own_filesystem = context.stage.filesystem if context.stage else None
    return own_filesystem.pool if own_filesystem else ""


def _own(context: StageContext) -> str | None:
    """If imported; Refused if another pool, or on other disks."""
    name, made = _name(context), _made(context)
    pools = _imported(context)
    if made and (renamed := [other for other, guid in pools.items() if guid == made.guid and other != name]):
        raise Refused(f"the run's pool is imported as {renamed[0]}: it is left alone; `zpool export` it, then clean up")
    if name not in pools:
        return None
    if not _was_begun(context):
        raise Refused(f"there is a pool {name}, which this run has not made: it is left alone")
    if made and pools[name] != made.guid:
        raise Refused(f"the pool {name} is another (GUID {pools[name]}, this run's is {made.guid}): it is left alone")
    nodes = [node for node in zfs.devices(_ask(context, (*zfs.DEVICES, name))) if not context.host.is_gone(node)]
    names = {node.removeprefix("/dev/") for node in nodes}
    strangers = context.members.strangers(names)
    for member in context.plan.members if not strangers else ():
        disk = context.members.here().get(member.id)
        if disk and context.members.carrier(disk) in names and context.members.why_no_own_table(member, disk):
            strangers.append(disk.name)
    if strangers or not names:
        on = f"is on {', '.join(strangers)}, which this run has not made" if strangers else "is on no known disk"
        raise Refused(f"the pool {name} {on}: it is left alone")
    return name


def _imported(context: StageContext) -> dict[str, str]:
    return zfs.imported(_ask(context, zfs.IMPORTED))


def _ask(context: StageContext, argv: Sequence[str], ok: Collection[int] = (0,)) -> str:
    done = context.host.ask(argv, timeout_s=_QUERY_S)
    if done.returncode not in ok:
        raise StepFailed(f"{' '.join(argv[:2])} failed ({done.returncode}): {done.stderr.strip() or 'it said nothing'}")
    return done.stdout
