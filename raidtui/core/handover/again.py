"""Plan that builds a kept array again from its blank disks, without tests. Pure."""

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from raidtui.core.plan.model import Plan, Stage, confirmation_code
from raidtui.core.plan.roles import Role
from raidtui.core.plan.steps import role_of
from raidtui.core.raid import zfs

_NOT_LOOKED_AT = (
    "Nobody has looked at these disks since their run. This script does: one with a partition or a signature on it, or"
    " in use, is refused. Data without a signature is seen by raidtui alone, where it is installed."
)
# What makes the array and its file system; what measures them, or looks at health, is left out.
_BUILDS: frozenset[Role] = frozenset({
    "members-free", "partition", "partitions-own", "create", "settled", "array-built", "sync-finished", "wipe",
    "pvcreate", "vgcreate", "volume-aligned", "lvcreate", "encrypt", "unlock", "container-aligned",
    "create-pool", "pool-made", "mkfs", "geometry", "mount", "mounted", "unmount", "add",
})  # fmt: skip


def built_again(plan: Plan, number: int) -> Plan:
    """With its own code: erases nothing, disks must be blank. Drawn UUIDs stay, to identify an existing array."""
    kept_stage, permanent = plan.stages[number], tuple(stage for stage in plan.stages if stage.permanent)
    build, after = (
        tuple(step for step in steps if role_of(step) in _BUILDS)
        for steps in (kept_stage.steps[: kept_stage.build], kept_stage.steps[kept_stage.build :])
    )
    built = replace(kept_stage, steps=(*build, *after), build=len(build), trials=())
    plan_again = replace(
        plan,
        members=tuple(
            replace(member, found="blank", contents=(), partitions=(), warning="") for member in plan.members
        ),
        answers=replace(plan.answers, after="keep"),
        stages=_under_its_name((built, *permanent), plan),
    )
    notes = (_NOT_LOOKED_AT, *_warned_of(plan), *plan.notes)
    return replace(plan_again, notes=notes, code=confirmation_code(plan_again))


def _under_its_name(stages: tuple[Stage, ...], plan: Plan) -> tuple[Stage, ...]:
    """With the run's pool name, which with its disks identifies an existing pool."""
    pool = stages[0].filesystem
    if pool is None or not pool.tables:
        return stages
    number = pool.uuid.removeprefix("{uuid:").removesuffix("}")
    name = pool.pool_name or zfs.pool_name(plan.uuids[int(number)][:8])
    text = msgspec.json.encode(stages).decode().replace(zfs.pool_name(f"{{name:{number}}}"), name)
    kept_stage, *others = msgspec.json.decode(text, type=tuple[Stage, ...])
    setup = next(stage.setup for stage in plan.stages if stage.setup)
    return (replace(kept_stage, filesystem=replace(pool, pool_name=name), setup=setup), *others)


def _warned_of(plan: Plan) -> Iterator[str]:
    """Former warnings: contents must be gone, oddities may remain."""
    for member in plan.members:
        if member.warning:
            yield f"{member.model} {member.serial} ({member.id}), when its run was planned: {member.warning}"
