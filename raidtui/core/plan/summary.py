"""A recipe in words, and a plan's cost: time, bytes, wear. Pure: lines for a terminal."""

from collections.abc import Sequence
from itertools import groupby

import msgspec

from raidtui.core.disks.disk import Disk, Usability, Verdict
from raidtui.core.fio import job as fio_job
from raidtui.core.fio.job import Job
from raidtui.core.plan import estimate, sweep
from raidtui.core.plan.answers import Axes
from raidtui.core.plan.fields import FIELDS, SetupField, default
from raidtui.core.plan.model import Plan, goes_on
from raidtui.core.plan.recipe import Recipe, note_text
from raidtui.core.plan.tunables import TUNABLES
from raidtui.core.raid.layers import LAYERS, inside_bytes
from raidtui.core.raid.levels import is_further_copy
from raidtui.core.raid.space import beside_sentences, story, story_lines
from raidtui.core.text import listed
from raidtui.core.units import both, format_duration, format_iops, format_rate, format_round

_BASELINE = {
    "none": "No baseline.",
    "first-member": "Baseline: the first disk alone, then all disks at once, without an array.",
    "each-member": "Baseline: each disk alone, then all disks at once, without an array.",
}
_EXISTING = (
    "Then the existing storage, also while in use. The whole answer file:",
    '  target = "/srv/data"      or "/dev/md0"',
    '  recipe = "existing"',
    "Device: only read, no write jobs. Folder (ZFS pools too): a new test file, at most a tenth of the free space and",
    "4 GiB, always removed at the end.",
)
_SECTIONS = (
    'A part of it: `jobs = ["JOB"]` in the answer file selects jobs, [axes] with one value each a single setup.',
    "Repeat one trial of a run: `raidtui again RUN TRIAL > again.toml`, then plan and run this file.",
)
_VARIED = {"rate_iops": "load", "offset": "position on the disk"}
_PATTERNS = {
    "read": "seq read",
    "write": "seq write",
    "rw": "seq read and write",
    "randread": "random read",
    "randwrite": "random write",
    "randrw": "random read and write",
}


def experiment(plan: Plan) -> str:
    """The recipe's title; for an ablation the explained test."""
    if not plan.answers.explain:
        return plan.recipe_title
    stages = [stage for stage in plan.stages if stage.setup is not None or stage.existing is not None]
    explained = next((trial.title for stage in stages for trial in stage.trials if not trial.suspect), "the disks")
    return f"Bottleneck of {explained}"


def measured(plan: Plan) -> str:
    """The tests; of an explanation which test, and what is changed for it, one at a time."""
    words = f"{experiment(plan)}, {len(plan.trials)} test{'' if len(plan.trials) == 1 else 's'}"
    if not plan.answers.explain:
        return words
    changes = "; ".join(TUNABLES[key].changed for key in plan.answers.explain)
    return f"{words}, unchanged and with one change at a time: {changes}"


def explain(name: str, recipe: Recipe) -> list[str]:
    source = [", ".join(part for part in (f"After: {recipe.source}", recipe.link) if part)] if recipe.source else []
    return [f"{name}: {recipe.title}", recipe.summary, *source, "", *doing(recipe), "", *_SECTIONS]


def doing(recipe: Recipe) -> list[str]:
    """Below title and summary: what is measured and built, in order."""
    lines = [_BASELINE[recipe.baseline]]
    if recipe.baseline_depths:
        lines.append("Random tests of the first disk alone also at two or three lower queue depths.")
    if recipe.precondition:
        lines.append("Precondition: everything is written twice first, as full flash is slower.")
    if recipe.existing:
        lines += _EXISTING
    elif recipe.sweeps:
        lines.append("Then arrays, one after the other, every combination of:")
        lines += [f"  {axes_words(axes)}" for axes in recipe.sweeps]
    else:
        lines.append("Then the array.")
    lines += [
        "",
        "Tests on each, in this order:",
        *(f"  {job.title or job.name} ({job.name}): {asks_words(job)}" for job in recipe.job),
    ]
    if recipe.rounds:
        lines.append(f"In rounds, at most {recipe.rounds}, until {recipe.steady} is in steady state (SNIA).")
    if recipe.scratch:
        lines.append("No array is kept.")
    for label, variant in recipe.variant.items():
        lines += [
            "",
            f'Variant {label} (variant = "{label}" in the answer file): {variant.summary}',
        ]
        of_fio = {"all jobs": variant.fio, **variant.job}
        lines += [f"  fio, {job}: {_options(options)}" for job, options in of_fio.items() if options]
    if recipe.published:
        lines += ["", f"The report compares with {len(recipe.published)} published results."]
    return [*lines, *([""] if recipe.notes else []), *(f"Note: {note_text(note)}" for note in recipe.notes)]


def axes_words(axes: Axes) -> str:
    def words(name: str, row: SetupField, values: Sequence[object]) -> str:
        texts = ((value == default(name) and row.unsaid) or str(value) for value in values)
        return f"{row.axis or row.label.lower()} {', '.join(texts)}"

    varied = {name: values for name in FIELDS if (values := getattr(axes, name, ()))}
    return "; ".join(words(name, FIELDS[name], values) for name, values in varied.items())


def asks_words(job: Job) -> str:
    options = job.fio
    rw, size = str(options.get("rw", "read")), str(options.get("bs", "4k"))
    parts = [
        f"{_PATTERNS.get(rw, rw)}, {format_round(fio_job.block_bytes(options)) if ',' not in size else size}",
        _jobs(job),
        _depth(job),
        "direct" if options.get("direct") else "buffered",
        f"{format_duration(fio_job.seconds(options, 'runtime'))}" if options.get("runtime") else "",
        "" if options.get("time_based") or not options.get("size") else f"or {options['size']}",
        "page cache dropped first" if job.drop_caches_before else "",
        "disk write caches off" if job.write_cache == "off" else "",
        "fdatasync after each write" if options.get("fdatasync") else "",
        f"only for {' and '.join(job.uses)}" if job.uses else "",
        *(f"{_VARIED.get(option, option)} {' '.join(map(str, values))}" for option, values in job.vary.items()),
    ]
    return ", ".join(part for part in parts if part)


def _jobs(job: Job) -> str:
    if job.files == "per-disk":
        return "one job and file per disk"
    jobs = fio_job.count(job.fio, "numjobs")
    if job.disk_depth:
        return f"{_count(jobs, 'job')} per disk"
    return "" if "numjobs" in job.vary else _count(jobs, "job")


def _depth(job: Job) -> str:
    """The queue depth; `iodepth`, that of each job, where their number varies or follows from the disks."""
    if job.disk_depth and "iodepth" not in job.fio:
        return f"QD{job.disk_depth.hdd} (HDD) or QD{job.disk_depth.flash} (flash) per disk"
    if "iodepth" in job.vary:
        return ""
    depth = fio_job.count(job.fio, "iodepth")
    if job.disk_depth:
        return f"QD{depth * fio_job.count(job.fio, 'numjobs')} per disk"
    of_each = job.files == "per-disk" or "numjobs" in job.vary
    return f"iodepth {depth}" if of_each else f"QD{depth * fio_job.count(job.fio, 'numjobs')}"


def _options(options: dict[str, str | int | float | bool]) -> str:
    return " ".join(f"{key}={int(value) if isinstance(value, bool) else value}" for key, value in options.items())


def cost(plan: Plan) -> list[str]:
    """Cells, builds, trials, time, bytes written, wear of disks without seeks."""
    if plan.existing:
        return _target_cost(plan)
    if plan.care:
        moves = plan.care.kind == "grow" and not is_further_copy(plan.care.level)
        slower = "; rotating disks take longer (seeks)" if moves else ""
        return [f"about {format_duration(plan.estimate_s)}, at the assumed speed of these disks{slower}"]
    cells = [number for number, stage in enumerate(plan.stages) if stage.setup is not None]
    reused = sum(goes_on(plan, number) for number in cells)
    raw = sum(member.size_bytes for member in plan.members)
    built, trials = _count(len(cells) - reused, "time"), _count(len(plan.trials), "measurement")
    setups = _count(len({plan.stages[number].setup for number in cells}), "setup")
    lines = [f"{setups}, built {built}; {trials}", *blocks_words(plan)]
    lines.append(f"time {format_duration(plan.estimate_s)} (tests {format_duration(_fio_s(plan))})")
    lines.append(f"writes {both(plan.written_bytes)}, {share_words(plan.written_bytes, raw)}{assumed_words(plan)}")
    before = plan.written_bytes - sum(trial.written_bytes for trial in plan.trials)
    if before:
        lines.append(f"{both(before)} of that: building, initial resync, test-file layout")
    if any(member.rotational is False for member in plan.members):
        lines.append(f"wear: {times_words(plan.written_bytes, raw)} the capacity of a disk, on average")
    return [*lines, *left_out(plan)]


def share_words(written_bytes: int, raw_bytes: int) -> str:
    percent = 100 * written_bytes / raw_bytes
    if percent >= 200:
        return f"{times_words(written_bytes, raw_bytes)} raw"
    return f"{percent:.0f} % of raw" if percent >= 1 else f"{percent:.1g} % of raw"


def assumed_words(plan: Plan) -> str:
    """Disk speed that sets the bytes of time-limited writes; "" if there are none."""
    if not any(trial.written_bytes and trial.runtime_s for trial in plan.trials):
        return ""
    from raidtui.core.plan.planner import speed_of  # a list of runs has no use for it

    speed = speed_of(plan.answers, plan.members, 0)
    known = "assumed"
    if plan.answers.disk_speed:
        is_emulated = any(member.emulator for member in plan.members)
        known = "practice limits" if is_emulated else "as measured or given"
    return f" at {format_rate(speed.bytes_per_s)} and {format_iops(speed.iops)} IOPS per disk ({known})"


def times_words(written_bytes: int, raw_bytes: int) -> str:
    """Of the raw capacity: `0.28 times`, `4842 times`."""
    times = written_bytes / raw_bytes
    return f"{times:.0f} times" if times >= 10 else f"{times:.2f} times"


def space_words(plan: Plan) -> list[str]:
    """From raw bytes to `df`, for a single built setup; empty for several, a target, or a pool."""
    arrays = {stage.setup: stage for stage in plan.stages if stage.setup is not None and stage.array is not None}
    if len(arrays) != 1:
        return []
    (setup, stage), *_ = arrays.items()
    sizes = [member.size_bytes for member in sweep.taken(setup, plan.members)]
    filesystem = stage.filesystem.kind if stage.filesystem else ""
    assert stage.array
    array_bytes, layer, takes, own_bytes = stage.array.capacity.array_bytes, "", [], 0
    if stage.layer:
        row, whole_bytes = LAYERS[stage.layer.kind], array_bytes
        room_bytes = row.room_bytes(whole_bytes, stage.layer.align_bytes)
        inside = inside_bytes(stage.layer.kind, whole_bytes, stage.layer.align_bytes, setup.snapshot_room)
        layer, own_bytes = row.title, array_bytes - inside
        takes = [f"{layer} overhead: {row.takes}"]
        takes += (
            [f"Free for snapshots: {both(room_bytes - inside)} of {both(room_bytes)}"] if room_bytes > inside else []
        )
    percent = stage.filesystem.reserved_percent if stage.filesystem else None
    layered = (filesystem or "none", False, layer, own_bytes)
    account = story(sizes, stage.array.capacity, *layered, rmapbt=plan.rmapbt, percent=percent)
    account = msgspec.structs.replace(account, caution="")  # is among the plan's notes
    return [*story_lines(account), *takes, *beside_sentences(stage.journals, stage.spares)]


def blocks_words(plan: Plan) -> list[str]:
    """With the time of one block; empty if there is one."""
    if not plan.blocks:
        return []
    once = format_duration(estimate.one_block_s(plan))
    return [f"{plan.blocks} passes of {once}, each rebuilds all setups in random order"]


def left_out(plan: Plan, most: int = 3) -> list[str]:
    """Setups that cannot be built by reason, `most` of each by name."""
    lines = []
    for reason, titles in groupby(plan.pruned, key=lambda text: text.partition(": ")[2]):
        setup_titles = [text.partition(": ")[0] for text in titles]
        lines.append(f"left out: {listed(setup_titles, most)}: {reason}")
    return lines


def _target_cost(plan: Plan) -> list[str]:
    written_words = f"writes {both(plan.written_bytes)} to its own test file" if plan.written_bytes else ""
    return [
        f"nothing is built or erased; {_count(len(plan.trials), 'trial')}",
        f"time {format_duration(plan.estimate_s)} (tests {format_duration(_fio_s(plan))})",
        written_words or "nothing is written",
        *left_out(plan),
    ]


def _fio_s(plan: Plan) -> float:
    return sum(trial.expected_s for trial in plan.trials)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def imagined(sizes: Sequence[int], flash: bool, nvme: bool = False) -> tuple[Disk, ...]:
    """Blank disks for a plan that is never carried out; NVMe is known by name."""
    return tuple(
        Disk(
            name=f"nvme{number}n1" if nvme else f"disk{number}",
            path=f"/dev/disk{number}",
            id=f"name-disk{number}",
            size_bytes=size,
            verdict=Verdict(Usability.OK),
            rotational=not (flash or nvme),
            transport="nvme" if nvme else "",
        )
        for number, size in enumerate(sizes)
    )
