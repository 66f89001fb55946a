"""Latencies in the cells of tables: milliseconds, the mean, those percentiles that any has, and the longest wait."""

from collections.abc import Sequence

from raidtui.core.fio.entry import HISTOGRAM_TOP_NS
from raidtui.core.results.figure import Latency

TOO_FEW = "A percentile is \N{EN DASH} where fewer than ten requests took longer, or fio told none."


def milliseconds(value_ns: float | None) -> str:
    """Milliseconds with three significant digits at least; ≥ before the top of fio's histogram: it may be any more."""
    if value_ns is None:
        return ""
    value = value_ns / 1e6
    words = f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"
    return f"≥{words}" if value_ns == HISTOGRAM_TOP_NS else words


def mean_milliseconds(latency: Latency) -> str:
    """The mean, marked where it is no middle of anything."""
    return milliseconds(latency.mean_ns) + (" (above p99)" if latency.mean_above_p99 else "")


def latency_headers(latencies: Sequence[Latency]) -> list[str]:
    """Mean and those percentiles and the maximum that any of these has, in ms; with fio's name where all share one."""
    mean_of, points_of = (
        {getattr(latency, field) for latency in latencies if latency.mean_ns is not None}
        for field in ("mean_of", "percentiles_of")
    )
    two_sources = mean_of != points_of and all(
        len(sources) == 1 and "" not in sources for sources in (mean_of, points_of)
    )
    names = [f" ({sources.pop()})" if two_sources else "" for sources in (mean_of, points_of)]
    return [
        f"Mean{names[0]}, ms",
        *(f"p{point}{names[1]}, ms" for point in _points(latencies)),
        *([f"Max{names[0]}, ms"] if any(latency.max_ns for latency in latencies) else []),
    ]


def latency_cells(latency: Latency, among: Sequence[Latency]) -> list[str]:
    """The cells below `latency_headers` of the same latencies."""
    return [
        mean_milliseconds(latency),
        *(milliseconds(latency.percentiles_ns.get(point)) for point in _points(among)),
        *([milliseconds(latency.max_ns)] if any(other.max_ns for other in among) else []),
    ]


def lacks_points(latencies: Sequence[Latency]) -> bool:
    """Has one of these that were measured no percentile that another has?"""
    points = set(_points(latencies))
    return any(latency.mean_ns is not None and points - set(latency.percentiles_ns) for latency in latencies)


def _points(latencies: Sequence[Latency]) -> list[str]:
    return [point for point in ("50", "99", "99.9") if any(point in latency.percentiles_ns for latency in latencies)]
