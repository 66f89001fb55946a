"""How far a prediction is confirmed. One table of what was measured elsewhere near it: public cells and recordings in
docs/theory.md. All else is an upper limit: CPUs, memory, buses, locks and md's stripes may hold it lower.
"""

import enum
from typing import NamedTuple

from raidtui.core.raid.ceilings import Limit
from raidtui.core.raid.placement import RequestShape


class Confidence(enum.Enum):
    CONFIRMED = "confirmed"
    UPPER = "upper-limit"


NEAR = 27, 41  # of the public cells of such rates so many within 30 %
WORDS = {
    Confidence.CONFIRMED: "measured elsewhere, {} of {} within ±30 %".format(*NEAR),
    Confidence.UPPER: "upper limit, not confirmed on hardware",
}
MARK = "up to "  # before a figure that is an upper limit


class Asked(NamedTuple):
    """A predicted rate. `writes`: any. `threads`: md's, of parity."""

    shape: RequestShape
    sequential: bool
    writes: bool
    limit: Limit
    threads: int = 1


_STRIPES = frozenset({"jbod", "linear", "0"})
_MIRRORS = frozenset({"1", "10"})
_PARITY = frozenset({"4", "5", "6"})
_DISKS = frozenset({Limit.DISKS, Limit.QUEUE, Limit.LINK})


class _Measured(NamedTuple):
    """None: either. `limits`: what held the rate."""

    levels: frozenset[str]
    sequential: bool
    writes: bool | None = None
    rotating: bool | None = None
    limits: frozenset[Limit] = _DISKS
    most_threads: int = 1


_MEASURED = (
    _Measured(_STRIPES, sequential=True),
    _Measured(_PARITY, sequential=True, rotating=True),
    _Measured(_MIRRORS, sequential=True, writes=True),
    _Measured(_MIRRORS, sequential=True, writes=False, rotating=False),
    _Measured(_PARITY, sequential=True, writes=False, rotating=False),
    _Measured(_STRIPES | _MIRRORS, sequential=False),
    _Measured(_PARITY, sequential=False, rotating=True),
    _Measured(_PARITY, sequential=False, writes=False, rotating=False, limits=_DISKS | {Limit.MD_LOCK}),
    _Measured(_PARITY, sequential=False, writes=True, limits=frozenset({Limit.MD_THREAD})),
)


def confidence(asked: Asked) -> Confidence:
    """A limit measured in the same run, as a host's CPUs, is the caller's to know."""
    shape = asked.shape
    one_copy = asked.sequential and not asked.writes and shape.key == "1"  # 1 to n times one disk, by the kernel
    # What a chunk costs at its end is of one source; in another nine such rates were 0.7 to 1.05 of the model.
    in_chunks = asked.sequential and asked.limit is Limit.QUEUE and shape.block_bytes > shape.piece_bytes
    unmeasured = shape.raid.pool or shape.groups > 1
    confirmed = not (unmeasured or one_copy or in_chunks) and any(_holds(row, asked) for row in _MEASURED)
    return Confidence.CONFIRMED if confirmed else Confidence.UPPER


def _holds(row: _Measured, asked: Asked) -> bool:
    return (
        asked.shape.key in row.levels
        and asked.sequential is row.sequential
        and row.writes in (None, asked.writes)
        and row.rotating in (None, asked.shape.rotating)
        and asked.limit in row.limits
        and asked.threads <= row.most_threads
    )
