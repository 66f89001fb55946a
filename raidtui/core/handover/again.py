"""The plan that builds a kept array once more, of the same disks, blank by then, and without its tests. Pure."""

import msgspec

from raidtui.core.plan.model import Member, Plan, confirmation_code
from raidtui.core.plan.steps import Role, role_of

# What makes the array and its file system; what measures them, or looks at health, is left out.
_BUILDS: frozenset[Role] = frozenset({
    "members-free", "create", "settled", "array-built", "sync-finished", "wipe", "mkfs", "geometry", "mount", "mounted",
    "unmount",
})  # fmt: skip


def built_again(plan: Plan, number: int) -> Plan:
    """The plan of a run that keeps this stage's array, with a code of its own: it erases nothing, nothing may be there.

    The UUIDs that its run drew stay in it: by them the array is recognised where it stands.
    """
    kept, permanent = plan.stages[number], tuple(stage for stage in plan.stages if stage.permanent)
    steps = tuple(step for step in kept.steps if role_of(step) in _BUILDS)
    built = msgspec.structs.replace(kept, steps=steps, trials=())
    members = tuple(map(_blank, plan.members))
    answers = msgspec.structs.replace(plan.answers, after="keep")
    rebuilt_plan = msgspec.structs.replace(plan, members=members, answers=answers, stages=(built, *permanent))
    return msgspec.structs.replace(rebuilt_plan, code=confirmation_code(rebuilt_plan))


def _blank(member: Member) -> Member:
    return msgspec.structs.replace(member, found="blank", contents=(), partitions=(), warning="")
