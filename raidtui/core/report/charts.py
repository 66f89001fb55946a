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
    largest = max((one.value for one in bars if one.value), default=0.0)
    width = max((len(one.name) for one in bars), default=0)
    shares = [(one.value or 0.0) / largest if largest else 0.0 for one in bars]
    return [
        f"{one.name.ljust(width)}  {bar(one.role, share, _CELLS)}  {one.words}"
        for one, share in zip(bars, shares, strict=True)
    ]


def bar(role: Role, share: float, cells: int) -> str:
    """A bar of `cells` of which `share` (0 to 1) is drawn, as its role looks."""
    eighths = round(share * cells * 8)
    if role == "array":
        whole, rest = divmod(eighths, 8)
        return ("█" * whole + (_EIGHTHS[rest] if rest else "")).ljust(cells)
    drawn = _FILLS[role] * math.ceil(eighths / 8)
    return (drawn[:-1] + "┤" if drawn and role == "theory" else drawn).ljust(cells)


def _spans(curves: Sequence[Distribution]) -> list[str]:
    """A line a distribution: from p1 to p99, `●` the median; what lies beyond 99 is dotted."""
    known = [curve for curve in curves if curve.points]
    values = [ns for curve in known for _, ns in curve.points if ns > 0]
    if not values:
        return []
    low, high = math.log(min(values)), math.log(max(values))
    width = max(len(curve.name) for curve in known)

    def at(ns: float) -> int:
        return round((math.log(max(ns, math.exp(low))) - low) / (high - low) * (_CELLS - 1)) if high > low else 0

    lines = []
    for curve in known:
        cells = [" "] * _CELLS
        points = dict(curve.points)
        first, last = at(curve.points[0][1]), at(curve.points[-1][1])
        most = at(max((ns for p, ns in curve.points if p <= 99), default=curve.points[-1][1]))
        for i in range(first, last + 1):
            cells[i] = "─" if i <= most else "┄"
        cells[first], cells[most] = "├", "┤"
        if median := points.get(50.0):
            cells[at(median)] = "●"
        lines.append(f"{curve.name.ljust(width)}  {''.join(cells)}  {_ms(points)}")
    lines.append(f"{' ' * width}  {_axis(min(values), max(values))}  logarithmic; ├ p1, ● p50, ┤ p99")
    return lines


def _ms(points: dict[float, float]) -> str:
    return ", ".join(f"p{point:g} {points[point] / 1e6:.3g} ms" for point in (50.0, 99.0) if point in points)


def _axis(least: float, most: float) -> str:
    left, right = f"{least / 1e6:.3g} ms", f"{most / 1e6:.3g} ms"
    return left + right.rjust(_CELLS - len(left))
