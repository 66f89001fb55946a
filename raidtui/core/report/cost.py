"""What the run took: seconds and bytes of fio, builds, waiting and removal, beside the estimate."""

from collections.abc import Iterator

from raidtui.core.page.blocks import Block, Heading, PageTable, Text
from raidtui.core.plan.estimate import Part
from raidtui.core.report.context import RunContext
from raidtui.core.run import progress
from raidtui.core.units import both, format_duration, format_percent, signed_percent

_PARTS: dict[Part, str] = {
    "trial": "fio, with its start and end",
    "sync": "First syncs waited for",
    "fill": "Test files written",
    "build": "Arrays and partitions built, old signatures cleared",
    "filesystem": "File systems made",
    "mount": "Mounted and unmounted",
    "self-test": "Disks tested themselves",
    "look": "Disks and arrays looked at, udev waited for",
    "setting": "Settings switched, page cache dropped",
    "boot": "Made permanent: files of boot, initramfs, put together again",
    "person": "Waited for a person to type the passphrase",
    "teardown": "Cleared away",
    "between": "Between steps: bookkeeping, disks looked at once more",
}


def cost(run: RunContext) -> Iterator[Block]:
    """Where the time of the run went, as seconds and as a share of all of it; then bytes written."""
    plan, state = run.plan, run.state
    took, expected = progress.seconds_taken(state), plan.estimated_s
    fio_s, whole_s = took["trial"], progress.active_s(state)
    if not fio_s or whole_s <= 0:
        return
    took["between"] = max(0.0, whole_s - sum(took.values()))
    named = [(part, name) for part, name in _PARTS.items() if took[part] or expected.get(part)]
    parts = [(name, took[part], expected.get(part)) for part, name in named]
    parts.append(("All but fio's measuring", whole_s - fio_s, plan.estimate_s - expected.get("trial", 0.0)))
    parts.append(("All of it", whole_s, plan.estimate_s))
    heads = ["Part", "Time, s", "Of the run, %", *(["Estimated, s"] if expected else [])]
    rows = [
        [name, f"{took_s:.1f}", format_percent(took_s / whole_s, 1), "" if part_s is None else f"{part_s:.1f}"]
        for name, took_s, part_s in parts
    ]
    yield Heading("What the run itself took")
    yield PageTable(heads, [row[: len(heads)] for row in rows])
    if state.outcome == "finished" and plan.estimate_s:
        worked_s = whole_s - took["person"]
        estimated, truth = format_duration(plan.estimate_s), format_duration(worked_s)
        off = f"{signed_percent(worked_s / plan.estimate_s - 1)} %"
        program = f" on a machine where a short program took {plan.command_s:.2f} s" if expected else ""
        yield Text(f"It was estimated at {estimated}{program}, and took {truth}: {off}.")
    if state.written_bytes and (raw := sum(disk.size_bytes for disk in plan.disks)):
        times = f"{state.written_bytes / raw:.2f} times what they hold"
        expected_bytes = f"{both(plan.written_bytes)} were estimated"
        expected_bytes += ", without what was measured again" if state.asked_again else ""
        yield Text(f"{both(state.written_bytes)} were written to the disks, {times}; {expected_bytes}.")
