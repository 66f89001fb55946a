"""Bars of figures side by side, as text. The only module that imports plotext, and only when a chart is drawn."""

import re
from collections.abc import Sequence

import msgspec

_SECOND_DECIMAL = re.compile(r"(?<=\.\d)\d$")  # plotext prints two; one is as much as was measured


class Group(msgspec.Struct, frozen=True):
    """One thing measured: its name, and a value for each series (None: no figure)."""

    name: str
    values: tuple[float | None, ...]


def bars(groups: Sequence[Group], series: Sequence[str], unit: str, width: int, marker: str) -> list[str]:
    """A line a value: series by series under each group's name, all on one scale. No colours, no axes."""
    import plotext

    lines: list[str] = []
    top = max((value for group in groups for value in group.values if value), default=0.0)
    if not top:
        return lines
    label = max(len(name) for name in series)
    for group in groups:
        known = [(name, value) for name, value in zip(series, group.values, strict=True) if value is not None]
        if not known:
            continue
        plotext.clear_figure()
        plotext.theme("clear")
        # The last bar is the scale's end: all groups are drawn on the same one, and its line is dropped.
        names = [*(f"{name:<{label}}" for name, _ in known), " " * label]
        values = [*(round(value, 1) for _, value in known), round(top, 1)]
        plotext.simple_bar(names, values, width=width, marker=marker)
        drawn = plotext.uncolorize(plotext.build()).splitlines()[: len(known)]
        lines += [group.name, *(f"  {_SECOND_DECIMAL.sub('', line.rstrip())} {unit}" for line in drawn)]
    return lines
