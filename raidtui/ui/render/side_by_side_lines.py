"""Two runs side by side as lines: which of their setups are compared, and each test of both. Pure."""

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from raidtui.core.answer import numbers
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.parsed_setup import level_title
from raidtui.core.results.comparison import ASSUMED, Entry, Matched, Series, is_assumed, match
from raidtui.core.units import Units, format_iops, format_rate
from raidtui.ui.render.cells import Line, capital, fit, fit_right, inset, wrap
from raidtui.ui.render.parts import bar, join, one_disk_bar

_ALIKE = ("one disk", "all disks at once")  # what every run has, whatever it builds
_EACH = "the array of each"


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
        heading = series.name if series.name == partner.name else _EACH
        tests = match((Series("A", series.tests), Series("B", partner.tests)))
        if tests:
            groups.append(AlikeSetups(capital(heading), tests, _differ(series, partner)))
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
    """What differs in a sentence; a bar of A and one of B for each test, of arrays first."""
    groups = sorted(pair.groups, key=lambda group: group.heading.lower() in _ALIKE)
    lines = [*_verdicts(groups)]
    lines += [((" A  ", "accent"), (pair.first, "")), ((" B  ", "accent"), (pair.second, ""))]
    for group in groups:
        lines += [(), ((f" {group.heading}", "head"),), *_told(group.differ, width), *_bars(group, units, width)]
    texts = [ASSUMED] if any(is_assumed(group.tests) for group in groups) else []
    texts += [numbers.LEGEND["n.s."]] if any(_CLOSE in _sides(group) for group in groups) else []
    texts += [] if groups else ["These two have no test in common on setups that can be set beside each other."]
    return [*lines, (), *(line for text in (*texts, *pair.alone) for line in _told(text, width))]


def _told(text: str, width: int) -> list[Line]:
    return inset(text, width, "dim") if text else []


_CLOSE, _NOT = "too close to tell", "not compared"
_SIGNS = {"faster": ("▲", "*ok"), "slower": ("▼", "*warn"), _CLOSE: ("=", "dim"), _NOT: ("·", "dim")}


def _side(entry: Entry) -> str:
    over = entry.over_base
    if over.share is None:
        return _NOT
    return ("faster" if over.share > 0 else "slower") if over.conclusion == "different" else _CLOSE


def _sides(group: AlikeSetups) -> list[str]:
    return [_side(matched.entries[1]) for matched in group.tests]


def _verdicts(groups: Sequence[AlikeSetups]) -> Iterator[Line]:
    """How many tests tell what: of arrays, and of disks without one."""
    bare = [group for group in groups if group.heading.lower() in _ALIKE]
    for name, some in (("array", [group for group in groups if group not in bare]), ("disks without array", bare)):
        counts = Counter(side for group in some for side in _sides(group))
        pieces = [(f" B against A, {name}: ", "strong")]
        for side, (sign, look) in _SIGNS.items():
            pieces += [(f"{sign} {counts[side]} {side}", look), ("   ", "")] if counts[side] else []
        if some:
            yield join(pieces)


_NAME, _SIZE, _MOST = 26, 13, 60


def _bars(group: AlikeSetups, units: Units, width: int) -> Iterator[Line]:
    room = min(_MOST, max(8, width - _NAME - _SIZE - 6))
    for matched in group.tests:
        alike = [other for other in group.tests if other.kind == matched.kind]
        top = max((_rate_of(one.kind, entry) for one in alike for entry in one.entries), default=0.0) or 1.0
        first, second = matched.entries[:2]
        sign, look = _SIGNS[_side(second)]
        over = f"{sign} {numbers.in_words(second.over_base) or _NOT}"
        names = wrap(matched.title, _NAME - 1)
        names += [""] * (2 - len(names))
        for entry, name, words in ((first, names[0], ""), (second, " ".join(names[1:]), over)):
            share = _rate_of(matched.kind, entry) / top
            drawn = one_disk_bar(share, room)
            if entry is second:
                drawn = bar(share, room, look.strip("*"))
            size = (fit_right(_figure(matched, entry, units), _SIZE), "strong")
            yield join([(f" {fit(name, _NAME)}", ""), ("A " if entry is first else "B ", "accent"), *drawn, size])
            if words:
                yield join([(" " * (_NAME + 3), ""), (words, look)])


def _rate_of(kind: str, entry: Entry) -> float:
    return (entry.iops if kind == "random" else entry.bytes_per_s).value or 0.0


def _figure(matched: Matched, entry: Entry, units: Units) -> str:
    figure = entry.iops if matched.kind == "random" else entry.bytes_per_s
    if figure.value is None:
        return figure.standing
    return f"{format_iops(figure.value)} IOPS" if matched.kind == "random" else format_rate(figure.value, units)
