"""What the run took: seconds and bytes of fio, builds, waiting and removal, beside the estimate."""

from collections.abc import Iterator

from raidtui.core.page.blocks import Block, Heading, PageTable, Text
from raidtui.core.plan.estimate import Part
from raidtui.core.report.context import RunContext
from raidtui.core.run import progress
from raidtui.core.units import both, format_duration, format_percent, signed_percent

_PARTS: dict[Part, str] = {
    "trial": "fio, with its start and end",
    "sync": "Waiting for the initial resync",
    "fill": "Writing test files",
    "build": "Arrays and partitions, wiping old signatures",
    "filesystem": "mkfs",
    "mount": "Mounting and unmounting",
    "self-test": "Self-tests of the disks",
    "look": "Reading disks and arrays, waiting for udev",
    "setting": "Changing settings, dropping the page cache",
    "boot": "Boot files, initramfs, assembling again",
    "person": "Waiting for the passphrase",
    "teardown": "Removal",
    "between": "Between steps: journal, reading disks again",
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
    parts.append(("Everything but fio's measuring", whole_s - fio_s, plan.estimate_s - expected.get("trial", 0.0)))
    parts.append(("Total", whole_s, plan.estimate_s))
    heads = ["Part", "Time, s", "Of the run, %", *(["Estimated, s"] if expected else [])]
    rows = [
        [name, f"{took_s:.1f}", format_percent(took_s / whole_s, 1), "" if part_s is None else f"{part_s:.1f}"]
        for name, took_s, part_s in parts
    ]
    yield Heading("Duration and bytes written")
    yield PageTable(heads, [row[: len(heads)] for row in rows])
    if state.outcome == "finished" and plan.estimate_s:
        worked_s = whole_s - took["person"]
        estimated, truth = format_duration(plan.estimate_s), format_duration(worked_s)
        off = f"{signed_percent(worked_s / plan.estimate_s - 1)} %"
        program = f" on a machine where a short program took {plan.command_s:.2f} s" if expected else ""
        yield Text(f"Estimated {estimated}{program}, took {truth}: {off}.")
    if state.written_bytes and (raw := sum(disk.size_bytes for disk in plan.disks)):
        times = f"{state.written_bytes / raw:.2f} times their capacity"
        expected_bytes = f"{both(plan.written_bytes)} were estimated"
        expected_bytes += ", repeated measurements left out" if state.asked_again else ""
        yield Text(f"{both(state.written_bytes)} were written to the disks, {times}; {expected_bytes}.")
