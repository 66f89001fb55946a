"""Purpose, and every level with its results on these disks; impossible ones with the reason."""

from functools import partial

from textual import events
from textual.app import ComposeResult

from raidtui.core.advice.proposals import MOST_SURVIVED, USUALLY_SURVIVED, Advice
from raidtui.core.raid.purposes import Workload
from raidtui.ui.draft import LevelChoice, level_choice, level_choices, with_choice, with_proposal
from raidtui.ui.preview import USUAL_PURPOSE, advice_of, is_view, level_view, proposed, splits_of, with_usual_purpose
from raidtui.ui.render.cells import Line, Sheet
from raidtui.ui.render.choice_rows import WordGroup, purpose_groups
from raidtui.ui.render.walk.drawing import Drawn, chunk_words, disk_at, drawing_lines, failure_line, legend
from raidtui.ui.render.walk.level_rows import LevelRow, headline, level_sheet, table_legend
from raidtui.ui.render.walk.why_lines import why_lines, why_page
from raidtui.ui.screens.dialogs import DetailsScreen
from raidtui.ui.screens.panels import PanelStep
from raidtui.ui.widgets.bindings import bindings, bound
from raidtui.ui.widgets.lines import Lines, WordRow
from raidtui.ui.widgets.pick_list import PickList

_USES = tuple(Workload)
_WHY = 60, 80  # columns of the reasons, in windows narrower and wider than
_WIDE = 160


class LevelScreen(PanelStep):
    """The row under the cursor is the choice. Failures are simulated, on the drawing alone."""

    STEP = "Level"
    QUESTION = "Which level?"
    HELP = (
        "Up, down: level; the row under the cursor is taken. Left, right: purpose, which proposes level, layout, chunk"
        " and file system (◆). 0, 1, 2: disk failures the array must survive, whichever disks fail. ●: any failure,"
        " ○: one more in some cases. Rates: × one disk. x simulates a failed disk in the drawing ([ and ] choose which,"
        " a click too), X repairs it: no disk is touched. c, f, t: Chunk, File system, Tests (RAID 1's bitmap is on"
        " Chunk). No level is a backup: it survives failed disks, not deletion, overwriting, fire or theft. Keep a copy"
        " elsewhere."
    )
    TERMS = ("array", "JBOD", "chunk", "stripe", "parity", "degraded", "rebuild", "sequential", "IOPS")
    BINDINGS = bindings(
        bound("left", "purpose(-1)", "purpose", "level.purpose-before", "Purpose before", key_display="←→"),
        bound("right", "purpose(1)", "purpose", "level.purpose", "Next purpose", show=False),
        *(
            bound(
                str(count),
                f"survive({count})",
                "survive",
                f"level.survive-{count}",
                f"Must survive {count} failed disk{'' if count == 1 else 's'}",
                show=not count,
                key_display=" ".join(map(str, range(MOST_SURVIVED + 1))),
            )
            for count in range(MOST_SURVIVED + 1)
        ),
        bound("c", "go('Chunk')", "any step", "level.chunk", "To Chunk: size, layout, bitmap", key_display="c f t"),
        bound("x", "fail", "simulate", "level.fail", "Simulate a failed disk; nothing is done"),
        bound("X", "repair", "repair", "level.repair", "Repair the disk of the simulation", show=False),
        bound("left_square_bracket", "mark(-1)", "disk", "level.mark-before", "Disk before", show=False),
        bound("right_square_bracket", "mark(1)", "disk", "level.mark", "Next disk", show=False),
        bound("a", "all_levels", "all levels", "level.all", "Beside groups: all levels, or the usual ones"),
        bound("d", "details", "why", "level.details", "All reasons and figures of this level"),
        bound("f", "go('File system')", "file system", "level.filesystem", "To File system", show=False),
        bound("t", "go('Tests')", "tests", "level.tests", "To Tests", show=False),
    )

    def __init__(self) -> None:
        super().__init__()
        self._asked_for: dict[Workload, int] = {}  # by purpose, how many failed disks the person said
        self._failed: tuple[int, ...] = ()  # in the order of failing
        self._marked = 0
        self._all = False  # levels, also those that nobody builds of many disks

    def panels(self) -> ComposeResult:
        if self._has_purpose:
            self.wizard.draft = with_usual_purpose(self.draft, self.all_chosen, self.speed)
            self._asked_for[self._use] = self.draft.survive
            yield WordRow(self._purposes(), id="purpose")
        choices = self._choices
        table = PickList(self._lay_out, cursor=choices.index(level_choice(self.draft)), id="levels", classes="panel")
        table.styles.height = self.tall(len(choices))
        self.above = self._has_purpose + len(choices) + (3 if self.low else 4) + self.detail_lines
        self.above += not self.low and self.aside  # the legend
        table.entitle(*self._title)
        yield from self.turning(table)
        signs = Lines([table_legend()], id="legend")
        signs.display = self.aside and not self.low
        yield signs
        yield Lines(id="detail")
        yield self.foot("drawing", self._drawing(), "Why", self._why())

    # --- purpose --------------------------------------------------------------------------------------------------

    @property
    def _has_purpose(self) -> bool:
        return self.draft.is_kept

    @property
    def _use(self) -> Workload:
        return self.draft.use or USUAL_PURPOSE

    def _purposes(self) -> tuple[WordGroup, ...]:
        return purpose_groups(self._use, self.draft.survive, self.aside)

    def on_word_row_taken(self, taken: WordRow.Taken) -> None:
        if taken.group:
            self.action_survive(taken.number)
        else:
            self._take_purpose(_USES[taken.number])

    def action_purpose(self, by: int) -> None:
        """Without purposes the key leads on or back, as on the other steps."""
        if self._has_purpose:
            self._take_purpose(_USES[(_USES.index(self._use) + by) % len(_USES)])
        elif by > 0:
            self.action_next()
        else:
            self.action_back()

    def _take_purpose(self, use: Workload) -> None:
        self._propose(use, self._asked_for.get(use, USUALLY_SURVIVED[use]))

    def action_survive(self, count: int) -> None:
        self._asked_for[self._use] = count
        self._propose(self._use, count)

    def _propose(self, use: Workload, survive: int) -> None:
        draft = self.draft.having(use=use, survive=survive)
        self.wizard.draft = draft = proposed(draft, self.all_chosen, self.speed)
        self.query_one(PickList).place(self._choices.index(level_choice(draft)))
        self.refill()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "survive":
            return self._has_purpose
        if action == "all_levels":
            return bool(splits_of(self.draft, self.all_chosen))
        return super().check_action(action, parameters)

    def leads_to(self, step: str) -> bool:
        """A mirror's bitmap is on Chunk, too."""
        row = self.draft.raid
        return step != "Chunk" or row.has_chunk or row.has_bitmap

    # --- level ----------------------------------------------------------------------------------------------------

    def choose(self, index: int) -> None:
        """The proposed level brings its proposed layout, chunk and file system."""
        choice, advice = self._choices[index], self.advice
        if choice == level_choice(self.draft) and self.draft.level:
            self.refill()
        elif advice and is_view(advice.best.preview, choice, len(self.offered) - choice.spares):
            self.take(with_proposal(self.draft, advice.best, self.all_chosen))
        else:
            self.take(with_choice(self.draft, choice, self.all_chosen))

    @property
    def _choices(self) -> tuple[LevelChoice, ...]:
        return level_choices(self.draft, splits_of(self.draft, self.all_chosen), all_of_them=self._all)

    def action_all_levels(self) -> None:
        self._all = not self._all
        self.query_one(PickList).place(self._choices.index(level_choice(self.draft)))
        self.refill()

    def _lay_out(self, width: int) -> Sheet:
        advice, here = self.advice, level_choice(self.draft)
        rows = []
        for choice in self._choices:
            view = level_view(self.draft, choice, self.offered, self.speed, advice)
            is_proposed = advice is not None and is_view(advice.best.preview, choice, view.disks)
            rows.append(LevelRow(view, choice == here, is_proposed, choice.spares))
        return level_sheet(rows, width)

    def blocker(self) -> str:
        text, _ = self.detail()
        advice = self._told
        return text if self.view.problem or (isinstance(advice, str) and not self.draft.level) else ""

    def detail(self) -> tuple[str, str]:
        return headline(self.view, self._told)

    @property
    def _told(self) -> Advice | str | None:
        return advice_of(self.draft, self.offered, self.speed)

    # --- below ----------------------------------------------------------------------------------------------------

    def fill(self) -> None:
        self.query_one("#levels", PickList).entitle(*self._title)
        self.lines("legend").display = self.aside and not self.low
        for row in self.query(WordRow):
            row.present(self._purposes())
        self.lines("drawing").show(self._drawing())
        self.lines("why").show(self._why())

    def show_detail(self, text: str, look: str = "") -> None:
        if self._failed and not self.view.problem:
            self.lines("detail").show([self._failure()])
        else:
            super().show_detail(text, look)

    @property
    def _title(self) -> tuple[str, str]:
        """Of the table; where there is no legend it says what the rates are."""
        has_legend = self.aside and not self.low
        return f"{len(self.offered)} disks", "" if has_legend else "rates: times one disk"

    @property
    def _names(self) -> list[str]:
        return [disk.name for disk in self.members]

    @property
    def _room(self) -> tuple[int, int]:
        return self.room("#drawing")

    @property
    def beside(self) -> int:  # type: ignore[override]
        return _WHY[self.window_width >= _WIDE]

    def _drawing(self) -> list[Line]:
        view, (width, height) = self.view, self._room
        for drawing in self.query("#drawing").results(Lines):
            hints = ("x simulates a failure", "") if self.low else ("", "x simulates a failure, X repairs")
            drawing.entitle(f"Placement: {view.named}{chunk_words(view)}", *hints)
        key = legend(view) if height > 3 else ()
        lines = drawing_lines(
            view, self._names, width, height - bool(key), Drawn(frozenset(self._failed), self._marked)
        )
        return [*lines, key] if lines else []

    def _why(self) -> list[Line]:
        return why_lines(self.view, self.advice, self.units, self.beside - self.edge, self._room[1])

    def _failure(self) -> Line:
        return ((" ", ""), *failure_line(self.view, self._names, frozenset(self._failed)))

    def action_fail(self) -> None:
        """The marked disk, in the drawing; the mark goes on to the next that works."""
        if self._marked not in self._failed:
            self._failed = (*self._failed, self._marked)
        working = [disk for disk in range(len(self.members)) if disk not in self._failed]
        self._marked = next((disk for disk in working if disk > self._marked), working[0] if working else self._marked)
        self.refill()

    def action_repair(self) -> None:
        """The disk that failed last."""
        if self._failed:
            self._marked = self._failed[-1]
            self._failed = self._failed[:-1]
            self.refill()

    def action_mark(self, by: int) -> None:
        self._marked = (self._marked + by) % max(1, len(self.members))
        self.refill()

    def on_click(self, event: events.Click) -> None:
        drawing = self.lines("drawing")
        if event.widget is drawing:
            disk = disk_at(self.view, self._names, *self._room, event.x - drawing.gutter.left)
            if disk is not None:
                self._marked = disk
                if disk in self._failed:
                    self._failed = tuple(each for each in self._failed if each != disk)
                    self.refill()
                else:
                    self.action_fail()

    def action_details(self) -> None:
        self.app.push_screen(DetailsScreen(partial(why_page, self.view, self._told, self.units)))
