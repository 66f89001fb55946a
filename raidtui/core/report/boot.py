"""What of a kept array is known at boot, and how it would be: lines that the run wrote, or those to write by hand."""

import shlex

from raidtui.core.disks.emulators import IN_MEMORY
from raidtui.core.plan import slots
from raidtui.core.plan.kept import permanence, pools
from raidtui.core.plan.kept.permanence import mount_point
from raidtui.core.plan.model import Plan
from raidtui.core.raid.filesystems import USUAL, filesystem
from raidtui.core.report.tables import escape, fenced
from raidtui.core.run.events import PoolMade
from raidtui.core.run.permanence import is_permanent
from raidtui.core.run.state import RunState


def after_a_reboot(plan: Plan, state: RunState) -> list[str]:
    """Nothing where no array is kept."""
    if not state.kept:
        return []
    if made := state.pools.get(plan.kept_stage or 0):
        return _of_pool(plan, state, made)
    if is_permanent(plan, state):
        folder = mount_point(plan)
        mounted = f", mounted at {escape(folder)}" if folder else ""
        lines = [line for path, edit in state.edits.items() for line in (f"# {path}", *edit.lines)]
        return [
            "### After a reboot",
            f"It comes back under its name{mounted}, by the lines below. `raidtui undo {state.run}` takes them back.",
            *filter(None, (_ends_with_machine(plan),)),
            *_once_typed(plan, folder),
            fenced(lines),
        ]
    if forever := permanence.shell_lines(plan):
        ends = _ends_with_machine(plan)
        title = "After a reboot" if ends else "To keep it after a reboot"
        how = "Of real disks these lines, as root, would keep it:" if ends else "As root:"
        return [f"### {title}", " ".join(filter(None, (ends, _now(plan), how))), fenced(forever)]
    return []


def _ends_with_machine(plan: Plan) -> str:
    """That no disk of it outlives the machine, in a sentence; "" where one may."""
    if not all(member.emulator in IN_MEMORY for member in plan.members):
        return ""
    emulator = plan.members[0].emulator
    return f"The disks are in this machine's memory ({emulator}): they end with it, and the array with them."


def _now(plan: Plan) -> str:
    """That what is kept is not mounted; of a bare array also what it takes to use it."""
    stage = slots.filled(plan).stages[plan.kept_stage or 0]
    if stage.filesystem or not stage.array:
        return "It is unmounted now."
    program = filesystem(USUAL).program
    return (
        f"It has no file system: `{program} /dev/md/{stage.array.name}` makes one, which may be mounted then; or all of"
        " it is given to LVM, or to a virtual machine."
    )


def _of_pool(plan: Plan, state: RunState, made: PoolMade) -> list[str]:
    if is_permanent(plan, state):
        return [
            "### After a reboot",
            f"ZFS itself imports {escape(made.pool)} by its cache file, and mounts it at {escape(mount_point(plan))}."
            f" `raidtui undo {state.run}` takes that back.",
        ]
    lines = pools.shell_lines(made.pool, made.guid, permanence.folder_of(plan.answers))
    return ["### To keep it after a reboot", "It is not mounted now. As root:", fenced(lines)]


def _once_typed(plan: Plan, folder: str) -> list[str]:
    """Of a LUKS container: boot goes on without its passphrase, and what brings it later."""
    if plan.kept_stage is None or plan.answers.setup.between != "luks":
        return []
    layer = slots.filled(plan).stages[plan.kept_stage].layer
    assert layer
    opens = f"systemctl start systemd-cryptsetup@$(systemd-escape {layer.group}).service"
    mounts = f" && mount {shlex.quote(folder)}" if folder else ""
    return [
        "Its container stays closed until its passphrase is typed: at boot on the console, which waits for nobody,"
        f" or later: `{opens}{mounts}`."
    ]
