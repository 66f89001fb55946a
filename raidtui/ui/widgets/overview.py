"""The upper half of Results: cards, the sentence with its next step, the tabs."""

from collections.abc import Mapping

from textual import events
from textual.app import ComposeResult
from textual.containers import Container

from raidtui.core.answer.glance import main_rows
from raidtui.core.answer.values import Penalties
from raidtui.core.report.context import RunContext
from raidtui.core.units import Units
from raidtui.ui.render.card_lines import MOST_CARDS, Card, card, setup_cards
from raidtui.ui.render.cells import Line
from raidtui.ui.render.parts import spread, title_line
from raidtui.ui.render.results_lines import heading, lead, outcome, sentence_lines
from raidtui.ui.widgets.lines import Lines

TABS = ("Results", "Charts", "Why", "Capacity", "Report")
RESULTS, CHARTS, WHY, CAPACITY, REPORT = range(1, 6)
_ALL_ACROSS = {True: 112, False: 144}  # columns from which all cards are side by side, high or low ones


class TabLine(Lines):
    """A click opens the tab under it."""

    def show_tabs(self, on: int, right: str, width: int) -> None:
        pieces = [(" ", "")]
        for number, name in enumerate(TABS, 1):
            looks = ("!*accent", "!*accent") if number == on else ("*accent", "")
            pieces += [(f"{number}", looks[0]), (f"[{name}]" if number == on else f" {name} ", looks[1]), (" ", "")]
        self.show([spread(pieces, [(f"{right} ", "dim")], width)])

    def on_click(self, event: events.Click) -> None:
        at = 1
        for number, name in enumerate(TABS, 1):
            if at <= event.x < at + len(name) + 3:
                self.app.simulate_key(str(number))
            at += len(name) + 4


class Overview(Container):
    def compose(self) -> ComposeResult:
        yield Lines(id="lead", classes="panel")
        with Container(id="cards"):
            for _ in range(MOST_CARDS):
                yield Lines(classes="panel card")
        yield Lines(id="heading")
        yield Lines(id="sentence", classes="panel -open")
        yield TabLine(id="tabs")

    def fill(
        self,
        run: RunContext,
        tab: int,
        units: Units,
        keys: Mapping[str, str],
        *,
        cards: bool,
        has_next: bool,
        gone: str,
    ) -> int:
        """How many lines it takes. `keys`: action -> key, of what can be done now; without `cards` and on Charts, the
        tab has the room. `gone`: why a kept array does not stay.
        """
        width, low = self.app.size.width, self.screen.has_class("-low")
        said: list[Line] = []
        inner = width - (2 if low else 4)
        drawn = _cards(run, units, width, not low) if cards else []
        leads = lead(run, units, (inner, not (low or drawn)), gone, keys)
        has_next = has_next and not (leads and run.state.kept)
        leads = leads if tab == RESULTS else []
        if tab != CHARTS:
            led = bool(leads) and run.answer.kind == "proof"
            said = sentence_lines(run, inner, keys, has_next=has_next, high=not low, led=led)
        high = self._show_cards([] if leads and low else drawn, width, low)
        self.query_one("#lead").display = bool(leads)
        for one in leads:
            high += _show_card(self.query_one("#lead", Lines), one, len(one.lines) + (1 if low else 2))
        title, sentence = self.query_one("#heading", Lines), self.query_one("#sentence", Lines)
        title.display = sentence.display = bool(said)
        title.show([title_line(heading(run, width - 6), width, low)])
        sentence.styles.height = len(said) + (0 if low else 1)
        sentence.show(said)
        (word, _), took = outcome(run.state)
        self.query_one(TabLine).show_tabs(tab, f"{word} {took}", width)
        high += 1 + (len(said) + (1 if low else 2) if said else 0)
        self.styles.height = high
        return high

    def _show_cards(self, cards: list[Card], width: int, low: bool) -> int:
        across = _across(len(cards), width, not low)
        of_card = max((len(one.lines) for one in cards), default=0) + (1 if low else 2)
        high = of_card * -(-len(cards) // across) if cards else 0
        box = self.query_one("#cards")
        box.display = bool(cards)
        box.styles.height = high
        box.styles.grid_size_columns = across
        for at, panel in enumerate(box.query(Lines)):
            panel.display = at < len(cards)
            if panel.display:
                _show_card(panel, cards[at], of_card)
        return high


def _show_card(panel: Lines, one: Card, high: int) -> int:
    panel.styles.height = high
    for edge in ("-good", "-bad"):
        panel.set_class(one.edge == edge, edge)
    panel.entitle(one.title, one.beside)
    panel.show(one.lines)
    return high


def _across(count: int, width: int, high: bool) -> int:
    return max(1, count if width >= _ALL_ACROSS[high] or count < 3 else 2)


def _cards(run: RunContext, units: Units, width: int, high: bool) -> list[Card]:
    """Of a sweep its best setups, where it ranks them; else the tests of the question."""
    edge = 4 if high else 2
    if run.is_sweep:
        found = next((one for one in run.answer.findings if isinstance(one, Penalties)), None)
        count = 3 if found and high else 2
        return setup_cards(run.ranking.ranked, found, units, width // count - edge, high) if run.ranks else []
    rows = main_rows(run.answer, run.comparison.rows, MOST_CARDS)
    room = width // _across(len(rows), width, high) - edge
    return [card(row, units, room, high, run.ranking.doubted) for row in rows]
