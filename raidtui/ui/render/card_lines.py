"""Cards of Results: a test's figure, verdict and three bars; of a sweep its best setups and the write penalty. Pure."""

from collections.abc import Sequence, Set

import msgspec
from rich.cells import cell_len

from raidtui.core.answer import numbers
from raidtui.core.answer.beyond_disks import Tested
from raidtui.core.answer.mark import NO_TESTS, AtAGlance, glance
from raidtui.core.answer.ranking import Ranked, left_open
from raidtui.core.answer.values import Penalties
from raidtui.core.results.analysis import ResultRow
from raidtui.core.units import Units, format_percent, shown_in
from raidtui.ui.render.cells import Line, Piece, fit, fit_right, shortened, wrap, wrapped
from raidtui.ui.render.parts import bar, big, expected_bar, join, one_disk_bar
from raidtui.ui.render.result_rows import number, short, standing, title

MOST_CARDS = 4
HIGH, LOW = 8, 4  # lines of a card, without its edge
_NAME, _FIGURE = 9, 8


class Card(msgspec.Struct, frozen=True):
    """`edge`: class of its panel, "" for the usual one. The title is plain, what stands beside it quiet."""

    title: str
    beside: str
    lines: tuple[Line, ...]
    edge: str = ""


def look_of(seen: AtAGlance) -> str:
    return {"ok": "array", "dim": "strong"}.get(seen.grade, seen.grade)


def verdict(seen: AtAGlance) -> Piece:
    return (f"{seen.sign} {seen.words}", f"*{seen.grade}" if seen.grade != "dim" else "dim")


def card(row: ResultRow, units: Units, width: int, high: bool, doubted: Set[Tested] = NO_TESTS) -> Card:
    """At most `HIGH` or `LOW` lines; a test without a figure names the reason."""
    seen = glance(row, doubted)
    look = look_of(seen)
    unit = shown_in(row.kind, units)[0]
    gain = f"{numbers.times(row.gain)} one disk" if row.gain else ""
    name, rest, gain = _named(title(row), gain, unit, width, high)
    if row.array.value is None:
        reason = row.array.error or ("" if seen.grade == "dim" else standing(row.array).lower())
        lines = [join([verdict(seen)]), *(wrapped(reason, width) if reason else [])]
        return Card(name, unit, tuple(lines[: HIGH if high else LOW]), "-bad" if seen.grade == "bad" else "")
    value = number(row.array.value, row, units)
    if high:
        figures = big(value.replace(",", ""), look)
        lines = [*figures, join([verdict(seen)]), ((fit(rest or gain, width).rstrip(), ""),)]
        return Card(name, unit, (*lines, *bars(row, units, width, look)))
    head = join([(fit(f"{value} {unit}", 11), f"*{look}"), verdict(seen)])
    return Card(name, gain, (head, *bars(row, units, width, look)))


def _named(name: str, gain: str, unit: str, width: int, high: bool) -> tuple[str, str, str]:
    """The name of a test in its edge beside its unit, or low its gain; what of it has no room there; the gain."""
    room = width - 4 - cell_len(unit if high else gain)
    if cell_len(name) > room:
        name = short(name)
    if cell_len(name) <= room:
        return name, "", gain
    if not high:
        return shortened(name, width - 2), "", ""
    head = shortened(name, room)
    rest = name.removeprefix(head).strip(", ")
    return head, " ".join(filter(None, (rest, gain.partition(" ")[0]))), gain


def bars(row: ResultRow, units: Units, width: int, look: str) -> list[Line]:
    """One disk, expected, the array on one scale; what has no figure is a dash."""
    own = row.array.value or 0.0
    top = max(own, row.predicted or 0.0, row.single.value or 0.0) or 1.0
    room = max(4, width - _NAME - _FIGURE)

    def line(name: str, value: float | None, drawn: Line, loud: bool, mark: str = "") -> Line:
        figure = mark + number(value, row, units) if value is not None else "\N{EN DASH}"
        words = "*strong" if loud else "dim"
        return join([(fit(name, _NAME), words), *drawn, (fit_right(figure, _FIGURE), words)])

    blank: Line = ((" " * room, ""),)
    single = one_disk_bar((row.single.value or 0.0) / top, room)
    expected = expected_bar(row.predicted / top, room) if row.predicted else blank
    return [
        line("one disk", row.single.value, single, False),
        line("expected", row.predicted, expected, False, row.expected.mark),
        line("existing" if row.stood else "array", own, bar(own / top, room, look), True),
    ]


def verdict_bars(row: ResultRow, units: Units, width: int) -> list[Line]:
    """A test as a line with its verdict, and its bars."""
    seen = glance(row)
    names = wrap(title(row), max(10, width - len(seen.words) - 4))
    lines = [*(((name, "strong"),) for name in names[:-1]), join([(f"{names[-1]}  ", "strong"), verdict(seen)])]
    if row.array.value is None:
        return [*lines, *(wrapped(row.array.error, width) if row.array.error else [])]
    return [*lines, *bars(row, units, width, look_of(seen))]


def setup_cards(
    ranked: Sequence[Ranked], penalties: Penalties | None, units: Units, width: int, high: bool
) -> list[Card]:
    """The first setup; the first that survives a failed disk, where that is another; the measured write penalty."""
    placed = [setup for setup in ranked if setup.place is not None]
    if not placed:
        return []
    heading = "First, no best" if left_open(placed) else "Best setup"
    cards = [_setup_card(placed[0], heading, units, width, high)]
    safe = next((setup for setup in placed if setup.survives), None)
    if safe and safe is not placed[0]:
        cards.append(_setup_card(safe, "Survives a failure", units, width, high))
    if penalties and high:
        cards.append(Card("Write penalty", "disk I/Os per write", tuple(_penalty_lines(penalties))))
    return cards


def _setup_card(setup: Ranked, heading: str, units: Units, width: int, high: bool) -> Card:
    rows = setup.rows[: 2 if width < 60 else 3]
    room = (width - 1) // len(rows)
    lines: list[Line] = [((fit(setup.name, width), "strong"),)]
    values = [number(row.array.value or 0.0, row, units) for row in rows]
    if high:
        drawn = [big(value, row.direction) for value, row in zip(values, rows, strict=True)]
        for at in range(3):
            pieces = [piece[at][0] for piece in drawn]
            lines.append(join([(fit(text, room), look) for text, look in pieces]))
    else:
        lines.append(join([(fit(value, room), f"*{row.direction}") for value, row in zip(values, rows, strict=True)]))
    names = [f"{short(title(row))}, {shown_in(row.kind, units)[0]}" for row in rows]
    lines.append(join([(fit(name, room), row.direction) for name, row in zip(names, rows, strict=True)]))
    usable = f"   {format_percent(setup.usable)} % usable" if setup.usable is not None else ""
    lines.append(join([survives(setup), (usable, "")]))
    beside = "" if setup.place == 1 else numbers.in_cell(setup.of_best)
    return Card(heading, beside, tuple(lines), "-good" if setup.survives else "")


def survives(setup: Ranked) -> Piece:
    if setup.survives is None:
        return ("", "")
    return (f"✓ survives any {setup.survives}", "ok") if setup.survives else ("✗ survives no failure", "bad")


def _penalty_lines(found: Penalties) -> list[Line]:
    lines: list[Line] = []
    for cost in found.levels:
        low, high = f"{cost.low:.1f}", f"{cost.high:.1f}"
        figure = numbers.between(low, high)
        squares = " ".join("■" * min(8, round(cost.high)))
        lines.append(join([(fit(cost.subject, 11), ""), (fit_right(figure, 8), "*strong"), ("  ", ""),
                           (squares, "write")]))  # fmt: skip
    model = [f"{cost.model:g}" for cost in found.levels if cost.model is not None]
    return [*lines, ((f"model: {', '.join(model)}", "dim"),)] if model else lines
