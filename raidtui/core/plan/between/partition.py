"""A partition on the array, from a sector that a test asks for."""

from raidtui.core.plan.steps import Command, Step, settle
from raidtui.core.units import TIB

_MBR_BYTES = 2 * TIB


def made(start_sectors: int, array_bytes: int) -> list[Step]:
    """One partition over the rest of the array, from the sector asked for, aligned or not."""
    label = "dos" if array_bytes < _MBR_BYTES else "gpt"
    argv = ("sfdisk", f"--label={label}", "--wipe=always", "--wipe-partitions=always", "{array}")
    title = f"Create a partition from sector {start_sectors}"
    return [Command(what=title, role="partition", argv=argv, stdin=f"start={start_sectors}\n"), settle()]
