"""Where figures come from: versions, settings, every measurement, attachments and their digests."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

import msgspec

from raidtui.core.disks import buses
from raidtui.core.fio.measurement import Direction, Measurement
from raidtui.core.page.blocks import Block, Bullets, Code, Fenced, FileLink, Heading, PageTable, Text
from raidtui.core.page.csv import csv
from raidtui.core.plan.fields import FIELDS
from raidtui.core.plan.model import Member, Plan, heading
from raidtui.core.plan.steps import resolve
from raidtui.core.report.context import RunContext
from raidtui.core.report.facts import after_a_reboot
from raidtui.core.report.setups import POINTS
from raidtui.core.results.figure import percentiles
from raidtui.core.run.events import SettingChanged
from raidtui.core.run.state import RunState, StepState
from raidtui.core.units import MB, both, format_duration, format_ms, format_number

# What the kernel was asked of each disk before the first test: LBA format, and the node whose memory it is nearest to.
_KERNEL_SETTINGS = {
    "Blocks (logical/physical), bytes": ("logical block, bytes", "physical block, bytes"),
    "NUMA node": ("NUMA node",),
}


def provenance(run: RunContext) -> Iterator[Block]:
    plan, state = run.plan, run.state
    tools = state.worker.tools if state.worker else {}
    about = [("Run", state.run or "unknown"), ("Plan", plan.code)]
    about += [("Started", _time(state.started_at_s)), ("Last event", _time(state.now_s)), *tools.items()]
    yield Heading("Provenance")
    yield PageTable(["What", "Which"], about, 2)
    yield Heading("Disks below, not touched" if plan.existing else "Disks", 3)
    yield _members(plan)
    yield from _counted_by_bytes(plan, state)
    yield Heading("How it ended", 3)
    yield Text(_ending(plan, state))
    yield from _without_figure(plan, state)
    yield from after_a_reboot(plan, state)


def commands(run: RunContext) -> Iterator[Block]:
    """As they ran, with their durations; then every changed setting of the kernel."""
    plan, state = run.plan, run.state
    yield Heading("Commands, in the order in which they ran")
    yield Fenced(_commands(plan, state.steps))
    if settings := _settings(plan, state):
        yield Heading("Changed settings")
        yield Bullets(settings)


def _settings(plan: Plan, state: RunState) -> list[str]:
    """Every setting of the kernel that the run changed, from what to what, and whether it was put back."""
    times_changed = Counter(
        f"{_setting(plan, change.path)} was {change.old}, set to {change.new}, {_end_of(change, state)}"
        for change in state.changes
    )
    return [f"{words}{f' ({count} times)' if count > 1 else ''}" for words, count in times_changed.items()]


def _end_of(change: SettingChanged, state: RunState) -> str:
    if change.lasts and change.path in state.lasting:
        return "and stays"
    return f"{'NOT ' if change.path in state.settings else ''}put back"


def _setting(plan: Plan, path: str) -> str:
    """The path with the disks' serial numbers in it: their names may be others by now."""

    def named(placeholder: str) -> str:
        kind, _, number = placeholder.partition(":")
        member = plan.members[int(number)] if kind == "member" and int(number) < len(plan.members) else None
        return (member.serial or member.id) if member else "the array"

    return resolve(path, named)


def _counted_by_bytes(plan: Plan, state: RunState) -> Iterator[Text]:
    """Which IOPS are not fio's own figure, and how far that is below."""
    directions = [
        rates for one in measurements(plan, state) for rates in (one.read, one.write) if rates and rates.fio_iops
    ]
    if not directions:
        return
    largest_share = max(1 - (rates.fio_iops or 0.0) / rates.iops for rates in directions)
    why = (
        "IOPS of tests with a ramp are bytes / block size: fio counts only the bytes of I/Os that the end of the ramp"
        f" cut. Its own figures, up to {100 * largest_share:.1f} % lower, are "
    )
    yield Text((why, Code("fio_iops"), " in the JSON."))


def _time(at_s: float) -> str:
    return f"{datetime.fromtimestamp(at_s, UTC):%Y-%m-%d %H:%M:%S} UTC" if 0 < at_s < 2**36 else "unknown"


def names(member: Member, state: RunState) -> str:
    """What the kernel called this one disk: sdb, or after it came back under another name "sdb, later sde"."""
    nodes = [node.removeprefix("/dev/") for node in state.nodes.get(member.id, ())]
    return ", later ".join(dict.fromkeys((member.name, *nodes)))


def _members(plan: Plan) -> Block:
    if not plan.disks:
        return Text("The disks below are not known.")
    rows = [
        [
            str(number),
            member.serial or "unknown",
            member.slot or "unknown",
            member.model or "unknown",
            both(member.size_bytes),
            member.found,
        ]
        for number, member in enumerate(plan.disks, 1)
    ]
    heads = ["Disk", "Serial", "Where", "Model", "Size", "Found on it"]
    return PageTable(heads, rows, len(heads))


def disk_details(run: RunContext) -> Iterator[Block]:
    """Names, identity, firmware, link, and what the kernel was asked of each disk before the first test."""
    plan, state = run.plan, run.state
    rows = [
        [
            str(number),
            member.serial or "unknown",
            names(member, state),
            member.id,
            member.firmware or "unknown",
            ", ".join(map(buses.title, member.buses[:1])) or "unknown",
        ]
        for number, member in enumerate(plan.disks, 1)
    ]
    heads = ["Disk", "Serial", "Name", "Identity", "Firmware", "Link"]
    kernel_answers = state.queues[0].disks if state.queues else {}
    for head, settings in _KERNEL_SETTINGS.items():
        cells = [
            "/".join(kernel_answers.get(disk.id, {}).get(name, "") for name in settings).strip("/")
            for disk in plan.disks
        ]
        if any(cells):
            heads.append(head)
            rows = [[*row, cell] for row, cell in zip(rows, cells, strict=True)]
    yield PageTable(heads, rows, len(heads))
    if volumes := [f"{disk.serial or disk.id}: {disk.volume}" for disk in plan.disks if disk.volume]:
        yield Heading("Volumes of RAID controllers, as they were when this was planned")
        yield Bullets(volumes)


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


def _without_figure(plan: Plan, state: RunState) -> Iterator[Block]:
    """The trials that gave no figure, by the names under which one of them is measured again."""
    failed = [measurement for measurement in measurements(plan, state) if measurement.status != "ok"]
    if failed:
        yield Heading("Trials without a result", 3)
        yield Bullets([f"{one.name}, {one.status.upper()}: {one.error or 'no reason given'}" for one in failed])
        yield Text("Answer file that measures one of them again, in its own run:")
        yield Fenced([f"raidtui again {state.run} {failed[0].name} > again.toml"])


def _ending(plan: Plan, state: RunState) -> str:
    if not state.ended:
        return "Not ended: see the top."
    sentences = f"{state.outcome.capitalize()}." + (f" {state.reason}." if state.reason else "")
    if state.left:
        return f"{sentences} Not removed: {', '.join(state.left)}."
    if plan.care:
        return sentences
    if plan.existing:
        run_files = ", the run's file is removed" if state.files_removed else ""
        if state.files:
            run_files = f"; of the run's own there may be {', '.join(state.files)} yet"
        return f"{sentences} Nothing else was changed{run_files}."
    return f"{sentences} {'The array is kept.' if state.kept else 'All is cleared away: the disks carry no signature.'}"


_CSV_DIRECTION = (
    *("iops", "bytes_per_s", "io_bytes", "lat_mean_ns", "lat_p50_ns", "lat_p99_ns", "fio_iops", "lat_p99.9_ns"),
    *("lat_max_ns",),
)
_CSV_PLAIN = ("name", "status", "error", "fio_version", "rw", "bs_bytes", "iodepth", "numjobs", "runtime_ms")


def measurements(plan: Plan, state: RunState) -> list[Measurement]:
    """The newest measurement of each trial in the plan's order, with the setup that it was made on."""
    measured = []
    for stage in plan.stages:
        setup = msgspec.to_builtins(stage.setup)
        for trial in stage.trials:
            if measurement := state.measured(trial.id):
                measured.append(msgspec.structs.replace(measurement, setup=measurement.setup or setup))
    return measured


def measurements_csv(measured: Sequence[Measurement]) -> str:
    """One row a measurement; bytes, bytes/s and ns as in the JSON, empty where unknown; all percentiles that
    any has.
    """
    both = [rates for measurement in measured for rates in (measurement.read, measurement.write) if rates]
    points = sorted({point for rates in both for point in rates.lat_percentiles_ns or {}} - {*POINTS}, key=float)
    named = [f"{name}_{field}" for name in ("read", "write") for field in _CSV_DIRECTION]
    further = [f"{name}_lat_p{point}_ns" for name in ("read", "write") for point in points]
    rows = [
        [
            *(getattr(measurement, field) for field in _CSV_PLAIN),
            *((measurement.setup or {}).get(field) for field in FIELDS),
            " ".join(measurement.targets),
            *_direction_fields(measurement.read),
            *_direction_fields(measurement.write),
            "; ".join(measurement.warnings),
            *(_percentile(rates, point) for rates in (measurement.read, measurement.write) for point in points),
        ]
        for measurement in measured
    ]
    return csv([*_CSV_PLAIN, *FIELDS, "targets", *named, "warnings", *further], rows)


def _percentile(rates: Direction | None, point: str) -> float | None:
    return (rates.lat_percentiles_ns or {}).get(point) if rates else None


def _direction_fields(rates: Direction | None) -> list[object]:
    if rates is None:
        return [None] * len(_CSV_DIRECTION)
    p50, p99, p999 = (_percentile(rates, point) for point in POINTS)
    moved = [rates.iops, rates.bytes_per_s, rates.io_bytes, rates.lat_mean_ns, p50, p99]
    return [*moved, rates.fio_iops, p999, rates.lat_max_ns]


def of_measurements(measured: Sequence[Measurement]) -> Iterator[Block]:
    """A table of results that come from no run of ours: fio's files from anywhere."""
    heads = ["Result", "Status", "Pattern", "Block, bytes", "Queue", "Direction", "MB/s", "IOPS"]
    heads += ["Mean, ms", *(f"p{point}, ms" for point in POINTS), "Max, ms"]
    yield Heading("Results of fio", 1)
    yield Text("MB/s = 10^6 bytes/s.")
    yield PageTable(heads, [line for measurement in measured for line in _lines(measurement)], 3)
    notes = [
        f"{measurement.name}: {text}"
        for measurement in measured
        for text in (measurement.error, *measurement.warnings)
        if text
    ]
    yield Bullets(list(dict.fromkeys(notes)))


def _rates(result: Measurement) -> Iterator[tuple[str, Direction | None]]:
    yield from (("read", result.read), ("write", result.write), ("mixed", result.mixed))


def _lines(result: Measurement) -> list[list[str]]:
    queue = str(result.iodepth * result.numjobs) if result.iodepth and result.numjobs else ""
    status = result.status if result.status == "ok" else result.status.upper()
    about = [result.name, status, result.rw, str(result.bs_bytes or ""), queue]
    directions = [(name, rates) for name, rates in _rates(result) if rates]
    if result.status != "ok" or not directions:  # never a number that a reader could take for a result
        return [[*about, *[""] * 8]]
    return [[*about, name, *_figures(rates)] for name, rates in directions]


def _figures(rates: Direction) -> list[str]:
    percentiles_ns = percentiles(rates)
    latencies = (rates.lat_mean_ns, *(percentiles_ns.get(point) for point in POINTS), rates.lat_max_ns)
    return [format_number(rates.bytes_per_s, MB), format_number(rates.iops), *map(format_ms, latencies)]


SUMS = "SHA256SUMS"  # name of the file, as sha256sum(1) reads it
_LINE = "_" * 30


def sums(digests: Mapping[str, str]) -> str:
    """`digests`: path below the folder -> SHA-256 in hexadecimal."""
    return "".join(f"{digest}  {path}\n" for path, digest in sorted(digests.items()))


def signature(digests: Mapping[str, str], digest: str, folder: str) -> Iterator[Block]:
    """`digest`: SHA-256 of the file of sums, which lies in `folder` with what it names."""
    yield Heading("Signature")
    link, check = FileLink(SUMS, f"{folder}/{SUMS}"), Code(f"sha256sum -c {SUMS}")
    yield Text(
        (f"SHA-256 of {len(digests)} files: ", link, ", itself ", Code(digest), ". ", check, " there checks them.")
    )
    yield PageTable(("Name", "Date", "Signature"), ((_LINE, _LINE, _LINE),), 3)
