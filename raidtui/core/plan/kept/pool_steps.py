"""ZFS pools: steps that make, destroy and keep one, and notes. Members are partitions: `zpool create` on a whole disk
makes an unknown table. The GUID is read after creation; before, name and tables identify it. A kept pool is created
anew after all tests.
"""

from collections.abc import Callable, Sequence
from shlex import quote

from raidtui.core.boot.distributions import BootPlace
from raidtui.core.plan import member_steps
from raidtui.core.plan.answers import Answers, PlanRefused
from raidtui.core.plan.member_steps import carrier, free_check
from raidtui.core.plan.model import FilesystemPlan, Member, Stage
from raidtui.core.plan.parsed_setup import ParsedSetup, unit_bytes
from raidtui.core.plan.steps import Check, Command, SetOwner, Step, settle
from raidtui.core.raid import layers, zfs

Slot = Callable[..., int]


def filesystem(slot: Slot, members: Sequence[Member], key: object, pool_name: str = "") -> FilesystemPlan:
    return FilesystemPlan(
        kind=zfs.KIND,
        uuid=f"{{uuid:{slot('fs', key)}}}",
        uuids=tuple(f"{{uuid:{slot('table', index, key)}}}" for index in range(len(members))),
        pool_name=pool_name,
    )


def name_of(pool: FilesystemPlan) -> str:
    """The name asked for, or one of the run's own."""
    return pool.pool_name or zfs.pool_name(pool.uuid.replace("{uuid:", "{name:"))


def made(pool: FilesystemPlan, members: Sequence[Member], cell: ParsedSetup, how: zfs.Properties) -> list[Step]:
    name, numbers = name_of(pool), tuple(range(len(members)))
    devices = [carrier(index, partitioned=True) for index in numbers]
    cleared = [
        Command(
            what=f"Clear the labels of {device}",
            role="clear-label",
            argv=("zpool", "labelclear", "-f", device),  # all four; ZFS refuses if the pool is imported
            members=(index,),
            partition=layers.PARTITION_NUMBER,
            locked=True,
        )
        for index, device in enumerate(devices)
    ]
    destroy = Command(what="Destroy the pool", role="destroy-pool", argv=("zpool", "destroy", name))
    create = Command(
        what="Create the pool",
        role="create-pool",
        argv=zfs.create_argv(name, cell.level.profile, devices, unit_bytes(cell.setup), how, each=cell.vdev_disks),
        members=numbers,
        partition=layers.PARTITION_NUMBER,
        undo=(destroy, settle(), *cleared),
    )
    return [
        free_check(),
        *member_steps.tables(members, pool.tables, zfs.PARTITION_TYPE),
        create,
        Check(what="Read the pool's GUID, what it holds and how it is set", question="pool-made"),
        settle(),
    ]


def kept_stage(answers: Answers, slot: Slot, members: Sequence[Member], cell: ParsedSetup) -> Stage:
    pool = filesystem(slot, members, "kept", answers.pool_name)
    return Stage(
        title=f"Create the kept {cell.level.name}",
        steps=tuple(made(pool, members, cell, zfs.kept(atime=answers.atime != "off"))),
        trials=(),
        filesystem=pool,
    )


def check(answers: Answers, cell: ParsedSetup) -> None:
    """PlanRefused for a field that the other kind (ZFS, not ZFS) needs."""
    of_pool = dict.fromkeys(
        ("pool_name", "atime"), f"that is of a ZFS pool, and {cell.level.name} is none; leave it out"
    )
    for name, sentence in (_NOT_OF_POOLS if cell.level.filesystem == zfs.KIND else of_pool).items():
        if getattr(answers, name):
            raise PlanRefused(sentence, name)


_NOT_OF_POOLS = {
    "mount_options": "ZFS mounts by the pool's properties; leave it out, and set them by hand",
    "mount_guard": "ZFS makes its own folder again; leave it out",
    "mount": "a ZFS pool mounts itself, by its own mountpoint; leave it out, and give mount_point",
    "mailaddr": "mdadm writes to that one, of its own arrays; for ZFS zed does (/etc/zfs/zed.d/zed.rc)",
}


def permanent_steps(answers: Answers, kept: Stage, place: BootPlace, folder: str) -> list[Step]:
    """Export, import by GUID over persistent links, place at `folder`. PlanRefused where boot imports no pools."""
    _check_boot(place)
    assert kept.filesystem
    name = name_of(kept.filesystem)
    links = [f"{{stable:{index}:{layers.PARTITION_NUMBER}}}" for index in range(len(kept.filesystem.tables))]
    again = Command(what="Import it, if it is not", role="import-pool", argv=zfs.import_argv("{pool}", links))
    forgotten = (
        Command(
            what="Remove it from the boot cache file", role="forget-pool", argv=("zpool", "set", "cachefile=none", name)
        ),
        Check(what="Is it out of the boot cache file?", question="pool-forgotten"),
    )
    nowhere = Command(what="Clear its mountpoint", role="place-pool", argv=zfs.place_argv(name, ""), folder=folder)
    folder_goes = Command(
        what="Remove it, if it is the run's and empty",
        role="remove-folder",
        argv=("rmdir", folder),
        folder=folder,
    )
    owned = SetOwner(
        what=f"Set the owner of {folder}", folder=folder, owner=answers.mount_owner, mode=answers.mount_mode
    )
    return [
        Check(what=f"May it be mounted at {folder}?", question="place-free", where=folder),
        Check(what="Are pools imported and mounted at boot?", question="pools-start"),
        Command(
            what=f"Make {folder}, if it is missing",
            role="make-folder",
            argv=("mkdir", "--parents", "--mode=0755", folder),
            folder=folder,
            undo=(folder_goes,),
        ),
        Command(what="Export the pool", role="export-pool", argv=("zpool", "export", name)),
        Command(
            what="Import it by its GUID",
            role="import-pool",
            argv=zfs.import_argv("{pool}", links),
            undo=forgotten,
        ),
        settle(),
        Check(what="Is it complete, and the run's own?", question="pool-came-back"),
        Command(
            what=f"Mount it at {folder}",
            role="place-pool",
            argv=zfs.place_argv(name, folder),
            folder=folder,
            undo=(again, nowhere),
        ),
        Command(what="Mount it, if it is not", role="mount", argv=("zfs", "mount", name), folder=folder),
        Check(what="Is it the run's pool that is mounted?", question="own-mounted", where=folder),
        Check(what="Is it in the boot cache file?", question="pool-at-boot"),
        *([owned] if answers.mount_owner or answers.mount_mode else []),
    ]


def _check_boot(place: BootPlace) -> None:
    if not place.systemd:
        needed = "by whose units ZFS imports and mounts its pools"
        raise PlanRefused(f"systemd does not run here, {needed}; leave it out", "permanent")
    if place.pool_units_off:
        units = " ".join(place.pool_units_off)
        raise PlanRefused(f"boot imports no pools here; enable what does it: systemctl enable {units}", "permanent")
    if place.pools_by_scan:
        raise PlanRefused(place.pools_by_scan, "permanent", where="")


def notes(answers: Answers, cells: Sequence[ParsedSetup], place: BootPlace | None) -> list[str]:
    if not any(cell.level.filesystem == zfs.KIND for cell in cells):
        return []
    notices = [*zfs.NOTES, zfs.ESTIMATED]
    if answers.after == "keep":
        notices.append(zfs.KEPT_NOTE.format(atime="off, as asked for" if answers.atime == "off" else "on"))
    if answers.permanent and place:
        notices.append(zfs.AT_BOOT_NOTE.format(units=", ".join(zfs.UNITS)))
    return notices


def shell_lines(name: str, guid: str, folder: str) -> tuple[str, ...]:
    """For a person: boot imports the pool and mounts it."""
    imported = f'[ "$(zpool list -H -o guid {name})" = {guid} ] || zpool import -N {guid}'
    return (
        f"{imported}  # if both fail, stop: {name} is another",
        f"zpool set cachefile= {name}  # the file by which boot imports pools",
        f"zfs set mountpoint={quote(folder)} {name}",
        f"zfs mount {name}  # where it is not mounted by then",
        f"systemctl is-enabled {' '.join(zfs.UNITS)}  # all of them: they import and mount it",
    )
