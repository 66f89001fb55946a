"""The setup's facts: capacity, file system, initial resync; from plan and state, differences of them at most.

What of a kept array is known at boot, and how it would be: lines that the run wrote, or those to write by hand.
"""

import shlex
from collections.abc import Iterator, Sequence

from raidtui.core.disks.identity import are_in_memory
from raidtui.core.page.blocks import Block, Bullets, Code, Fenced, Heading, PageTable, Span, Text, Words
from raidtui.core.plan import sweep
from raidtui.core.plan.fields import FIELDS
from raidtui.core.plan.kept import permanence, pool_steps
from raidtui.core.plan.kept.permanence import mount_point
from raidtui.core.plan.member_steps import may_fail
from raidtui.core.plan.model import ArrayPlan, LayerPlan, Plan, Stage
from raidtui.core.plan.parsed_setup import parse
from raidtui.core.plan.steps import Wait
from raidtui.core.raid.after_crash import AFTER_CRASH
from raidtui.core.raid.filesystems import USUAL, filesystem
from raidtui.core.raid.layers import LAYERS
from raidtui.core.raid.levels import split_name
from raidtui.core.raid.space import beside_sentences, reserved_percent
from raidtui.core.report.context import RunContext
from raidtui.core.run.events import PoolMade
from raidtui.core.run.kept import first_sync_s, is_permanent
from raidtui.core.run.state import RunState
from raidtui.core.units import GB, GIB, KIB, TB, TIB, both, format_duration

_MDADM = "4.2"  # of which a pool's capacity does not depend
_SETTINGS = {  # of md and of the queues, as md(4) and the kernel's queue-sysfs tell of them
    **{name: row.help for name, row in FIELDS.items() if row.setting and not row.later},
    "sync_speed_min": "KiB/s a disk, minimum of a resync",
    "sync_speed_max": "maximum",
}
_LOST = (
    ("parity_bytes", "parity", "parity"),
    ("mirror_bytes", "copies", "mirror copies"),
    ("metadata_bytes", "md's metadata", "metadata (superblock, bitmap, data offset)"),
    ("rounding_bytes", "rounding", "rounding to whole chunks"),
    ("unequal_bytes", "unequal disks", "rest of larger disks"),
    (
        "outside_bytes",
        "partitions",
        "partition tables and free space at the end",
    ),
)


def setup(run: RunContext) -> Iterator[Block]:
    """Of each setup, where there is but one: where every byte went, its file system, whether it was redundant."""
    plan, state = run.joined_plan, run.state
    for number, stage in run.built:
        if stage.array:
            yield from _capacity(plan, stage, stage.array, state)
        yield from _filesystem(plan, number, stage, state)
        if stage.array and stage.array.raid.has_sync:
            yield Heading("Initial resync")
            yield Text(sync_words(stage, state, number))


def _capacity(plan: Plan, stage: Stage, array: ArrayPlan, state: RunState) -> Iterator[Block]:
    """In TB and TiB, and whether the kernel agrees."""
    holds = array.capacity
    kept = AFTER_CRASH[array.bitmap].name if array.bitmap else ""
    lost = [
        (words, getattr(holds.lost, field), where.replace(", bitmap", f", {kept}" if kept else ""))
        for field, words, where in _LOST
        if getattr(holds.lost, field)
    ]
    sizes = [("Raw", holds.raw_bytes), ("Usable", holds.array_bytes)]
    sizes += [(f"Lost to {words}", size_bytes) for words, size_bytes, _ in lost]
    decimal, binary, names = (TB, TIB, ("TB", "TiB")) if holds.raw_bytes >= TB else (GB, GIB, ("GB", "GiB"))
    yield Heading("Capacity")
    rows = [[name, str(size), f"{size / decimal:.3f}", f"{size / binary:.3f}"] for name, size in sizes]
    yield PageTable(["", "Bytes", *names], rows)
    count = len(sweep.taken(stage.setup, plan.members)) if stage.setup else len(plan.members)
    sentence = f"{count} disks hold {both(holds.raw_bytes)}; the array holds {both(holds.array_bytes)}."
    if lost:
        sentence += f" Of the rest, {_listed([f'{both(size)} is {where}' for _, size, where in lost])}."
    sentence += "".join(f" {words}" for words in beside_sentences(stage.journals, stage.spares))
    sentence += f" A TB is 10^12 bytes, a TiB 2^40 = {TIB / TB:.3f} TB: in TiB the figure is smaller, the bytes"
    yield Text(f"{sentence} are the same.")
    yield Text(_survives(may_fail(stage.setup, holds.survives)))
    if made := state.arrays.get(plan.stages.index(stage)):
        off = made.size_bytes - holds.array_bytes
        agrees = f"{off:+d} bytes off the computed size" if off else "as computed"
        yield Text(f"The kernel's size of the array is {made.size_bytes} bytes, {agrees}.")
        if settings := ", ".join(f"{key} {value}" for key, value in made.detail.items()):
            meanings = "; ".join(f"{key}: {_SETTINGS[key]}" for key in made.detail if key in _SETTINGS)
            yield Text(f"Its settings: {settings}.{f' Of these {meanings}.' if meanings else ''}")


def _survives(disks: int) -> str:
    if not disks:
        return "No disk may fail: losing one loses the array."
    return f"Any {disks} of the disks may fail." if disks > 1 else "Any one of the disks may fail."


def _listed(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def _filesystem(plan: Plan, number: int, stage: Stage, state: RunState) -> Iterator[Block]:
    """The geometry asked of mkfs beside the one read back, and the space that is left."""
    planned = stage.filesystem
    if planned is None:
        return
    read_back = state.filesystems.get(number)
    geometry_read = read_back.geometry if read_back else {}
    yield Heading(f"File system: {planned.kind}")
    yield from pool_blocks(plan, [(number, stage)], state)
    if stage.layer:
        yield Text(f"It is on {LAYERS[stage.layer.kind].title}: {layer_words(stage.layer)}.")
    geometry = [
        [key, *("" if value is None else str(value) for value in (planned.geometry.get(key), geometry_read.get(key)))]
        for key in dict.fromkeys([*planned.geometry, *geometry_read])
    ]
    yield PageTable(["Geometry", "Asked", "Read back"], geometry)
    if read_back is None:
        yield Text("Not read back in this run (yet).")
        return
    wrong = [key for key, value in planned.geometry.items() if geometry_read.get(key) != value]
    if wrong and geometry_read:
        yield Text(f"NOT as asked: {', '.join(wrong)}.")
    if read_back.total_bytes:
        offered, free = both(read_back.total_bytes), both(read_back.free_bytes)
        for_root = reserved_percent(planned.kind, 0, planned.reserved_percent)
        root = (f", and {for_root} % of all for root (", Code("tune2fs -m"), ")") if for_root else ()
        yield Text((f"It offers {offered}, of which {free} are free; the rest is metadata", *root, "."))


def pool_blocks(plan: Plan, stages: Sequence[tuple[int, Stage]], state: RunState) -> Iterator[Block]:
    """What ZFS says of each pool that was made, beside what was estimated."""
    lines: list[Words] = []
    for number, stage in stages:
        made = state.pools.get(number)
        if made is None or stage.setup is None:
            continue
        sizes = [member.size_bytes for member in sweep.taken(stage.setup, plan.members)]
        estimated = parse(stage.setup, sizes, _MDADM).capacity.array_bytes
        settings = ", ".join(f"{key} {value}" for key, value in made.properties.items())
        available = f": {both(made.available_bytes)} available, {both(made.used_bytes)} used; estimated"
        of_pool = f"{available} {both(estimated)}. As it is set: {settings}."
        lines.append((f"{stage.title}: pool {made.pool}, GUID {made.guid}. ", Code("zfs list"), of_pool))
    if lines:
        yield Text("ZFS' pools:")
        yield Bullets(lines)


def sync_words(stage: Stage, state: RunState, number: int) -> Words:
    """What became of the first sync of an array that has one, in a sentence or two."""
    if stage.setup and stage.setup.first_sync == "skip":
        skipped = ("Skipped (", Code("--assume-clean"), "): parity and copies are not in sync. ")
        if not state.kept or stage.array is None:
            return (*skipped, "Do not keep this array.")
        return (*skipped, "Repair once before use: ", Code(f"mdadm --action=repair /dev/md/{stage.array.name}"))
    waited = [step for step in state.steps if (step.stage, step.role, step.undoing) == (number, "sync-finished", False)]
    if not any(isinstance(step, Wait) and step.condition == "sync-finished" for step in stage.steps):
        return "Not waited for: it may have run during the tests."
    if not waited:
        return "Not begun."
    if waited[-1].ended_at_s is None:
        return "Running when this was written."
    if waited[-1].error:
        return f"FAILED: {waited[-1].error}"
    took_s = first_sync_s(step for step in state.steps if step.stage == number) or 0.0
    waited_s = waited[-1].ended_at_s - waited[-1].started_at_s
    return (
        f"Took {format_duration(took_s)}, of which the run waited {format_duration(waited_s)}. The tests came after it."
    )


def layer_words(layer: LayerPlan) -> str:
    """What lies between the array and its file system, in one line."""
    aligned = f"data from a multiple of {layer.align_bytes // KIB} KiB on"
    if layer.kind == "luks":
        return f"one container of all of it, {layer.group} where it is open, {aligned}; header {layer.uuid}"
    size = f"{both(layer.volume_bytes)}, the rest free for snapshots" if layer.volume_bytes else "all of it"
    return f"one volume of {size}, {layer.node}, {aligned}; physical volume {layer.uuid}"


def setup_words(array: ArrayPlan) -> str:
    """Level, layout, chunk and bitmap in one line."""
    disks = sum(len(group.members) for group in array.groups)
    name = split_name(array.raid, len(array.groups), disks) if array.groups else array.raid.name
    parts = [name, f"layout {array.layout}" if array.layout else ""]
    parts.append(f"chunk {array.chunk_bytes // 1024} KiB" if array.chunk_bytes else "no chunk")
    parts.append(AFTER_CRASH[array.bitmap].words if array.bitmap else "no bitmap")
    return ", ".join(filter(None, parts))


def after_a_reboot(plan: Plan, state: RunState) -> Iterator[Block]:
    """Nothing where no array is kept."""
    if not state.kept:
        return
    if made := state.pools.get(plan.kept_stage or 0):
        yield from _of_pool(plan, state, made)
    elif is_permanent(plan, state):
        folder = mount_point(plan)
        mounted = f", mounted at {folder}" if folder else ""
        ends, bare = _ends_with_machine(plan), _of_bare(plan)
        comes = f"{'Of real disks it would come' if ends else 'It comes'} back under its name{mounted}"
        yield Heading("After a reboot", 3)
        undo = Code(f"raidtui undo {state.run}")
        yield Text((f"{ends} {comes}, by the lines below. ", undo, " undoes them. ", *bare))
        yield from _once_typed(plan, folder)
        yield Fenced([line for path, edit in state.edits.items() for line in (f"# {path}", *edit.lines)])
    elif forever := permanence.shell_lines(plan):
        ends = _ends_with_machine(plan)
        how = "For real disks these lines, as root, keep it:" if ends else "As root:"
        now = _of_bare(plan) or ("It is unmounted now.",)
        yield Heading("After a reboot" if ends else "To keep it after a reboot", 3)
        yield Text((f"{ends} ", *now, f" {how}"))
        yield Fenced(forever)


def _ends_with_machine(plan: Plan) -> str:
    """That no disk of it outlives the machine, in a sentence; "" where one may."""
    if not are_in_memory(member.emulator for member in plan.members):
        return ""
    emulator = plan.members[0].emulator
    return f"The disks are in this machine's memory ({emulator}): disks and array end with it."


def _of_bare(plan: Plan) -> tuple[Span, ...]:
    """Of an array without a file system what it takes to use it; nothing of any other."""
    number = plan.kept_stage or 0
    array = plan.stages[number].array
    if plan.stages[number].filesystem or not array:
        return ()
    program = filesystem(USUAL).program
    makes, all_of_it = Code(f"{program} /dev/md/{array.name}"), "or give all of it to LVM or a virtual machine."
    return "It has no file system: ", makes, f" makes one, which may be mounted then; {all_of_it}"


def _of_pool(plan: Plan, state: RunState, made: PoolMade) -> Iterator[Block]:
    if is_permanent(plan, state):
        imports = f"ZFS imports {made.pool} by its cache file, and mounts it at {mount_point(plan)}. "
        yield Heading("After a reboot", 3)
        yield Text((imports, Code(f"raidtui undo {state.run}"), " undoes it."))
    else:
        yield Heading("To keep it after a reboot", 3)
        yield Text("It is not mounted now. As root:")
        yield Fenced(pool_steps.shell_lines(made.pool, made.guid, permanence.folder_of(plan.answers)))


def _once_typed(plan: Plan, folder: str) -> Iterator[Block]:
    """Of a LUKS container: boot goes on without its passphrase, and what brings it later."""
    if plan.kept_stage is None or plan.answers.setup.between != "luks":
        return
    layer = plan.stages[plan.kept_stage].layer
    assert layer
    opens = f"systemctl start systemd-cryptsetup@$(systemd-escape {layer.group}).service"
    mounts = f" && mount {shlex.quote(folder)}" if folder else ""
    closed = (
        "Its container stays closed until its passphrase is typed: at boot on the console, without holding up the boot,"
    )
    yield Text((f"{closed} or later: ", Code(f"{opens}{mounts}"), "."))
