"""Page 1 of a report, at most 60 lines: the answer, then what stands behind it, a line each."""

from collections.abc import Iterator

from raidtui.core.arrays import monitor
from raidtui.core.disks.drive import described
from raidtui.core.page.blocks import Block, Heading, PageTable, Words, coded
from raidtui.core.plan.model import Stage
from raidtui.core.report import answer, facts, proof
from raidtui.core.report.context import RunContext
from raidtui.core.run import disk_changes
from raidtui.core.run.proof import result
from raidtui.core.run.state import RunState
from raidtui.core.units import both

_MOST_NAMED = 4  # disks


def first_page(run: RunContext) -> Iterator[Block]:
    yield from answer.answer(run)
    yield Heading("Summary")
    yield PageTable(("What", "Which"), list(_rows(run)), 2)


def _rows(run: RunContext) -> Iterator[tuple[str, Words]]:
    plan, state = run.plan, run.state
    yield "Ended", _ended(state)
    yield "Verdict", f"{run.answer.mark.sign} {run.answer.mark.words}"
    stages = [stage for _, stage in run.built]
    if len(stages) == 1:
        yield from _array(stages[0], state)
    if result(plan, state) or state.kept:
        yield "Proof", proof.line(plan, state)
        if covered := proof.covered(plan, state):
            yield "Compared", covered
    yield "Health", _health(run)
    if state.kept and state.watch:
        yield from _watched(state)
    if state.written_bytes:
        yield "Written to disks", both(state.written_bytes)


def _ended(state: RunState) -> str:
    if not state.ended:
        return "not yet"
    reason = f": {state.reason}" if state.reason else ""
    return f"{state.outcome}{'; array kept' if state.kept else ''}{reason}"


def _array(stage: Stage, state: RunState) -> Iterator[tuple[str, Words]]:
    if stage.array:
        yield "Array", facts.setup_words(stage.array)
        if state.kept:
            yield "Node, UUID", f"/dev/md/{stage.array.name}, {stage.array.uuid}"
        yield "Usable", both(stage.array.capacity.array_bytes)
    if stage.filesystem and state.kept:
        yield "File system", f"{stage.filesystem.kind}, UUID {stage.filesystem.uuid}"


def _health(run: RunContext) -> str:
    """What the disks' own counters say of the run; a verdict of each is in the attachments."""
    plan, state = run.plan, run.state
    asked = sum(member.id in state.healths[-1].disks for member in plan.members) if state.healths else 0
    if not asked:
        return "not checked: no disk answered smartctl"
    worse = {
        member.serial or member.id: found
        for member in plan.members
        if (found := disk_changes.worsened(state, member.id))
    }
    of_all = f"{asked} of {len(plan.members)} disks read"
    if len(state.healths) < 2:
        return f"{of_all}, before the run only"
    if not worse:
        return f"{of_all} before and after: no error count grew"
    named = [
        f"{serial}: {', '.join(f'{name} {before} → {after}' for name, (before, after) in found.items())}"
        for serial, found in list(worse.items())[:_MOST_NAMED]
    ]
    further = f"; {len(worse) - _MOST_NAMED} disks more" if len(worse) > _MOST_NAMED else ""
    return f"{of_all}; WORSE: {'; '.join(named)}{further}"


def _watched(state: RunState) -> Iterator[tuple[str, Words]]:
    assert state.watch
    if state.monitor and (words := monitor.words(state.monitor)):
        yield "Disk failures", coded(words)
    if smartd := monitor.smartd_words(state.watch):
        yield "SMART", smartd
    if recoveries := [described(recovery) for recovery in state.watch.recoveries.values()]:
        counted = dict.fromkeys(recoveries)
        yield "Error recovery", "; ".join(f"{recoveries.count(words)} × {words}" for words in counted)
