"""Two runs side by side as lines: which of their setups are compared, and each test of both. Pure."""

from collections.abc import Iterator, Sequence

import msgspec

from raidtui.core.answer import numbers
from raidtui.core.page.blocks import Block, Heading, PageTable, Strong, Text, Words
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.parsed_setup import level_title
from raidtui.core.results.comparison import ASSUMED, Entry, Matched, Series, is_assumed, match
from raidtui.core.units import Units, format_iops, format_rate
from raidtui.ui.render.cells import Line
from raidtui.ui.render.page_lines import page_lines

_ALIKE = ("one disk", "all disks at once")  # what every run has, whatever it builds


class AlikeSetups(msgspec.Struct, frozen=True):
    """A setup of A with one of B, the tests that both have, and in what the two differ besides."""

    heading: str
    tests: tuple[Matched, ...]
    differ: str = ""


class SideBySide(msgspec.Struct, frozen=True):
    """What A and B are, what they have in common, and in a sentence each what has no partner."""

    first: str
    second: str
    groups: tuple[AlikeSetups, ...]
    alone: tuple[str, ...] = ()


def side_by_side(
    first: str, second: str, first_series: Sequence[Series], second_series: Sequence[Series]
) -> SideBySide:
    """Like with like: bare disks with bare disks; setups of one name, or the only setup of each, with each other."""
    groups, without_tests = [], []
    pairs = _pairs(first_series, second_series)
    for series, partner in pairs:
        heading = series.name if series.name == partner.name else f"A: {series.name}; B: {partner.name}"
        tests = match((Series("A", series.tests), Series("B", partner.tests)))
        if tests:
            groups.append(AlikeSetups(heading[:1].upper() + heading[1:], tests, _differ(series, partner)))
        else:
            without_tests.append(series)
    alone = (
        _alone("Only in A", [series for series in first_series if all(series is not pair[0] for pair in pairs)]),
        _alone("Only in B", [series for series in second_series if all(series is not pair[1] for pair in pairs)]),
        _alone("In both, without a test in common", without_tests),
    )
    return SideBySide(first, second, tuple(groups), tuple(filter(None, alone)))


def _differ(series: Series, partner: Series) -> str:
    pairs = [(series.how[about], partner.how[about]) for about in series.how if about in partner.how]
    differing = [f"{first} in A, {second} in B" for first, second in pairs if first != second]
    return f"The two differ besides: {'; '.join(differing)}." if differing else ""


def _alone(heading: str, all_series: Sequence[Series]) -> str:
    names = [_short(series, all_series) for series in all_series]
    return f"{heading}: {', '.join(names)}." if names else ""


def _short(series: Series, among: Sequence[Series]) -> str:
    """Its level, where no other of these has the same; else all of its name."""
    levels = [level_title(other.place) for other in among if isinstance(other.place, Setup)]
    level = level_title(series.place) if isinstance(series.place, Setup) else ""
    return level if levels.count(level) == 1 else series.name


def _pairs(first_series: Sequence[Series], second_series: Sequence[Series]) -> list[tuple[Series, Series]]:
    series_by_name = {series.name: series for series in second_series}
    pairs = [(series, series_by_name[series.name]) for series in first_series if series.name in series_by_name]
    built = [[series for series in side if series.name not in _ALIKE] for side in (first_series, second_series)]
    if all(len(side) == 1 for side in built) and built[0][0].name != built[1][0].name:
        pairs.append((built[0][0], built[1][0]))
    return pairs


def side_by_side_lines(pair: SideBySide, units: Units, width: int) -> list[Line]:
    head: list[Line] = [((" A  ", "accent"), (pair.first, "")), ((" B  ", "accent"), (pair.second, ""))]
    return [*head, (), *page_lines(_page(pair, units), width, 1)]


def _page(pair: SideBySide, units: Units) -> Iterator[Block]:
    for group in pair.groups:
        yield Heading(group.heading, 3)
        if group.differ:
            yield Text(group.differ)
        rows = [
            [matched.title, *(_figure(matched, entry, units) for entry in matched.entries), _over(matched.entries[1])]
            for matched in group.tests
        ]
        yield PageTable(["test", "A", "B", "B over A"], rows)
    if any(is_assumed(group.tests) for group in pair.groups):
        yield Text(ASSUMED)
    if not pair.groups:
        yield Text("These two have no test in common on setups that can be set beside each other.")
    yield from map(Text, pair.alone)


def _over(entry: Entry) -> Words:
    words = numbers.in_words(entry.over_base) or "-"
    return Strong(words) if entry.over_base.conclusion == "different" else words


def _figure(matched: Matched, entry: Entry, units: Units) -> str:
    figure = entry.iops if matched.kind == "random" else entry.bytes_per_s
    if figure.value is None:
        return figure.standing
    return f"{format_iops(figure.value)} IOPS" if matched.kind == "random" else format_rate(figure.value, units)
