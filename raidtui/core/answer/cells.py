"""Cells of an answer's table: absolute figures first, what they are of a base behind, in the unit of their column."""

from collections.abc import Callable, Iterable

from raidtui.core.answer.conclusions import Conclusion, Unit
from raidtui.core.results.grid import SetupGrid
from raidtui.core.units import MB, format_iops

LEGEND = "≈: equal within 3 %; ?: these runs cannot tell a difference."
DOUBT = "!: rate and latency of one of the two contradict each other by over 10 %; by the rates, or by the latencies."
_MARKS = {"equal": " ≈", "cannot tell": " ?"}


def header(grid: SetupGrid) -> str:
    """A test and the unit of its column."""
    return f"{grid.title}, {'MB/s' if grid.kind == 'sequential' else 'IOPS'}"


def number(value: float | None, unit: Unit) -> str:
    """A figure without its unit: in MB/s of bytes/s."""
    return format_iops(value / (MB if unit == "bytes/s" else 1)) if value is not None else ""


def over(conclusion: Conclusion, word: str, share_words: Callable[[float], str]) -> str:
    """`40.3 of 80.2 (50 %)`, `175 instead of 95.4 (+83 %)`, with a mark where the difference is none or not sure; what
    is in doubt by the rates and by the latencies: `117 of 220 (53 or 48 % !)`.
    """
    mine, base = (number(value, conclusion.unit) for value in (conclusion.figure, conclusion.base_figure))
    share, doubt = share_words(conclusion.share or 0.0), ""
    if conclusion.by_latency is not None:
        by_latency, doubt = share_words(conclusion.by_latency), " !"
        share = share if share == by_latency else f"{share.removesuffix(' %')} or {by_latency}"
    return f"{mine} {word} {base} ({share}{_MARKS.get(conclusion.verdict, '')}{doubt})"


def legend(conclusions: Iterable[Conclusion]) -> str:
    """What the marks of these mean."""
    return f"{LEGEND} {DOUBT}" if any(conclusion.by_latency is not None for conclusion in conclusions) else LEGEND
