"""The facts of a report: capacity, file system, first sync, where all of it comes from, and what gave no figure.

Knows the plan and the journal's state; measures and computes nothing but differences of sizes and times.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from raidtui.core.disks import buses
from raidtui.core.plan import sweep
from raidtui.core.plan.cell import parse
from raidtui.core.plan.failures import may_fail
from raidtui.core.plan.fields import FIELDS
from raidtui.core.plan.model import ArrayPlan, LayerPlan, Plan, Stage, heading
from raidtui.core.plan.steps import Wait, resolve
from raidtui.core.raid import filesystems
from raidtui.core.raid.after_crash import AFTER_CRASH
from raidtui.core.raid.layers import LAYERS
from raidtui.core.raid.levels import level
from raidtui.core.raid.space import beside_sentences
from raidtui.core.report.boot import after_a_reboot
from raidtui.core.report.results import names
from raidtui.core.report.tables import bullets, escape, fenced, table
from raidtui.core.run.kept import first_sync_s
from raidtui.core.run.state import RunState, StepState
from raidtui.core.units import GB, GIB, KIB, TB, TIB, both, format_duration

_MDADM = "4.2"  # of which a pool's capacity does not depend
_SETTINGS = {  # of md and of the queues, as md(4) and the kernel's queue-sysfs tell of them
    **{name: row.help for name, row in FIELDS.items() if row.setting},
    "sync_speed_min": "KiB/s of each disk that a sync takes in any case",
    "sync_speed_max": "and at most",
}
_LOST = (
    ("parity_bytes", "parity", "parity"),
    ("mirror_bytes", "copies", "further copies of the same data"),
    ("metadata_bytes", "md's metadata", "md's superblocks, bitmap and room to grow"),
    ("rounding_bytes", "rounding", "rounding to whole chunks"),
    ("unequal_bytes", "unequal disks", "the part of larger disks that the smallest one has not"),
    (
        "outside_bytes",
        "partitions",
        "partition tables, and room at the end for a slightly smaller disk",
    ),
)


def capacity(plan: Plan, stage: Stage, state: RunState) -> list[str]:
    """Where every byte of the disks went, in TB and TiB, and whether the kernel agrees."""
    if stage.array is None:
        return []
    holds = stage.array.capacity
    lost = [(words, getattr(holds.lost, field), where) for field, words, where in _LOST]
    kept = AFTER_CRASH[stage.array.bitmap].name if stage.array.bitmap else ""
    lost = [(words, size, where.replace(", bitmap", f", {kept}" if kept else "")) for words, size, where in lost]
    lines = [("Raw", holds.raw_bytes), ("Usable", holds.array_bytes)]
    lines += [(f"Lost to {words}", size_bytes) for words, size_bytes, _ in lost if size_bytes]
    decimal, binary, names = (TB, TIB, ("TB", "TiB")) if holds.raw_bytes >= TB else (GB, GIB, ("GB", "GiB"))
    size_cells = [[name, str(size), f"{size / decimal:.3f}", f"{size / binary:.3f}"] for name, size in lines]
    where_lost = [f"{both(size)} is {where}" for _, size, where in lost if size]
    count = len(sweep.taken(stage.setup, plan.members)) if stage.setup else len(plan.members)
    sentence = f"{count} disks hold {both(holds.raw_bytes)}; the array holds {both(holds.array_bytes)}."
    if where_lost:
        sentence += f" Of the rest, {_listed(where_lost)}."
    sentence += "".join(f" {words}" for words in beside_sentences(stage.journals, stage.spares))
    sentence += f" A TB is 10^12 bytes, a TiB 2^40 = {TIB / TB:.3f} TB: in TiB the figure is smaller, the bytes"
    sentence += " are the same."
    blocks = [
        "## Capacity",
        table(["", "Bytes", *names], size_cells),
        sentence,
        _survives(may_fail(stage.setup, holds.survives)),
    ]
    if built := state.arrays.get(plan.stages.index(stage)):
        off = built.size_bytes - holds.array_bytes
        agrees = f"{off:+d} bytes off the computed size" if off else "as computed"
        blocks.append(f"The kernel's size of the array is {built.size_bytes} bytes, {agrees}.")
        if sentence := ", ".join(f"{escape(key)} {escape(value)}" for key, value in built.detail.items()):
            meanings = "; ".join(f"{escape(key)}: {_SETTINGS[key]}" for key in built.detail if key in _SETTINGS)
            blocks.append(f"Its settings: {sentence}.{f' Of these {meanings}.' if meanings else ''}")
    return blocks


def _survives(disks: int) -> str:
    if not disks:
        return "No disk may fail: the loss of one is the loss of the array."
    return f"Any {disks} of the disks may fail." if disks > 1 else "Any one of the disks may fail."


def _listed(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def filesystem(plan: Plan, stage: Stage, state: RunState) -> list[str]:
    """The geometry asked of mkfs beside the one read back, and the space that is left."""
    planned = stage.filesystem
    if planned is None:
        return []
    number = plan.stages.index(stage)
    read_back = state.filesystems.get(number)
    geometry_read = read_back.geometry if read_back else {}
    lines = [
        [escape(key), _figure(planned.geometry.get(key)), _figure(geometry_read.get(key))]
        for key in dict.fromkeys([*planned.geometry, *geometry_read])
    ]
    blocks = [f"## File system: {escape(planned.kind)}", *pools(plan, [(number, stage)], state)]
    if stage.layer:
        blocks.append(f"It is on {LAYERS[stage.layer.kind].title}: {escape(layer_words(stage.layer))}.")
    if lines:
        blocks.append(table(["Geometry", "Asked", "Read back"], lines))
    if read_back is None:
        return [*blocks, "It was not read back in this run (yet)."]
    wrong = [escape(key) for key, value in planned.geometry.items() if geometry_read.get(key) != value]
    if wrong and geometry_read:
        blocks.append(f"NOT as asked: {', '.join(wrong)}.")
    if read_back.total_bytes:
        offered, free = both(read_back.total_bytes), both(read_back.free_bytes)
        blocks.append(f"It offers {offered}, of which {free} are free{_set_aside(planned.kind)}.")
    return blocks


def _set_aside(kind: str) -> str:
    """What of a new file system is not free, and why."""
    reserved = filesystems.filesystem(kind).reserved_share
    root = f", and {100 * reserved:.0f} % of all for root (`tune2fs -m`)" if reserved else ""
    return f"; the rest it keeps for itself{root}"


def pools(plan: Plan, stages: Sequence[tuple[int, Stage]], state: RunState) -> list[str]:
    """What ZFS says of each pool that was made, beside what was estimated."""
    lines = []
    for number, stage in stages:
        made = state.pools.get(number)
        if made is None or stage.setup is None:
            continue
        sizes = [member.size_bytes for member in sweep.taken(stage.setup, plan.members)]
        estimated = parse(stage.setup, sizes, _MDADM).capacity.array_bytes
        told = ", ".join(f"{escape(key)} {escape(value)}" for key, value in made.properties.items())
        lines.append(
            f"{escape(stage.title)}: pool {escape(made.pool)}, GUID {escape(made.guid)}. `zfs list`:"
            f" {both(made.available_bytes)} available, {both(made.used_bytes)} used; estimated {both(estimated)}."
            f" As it is set: {told}."
        )
    return ["ZFS' pools:", bullets(lines)] if lines else []


def _figure(value: int | None) -> str:
    return "" if value is None else str(value)


def first_sync(stage: Stage, state: RunState, number: int) -> list[str]:
    """Whether redundancy was complete while the array was measured."""
    if stage.array is None or stage.setup is None or not level(stage.array.level).has_sync:
        return []
    return ["## First sync", sync_words(stage, state, number)]


def sync_words(stage: Stage, state: RunState, number: int) -> str:
    """What became of the first sync of an array that has one, in a sentence or two."""
    if stage.setup and stage.setup.first_sync == "skip":
        return "Skipped (`--assume-clean`): parity and copies were never made to agree. Not an array to keep."
    waited = [step for step in state.steps if (step.stage, step.role, step.undoing) == (number, "sync-finished", False)]
    if not any(isinstance(step, Wait) and step.condition == "sync-finished" for step in stage.steps):
        return "Not waited for: it may have run during the tests."
    if not waited:
        return "Not begun."
    if waited[-1].ended_at_s is None:
        return "Not finished when this was written."
    if waited[-1].error:
        return f"FAILED: {escape(waited[-1].error)}"
    took_s = first_sync_s(step for step in state.steps if step.stage == number) or 0.0
    waited_s = waited[-1].ended_at_s - waited[-1].started_at_s
    return (
        f"Took {format_duration(took_s)}, of which the run waited {format_duration(waited_s)}. The tests came after it."
    )


def provenance(plan: Plan, state: RunState) -> list[str]:
    """Machine, tools, disks, every command that ran, settings left changed, and how the run ended."""
    tools = state.worker.tools if state.worker else {}
    about = [["Run", escape(state.run) or "unknown"], ["Plan", escape(plan.code)]]
    about += [["Started", _time(state.started_at_s)], ["Last event", _time(state.now_s)]]
    about += [[escape(name), escape(version)] for name, version in tools.items()]
    blocks = ["## Where this comes from", table(["What", "Which"], about, word_columns=2)]
    blocks += [_heading(plan), _members(plan, state), *_volumes(plan)]
    blocks += _counted_by_bytes(plan, state)
    blocks += ["### Commands, in the order in which they ran", fenced(_commands(plan, state.steps))]
    blocks += _settings(plan, state)
    blocks += ["### How it ended", _ending(plan, state), *_without_figure(plan, state)]
    return [*blocks, *after_a_reboot(plan, state)]


def _settings(plan: Plan, state: RunState) -> list[str]:
    """Every setting of the kernel that the run changed, from what to what, and whether it was put back."""
    times_changed: dict[str, int] = {}
    for change in state.changes:
        setting_words = f"{_setting(plan, change.path)} was {escape(change.old)}, set to {escape(change.new)}"
        setting_words += ", NOT put back" if change.path in state.settings else ", put back"
        times_changed[setting_words] = times_changed.get(setting_words, 0) + 1
    lines = [
        f"{setting_words}{f' ({count} times)' if count > 1 else ''}" for setting_words, count in times_changed.items()
    ]
    return ["### Settings that were changed", bullets(lines)] if lines else []


def _setting(plan: Plan, path: str) -> str:
    """The path with the disks' serial numbers in it: their names may be others by now."""

    def named(placeholder: str) -> str:
        kind, _, number = placeholder.partition(":")
        member = plan.members[int(number)] if kind == "member" and int(number) < len(plan.members) else None
        return (member.serial or member.id) if member else "the array"

    return escape(resolve(path, named))


def _counted_by_bytes(plan: Plan, state: RunState) -> list[str]:
    """Which IOPS are not fio's own figure, and how far that is below."""
    measurements = [measured_trial for trial in plan.trials if (measured_trial := state.measured(trial.id))]
    directions = [
        rates
        for measurement in measurements
        for rates in (measurement.read, measurement.write)
        if rates and rates.fio_iops
    ]
    if not directions:
        return []
    largest_share = max(1 - (rates.fio_iops or 0.0) / rates.iops for rates in directions)
    return [
        "IOPS of tests with a ramp are bytes / block size: of the operations that were in flight when the ramp ended"
        f" fio counts the bytes alone. Its own figures, up to {100 * largest_share:.1f} % lower,"
        " are `fio_iops` in the JSON."
    ]


def _time(at_s: float) -> str:
    return f"{datetime.fromtimestamp(at_s, UTC):%Y-%m-%d %H:%M:%S} UTC" if 0 < at_s < 2**36 else "unknown"


def _heading(plan: Plan) -> str:
    return "### Disks beneath, not touched" if plan.existing else "### Disks"


def _members(plan: Plan, state: RunState) -> str:
    if not plan.disks:
        return "Which disks lie beneath is not known."
    lines = [
        [
            str(number),
            escape(member.model) or "unknown",
            escape(member.serial) or "unknown",
            names(member, state),
            escape(member.id),
            both(member.size_bytes),
            escape(member.firmware) or "unknown",
            escape(", ".join(map(buses.title, member.buses[:1]))) or "unknown",
            escape(member.found),
        ]
        for number, member in enumerate(plan.disks, 1)
    ]
    headers = ["Disk", "Model", "Serial", "Name", "Identity", "Size", "Firmware", "Link", "On it before"]
    kernel_answers = state.queues[0].disks if state.queues else {}
    for header, settings in _KERNEL_SETTINGS.items():
        cells = [
            "/".join(kernel_answers.get(disk.id, {}).get(name, "") for name in settings).strip("/")
            for disk in plan.disks
        ]
        if any(cells):
            headers.append(header)
            lines = [[*line, escape(text)] for line, text in zip(lines, cells, strict=True)]
    return table(headers, lines, word_columns=len(headers))


# What the kernel was asked of each disk before the first test: LBA format, and the node whose memory it is nearest to.
_KERNEL_SETTINGS = {
    "Blocks (logical/physical), bytes": ("logical block, bytes", "physical block, bytes"),
    "NUMA node": ("NUMA node",),
}


def _volumes(plan: Plan) -> list[str]:
    """What RAID controllers tell of the disks that are volumes of theirs."""
    lines = [f"{escape(member.serial or member.id)}: {escape(member.volume)}" for member in plan.disks if member.volume]
    return ["### Volumes of RAID controllers, as they were when this was planned", bullets(lines)] if lines else []


def _commands(plan: Plan, steps: Iterable[StepState]) -> list[str]:
    blocks = plan.blocks
    titles = [heading(stage, blocks) for stage in plan.stages]
    lines: list[str] = []
    last_heading: tuple[int, bool] | None = None
    for step in steps:
        step_heading = step.stage, step.undoing
        if step_heading != last_heading:
            title = titles[step.stage] if 0 <= step.stage < len(titles) else f"part {step.stage + 1}"
            lines.append(f"# {title}{': clear away' if step.undoing else ''}")
            last_heading = step_heading
        took = "" if step.ended_at_s is None else f"  # {format_duration(step.ended_at_s - step.started_at_s)}"
        lines.append(f"{step.line}{took or '  # not finished'}")
        lines += [f"#   FAILED: {line}" for line in (step.error or "").splitlines() if line.strip()]
    return lines or ["# none"]


def _without_figure(plan: Plan, state: RunState) -> list[str]:
    """The trials that gave no figure, by the names under which one of them is measured again."""
    without_figure = [
        measured_trial
        for trial in plan.trials
        if (measured_trial := state.measured(trial.id)) and measured_trial.status != "ok"
    ]
    if not without_figure:
        return []
    lines = [
        f"{escape(measurement.name)}, {measurement.status.upper()}: {escape(measurement.error or 'no reason was told')}"
        for measurement in without_figure
    ]
    return [
        "### Trials without a figure",
        bullets(lines),
        "They stay as they are here. The answers that measure one of them again, in a run of its own:",
        fenced([f"raidtui again {state.run} {without_figure[0].name} > again.toml"]),
    ]


def _ending(plan: Plan, state: RunState) -> str:
    if not state.ended:
        return "It has not: see the top."
    sentences = f"{escape(state.outcome.capitalize())}." + (f" {escape(state.reason)}." if state.reason else "")
    if state.left:
        return f"{sentences} Could not be cleared away: {', '.join(escape(leftover) for leftover in state.left)}."
    if plan.care:
        return sentences
    if plan.existing:
        run_files = ", the file of the run's own is removed" if state.files_removed else ""
        if state.files:
            run_files = f"; of the run's own there may be {', '.join(map(escape, state.files))} yet"
        return f"{sentences} What was there was not changed{run_files}."
    return f"{sentences} {'The array is kept.' if state.kept else 'All is cleared away: the disks carry no signature.'}"


def layer_words(layer: LayerPlan) -> str:
    """What lies between the array and its file system, in one line."""
    aligned = f"data from a multiple of {layer.align_bytes // KIB} KiB on"
    if layer.kind == "luks":
        return f"one container of all of it, {layer.group} where it is open, {aligned}; header {layer.uuid}"
    return f"one volume of all of it, {layer.node}, {aligned}; physical volume {layer.uuid}"


def setup_words(array: ArrayPlan) -> str:
    """Level, layout, chunk and bitmap in one line."""
    parts = [level(array.level).name, f"layout {array.layout}" if array.layout else ""]
    parts.append(f"chunk {array.chunk_bytes // 1024} KiB" if array.chunk_bytes else "no chunk")
    parts.append(AFTER_CRASH[array.bitmap].words if array.bitmap else "no bitmap")
    return ", ".join(escape(part) for part in parts if part)
