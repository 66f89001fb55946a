"""One line of the bench's table, and how the table is written. Knows nothing of what is measured."""

import statistics
from collections.abc import Sequence

import msgspec

_A_SECOND = {"ms": 1e3, "s": 1.0}
HEADINGS = ("figure", "measured", "against", "its figure", "ratio", "budget", "verdict")


class Row(msgspec.Struct, frozen=True):
    """`verdict` is "ok", "over", or a word on why there is none."""

    figure: str
    measured: str
    against: str
    its_figure: str
    ratio: str
    budget: str
    verdict: str


class Figures(msgspec.Struct, frozen=True):
    """Repeated measurements of one thing, as median and spread (the lowest and the highest)."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    def text(self, unit: str, factor: float = 1.0, digits: int = 0) -> str:
        low, high = min(self.values) * factor, max(self.values) * factor
        return f"{self.median * factor:.{digits}f} {unit} ({low:.{digits}f} to {high:.{digits}f})"


def pair_ratio(ours: Figures, theirs: Figures) -> float:
    """The median of the ratios of what was measured one after the other."""
    return statistics.median(a / b for a, b in zip(ours.values, theirs.values, strict=True))


def beside(
    figure: str, ours: Figures, against: str, theirs: Figures, budget: float, *, unit: str = "ms", digits: int = 0
) -> Row:
    """Seconds in pairs: the row is within its budget where the median of the ratios is."""
    ratio, factor = pair_ratio(ours, theirs), _A_SECOND[unit]
    mine, other = (figures.text(unit, factor, digits) for figures in (ours, theirs))
    return Row(figure, mine, against, other, f"{ratio:.2f}x", f"{budget:g}x", verdict(ratio <= budget))


def verdict(*within: bool) -> str:
    """Say "ok" if every budget is kept."""
    return "ok" if all(within) else "over"


def text(rows: Sequence[Row]) -> str:
    """The table, columns aligned."""
    lines = [HEADINGS, *(msgspec.structs.astuple(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    lines.insert(1, tuple("-" * width for width in widths))
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    )
