"""mkfs discards the blocks of flash that it makes a file system of: tests on files begin on blocks never written.

mke2fs(8), mkfs.xfs(8) and mkfs.btrfs(8) do by default. md passes it on but for parity (raid5.c:
devices_handle_discard_safely is off), LUKS only if asked.
"""

from collections.abc import Sequence

from raidtui.core.plan.model import Member, Stage
from raidtui.core.raid import zfs
from raidtui.core.raid.filesystems import filesystem
from raidtui.core.raid.levels import level

_NOTE = "mkfs discards the array's blocks on this flash: tests on files begin on blocks never written."


def notes(stages: Sequence[Stage], members: Sequence[Member]) -> tuple[str, ...]:
    on_files = [stage for stage in stages if any(trial.target == "filesystem" for trial in stage.trials)]
    return (_NOTE,) if any(is_discarded(stage, members) for stage in on_files) else ()


def is_discarded(stage: Stage, members: Sequence[Member]) -> bool:
    """Whether the mkfs of this stage discards."""
    kind = stage.filesystem.kind if stage.filesystem else ""
    if kind in ("", zfs.KIND) or not filesystem(kind).program:
        return False
    passes = stage.array is None or not level(stage.array.level).parity_disks
    encrypted = stage.layer is not None and stage.layer.kind == "luks"
    return passes and not encrypted and all(member.rotational is False for member in members)
