"""Charts of a report: bars whose role says what they are of, and latencies by percentile; as fenced text.

One disk, all disks at once, the array and theory look different without colours too. Knows values and words; how a
chart becomes a picture is `svg`.
"""

import math
from collections.abc import Sequence
from typing import Literal

import msgspec

from raidtui.core.report.tables import fenced

Role = Literal["one", "all", "array", "theory"]
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_CELLS = 40
_FILLS: dict[Role, str] = {"one": "▒", "all": "▌", "theory": "╌"}
MEANS: dict[Role, str] = {"one": "one disk", "all": "all disks at once", "array": "the array", "theory": "theory"}


class Bar(msgspec.Struct, frozen=True):
    """`value` None: there is no bar, and `words` say why."""

    name: str
    value: float | None
    words: str
    role: Role = "array"


class Bars(msgspec.Struct, frozen=True):
    """Bars on one scale, from 0."""

    title: str
    bars: tuple[Bar, ...]


class Distribution(msgspec.Struct, frozen=True):
    """A latency distribution: percentile -> ns, ascending."""

    name: str
    points: tuple[tuple[float, float], ...]


class Percentiles(msgspec.Struct, frozen=True):
    """Distributions on one logarithmic scale."""

    title: str
    curves: tuple[Distribution, ...]


Chart = Bars | Percentiles
Block = str | Chart


def text(chart: Chart) -> str:
    """The chart in characters."""
    return fenced(_bars(chart.bars) if isinstance(chart, Bars) else _spans(chart.curves))


def _bars(bars: Sequence[Bar]) -> list[str]:
    largest = max((bar_shown.value for bar_shown in bars if bar_shown.value), default=0.0)
    width = max((len(bar_shown.name) for bar_shown in bars), default=0)
    shares = [(bar_shown.value or 0.0) / largest if largest else 0.0 for bar_shown in bars]
    return [
        f"{bar_shown.name.ljust(width)}  {bar(bar_shown.role, share, _CELLS)}  {bar_shown.words}"
        for bar_shown, share in zip(bars, shares, strict=True)
    ]


def bar(role: Role, share: float, cells: int) -> str:
    """A bar of `cells` of which `share` (0 to 1) is drawn, as its role looks."""
    eighths = round(share * cells * 8)
    if role == "array":
        full_cells, last_eighth = divmod(eighths, 8)
        return ("█" * full_cells + (_EIGHTHS[last_eighth] if last_eighth else "")).ljust(cells)
    drawn = _FILLS[role] * math.ceil(eighths / 8)
    return (drawn[:-1] + "┤" if drawn and role == "theory" else drawn).ljust(cells)


def _spans(curves: Sequence[Distribution]) -> list[str]:
    """A line a distribution: from p1 to p99, `●` the median; what lies beyond 99 is dotted."""
    with_points = [curve for curve in curves if curve.points]
    values = [ns for curve in with_points for _, ns in curve.points if ns > 0]
    if not values:
        return []
    low, high = math.log(min(values)), math.log(max(values))
    width = max(len(curve.name) for curve in with_points)

    def column_of(ns: float) -> int:
        return round((math.log(max(ns, math.exp(low))) - low) / (high - low) * (_CELLS - 1)) if high > low else 0

    lines = []
    for curve in with_points:
        cells = [" "] * _CELLS
        points = dict(curve.points)
        start_at, longest_at = column_of(curve.points[0][1]), column_of(curve.points[-1][1])
        end_at = column_of(max((ns for p, ns in curve.points if p <= 99), default=curve.points[-1][1]))
        for column in range(start_at, longest_at + 1):
            cells[column] = "─" if column <= end_at else "┄"
        cells[start_at], cells[end_at] = "├", "┤"
        if median := points.get(50.0):
            cells[column_of(median)] = "●"
        lines.append(f"{curve.name.ljust(width)}  {''.join(cells)}  {_ms(points)}")
    lines.append(f"{' ' * width}  {_axis(min(values), max(values))}  logarithmic; ├ p1, ● p50, ┤ p99")
    return lines


def _ms(points: dict[float, float]) -> str:
    return ", ".join(f"p{point:g} {points[point] / 1e6:.3g} ms" for point in (50.0, 99.0) if point in points)


def _axis(shortest_ns: float, longest_ns: float) -> str:
    left, right = f"{shortest_ns / 1e6:.3g} ms", f"{longest_ns / 1e6:.3g} ms"
    return left + right.rjust(_CELLS - len(left))
