"""Words in a row: the taken one is in brackets; a click takes the word under the mouse."""

from textual.app import App, ComposeResult

from raidtui.ui.render.choice_rows import WordGroup
from raidtui.ui.widgets.lines import WordRow
from tests.ui.pilots import SMALL

GROUPS = (WordGroup(" for ", ("files", "VMs"), 1), WordGroup("  survive ", ("0", "1", "2"), 0, " disks"))


class Rowed(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.taken = list[tuple[int, int]]()

    def compose(self) -> ComposeResult:
        yield WordRow(GROUPS, id="row")

    def on_word_row_taken(self, taken: WordRow.Taken) -> None:
        self.taken.append((taken.group, taken.number))


async def test_a_click_takes_the_word_under_it() -> None:
    app = Rowed()
    async with app.run_test(size=SMALL) as pilot:
        row = app.query_one(WordRow)
        assert row.text == " for  files [VMs]  survive [0] 1  2  disks"
        for word in ("files", "VMs", " 2 ", " disks", " for"):
            await pilot.click(WordRow, offset=(row.text.index(word) + 1, 0))
        assert app.taken == [(0, 0), (0, 1), (1, 2)]
        row.present((GROUPS[0]._replace(taken=0),))
        assert row.text == " for [files] VMs"
