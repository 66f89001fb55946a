"""Whether a setting is this run's to change."""

import errno
from collections.abc import Iterable

from raidtui.runs.context import StageContext

_MD_LIMIT = "200000"  # KiB/s, of the kernel (md.c, sysctl_speed_limit_max)


def why_limited(context: StageContext, limit: str) -> str:
    """Why md's limit is not for this run to lift, or ""."""
    if limit.split() != [_MD_LIMIT, "(system)"]:
        return f"it was set to {limit}"
    arrays = {path.parts[3] for path in context.host.matching("/sys/block/md*/md")} - {*context.parts(), context.array}
    busy = sorted(name for name in arrays if context.host.sync(name))
    return f"{', '.join(busy)} {'is' if len(busy) == 1 else 'are'} syncing, too" if busy else ""


def need_own(context: StageContext, shared_with: Iterable[str]) -> None:
    """OSError if the setting belongs to another disk too, outside of the plan."""
    others = {*shared_with}
    if others and (strangers := sorted(others - {disk.name for disk in context.members.here().values()})):
        has = "has it too, which is no disk" if len(strangers) == 1 else "have it too, which are no disks"
        raise OSError(errno.EPERM, f"{', '.join(strangers)} {has} of this plan")
