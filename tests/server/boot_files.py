"""The files by which a server boots: what they were, and what they are once a run's lines stand in them, byte for byte.

Knows no server: they are bytes by path.
"""

from collections.abc import Mapping

from raidtui.core.boot import entries
from raidtui.core.plan import slots
from raidtui.core.plan.model import Plan
from raidtui.core.plan.steps import Edit

MDADM_CONF, FSTAB = "/etc/mdadm/mdadm.conf", "/etc/fstab"  # of Debian
Contents = Mapping[str, bytes]


def written(plan: Plan, run: str, before: Contents) -> dict[str, bytes]:
    """What the files are once the run, called so, is at its end. `plan`: with the UUIDs drawn for it."""
    steps = [step for stage in slots.filled(plan).stages for step in stage.steps if isinstance(step, Edit)]
    added = {step.path: entries.with_lines(before[step.path], step.lines, f"raidtui {run}") for step in steps}
    return {**before, **added}


def standing(now: Contents, before: Contents, after: Contents) -> dict[str, str]:
    """Each file as it is: "as before", "written", or "neither", where it is not whole or another's."""
    return {
        path: "as before" if now[path] == before[path] else "written" if now[path] == after[path] else "neither"
        for path in before
    }
