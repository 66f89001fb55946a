"""What of a kept array is known at boot, and how it would be: lines that the run wrote, or those to write by hand."""

import shlex

from raidtui.core.disks.emulators import are_in_memory
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
        ends = _ends_with_machine(plan)
        comes = f"{'Of real disks it would come' if ends else 'It comes'} back under its name{mounted}"
        taken_back = f"`raidtui undo {state.run}` takes them back."
        return [
            "### After a reboot",
            " ".join(filter(None, (ends, f"{comes}, by the lines below. {taken_back}", _of_bare(plan)))),
            *_once_typed(plan, folder),
            fenced(lines),
        ]
    if forever := permanence.shell_lines(plan):
        ends = _ends_with_machine(plan)
        title = "After a reboot" if ends else "To keep it after a reboot"
        how = "Of real disks these lines, as root, would keep it:" if ends else "As root:"
        now = _of_bare(plan) or "It is unmounted now."
        return [f"### {title}", " ".join(filter(None, (ends, now, how))), fenced(forever)]
    return []


def _ends_with_machine(plan: Plan) -> str:
    """That no disk of it outlives the machine, in a sentence; "" where one may."""
    if not are_in_memory(member.emulator for member in plan.members):
        return ""
    emulator = plan.members[0].emulator
    return f"The disks are in this machine's memory ({emulator}): they end with it, and the array with them."


def _of_bare(plan: Plan) -> str:
    """Of an array without a file system what it takes to use it; "" of any other."""
    number = plan.kept_stage or 0
    if plan.stages[number].filesystem or not plan.stages[number].array:
        return ""
    array = slots.filled(plan).stages[number].array
    assert array
    program = filesystem(USUAL).program
    return (
        f"It has no file system: `{program} /dev/md/{array.name}` makes one, which may be mounted then; or all of"
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
