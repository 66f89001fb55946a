"""What of a kept array is known at boot, and how it would be: lines that the run wrote, or those to write by hand."""

import shlex

from raidtui.core.plan import permanence, slots
from raidtui.core.plan.model import Plan
from raidtui.core.plan.permanence import mount_point
from raidtui.core.report.tables import escape, fenced
from raidtui.core.run.permanence import is_permanent
from raidtui.core.run.state import RunState


def after_a_reboot(plan: Plan, state: RunState) -> list[str]:
    """Nothing where no array is kept."""
    if not state.kept:
        return []
    if is_permanent(plan, state):
        folder = mount_point(plan)
        mounted = f", mounted at {escape(folder)}" if folder else ""
        lines = [line for path, edit in state.edits.items() for line in (f"# {path}", *edit.lines)]
        return [
            "### After a reboot",
            f"It comes back under its name{mounted}, by the lines below. `raidtui undo {state.run}` takes them back.",
            *_once_typed(plan, folder),
            fenced(lines),
        ]
    if forever := permanence.shell_lines(plan):
        return ["### To keep it after a reboot", "It is unmounted now. As root:", fenced(forever)]
    return []


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
