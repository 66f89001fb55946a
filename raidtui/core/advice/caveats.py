"""What no figure of a proposal shows: one table of words, each with the proposals to which it applies."""

from collections.abc import Callable
from typing import NamedTuple

from raidtui.core.advice.proposals import Advice
from raidtui.core.raid.disk_kinds import HDD, NVME
from raidtui.core.raid.levels import level
from raidtui.core.raid.purposes import COUNTS, Measure


class Caveat(NamedTuple):
    """`in_table`: the table of `advise`, or what is assumed below it, has it already."""

    applies: Callable[[Advice], bool]
    words: str
    in_table: bool = False


def _survives(advice: Advice) -> bool:
    return advice.best.capacity.survives > 0


def _parities(advice: Advice) -> int:
    return level(advice.best.preview.key).parity_disks


def _flash(advice: Advice) -> bool:
    return advice.best.preview.kind != HDD


def _unknown_sectors(advice: Advice) -> bool:
    """Flash, and a rebuild without redundancy: HDDs have a risk in figures."""
    rebuild = advice.best.preview.rebuild
    return _flash(advice) and rebuild is not None and not rebuild.spare_after


def _syncs(advice: Advice) -> bool:
    return _flash(advice) and COUNTS[advice.wish.use].measure is Measure.SMALL_WRITES


def _fast_streams(advice: Advice) -> bool:
    return advice.best.preview.kind == NVME and COUNTS[advice.wish.use].measure is Measure.LONG_READS


CAVEATS = (
    Caveat(_survives, "RAID is no backup"),
    Caveat(_survives, "check the array monthly"),
    Caveat(_survives, "no checksums in md"),  # a check cannot tell which copy is right
    Caveat(lambda advice: _parities(advice) == 1, "write hole after a crash while degraded (PPL closes it)"),
    Caveat(
        lambda advice: _parities(advice) > 1, "write hole after a crash while degraded (journal closes it, PPL cannot)"
    ),
    Caveat(lambda advice: _survives(advice) and not _flash(advice), "avoid SMR (shingled) disks"),
    Caveat(_unknown_sectors, "unreadable sectors not computed for flash, not zero", in_table=True),
    Caveat(_syncs, "sync writes need power-loss protection"),
    Caveat(_fast_streams, "rates without limits of CPU, memory, PCIe", in_table=True),
)


def caveats(advice: Advice) -> list[str]:
    """Those that the table does not have."""
    return [caveat.words for caveat in CAVEATS if caveat.applies(advice) and not caveat.in_table]


def caveat_line(advice: Advice) -> str:
    """One line; "" if none applies."""
    found = [caveat.words for caveat in CAVEATS if caveat.applies(advice)]
    return f"Besides: {'; '.join(found)}." if found else ""
