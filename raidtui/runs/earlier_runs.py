"""Restores settings that earlier runs left changed on these disks; else the run does not begin. A killed worker
restores nothing, and the next run would measure with its settings.
"""

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from raidtui.core.disks.machine import sysfs_name
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import steps
from raidtui.core.plan.model import Plan
from raidtui.core.run import events
from raidtui.core.run.state import RunState
from raidtui.runs import directory, journal
from raidtui.runs.host import Host
from raidtui.runs.journal import Journal, read_state


def put_back(path: Path, plan: Plan, host: Host, warn: Callable[[str], None]) -> str:
    """Settings of resting runs on the plan's disks, or machine-wide. A sentence if impossible, else "". Restored ones
    are warned of; settings changed by others since stay.
    """
    own_disks = {disk.id for disk in plan.disks}
    for other_run in directory.list_runs(path.parent):
        if other_run.name == path.name:
            continue
        state = read_state(other_run / directory.JOURNAL)
        if not state.settings or journal.going_on(state):
            continue
        try:
            if settled := _settle(other_run, state, own_disks, host):
                warn(
                    f"run {other_run.name} was interrupted with settings changed; restored first: {', '.join(settled)}"
                )
        except (OSError, ValueError) as error:
            return (
                f"run {other_run.name} was interrupted and left changed settings on these disks, which cannot be"
                f" restored ({error}): `raidtui clean {other_run.name}`, or set them by hand"
            )
    return ""


def _settle(other_run: Path, state: RunState, own_disks: set[str], host: Host) -> list[str]:
    settled = []
    other_disks = directory.read_plan(other_run).disks
    names = {disk.id: disk.name for disk in disks_of(host.read_machine())}
    newest = {change.path: change.new for change in state.changes}

    def device_of(placeholder: str) -> str:
        return sysfs_name(names[other_disks[int(placeholder.partition(":")[2])].id])

    with ExitStack() as stack:
        stack.enter_context(host.lock_run(other_run, ()))
        journal = Journal(other_run / directory.JOURNAL)
        stack.callback(journal.close)
        for path, old in reversed(tuple(state.settings.items())):
            placeholders = [
                name for name in steps.PLACEHOLDER.findall(path) if name.startswith(("member:", "beneath:"))
            ]
            disks = {other_disks[int(name.partition(":")[2])].id for name in placeholders}
            if "{array" in path or not disks <= own_disks or not disks <= names.keys():
                continue  # gone with its array, another disk's, or of a disk that is not here
            if not steps.is_setting(path):
                raise ValueError(f"{path} is no setting of the kernel")
            for setting in host.settings_at(steps.resolve(path, device_of))[:1]:
                if steps.chosen(setting.read()) == newest.get(path):
                    setting.write(old)
                    if (now_value := steps.chosen(setting.read())) != old:
                        raise ValueError(f"{setting} says {now_value or 'nothing'!r} after {old!r} was written")
                    settled.append(f"{setting} to {old}")
            journal.add(events.SettingRestored(at_s=time.time(), path=path, value=old))
    return settled
