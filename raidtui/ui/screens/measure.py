"""Tests, repetitions, initial resync, what becomes of the array; plan and estimate are made from here on."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

import msgspec
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.widget import Widget
from textual.widgets import Input

from raidtui.core.advice.preview import preview_level
from raidtui.core.plan import estimate
from raidtui.core.plan.model import Plan
from raidtui.core.plan.recipe import Recipe, repetitions
from raidtui.core.raid.levels import level
from raidtui.core.units import format_duration, format_round
from raidtui.ui import sweeping
from raidtui.ui.draft import MOST_SPARES, Draft, chosen, typed_wrongly
from raidtui.ui.render import words
from raidtui.ui.render.cells import Line, Sheet, wrapped
from raidtui.ui.render.choice_rows import Option, titled
from raidtui.ui.render.review_lines import setups_lines, trial_lines, written_words
from raidtui.ui.render.walk import set_rows
from raidtui.ui.render.walk.set_rows import SetOfTests, TickBox
from raidtui.ui.screens.dialogs import DetailsScreen
from raidtui.ui.screens.panels import PanelStep
from raidtui.ui.sweeping import Box, BoxCost
from raidtui.ui.widgets.bindings import bindings, bound
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.named_field import NamedField
from raidtui.ui.widgets.pick_list import OptionPick, PickList

_ESTIMATING = "Estimating…"
_DETAIL = 2  # lines at least: a plan's refusal may be long
_BOXES = {"levels": "Levels", "chunks": "Chunks"}
# Of these lists the key is a number, "" what is usual.
_NUMBERS: dict[str, Callable[[str], int | None]] = {
    "repeat": lambda key: int(key) if key else None,
    "spares": lambda key: int(key) if key else 0,
}


class _Row(NamedTuple):
    """An option of the form: the draft's field, how it is called, what it can be, whether this array and these disks
    leave it open; `short`: its heading below the tests.
    """

    field: str
    title: str
    values: Callable[[], list[Option]]
    is_open: bool = True
    short: str = ""

    def taken(self, draft: Draft) -> str:
        return str(getattr(draft, self.field) or "")


class MeasureScreen(PanelStep):
    """The sets of tests for an array that is chosen here; else those of the recipe that Start chose."""

    STEP = "Tests"
    beside = 56
    QUESTION = "Which tests?"
    HELP = (
        "Up, down: tests. Time: until all is done, with build and initial resync. o: repetitions, initial resync,"
        " keep or remove the array, spares, members, self-tests, mail alerts. Repeating tests separates differences"
        " from noise; many setups need fewer repetitions, as noise is estimated from all of them. A kept array can run"
        " self-tests first, use partitions as members, have spares. Tests during the initial resync give lower results."
        " The estimate includes everything. s: levels and chunks of a sweep, space"
        " ticks one; a dim one cannot be built of these disks. d: every test. LVM, LUKS, mount at boot: m on File"
        " system."
    )
    TERMS = (
        "initial resync",
        "--assume-clean",
        "precondition",
        "spare",
        "mail alerts",
        "queue depth",
        "page cache",
        "ramp",
        "times over",
    )

    BINDINGS = bindings(
        bound("o", "turn_to('form')", "options", "measure.options", "Repetitions, resync, spares, mail"),
        bound("space", "tick", "tick", "measure.tick", "Measure this level or chunk, or not"),
        bound("right", "beside(1)", "", "measure.right", "To the chunks; else the next step"),
        bound("left", "beside(-1)", "", "measure.left", "To the levels; else back"),
        bound("n", "option('repeat')", "passes", "measure.repeat", "Repetitions", show=False),
        bound("a", "option('after')", "keep, remove", "measure.after", "What becomes of the array"),
        bound("s", "turn_to('sweep')", "sweep", "measure.sweep", "Choose levels and chunks of a sweep"),
        bound("m", "option('mailaddr')", "mail", "measure.mail", "Mail alerts", show=False),
        bound("d", "details", "every test", "measure.details", "Every test: options, time, bytes"),
    )

    def __init__(self) -> None:
        super().__init__()
        self._estimate = (_ESTIMATING, "dim")
        self._plan: Plan | None = None
        self._costs: Mapping[Box, BoxCost] = {}  # of the draft's plan, once that is made
        self._refused: tuple[Draft, str] | None = None  # what cannot be a plan, and why
        self._plans: dict[Draft, Plan | str] = {}  # of the other sets; a sentence: why not
        self._asked: Draft | None = None  # the one that is being made

    def panels(self) -> ComposeResult:
        names = [name for name, _ in self._sets]
        table = PickList(self._lay_out, cursor=names.index(self.draft.recipe), id="sets", classes="panel")
        table.styles.height = self.tall(len(names))
        table.entitle("Test sets", "time with build and resync")
        form = VerticalScroll(*self._form(), id="form", classes="panel", can_focus=False)
        boxes = (PickList(partial(self._boxes_sheet, name), id=name, classes="panel") for name in _BOXES)
        yield from self.turning(table, form, Horizontal(*boxes, id="sweep"))
        yield Lines(id="detail")
        time = Lines(id="time", classes="panel")
        time.entitle("Time")
        yield time
        yield self.foot("facts", (), "Afterwards", self._afterwards(self.beside - self.edge))

    def on_mount(self) -> None:
        for name, title in _BOXES.items():
            self.query_one(f"#{name}", PickList).entitle(title)
        self._show_options()
        self._make_plan()
        if self._is_kept and self.wizard.drives_seen is None:
            self.wizard.look_at_drives(self, self.refill)  # for self-tests

    # --- sets of tests --------------------------------------------------------------------------------------------

    def so_far(self) -> str:
        if not self.draft.sweeps:
            return super().so_far()
        count = len(self.members)
        return f"On {count} disk{'' if count == 1 else 's'}: {self._recipe.title}"

    @property
    def _is_kept(self) -> bool:
        return self.draft.builds == "chosen" and self.draft.is_kept

    @property
    def _sets(self) -> list[tuple[str, Recipe]]:
        """Of an array that is kept those that leave it alone; else the one that was chosen."""
        if not self._is_kept:
            return [(self.draft.recipe, self._recipe)]
        fitting = [(name, one) for name, one in self.wizard.recipes if not (one.existing or one.sweeps or one.scratch)]
        is_one = any(name == self.draft.recipe for name, _ in fitting)
        return fitting if is_one else [*fitting, (self.draft.recipe, self._recipe)]

    def _with(self, name: str) -> Draft:
        """The draft with this set of tests."""
        draft = self.draft
        return draft if name == draft.recipe else draft.having(recipe=name, repeat=None)

    def _lay_out(self, width: int) -> Sheet:
        rows = []
        for name, recipe in self._sets:
            made = self._plans.get(self._with(name))
            plan, problem = (None, made) if isinstance(made, str) else (made, "")
            rows.append(SetOfTests(name, recipe, plan, problem, name == self.draft.recipe, name == self._sets[0][0]))
        return set_rows.sets_sheet(rows, self.units, width)

    def choose(self, index: int) -> None:
        if (name := self._sets[index][0]) != self.draft.recipe:
            self._changed(self._with(name))

    def _changed(self, draft: Draft) -> None:
        self._estimate, self._costs = (_ESTIMATING, "dim"), {}
        self.take(draft)
        self._make_plan()

    def _make_plan(self) -> None:
        self._ask_for(self.draft)

    def _ask_for(self, draft: Draft) -> None:
        self._asked = draft
        self.wizard.make_plan(self, draft, partial(self._planned, draft), partial(self._not_planned, draft))

    def _make_next(self) -> None:
        """Of a set whose cost is not known yet, one at a time."""
        unknown = (draft for name, _ in self._sets if (draft := self._with(name)) not in self._plans)
        self._asked = None
        if (following := next(unknown, None)) is not None:
            self._ask_for(following)

    # --- options --------------------------------------------------------------------------------------------------

    def _options(self) -> tuple[_Row, ...]:
        draft, level_row, kept = self.draft, self.draft.raid, self._is_kept
        is_chosen, members = draft.builds == "chosen" and not draft.axes, chosen(draft, self.wizard.scan.disks)
        is_flash = bool(members) and all(disk.rotational is False for disk in members)
        ends = is_chosen and not self._recipe.scratch and not self._recipe.sweeps
        return (
            _Row("repeat", "Repeat", self._repeats),
            _Row("after", "Afterwards", self._afters, ends),
            _Row("first_sync", "Initial resync", self._syncs, is_chosen and level_row.has_sync, "Resync"),
            _Row("spares", "Spares", self._spares, kept and level_row.has_bitmap and self.draft.groups == 1),
            _Row("members", "Members", self._members, kept and self.draft.groups == 1),
            _Row("self_test", "Self-test", self._self_tests, kept),
            _Row("precondition", "Precondition", self._preconditions, is_flash),
        )

    def _form(self) -> Iterator[Widget]:
        for row in self._options():
            yield OptionPick(row.title, row.values, row.taken(self.draft), id=row.field)
        hint = words.mail_hint(self.wizard.scan.monitor)
        yield NamedField(words.BOOT_NAMES["mailaddr"], self.draft.mailaddr, hint, id="mailaddr")

    @property
    def _open_options(self) -> set[str]:
        mail = {"mailaddr"} if self._is_kept and self.draft.permanent == "yes" else set()
        return {row.field for row in self._options() if row.is_open} | mail

    def _show_options(self) -> None:
        shown = self._open_options
        for pick in self.query("#form OptionPick"):
            pick.display = pick.id in shown
        for field in self.query(NamedField):
            field.display = "mailaddr" in shown
        table, names = self.query_one("#sets", PickList), [name for name, _ in self._sets]
        table.refill()
        table.place(names.index(self.draft.recipe))
        boxes = self.query("#sweep") if sweeping.can_vary(self.draft, self._recipe) else ()
        self.turns = (*self.turns[:2], *boxes)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "option":
            return parameters[0] in self._open_options and not self._is_ticking
        if action == "tick":
            return self._is_ticking
        if action == "turn_to" and self._is_ticking:
            return parameters[0] == "sweep"
        return super().check_action(action, parameters)

    def action_option(self, name: str) -> None:
        """To this list or field of the options."""
        if not self.turns[1].display:
            self.action_turn_to("form")
        self.set_focus(self.query_one(f"#{name}"))

    def on_option_pick_taken(self, pick_taken: OptionPick.Taken) -> None:
        key = pick_taken.pick_list.id or ""
        value = _NUMBERS[key](pick_taken.key) if key in _NUMBERS else pick_taken.key
        self._changed(self.draft.having(**{key: value}))
        self._show_options()
        self.refresh_bindings()

    def on_input_changed(self, changed: Input.Changed) -> None:
        if changed.input.id and changed.value.strip() != getattr(self.draft, changed.input.id):
            self.change(**{changed.input.id: changed.value.strip()})

    def on_input_blurred(self) -> None:
        """The plan checks whether the address can be."""
        if not typed_wrongly(self.draft):
            self._make_plan()

    def on_input_submitted(self, submitted: Input.Submitted) -> None:
        submitted.stop()
        self.action_next()

    def blocker(self) -> str:
        if wrong := typed_wrongly(self.draft):
            return words.wrong(wrong)
        if self.draft.self_test and self._why_no_self_test:
            return f"Self-test: {self._why_no_self_test}; choose none."
        if self.draft.first_sync == "skip" and self._needs_sync:
            return "Initial resync: a kept array needs it; choose default or wait."
        return self._refused[1] if self._refused and self._refused[0] == self.draft else ""

    def _planned(self, draft: Draft, plan: Plan, obstacles: tuple[str, ...]) -> None:
        self._plans[draft] = plan
        if draft == self.draft:
            self._show_plan(plan)
        self.refill()
        if draft == self._asked:  # else more was changed meanwhile, and is being estimated
            self._make_next()

    def _show_plan(self, plan: Plan) -> None:
        trials = len(plan.trials)
        built = len({stage.setup for stage in plan.stages if stage.setup})
        sentence = f"{trials} {'test' if trials == 1 else 'tests'}."
        if plan.blocks:
            block_duration = format_duration(estimate.one_block_s(plan))
            sentence += f" {plan.blocks} passes of {block_duration}, each rebuilds all setups."
        if self.draft.sweeps:
            sentence = f"{built} {'setup' if built == 1 else 'setups'}: {sentence}"
        self._estimate = (f"{sentence} Writes {written_words(plan, self.units)}", "accent")
        self._plan, self._costs = plan, sweeping.costs(plan)

    def _not_planned(self, draft: Draft, why: str) -> None:
        self._plans[draft] = why
        if draft == self.draft:
            self._refused, self._plan, self._costs = (draft, why), None, {}
        self.refill()
        if draft == self._asked:
            self._make_next()

    def show_detail(self, text: str, look: str = "") -> None:
        detail = self.lines("detail")
        detail.show_whole(wrapped(text, max(20, self.window_width - 2), look, " "), least=_DETAIL)

    def detail(self) -> tuple[str, str]:
        if (box := self._box_here()) is not None and (one := self._tick_box(box)).problem:
            return one.problem, "warn"
        return (reason, "warn") if (reason := self.blocker()) else self._estimate

    # --- levels and chunks of a sweep -----------------------------------------------------------------------------

    @property
    def _is_ticking(self) -> bool:
        return any(widget.display for widget in self.turns[2:])

    def _boxes(self, name: str) -> tuple[Box, ...]:
        return sweeping.offered(self.draft, self._recipe)[name]

    def _boxes_sheet(self, name: str, width: int) -> Sheet:
        return set_rows.boxes_sheet([self._tick_box(box) for box in self._boxes(name)], self.units, width)

    def _tick_box(self, box: Box) -> TickBox:
        is_ticked, costs = box in sweeping.ticked(self.draft, self._recipe), self._costs.get(box)
        if isinstance(box, int):
            name, problem = format_round(box), ""
        else:
            row = level(box)
            name, problem = row.name, preview_level(box, row.default_layout, None, self.members).problem
        if is_ticked and self._costs and not costs:
            problem = problem or "cannot be built; why: d"
        return TickBox(name, is_ticked, costs if is_ticked else None, problem)

    def _box_here(self) -> Box | None:
        here = next((pick for pick in self.query("#sweep PickList").results(PickList) if pick.has_focus), None)
        return self._boxes(here.id or "")[here.cursor] if here and self._is_ticking else None

    def action_tick(self) -> None:
        """At least one level stays, and a chunk where one is needed; what cannot be built is not ticked."""
        if (box := self._box_here()) is None:
            return
        draft, one = sweeping.toggled(self.draft, self._recipe, box), self._tick_box(box)
        if draft == self.draft or (one.problem and not one.ticked):
            self.show_detail(one.problem or "One level stays, and a chunk where a level has one", "warn")
            self.app.bell()
        else:
            self._changed(draft)
            self._show_options()

    def action_beside(self, by: int) -> None:
        """Between the two lists; elsewhere the step's own way on or back."""
        if self._is_ticking:
            self.set_focus(self._lists_of(self.turned_to)[max(0, by)])
        else:
            (self.action_next if by > 0 else self.action_back)()

    def on_pick_list_clicked(self, clicked: PickList.Moved) -> None:
        if clicked.pick_list.id in _BOXES:
            self.set_focus(clicked.pick_list)
            self.action_tick()

    # --- below ----------------------------------------------------------------------------------------------------

    def fill(self) -> None:
        time, facts = self.lines("time"), self.lines("facts")
        facts.entitle("Setups" if self._is_ticking else self._recipe.title)
        width, height = self.room("#facts")
        time.show(set_rows.time_lines(self._plan, self.units, self.window_width - self.edge) if self._plan else [])
        arrays = set_rows.arrays_lines(self._recipe, self.draft.axes, width) if self.draft.sweeps else []
        if self._is_ticking and self._plan:
            arrays = [*setups_lines(self._plan, width), ()]
        lines = [*arrays, *(set_rows.matrix_lines(self._recipe, self._plan, width) if self._plan else [])]
        if self.aside and not self._is_ticking:
            summary = wrapped(self._recipe.summary, width, "dim")
            lines = [*summary, (), *lines]
        elif not self.aside:
            lines = [*lines, *self._afterwards(width)]
        if len(lines) > height > 0:
            lines = [*lines[: height - 1], (("d: more" if self._is_ticking else "d, o: more", "dim"),)]
        facts.show(lines)
        self.lines("why").show(self._afterwards(self.beside - self.edge))

    def _afterwards(self, width: int) -> list[Line]:
        """What is behind `o`, as it is chosen."""
        rows = [(name, option.title, option.words) for name, option in self._taken()]
        return set_rows.chosen_lines(rows, width)

    def _taken(self) -> Iterator[tuple[str, Option]]:
        """(heading, what is taken) of each open list, and the mail."""
        for row in self._options():
            if row.is_open:
                yield row.short or row.title, next(o for o in row.values() if o.key == row.taken(self.draft))
        if self._is_kept:
            hint = words.mail_hint(self.wizard.scan.monitor)
            yield "Mail", Option("", self.draft.mailaddr or hint.partition(";")[0])

    def _afters(self) -> list[Option]:
        built = self.draft.raid.md_name
        remove, keep = titled({"teardown": "remove", "keep": "keep"}, words.AFTER_THE_TESTS)
        problem = "" if built else "disks by themselves can only be measured"
        return [remove, msgspec.structs.replace(keep, problem=problem)]

    def action_details(self) -> None:
        self.app.push_screen(DetailsScreen(self._facts))

    def _facts(self, width: int) -> list[Line]:
        setups = setups_lines(self._plan, width, 99) if self._plan and self.draft.sweeps else []
        return [*setups, *trial_lines(self._recipe, self._plan, self.units, width)]

    @property
    def _recipe(self) -> Recipe:
        return next(recipe for name, recipe in self.wizard.recipes if name == self.draft.recipe)

    def _repeats(self) -> list[Option]:
        by_number = [Option(str(count), f"{count}x", explained) for count, explained in words.REPEATS.items()]
        return [Option("", "default", self._usual_repeats()), *by_number]

    def _usual_repeats(self) -> str:
        """Of this plan; until it is made, the rule by number of setups."""
        recipe = self._recipe
        by_recipe = bool(recipe.repeat or recipe.rounds)
        if not (by_recipe or self._plan or self.draft.builds == "chosen"):
            return words.USUAL_REPEATS
        setups = len({stage.setup for stage in self._plan.stages if stage.setup}) if self._plan else 1
        repeat = repetitions(recipe, "", setups)
        often = "1x" if repeat == 1 else f"{repeat} passes, each rebuilds all setups"
        return f"{often} (set by the recipe)" if by_recipe else often

    def _preconditions(self) -> list[Option]:
        return titled({"recipe": "default", "yes": "yes"}, words.PRECONDITION)

    def _self_tests(self) -> list[Option]:
        problem = self._why_no_self_test
        return [
            Option(key, key or "none", explained, problem if key else "") for key, explained in words.SELF_TESTS.items()
        ]

    @property
    def _why_no_self_test(self) -> str:
        drives = self.wizard.drives_seen
        return "drives cannot be queried (why: d on Disks)" if drives and drives.health.why_nothing else ""

    def _members(self) -> list[Option]:
        return titled({"disks": "whole disks", "partitions": "partitions"}, words.MEMBERS)

    def _spares(self) -> list[Option]:
        names = [disk.name for disk in chosen(self.draft, self.wizard.scan.disks)]
        options = [Option("", "none", "failed disks are replaced by hand")]
        for count in range(1, MOST_SPARES + 1):
            explained = f"{' and '.join(names[-count:])}; md uses {'it' if count == 1 else 'one'} if a disk fails"
            options.append(Option(str(count), str(count), explained))
        return options

    @property
    def _needs_sync(self) -> bool:
        """A kept array with an initial resync."""
        return self.draft.is_kept and self.draft.raid.has_sync

    def _syncs(self) -> list[Option]:
        usual = Option("", "default", words.USUAL_SYNC[self.draft.after])
        problems = {"skip": "not possible: a kept array needs it" if self._needs_sync else ""}
        options = words.FIRST_SYNC.items()
        return [usual, *(Option(key, key, explained, problems.get(key, "")) for key, explained in options)]
