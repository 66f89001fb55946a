"""Which RAID level. All are listed, with what each would give of these disks; impossible ones say why."""

from textual.app import ComposeResult

from raidtui.core.raid.levels import LEVELS, Level, level
from raidtui.core.units import both
from raidtui.ui.draft import with_level
from raidtui.ui.outlook import Outlook, may_fail, outlook_of
from raidtui.ui.render.cells import Cell, Line, Row, Sheet, fit, wrap
from raidtui.ui.render.glyphs import of_terminal
from raidtui.ui.screens.step import StepScreen
from raidtui.ui.sizes import HIGH
from raidtui.ui.widgets.pick_list import PickList


class LevelScreen(StepScreen):
    """The highlighted level is the choice."""

    STEP = "Level"
    QUESTION = "Which RAID level? The highlighted one is the choice."
    HELP = (
        "Each level with what it would give of the chosen disks: usable space, and how many disks may fail, whichever"
        " they are, before data is lost. A dim one is not possible with these disks; its line says what it takes."
    )

    def body(self) -> ComposeResult:
        keys = [row.key for row in LEVELS]
        yield PickList(self._lay_out, cursor=keys.index(self.draft.level_or_suggested), id="levels")

    def on_mount(self) -> None:
        self.query_one(PickList).focus()

    def on_pick_list_moved(self, moved: PickList.Moved) -> None:
        self.take(with_level(self.draft, LEVELS[moved.index].key))

    def on_pick_list_clicked(self, clicked: PickList.Clicked) -> None:
        self.take(with_level(self.draft, LEVELS[clicked.index].key))

    def hindrance(self) -> str:
        return self._view(LEVELS[self.query_one(PickList).cursor].key).problem

    def detail(self) -> tuple[str, str]:
        view = self._view(self.draft.level_or_suggested)
        if view.problem:
            return f"Not possible: {view.problem}", "warn"
        if view.advice:
            return view.advice, "warn"
        return level(self.draft.level_or_suggested).summary, "dim"

    def _view(self, key: str) -> Outlook:
        row = next(row for row in LEVELS if row.key == key)
        if key == self.draft.level_or_suggested:
            return outlook_of(key, self.draft.layout_or_default, self.draft.chunk_bytes, self.members)
        return outlook_of(key, row.default_layout, None, self.members)

    def _told(self, row: Level, width: int) -> tuple[Line, ...]:
        """What a level is, under it, in as many lines as the longest takes; in a low window only the row under the
        cursor is told, below the list."""
        if self.app.size.height < HIGH:
            return ()
        high = max(len(wrap(one.summary, width - 4)) for one in LEVELS)
        lines = [*wrap(row.summary, width - 4), *[""] * high][:high]
        return tuple(((f"   {line}", "dim"),) for line in lines)

    def _lay_out(self, width: int) -> Sheet:
        glyphs = of_terminal()
        rows = []
        for row in LEVELS:
            view = self._view(row.key)
            here = row.key == self.draft.level_or_suggested
            mark = glyphs.picked if here else glyphs.free
            look = "" if view.capacity else "dim"
            first: list[Cell] = [
                (f" {mark} ", "accent" if here and view.capacity else "dim"),
                (fit(row.name, 9), "strong" if view.capacity else "dim"),
            ]
            if view.capacity:
                first += [
                    (fit(both(view.capacity.array_bytes), 23), look),
                    (fit(may_fail(view.capacity.survives), max(1, width - 35)), look),
                ]
            else:
                first += [(fit(view.problem, max(1, width - 12)), "dim")]
            rows.append(Row((tuple(first), *self._told(row, width)), bool(view.capacity)))
        heading: Line = (
            (fit("", 3), ""),
            (fit("level", 9), "dim"),
            (fit("usable, TB and TiB", 23), "dim"),
            ("survives", "dim"),
        )
        return Sheet(heading, tuple(rows))
