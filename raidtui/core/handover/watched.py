"""Who watches a permanent array from its first day: the next check, smartd, and how long its disks try a bad sector."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from raidtui.core.arrays.monitor import Watch
from raidtui.core.boot import entries
from raidtui.core.disks.drive import ERC_DECISECONDS, LONG_TIMEOUT_S, Recovery, described
from raidtui.core.page.blocks import Block, Heading, PageTable, Text, Words, coded
from raidtui.core.plan.kept import lasting
from raidtui.core.plan.model import Plan, Stage
from raidtui.core.run.state import RunState

_SMARTD = {
    True: "smartd runs.",
    False: "smartd does not run; `systemctl enable --now smartd` starts it (package smartmontools).",
    None: "smartd: not checked.",
}
_REPLACED = "A replacement of one of these disks is not in the rules; `raidtui status` shows its error recovery."


def blocks(plan: Plan, state: RunState, stage: Stage) -> Iterator[Block]:
    """As the run saw it when it made the array permanent; nothing where it did not look."""
    if (seen := state.watch) is None or stage.array is None:
        return
    yield Heading("Checks of the data", 3)
    yield Text(_next_check(seen, stage.array.name))
    yield Heading("Error recovery, and SMART", 3)
    head = ("Disk", "Error recovery (ERC)", "Time-out", "Set at boot", "In smartd.conf")
    yield PageTable(head, list(_rows(plan, state, stage, seen)), len(head))
    yield Text(coded(f"{_SMARTD[seen.smartd_running]} {_REPLACED}"))
    yield from map(Text, _mailed(plan, state))


def _mailed(plan: Plan, state: RunState) -> Iterator[str]:
    """The last test mail: handed over, which is all that is known."""
    mailed = [step for step in state.steps if step.role == "test-mail" and step.ended_at_s and step.error is None]
    to = (state.monitor.mailaddr if state.monitor else "") or plan.answers.mailaddr
    if mailed and to:
        at = f"{datetime.fromtimestamp(mailed[-1].ended_at_s or 0, UTC):%Y-%m-%d %H:%M} UTC"
        yield f"Test mail: handed to sendmail for {to} on {at}; its arrival was not checked."


def _next_check(seen: Watch, name: str) -> Words:
    check = seen.next_check
    if not check.by:
        return coded(f"None is scheduled. By hand: `raidtui scrub {name}`.")
    if check.at_s is None:
        return f"{check.by} begins them; the next date was not read."
    return f"The next begins on {datetime.fromtimestamp(check.at_s, UTC):%Y-%m-%d %H:%M} UTC ({check.by})."


def _rows(plan: Plan, state: RunState, stage: Stage, seen: Watch) -> Iterator[Sequence[Words]]:
    assert stage.array
    ruled = entries.rules_file(stage.array.name) in state.edits
    by_unit = entries.unit_file(stage.array.name) in state.edits
    kept = lasting.lasting(stage, plan.members, by_unit=by_unit)
    for index, member in enumerate(plan.members):
        recovery = seen.recoveries.get(member.id, Recovery())
        unread = "not applicable" if recovery.erc == "not applicable" else "not checked"
        timeout = unread if recovery.timeout_s is None else f"{recovery.timeout_s} s"
        at_boot = _at_boot(kept, index) if ruled or index in kept.without else "nothing"
        how = seen.smartd.get(member.id, "not checked")
        yield (member.serial or member.id, described(recovery), timeout, at_boot, how)


def _at_boot(kept: lasting.Lasting, index: int) -> str:
    if index in kept.without:
        return "no rule (no WWN)"
    if index in kept.erc:
        return f"ERC {ERC_DECISECONDS / 10:g} s"
    return f"time-out {LONG_TIMEOUT_S} s" if lasting.TIMEOUT in kept.of_disks.get(index, {}) else "nothing"
