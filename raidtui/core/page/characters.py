"""Bars in characters; one disk, all at once, array and expected differ without colour too."""

import math
from collections.abc import Sequence

from raidtui.core.page.blocks import Bar, Role

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_CELLS = 40
_FILLS: dict[Role, str] = {"one": "▒", "all": "▌", "theory": "╌"}


def bar_lines(bars: Sequence[Bar]) -> list[str]:
    largest = max((bar.value for bar in bars if bar.value), default=0.0) or 1.0
    width = max((len(bar.name) for bar in bars), default=0)
    return [
        f"{bar.name.ljust(width)}  {drawn(bar.role, (bar.value or 0.0) / largest, _CELLS)}  {bar.words}" for bar in bars
    ]


def drawn(role: Role, share: float, cells: int) -> str:
    """`share` (0 to 1) of `cells`."""
    eighths = round(share * cells * 8)
    if role == "array":
        full_cells, last_eighth = divmod(eighths, 8)
        return ("█" * full_cells + (_EIGHTHS[last_eighth] if last_eighth else "")).ljust(cells)
    filled = _FILLS[role] * math.ceil(eighths / 8)
    return (filled[:-1] + "┤" if filled and role == "theory" else filled).ljust(cells)
