"""Events of data that were not as written: as fio named them, and looked at once more."""

from raidtui.core.proof.pattern import BlockDiffers
from raidtui.core.run.event import Count, Event


class BlocksLookedAt(Event, frozen=True, kw_only=True, tag="blocks-looked-at"):
    """The second look at the blocks that differed last; `why_not`: it failed after these."""

    blocks: tuple[BlockDiffers, ...] = ()
    why_not: str = ""


class DataDiffered(Event, frozen=True, kw_only=True, tag="data-differed"):
    """A test of no proof got back something else than was written. `first`: member identity, or else path -> first
    byte.
    """

    trial: str
    first: dict[str, Count]
