"""The first screen: build, measure or maintain; this machine's disks; what ran last."""

from collections.abc import Iterable

import msgspec
from textual.app import ComposeResult
from textual.containers import Container

from raidtui.core.units import format_duration
from raidtui.runs.status import RunStatus
from raidtui.ui import questions, run_rows
from raidtui.ui.draft import Draft
from raidtui.ui.paths import DEMO, PRACTICE, in_practice
from raidtui.ui.questions import RUNNING, Question
from raidtui.ui.render import start_lines
from raidtui.ui.render.cells import Line, wrapped
from raidtui.ui.render.start_lines import Door
from raidtui.ui.screens.base import QUIT_KEY
from raidtui.ui.screens.looking import JudgingScreen, LookingScreen
from raidtui.ui.widgets.bars import StepHeader
from raidtui.ui.widgets.bindings import bindings, bound
from raidtui.ui.widgets.lines import Lines

_BESIDE = 112  # columns from which the choices stand side by side
_MOST_RECENT = 12  # runs that have room
_DOORS = ("build", "measure", "maintain")
_NOT_HEALTHY = ("maintain", "build", "measure")
_BUILD = "Step by step: level, chunk size, file system, tests. Each step has a proposal and its capacity."
_PRACTICE = "All steps on 6 disks in memory, with real md arrays. The disks of this machine stay invisible."
_DEMO = "A recorded run through the same screens, 20 times as fast. Needs no disks and no root."
_IN_DEMO = "Recorded disks and runs; Review replays one at 20×."
_MEASURE = "Speed of one disk, of all disks, of each level{count}. Nothing is kept."
_UNWELL = "`raidtui status` shows the members and what to do. Here: runs and their arrays."
_MAINTAIN = "Results, why a test is slower than expected, comparison of runs, removal of an array."


class DoorLines(Lines, can_focus=True):
    def on_click(self) -> None:
        self.focus()
        self.app.simulate_key("enter")


class StartScreen(LookingScreen, JudgingScreen):
    STEP = "Start"
    HELP = (
        "Build: an array to keep; each step has a proposal, Enter accepts it. Measure: recipes that compare disks and"
        " levels; the disks are left blank. Maintain: finished runs and kept arrays: results, why a test is slower than"
        ' expected, removal. An array in use can be measured too: put recipe = "existing" and target = "/srv/data" (a'
        " folder on it) in a.toml, then run `raidtui plan a.toml`. Nothing is written before you confirm on Review."
    )
    TERMS = ("array", "JBOD", "chunk", "initial resync", "fio", "IOPS", "queue depth", "kept")
    BINDINGS = bindings(
        bound("right,down,tab", "turn(1)", "choice", "start.next", "Next choice", key_display="←→"),
        bound("left,up,shift+tab", "turn(-1)", "choice", "start.previous", "Previous choice", show=False),
        bound("enter", "open", "open", "start.open", "Open this choice"),
        *(
            bound(
                str(number),
                f"door({number - 1})",
                "directly",
                f"start.{name}",
                f"Open the {name} choice",
                show=number == 1,
                key_display="1 2 3",
            )
            for number, name in enumerate(("first", "second", "third"), 1)
        ),
        bound("w", "why", "why no disk", "start.why", "Why each disk is not usable, and what to do"),
        bound("full_stop", "last_time", "as last time", "start.last-time", "To Review", key_display="."),
        bound("r", "look", "rescan", "start.look", "Scan the machine again"),
        QUIT_KEY,
    )

    def __init__(self) -> None:
        super().__init__()
        self._listed: tuple[RunStatus, ...] | None = None
        self._before_last_time: Draft | None = None
        self._no_practice = ""
        self._trying = False

    def content(self) -> ComposeResult:
        yield self.header()
        yield Lines(self._question(), id="question")
        with Container(id="doors"):
            for name, door in zip(self._names, self._doors, strict=True):
                yield DoorLines(self._door_lines(name, door), id=name, classes="panel")
        shelf = Lines(self._shelf(), id="shelf", classes="panel")
        shelf.entitle("Recorded machine" if self.is_demo else "This machine")
        yield shelf
        recent = Lines(self._recent(), id="recent", classes="panel")
        recent.entitle("Recent")
        yield recent

    def on_mount(self) -> None:
        self.query(DoorLines).first().focus()

    def on_screen_resume(self) -> None:
        before, self._before_last_time = self._before_last_time, None
        if before is not None and self.wizard.draft == self.wizard.scan.last:  # back from its Review
            self.wizard.draft = before
        super().on_screen_resume()
        self._look_at_runs()  # what ran since belongs here: it is the way back from a run, too

    def _look_at_runs(self) -> None:
        self.wizard.ask(self, self.wizard.services.runs, self._take_runs)

    def _take_runs(self, runs: tuple[RunStatus, ...]) -> None:
        self._listed = runs
        self.refill()
        self.judge(run_rows.order(runs)[:_MOST_RECENT])

    def marks_changed(self) -> None:
        self.refill()

    def on_runs_changed(self) -> None:
        self._look_at_runs()

    def _tried_practice(self, why_not: str) -> None:
        self._no_practice = why_not
        self.refill()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "why":
            return self._none_usable
        return action != "last_time" or self._last_time is not None

    # --- what is shown ----------------------------------------------------------------------------------------

    @property
    def _low(self) -> bool:
        return self.low or self.window_width < _BESIDE

    @property
    def _inner(self) -> int:
        """Columns of a panel over the whole width."""
        return self.window_width - (2 if self.low else 4)

    @property
    def _none_usable(self) -> bool:
        return self.wizard.scanned and not questions.usable(self.wizard.scan.disks) and not in_practice()

    @property
    def _names(self) -> tuple[str, ...]:
        return _NOT_HEALTHY if self.wizard.scan.unwell else _DOORS

    def _put_in_order(self) -> None:
        """A look at the machine may have found an array that needs somebody."""
        doors = list(self.query(DoorLines))
        if [door.id for door in doors] != list(self._names):
            at_first = self.focused is doors[0]
            self.query_one("#doors").sort_children(key=lambda door: self._names.index(door.id or ""))
            if at_first:
                self.query(DoorLines).first().focus()

    def fit_window(self) -> None:
        self.query_one("#doors").styles.layout = "vertical" if self._low else "horizontal"
        super().fit_window()

    def refill(self) -> None:
        if not self.is_mounted:
            return
        self._put_in_order()
        if self._none_usable and not self._trying:
            self._trying = True
            self.wizard.ask(self, self.wizard.services.no_practice, self._tried_practice, self._tried_practice)
        self.lines("question").show(self._question())
        for number, (lines, door) in enumerate(zip(self.query(DoorLines), self._doors, strict=True), 1):
            lines.styles.height = start_lines.HEIGHT_LOW if self._low else start_lines.HEIGHT
            lines.entitle(f"{number}  {door.name}, {door.subtitle}" if self._low else str(number))
            lines.set_class(bool(self.wizard.scan.unwell) and lines.id == "maintain", "-bad")
            lines.show(self._door_lines(self._names[number - 1], door))
        shelf = self.lines("shelf")
        shelf.styles.height = (5 if self.low else 7) + len(self._unread_lines())
        shelf.show(self._shelf())
        self.lines("recent").show(self._recent())
        self.query_one(StepHeader).present(self.wizard.step_names, self.place)
        self.refresh_bindings()

    def on_descendant_focus(self) -> None:
        self.refill()

    def _question(self) -> list[Line]:
        beside, look = "Nothing is erased before you confirm it by typing.", "dim"
        if self.is_demo:
            beside, look = _IN_DEMO, "warn"
        elif self.wizard.scan_problem:
            beside, look = self.wizard.scan_problem, "bad"
        elif self.looking:
            beside = self.looking_words
        elif self._none_usable:
            beside, look = "! No usable disk on this machine (w: why).", "warn"
        return [((" What do you want to do?", "*strong"), (f"   {beside}", look))]

    def _door_lines(self, name: str, door: Door) -> tuple[Line, ...]:
        width = self._inner if self._low else self.window_width // 3 - 4
        focused = self.focused.id if self.is_mounted and self.focused else self._names[0]
        return start_lines.door_lines(door, width, self._low, focused == name)

    @property
    def _doors(self) -> tuple[Door, ...]:
        placement, graph = start_lines.placement(), start_lines.graph()
        count = len(questions.questions(self.wizard.recipes))
        runs = self._listed or ()
        kept = [run for run in runs if run.kept]
        names = ", ".join(kept[0].keeps) if len(kept) == 1 and kept[0].keeps else f"{len(kept)} arrays"
        tally = run_rows.tally(runs) or "none"
        build = Door(
            name="Build an array",
            subtitle="kept, ready for use",
            words=_BUILD,
            asks="disks, then Enter",
            takes=self._takes(0),
            erases="the disks you select",
            drawing=placement,
        )
        demo = Door(
            name="Demo",
            subtitle="a recorded run",
            words=_DEMO,
            asks="as on a server",
            takes="about 1 min",
            drawing=placement,
        )
        why_not = self._no_practice
        practice = Door(
            name="Practice",
            subtitle="on virtual disks",
            words=why_not or _PRACTICE,
            asks="as on a server",
            takes="not possible here" if why_not else "about 4 min",
            drawing=graph,
            look="warn" if why_not else "dim",
        )
        measure = Door(
            name="Measure",
            subtitle="disks and levels",
            words=_MEASURE.format(count=f": {count} recipes" if count else ""),
            asks="a recipe, disks",
            takes=self._takes(1, " and more"),
            erases="the disks you select",
            drawing=graph,
        )
        maintain = Door(
            name="Maintain",
            subtitle="existing arrays and runs",
            words=_MAINTAIN,
            asks="a run",
            takes="moments; removal asks first",
            erases="an array you remove" if kept else "",
            drawing=start_lines.boxed(names, "kept", "ok") if kept else start_lines.boxed("runs", tally, "dim"),
        )
        if unwell := self.wizard.scan.unwell:
            words = ", ".join(f"{array.title} {array.health}" for array in unwell)
            maintain = msgspec.structs.replace(
                maintain,
                subtitle=f"! {words}",
                words=_UNWELL,
                look="bad",
                drawing=start_lines.boxed(unwell[0].title, unwell[0].health, "bad"),
            )
        doors = {"build": build, "measure": measure, "maintain": maintain}
        if self._none_usable:
            doors |= {"build": demo, "measure": practice}
        return tuple(doors[name] for name in self._names)

    def _shelf(self) -> tuple[Line, ...]:
        disks = self.wizard.scan.disks
        if not disks:
            text = self.wizard.scan_problem or ("No disks." if self.wizard.scanned else self.looking_words)
            return tuple(wrapped(text, self._inner, "dim"))
        if self._none_usable:
            return start_lines.why_not(disks, self._inner)
        lines = start_lines.shelf_lines(disks, self._inner, self.low)
        return (*lines, *self._unread_lines())

    def _unread_lines(self) -> tuple[Line, ...]:
        return start_lines.unread_lines(self.wizard.scan.disks, self.wizard.scan.as_root, self._inner)

    def _recent(self) -> list[Line]:
        last = self._last_time.title if self._last_time else ""
        runs = self._listed
        practice = not self._no_practice
        high = not self.low
        return run_rows.recent_lines(runs, self.judged, last, self._inner, high, practice=practice)

    # --- what each would cost ---------------------------------------------------------------------------------

    def wanted(self) -> Iterable[Draft]:
        return self._likely

    @property
    def _likely(self) -> tuple[Draft, ...]:
        """An array to keep, and the quick look, on the disks that are free."""
        if not self.wizard.recipes:
            return ()
        quick = Question(questions.Purpose.SPEED, "", "quick", dict(self.wizard.recipes)["quick"])
        scan, draft = self.wizard.scan, self.wizard.first_draft()
        disks = tuple(disk.id for disk in questions.likely_disks(self.wizard.draft, scan.disks))
        return tuple(
            questions.asked(draft, question, scan.free_name).having(disks=disks) for question in (self._build, quick)
        )

    def _takes(self, number: int, more: str = "") -> str:
        draft = next(iter(self._likely[number:]), None)
        cost = self.costs.get(draft) if draft else None
        if cost and not cost.problem:
            return format_duration(cost.time_s) + (" (mostly resync)" if cost.sync_s > cost.time_s / 2 else "") + more
        is_coming = not self.wizard.scanned or (draft and draft.disks and not cost)
        return RUNNING if is_coming else "depends on the disks"

    # --- going on ---------------------------------------------------------------------------------------------

    @property
    def _build(self) -> Question:
        return questions.build(self.wizard.recipes, self.wizard.settings.recipe)

    @property
    def _last_time(self) -> Question | None:
        return questions.as_last_time(self.wizard.scan, self.wizard.recipes) if self.wizard.recipes else None

    def action_turn(self, by: int) -> None:
        doors = list(self.query(DoorLines))
        at = doors.index(self.focused) if isinstance(self.focused, DoorLines) else 0
        doors[(at + by) % len(doors)].focus()

    def action_open(self) -> None:
        if self.focused and self.focused.id in self._names:
            self.action_door(self._names.index(self.focused.id))

    def action_door(self, number: int) -> None:
        name = self._names[number]
        if name == "maintain":
            self.wizard.show_runs(self._listed or ())
        elif name == "build" and self._none_usable:
            self.app.exit(return_code=0, result=DEMO)
        elif name == "measure" and self._none_usable:
            if self._no_practice:
                self.refuse(self._no_practice)
            else:
                self.app.exit(return_code=0, result=PRACTICE)
        elif self.looking or not self.wizard.recipes:
            self.app.bell()  # the line beside the question says why
        elif name == "measure":
            from raidtui.ui.screens.recipes import RecipesScreen

            self.app.push_screen(RecipesScreen())
        elif reason := questions.short_of_disks(self._build, self.wizard.scan):
            self.refuse(reason)
        else:
            self.wizard.draft = questions.asked(self.wizard.draft, self._build, self.wizard.scan.free_name)
            self.wizard.go_on(self.STEP)

    def action_why(self) -> None:
        self.show_details(self._why_lines)

    def _why_lines(self, width: int) -> list[Line]:
        return start_lines.why_page(self.wizard.scan.disks, self._no_practice, width)

    def action_last_time(self) -> None:
        if last := self._last_time:
            self._before_last_time = self.wizard.draft
            self.wizard.draft = questions.asked(self.wizard.draft, last)
            self.wizard.go_on("Tests")
