"""Cells of an answer's table: absolute figures first, what they are of a base behind, in the unit of their column."""

from collections.abc import Iterable

from raidtui.core.answer.conclusions import Conclusion, Unit
from raidtui.core.results.grid import SetupGrid
from raidtui.core.units import MB, format_iops

LEGEND = "≈: equal within 3 %; ?: these runs cannot tell a difference."
DOUBT = "!: rate and latency of one of the two contradict each other by over 10 %."
_MARKS = {"equal": " ≈", "cannot tell": " ?"}


def header(grid: SetupGrid) -> str:
    """A test and the unit of its column."""
    return f"{grid.title}, {'MB/s' if grid.kind == 'sequential' else 'IOPS'}"


def number(value: float | None, unit: Unit) -> str:
    """A figure without its unit: in MB/s of bytes/s."""
    return format_iops(value / (MB if unit == "bytes/s" else 1)) if value is not None else ""


def over(conclusion: Conclusion, word: str, share: str) -> str:
    """`40.3 of 80.2 (50 %)`, `175 instead of 95.4 (+83 %)`, with a mark where the difference is none or not sure."""
    mine, base = (number(value, conclusion.unit) for value in (conclusion.figure, conclusion.base_figure))
    doubt = " !" if conclusion.by_latency is not None else ""
    return f"{mine} {word} {base} ({share}{_MARKS.get(conclusion.verdict, '')}{doubt})"


def legend(conclusions: Iterable[Conclusion]) -> str:
    """What the marks of these mean."""
    return f"{LEGEND} {DOUBT}" if any(conclusion.by_latency is not None for conclusion in conclusions) else LEGEND
