"""Pairs that are measured in a practice kernel: asked for from outside, told by what runs inside."""

import sys
from collections.abc import Sequence

import msgspec

from tests.bench.process import measured
from tests.bench.table import Figures


class _Pairs(msgspec.Struct, frozen=True):
    """Seconds, a pair each."""

    ours: tuple[float, ...]
    theirs: tuple[float, ...]


def pairs_of(module: str, rack: Sequence[str]) -> tuple[Figures, Figures]:
    """What a module's own `main` tells on these practice disks; NotMeasured where it does not come to that."""
    inside = (sys.executable, "-m", module)
    told = msgspec.json.decode(measured((sys.executable, "-m", "raidtui.practice", *rack, "--", *inside)), type=_Pairs)
    return Figures(told.ours), Figures(told.theirs)


def tell(ours: Figures, theirs: Figures) -> None:
    """Inside: prints the pairs."""
    print(msgspec.json.encode(_Pairs(ours.values, theirs.values)).decode())
