"""The part of a report on places on the disks: what each disk does at its start, in its middle, at its end.

Knows figures and how they are told apart; which of them are equal is `results.zones`'.
"""

from collections.abc import Sequence

from raidtui.core.plan.model import Plan
from raidtui.core.report.scales import SCALES
from raidtui.core.report.tables import bullets, cell, escape, table
from raidtui.core.results.differences import Difference
from raidtui.core.results.series.zones import Zones, place_words


def pages(plan: Plan, tests: Sequence[Zones]) -> list[str]:
    """A sentence for each place, then a line a disk and a column a place; nothing where no test has places."""
    if not tests:
        return []
    sentences = [sentence(test, number) for test in tests for number in range(1, len(test.places))]
    headers = ["Disk", "Serial"]
    headers += [
        f"{escape(test.title)}, {place_words(place)}, {SCALES[test.kind][0]}" for test in tests for place in test.places
    ]
    members = sorted({member for test in tests for member in test.alone})
    lines = []
    for member in members:
        cells = [cell(figure, SCALES[test.kind][1]) for test in tests for figure in test.alone[member]]
        lines.append([str(member + 1), escape(plan.members[member].serial) or "unknown", *cells])
    all_at_once = [cell(figure, SCALES[test.kind][1]) for test in tests for figure in test.all_at_once]
    if any(figure.standing != "not run" for test in tests for figure in test.all_at_once):
        lines.append(["All at once", "", *all_at_once])
    return ["## Places on the disks", bullets(sentences), table(headers, lines, word_columns=2)]


def sentence(test: Zones, number: int) -> str:
    """What a place other than the first gives over it, and how sure that is."""
    name, first = place_words(test.places[number]), place_words(test.places[0])
    over = test.over[number - 1]
    title = f"{escape(test.title)}, {name} over {first}, on {len(test.alone)} disks"
    if over.conclusion == "equal":
        return f"{title}: no difference ({_interval(over)})"
    if over.conclusion == "different":
        return f"{title}: {100 * (1 + (over.share or 0.0)):.0f} % of it ({_interval(over)})"
    return f"{title}: {over.words or 'not measured'}"


def _interval(over: Difference) -> str:
    low, high = (f"{100 * bound:+.1f}" if bound is not None else "?" for bound in (over.low, over.high))
    return f"{100 * (over.share or 0.0):+.1f} %, 95 % sure between {low} and {high} %"
