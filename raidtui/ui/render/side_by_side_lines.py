"""Two runs side by side as lines: which of their setups are compared, and each test of both. Pure."""

from collections.abc import Sequence

import msgspec

from raidtui.core.results.comparison import ASSUMED, Entry, Matched, Series, is_assumed, match
from raidtui.core.units import Units, format_iops, format_rate
from raidtui.ui.render.cells import Line, fit, wrap

_ALIKE = ("one disk", "all disks at once")  # what every run has, whatever it builds
_FIGURE, _MOST_TEST = 13, 44


class AlikeSetups(msgspec.Struct, frozen=True):
    """A setup of A with one of B, and the tests that both have."""

    heading: str
    tests: tuple[Matched, ...]


class SideBySide(msgspec.Struct, frozen=True):
    """What A and B are, and what they have in common."""

    first: str
    second: str
    groups: tuple[AlikeSetups, ...]


def side_by_side(
    first: str, second: str, first_series: Sequence[Series], second_series: Sequence[Series]
) -> SideBySide:
    """Like with like: bare disks with bare disks; setups of one name, or the only setup of each, with each other."""
    groups = []
    for series, partner in _pairs(first_series, second_series):
        heading = series.name if series.name == partner.name else f"A: {series.name}; B: {partner.name}"
        tests = match((Series("A", series.tests), Series("B", partner.tests)))
        if tests:
            groups.append(AlikeSetups(heading[:1].upper() + heading[1:], tests))
    return SideBySide(first, second, tuple(groups))


def _pairs(first_series: Sequence[Series], second_series: Sequence[Series]) -> list[tuple[Series, Series]]:
    series_by_name = {series.name: series for series in second_series}
    pairs = [(series, series_by_name[series.name]) for series in first_series if series.name in series_by_name]
    built = [[series for series in side if series.name not in _ALIKE] for side in (first_series, second_series)]
    if all(len(side) == 1 for side in built) and built[0][0].name != built[1][0].name:
        pairs.append((built[0][0], built[1][0]))
    return pairs


def side_by_side_lines(pair: SideBySide, units: Units, width: int) -> list[Line]:
    """All of the comparison at one width."""
    lines: list[Line] = [((" A  ", "accent"), (pair.first, "")), ((" B  ", "accent"), (pair.second, ""))]
    test = max(20, min(_MOST_TEST, width - 2 * _FIGURE - 28))
    for group in pair.groups:
        lines += [(), *(((f" {text}", "strong"),) for text in wrap(group.heading, width - 2))]
        heads = f"{fit('A', _FIGURE, right=True)}{fit('B', _FIGURE, right=True)}  B over A"
        lines.append(((f"   {fit('test', test)}{heads}", "dim"),))
        for matched in group.tests:
            lines += _test(matched, units, width, test)
    if any(is_assumed(group.tests) for group in pair.groups):
        lines += [(), *(((f" {text}", "warn"),) for text in wrap(ASSUMED, width - 2))]
    if not pair.groups:
        text = "These two have no test in common on setups that can be set beside each other."
        lines += [(), *(((f" {line_part}", "warn"),) for line_part in wrap(text, width - 2))]
    return lines


def _test(matched: Matched, units: Units, width: int, test: int) -> list[Line]:
    base, second_entry = matched.entries
    title = wrap(matched.title, test)
    over_base = wrap(second_entry.over_base.words or "-", max(12, width - test - 2 * _FIGURE - 6))
    lines: list[Line] = [
        (
            (f"   {fit(title[0], test)}", ""),
            (fit(_figure(matched, base, units), _FIGURE, right=True), ""),
            (fit(_figure(matched, second_entry, units), _FIGURE, right=True), ""),
            (f"  {over_base[0]}", "strong" if second_entry.over_base.conclusion == "different" else ""),
        )
    ]
    indent = " " * (test + 2 * _FIGURE)
    height = max(len(title), len(over_base))
    for number in range(1, height):
        label = f"   {fit(title[number], test)}{' ' * 2 * _FIGURE}" if number < len(title) else f"   {indent}"
        lines.append(((label, ""), (f"  {over_base[number]}" if number < len(over_base) else "", "")))
    return lines


def _figure(matched: Matched, entry: Entry, units: Units) -> str:
    figure = entry.iops if matched.kind == "random" else entry.bytes_per_s
    if figure.value is None:
        return figure.standing
    return f"{format_iops(figure.value)} IOPS" if matched.kind == "random" else format_rate(figure.value, units)
