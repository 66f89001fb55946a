"""Stages of setups: build one cell, measure it, undo it. Teardown: unmount, wipe the array, settle; then under lock
stop, zero superblocks, wipe members. (Stopped first, an old signature revives; unlocked, udev assembles again.)
"""

from collections.abc import Sequence

import msgspec

from raidtui.core.fio.job import Job
from raidtui.core.plan import baseline, creation, member_steps, sweep
from raidtui.core.plan.estimate import NO_WORK, first_sync_s, mkfs_work, sync_bytes
from raidtui.core.plan.kept import pool_steps
from raidtui.core.plan.member_steps import blank_check, free_check, wipe
from raidtui.core.plan.model import KEPT_FILE, MOUNTPOINT, ArrayPlan, FilesystemPlan, LayerPlan, Member, Stage, Trial
from raidtui.core.plan.parsed_setup import ParsedSetup, on_partitions, unit_bytes
from raidtui.core.plan.proof import ProofInputs, proof_steps
from raidtui.core.plan.steps import Check, Command, Step, Wait, settle
from raidtui.core.plan.storage_layers import layers, luks
from raidtui.core.plan.trials import Place, StageInputs, Tests, place_of, tests
from raidtui.core.plan.tunables import settings
from raidtui.core.raid import filesystems, zfs
from raidtui.core.raid.capacity import SECTOR_BYTES
from raidtui.core.raid.layers import LAYERS, align_bytes, inside_bytes
from raidtui.core.raid.space import given_percent
from raidtui.core.units import MIB


def stage_of(inputs: StageInputs, number: int, cell: ParsedSetup, title: str) -> Stage:
    """Builds a valid `cell` and measures every job; `number` from 1. Names only its own members, journal and spares."""
    beside = inputs.members[cell.disks : cell.disks + cell.beside]
    inputs = msgspec.structs.replace(inputs, members=inputs.members[: cell.disks])
    if cell.level.md_name:
        return _array(inputs, number, cell, title, beside)
    if cell.level.pool:
        return _pool(inputs, number, cell, title)
    return _separate(inputs, number, cell, title)


def _array(inputs: StageInputs, number: int, cell: ParsedSetup, title: str, beside: Sequence[Member]) -> Stage:
    """Array, file system, tests, with undo. A kept array gets spares last: no rebuild may start in a test."""
    setup, row = cell.setup, cell.level
    array = _array_plan(inputs, cell)
    holds, check = array.capacity, creation.built_check(array, cell)
    tables = member_steps.tables((*inputs.members, *beside), array.tables)
    waits: list[Wait] = []
    synced = 0
    if row.has_sync and setup.first_sync != "skip":
        synced = sync_bytes(row, array.layout, len(inputs.members), holds)
        emulators = {member.emulator for member in inputs.members}
        waits.append(
            Wait(
                what="Wait for the initial resync",
                condition="sync-finished",
                estimate_s=first_sync_s(row, holds, inputs.speed, emulators),
            )
        )
    build: list[Step] = [free_check(), *tables, *creation.created(array, cell, waits)]
    build += member_steps.taken_out(member_steps.members_out(setup, len(inputs.members)))
    switched = [*settings(setup, inputs.devices), *member_steps.rebuild_settings(setup)]
    # What an earlier array or cell left behind must not be found by mkfs, nor come to light at the start of this one.
    wipe = Command(what="Clear old signatures from the array", role="wipe", argv=("wipefs", "--all", "{array}"))
    steps: list[Step] = [*switched, *([check] if switched else []), wipe]
    device, room_bytes, made = "{array}", holds.array_bytes, NO_WORK
    if setup.partition_start_sectors:
        steps += layers.partition_steps(setup.partition_start_sectors, holds.array_bytes)
        device = "{array:1}"
    layer = _layer(inputs, cell, array)
    if layer:
        steps += layers.steps_of(layer).made(layer)
        device = "{volume}"
        room_bytes = inside_bytes(layer.kind, holds.array_bytes, layer.align_bytes, setup.snapshot_room)
    proved, whole = None, () if inputs.proof else baseline.on_device(inputs, cell)
    trials: tuple[Trial, ...] = ()
    measured_bytes = 0
    if inputs.proof:
        steps += _health(inputs)
        slots = [f"{{name:{inputs.slot('proof', half)}}}" for half in range(2)]
        taken_bytes = setup.partition_start_sectors * SECTOR_BYTES + MIB if setup.partition_start_sectors else 0
        on = ProofInputs(
            cell, array, layer, device, room_bytes - taken_bytes, (slots[0] + slots[1], slots[1] + slots[0])
        )
        proved = proof_steps(on, inputs.jobs[0], inputs.speed, inputs.proof, number, first=len(build) + len(steps))
        steps += [*proved.steps, *_health(inputs)]
    if not inputs.proof:  # nothing writes to the device once it has a file system
        holds_bytes = room_bytes - setup.partition_start_sectors * SECTOR_BYTES
        measure_steps, trials, measured_bytes = baseline.before_mkfs(inputs, number, cell, holds_bytes, device)
        steps += [*_health(inputs), *measure_steps, *_cleared(device)] if trials else []
    filesystem = None
    if setup.filesystem != "none":
        filesystem = FilesystemPlan(
            kind=setup.filesystem,
            uuid=f"{{uuid:{inputs.slot('fs', setup)}}}",
            geometry=msgspec.to_builtins(cell.geometry),
            label=inputs.label,
            reserved_percent=given_percent(setup.filesystem, room_bytes, inputs.reserved_percent),
        )
        made = mkfs_work(cell, cell.disks, room_bytes, inputs.speed)
        steps += _make_filesystem(filesystem, device, unit_bytes(setup), made.duration_s)
    if proved:
        trials, measured_bytes = proved.trials, proved.written_bytes
    else:
        others = tuple(job for job in inputs.jobs if job not in whole)
        place = place_of(cell, others, room_bytes, device)
        place = msgspec.structs.replace(place, file_test=place.is_file and not inputs.published)
        steps += [] if trials else _health(inputs)
        if others:
            measure_steps, file_trials, file_bytes = tests(_of(inputs, others), number, cell, place)
            steps += measure_steps
            trials, measured_bytes = (*trials, *file_trials), measured_bytes + file_bytes
        steps += _health(inputs)
        if inputs.keep and filesystem:
            steps += [
                Command(what="Remove the test file", role="remove", argv=("rm", "--force", name))
                for name in place.files
            ]
    if inputs.keep and filesystem:
        steps += [_record(array, filesystem), _unmount(MOUNTPOINT)]
    steps += luks.backed_up(inputs.header_backup)
    if inputs.keep:
        # Taken back with the array: their superblocks go as those of the others do.
        steps += creation.spares_added(array, cell)
    return Stage(
        title=title,
        steps=(*build, *steps),
        trials=trials,
        build=len(build),
        written_bytes=synced + int(made.written_bytes) + measured_bytes,
        sync_bytes=synced,
        setup=setup,
        array=array,
        layer=layer,
        filesystem=filesystem,
        proof=proved.plan if proved else None,
    )


def _health(inputs: StageInputs) -> list[Step]:
    return [Check(what="Read the SMART counters", question="health")] if inputs.health else []


def _of(inputs: StageInputs, jobs: tuple[Job, ...]) -> StageInputs:
    return msgspec.structs.replace(inputs, jobs=jobs)


def _tests(inputs: StageInputs, number: int, cell: ParsedSetup, place: Place) -> Tests:
    measured = tests(inputs, number, cell, place)
    return measured._replace(steps=[*_health(inputs), *measured.steps, *_health(inputs)])


def _cleared(device: str) -> list[Step]:
    """Signatures and the first MiB: mkfs finds a blank device."""
    return [
        Command(what="Clear all signatures written by tests", role="wipe", argv=("wipefs", "--all", device)),
        Command(
            what="Zero the first MiB",
            role="wipe",
            argv=("dd", "if=/dev/zero", f"of={device}", f"bs={MIB}", "count=1", "conv=fsync", "status=none"),
        ),
        settle(),
    ]


def _array_plan(inputs: StageInputs, cell: ParsedSetup) -> ArrayPlan:
    setup = cell.setup
    key = sweep.array_of(setup)
    slot = inputs.slot("md", key)
    partitioned = range(cell.disks + cell.beside) if on_partitions(setup) else ()
    name = inputs.array_name or f"raidtui-{{name:{slot}}}"
    grouped = range(setup.groups) if setup.groups > 1 else ()
    uuids = [f"{{uuid:{inputs.slot('group', number, key)}}}" for number in grouped]
    return ArrayPlan(
        level=cell.level.key,
        layout=cell.layout or "",
        chunk_bytes=cell.chunk_bytes,
        bitmap=setup.bitmap if cell.level.has_bitmap else "",
        uuid=f"{{uuid:{slot}}}",
        name=name,
        capacity=cell.capacity,
        tables=tuple(f"{{uuid:{inputs.slot('table', index, key)}}}" for index in partitioned),
        groups=creation.groups_of(cell, name, uuids),
    )


def _layer(inputs: StageInputs, cell: ParsedSetup, array: ArrayPlan) -> LayerPlan | None:
    if not (kind := cell.setup.between):
        return None
    uuid, group = f"{{uuid:{inputs.slot('pv', sweep.array_of(cell.setup))}}}", LAYERS[kind].called(array.name)
    align, room = align_bytes(cell.geometry), cell.setup.snapshot_room
    return LayerPlan(
        uuid=uuid,
        group=group,
        align_bytes=align,
        kind=kind,
        volume_bytes=inside_bytes(kind, array.capacity.array_bytes, align, room) if room else 0,
    )


def _make_filesystem(filesystem: FilesystemPlan, device: str, unit_bytes: int, lasts_s: float) -> list[Step]:
    geometry = msgspec.convert(filesystem.geometry, filesystems.Geometry)
    made = (filesystem.kind, device, filesystem.uuid, geometry, filesystem.label or None)
    argv = filesystems.mkfs_argv(*made, unit_bytes, filesystem.reserved_percent)
    readback = Check(
        what="Read the geometry back",
        question="geometry",
        expected=filesystem.geometry,
        where="" if device == "{array}" else device,
    )
    return [
        Command(what=f"Create the {filesystem.kind} file system", role="mkfs", argv=argv, estimate_s=lasts_s),
        settle(),
        *([readback] if filesystems.filesystem(filesystem.kind).readback else []),
        *_mount(filesystem.kind, device, MOUNTPOINT),
    ]


def _record(array: ArrayPlan, filesystem: FilesystemPlan) -> Command:
    """Recorded in the array itself: a journal may be lost, or older than the disks."""
    # Root's alone by the umask; somebody may have put a link or a pipe there, where a run was cut off.
    return Command(
        what="Record in the file system that it is kept",
        role="record",
        argv=("dd", f"of={MOUNTPOINT}/{KEPT_FILE}", "oflag=nofollow,nonblock", "status=none"),
        stdin=f"raidtui run {{run}}, plan {{code}}\narray {array.uuid}\nfile system {filesystem.uuid}\n",
    )


def _unmount(folder: str) -> Command:
    return Command(what="Unmount", role="unmount", argv=("umount", folder), folder=folder)


def _mount(kind: str, device: str, folder: str, members: tuple[int, ...] = ()) -> list[Step]:
    return [
        Command(
            what="Mount it",
            role="mount",
            argv=("mount", "-t", kind, device, folder),
            members=members,
            folder=folder,
            undo=(_unmount(folder),),
        ),
        Check(what="Read its free space", question="mounted", where="" if folder == MOUNTPOINT else folder),
    ]


def _separate(inputs: StageInputs, number: int, cell: ParsedSetup, title: str) -> Stage:
    """Separate disks, bare or each with a file system; all at once, one fio job a disk."""
    setup = cell.setup
    smallest = min(member.size_bytes for member in inputs.members)
    place = place_of(cell, inputs.jobs, smallest, "")
    steps: list[Step] = [free_check()]
    filesystem, made = None, NO_WORK
    if setup.filesystem != "none":
        uuids = tuple(f"{{uuid:{inputs.slot('fs', index, setup)}}}" for index in range(len(inputs.members)))
        filesystem = FilesystemPlan(
            kind=setup.filesystem,
            uuid=uuids[0],
            geometry=msgspec.to_builtins(filesystems.NO_STRIPES),
            uuids=uuids,
            reserved_percent=given_percent(setup.filesystem, smallest, inputs.reserved_percent),
        )
        made = mkfs_work(None, 1, smallest, inputs.speed, setup.filesystem)
        for index, (device, uuid) in enumerate(zip(inputs.devices, uuids, strict=True)):
            argv = filesystems.mkfs_argv(setup.filesystem, device, uuid, reserved_percent=filesystem.reserved_percent)
            last: tuple[Step, ...] = () if index else (settle(), blank_check())
            mkfs = Command(
                what=f"Create the {setup.filesystem} file system on {device}",
                role="mkfs",
                argv=argv,
                members=(index,),
                undo=(wipe(index), *last),
            )
            steps.append(msgspec.structs.replace(mkfs, estimate_s=made.duration_s))
        steps.append(settle())
        for index, device in enumerate(inputs.devices):
            steps += _mount(setup.filesystem, device, f"{MOUNTPOINT}{index}", (index,))
    measure_steps, trials, written_bytes = _tests(inputs, number, cell, place)
    steps += measure_steps
    if filesystem is None:
        steps += [*map(wipe, range(len(inputs.members))), settle(), blank_check()]
    return Stage(
        title=title,
        steps=tuple(steps),
        trials=trials,
        written_bytes=int(made.written_bytes) * len(inputs.members) + written_bytes,
        setup=setup,
        filesystem=filesystem,
    )


def _pool(inputs: StageInputs, number: int, cell: ParsedSetup, title: str) -> Stage:
    setup, kind, profile = cell.setup, cell.level.filesystem, cell.level.profile
    if kind == zfs.KIND:
        return _zpool(inputs, number, cell, title)
    uuid = f"{{uuid:{inputs.slot('fs', setup)}}}"
    metadata = profile if profile in ("raid1", "raid10") else ("raid10" if len(inputs.members) >= 4 else "raid1")
    members = tuple(range(len(inputs.members)))
    made_back: tuple[Step, ...] = (*map(wipe, members), settle(), blank_check())
    maker = filesystems.filesystem(kind).program
    assert maker
    argv = (maker, "--uuid", uuid, "--data", profile, "--metadata", metadata, *inputs.devices)
    place = place_of(cell, inputs.jobs, cell.capacity.array_bytes, MOUNTPOINT)
    measure_steps, trials, written_bytes = _tests(inputs, number, cell, place)
    steps: list[Step] = [
        free_check(),
        Command(what=f"Create the {kind} file system", role="mkfs", argv=argv, members=members, undo=made_back),
        settle(),
        *_mount(kind, inputs.devices[0], MOUNTPOINT, (0,)),
        *measure_steps,
    ]
    return Stage(
        title=title,
        steps=tuple(steps),
        trials=trials,
        written_bytes=written_bytes,
        setup=setup,
        filesystem=FilesystemPlan(kind=kind, uuid=uuid),
    )


def _zpool(inputs: StageInputs, number: int, cell: ParsedSetup, title: str) -> Stage:
    pool = pool_steps.filesystem(inputs.slot, inputs.members, cell.setup)
    place = place_of(cell, inputs.jobs, cell.capacity.array_bytes, MOUNTPOINT)
    measure_steps, trials, written_bytes = _tests(inputs, number, cell, place)
    steps = [
        *pool_steps.made(pool, inputs.members, cell, zfs.MEASURED),
        *_mount(zfs.KIND, pool_steps.name_of(pool), MOUNTPOINT),
        *measure_steps,
    ]
    return Stage(
        title=title,
        steps=tuple(steps),
        trials=trials,
        written_bytes=written_bytes,
        setup=cell.setup,
        filesystem=pool,
    )
