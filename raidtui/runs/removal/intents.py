"""What is about to be done to an array or its members, and the looks before it, for each way that a run has: begun,
resumed, cleared away, proved, a member replaced, enlarged, made absent. Nothing else lets a command write to one.
"""

import enum
from collections.abc import Collection, Mapping

from raidtui.core.plan.roles import CommandRole, PersonRole
from raidtui.core.plan.steps import Command, ManualStep
from raidtui.core.run.state import RunState
from raidtui.runs.context import StageContext
from raidtui.runs.disks import groups, own_pool
from raidtui.runs.removal import decision, overwriting
from raidtui.runs.removal.free import need_bare


class Intent(enum.Enum):
    OVERWRITE = "overwrite content"
    MEMBERS = "change members"
    ENLARGE = "enlarge"
    REMOVE = "remove"


_OVERWRITE: tuple[CommandRole | PersonRole, ...] = (
    *("create", "partition", "wipe", "pvcreate", "vgcreate", "lvcreate", "create-pool", "encrypt", "mkfs"),
    *("fill", "measure", "record"),
)
_MEMBERS: tuple[CommandRole, ...] = ("fail", "take-out", "add", "replace", "zero", "bitmap")
_ENLARGE: tuple[CommandRole, ...] = ("reshape", "grow-filesystem")
_REMOVE: tuple[CommandRole, ...] = ("destroy-pool", "clear-label", "lvremove", "vgremove", "pvremove")
INTENTS: Mapping[CommandRole | PersonRole, Intent] = {
    **dict.fromkeys(_OVERWRITE, Intent.OVERWRITE),
    **dict.fromkeys(_MEMBERS, Intent.MEMBERS),
    **dict.fromkeys(_ENLARGE, Intent.ENLARGE),
    **dict.fromkeys(_REMOVE, Intent.REMOVE),
}
# Roles that write to no array and no member: they start, stop or read it, or are about files of this machine.
WRITES_NOTHING: frozenset[CommandRole | PersonRole] = frozenset(
    (
        *("stop", "writable", "check", "idle", "reread", "deactivate", "activate", "lock", "unlock", "assemble"),
        *("export-pool", "import-pool", "place-pool", "forget-pool", "mount", "unmount", "sync-caches"),
        *("make-file", "lengthen", "remove", "initramfs", "reload", "enable", "disable", "udev-reload"),
        *("udev-trigger", "header-backup", "test-mail", "make-folder", "remove-folder"),
    )
)
_ON_PROVED: tuple[CommandRole, ...] = ("fill", "mkfs")  # over what has no signature, the run's own included


def intent_of(step: Command | ManualStep, *, undoing: bool) -> Intent | None:
    """None: it writes to no array and no member."""
    intent = INTENTS.get(step.role)
    return Intent.REMOVE if intent and undoing else intent


def before_command(context: StageContext, step: Command | ManualStep, *, undoing: bool = False) -> None:
    """The last look before a command of a course. Refused, StepFailed or MembersError if it must not be done."""
    intent = intent_of(step, undoing=undoing)
    if isinstance(step, ManualStep):
        return  # a person types it, at an array that was created for it
    if undoing:
        context.about_to_take_back(step)
        return
    own_pool.look(context, step)
    context.about_to_write(step)
    if step.role == "create" and context.groups and not step.members:
        groups.need_bare(context)
    if intent is Intent.OVERWRITE and step.role in _ON_PROVED and context.proves_array:
        need_bare(context)


def before_course(
    context: StageContext, intent: Intent, past: RunState, typed: Collection[str], *, index: int = 0
) -> None:
    """Before what an earlier worker left is written to. Refused if somebody may have data there, NameNeeded until its
    name is `typed`. `past`: its journal, which may be older than the disks. `index`: of the step at which a proof is
    continued, which overwrites.
    """
    if intent is Intent.OVERWRITE:
        overwriting.look(context, past, index, typed)
    else:
        decision.check(context, past, typed)
