"""Where a report comes from: machine, tools, disks, how it ended; commands as they ran, settings that were changed."""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from raidtui.core.disks import buses
from raidtui.core.page.blocks import Block, Bullets, Code, Fenced, Heading, PageTable, Text
from raidtui.core.plan.model import Member, Plan, heading
from raidtui.core.plan.steps import resolve
from raidtui.core.report.boot import after_a_reboot
from raidtui.core.report.context import RunContext
from raidtui.core.run.events import SettingChanged
from raidtui.core.run.state import RunState, StepState
from raidtui.core.units import both, format_duration

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
    measured = [measurement for trial in plan.trials if (measurement := state.measured(trial.id))]
    directions = [rates for one in measured for rates in (one.read, one.write) if rates and rates.fio_iops]
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
    measured = [measurement for trial in plan.trials if (measurement := state.measured(trial.id))]
    failed = [measurement for measurement in measured if measurement.status != "ok"]
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
