"""Repetitions and initial resync; the plan and its estimate are made from here on."""

from collections.abc import Callable, Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Input

from raidtui.core.plan import estimate
from raidtui.core.plan.answers import JUDGED
from raidtui.core.plan.model import Plan
from raidtui.core.plan.recipe import Recipe, repetitions
from raidtui.core.raid import filesystems
from raidtui.core.raid.layers import LAYERS
from raidtui.core.raid.levels import level
from raidtui.core.units import format_duration
from raidtui.ui.draft import MOST_SPARES, Draft, answers, chosen
from raidtui.ui.messages import DrivesSeen, PlanFailed, PlanMade
from raidtui.ui.paths import in_practice
from raidtui.ui.render import words
from raidtui.ui.render.cells import Line
from raidtui.ui.render.choice_rows import Option
from raidtui.ui.render.review_lines import written_words
from raidtui.ui.render.trial_lines import trial_lines
from raidtui.ui.screens.details import DetailsScreen
from raidtui.ui.screens.step import StepScreen
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.named_field import NamedField
from raidtui.ui.widgets.option_list import OptionPick

_ESTIMATING = "Estimating…"
# Of these lists the key is a number, "" what is usual.
_NUMBERS: dict[str, Callable[[str], int | None]] = {
    "repeat": lambda key: int(key) if key else None,
    "spares": lambda key: int(key) if key else 0,
}


class MeasureScreen(StepScreen):
    STEP = "Tests"
    QUESTION = "Repetitions and options? tab: next list"
    HELP = (
        "Repeating tests separates differences from noise; many setups need fewer repetitions, as noise is estimated"
        " from all of them. A kept array can run self-tests first, use partitions as members, have spares, LVM or LUKS,"
        " and be mounted at boot. Folder owner: the user whose programs write there (libvirt-qemu, postgres); if"
        " unsure, keep root and chown later. Tests during the initial resync give lower results. The estimate includes"
        " everything."
    )
    TERMS = (
        "initial resync",
        "--assume-clean",
        "precondition",
        "spare",
        "initramfs",
        "mdadm.conf",
        "mail alerts",
        "mode",
        "LVM, LUKS",
        "queue depth",
        "page cache",
        "ramp",
        "times over",
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d", "details", "details", id="measure.details", tooltip="Every test: options, time, bytes"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._estimate = (_ESTIMATING, "dim")
        self._plan: Plan | None = None
        self._refused: tuple[Draft, str] | None = None  # what cannot be a plan, and why

    def body(self) -> ComposeResult:
        draft = self.draft
        with VerticalScroll(id="form", can_focus=False):
            yield OptionPick("Repeat", self._repeats, str(draft.repeat or ""), id="repeat")
            row, kept = level(draft.level_or_suggested), draft.builds == "chosen" and draft.after == "keep"
            if kept:
                yield OptionPick("At boot", self._permanence, draft.permanent, id="permanent")
                yield from self._fields()
            if draft.builds == "chosen" and row.has_sync:
                yield OptionPick("Initial resync", self._syncs, draft.first_sync, id="first_sync")
            if kept and row.has_bitmap:
                yield OptionPick("Spares", self._spares, str(draft.spares or ""), id="spares")
            if kept:
                yield OptionPick("Members", self._members, draft.members, id="members")
                yield OptionPick("Self-test", self._self_tests, draft.self_test, id="self_test")
            if kept and self._has_filesystem:
                yield OptionPick("File system on", self._between, draft.between, id="between")
            members = chosen(draft, self.wizard.scan.disks)
            if members and all(disk.rotational is False for disk in members):
                yield OptionPick("Precondition", self._preconditions, draft.precondition, id="precondition")

    def below(self) -> ComposeResult:
        yield Lines(id="facts")

    @property
    def _has_filesystem(self) -> bool:
        return self.draft.filesystem_or_default != filesystems.NONE

    def _fields(self) -> Iterator[NamedField]:
        """Optional fields of a permanent array."""
        keys = tuple(words.BOOT_NAMES) if self._has_filesystem else ("mailaddr",)
        for key in keys:
            hint = words.boot_hint(key, self.wizard.scan.monitor)
            field = NamedField(words.BOOT_NAMES[key], getattr(self.draft, key), hint, id=key)
            field.display = self.draft.permanent == "yes"
            field.set_class(key == keys[-1], "-last")
            yield field

    def on_mount(self) -> None:
        self.query(OptionPick).first().focus()
        self.wizard.make_plan(self, self.draft)
        if self.query("#self_test") and self.wizard.drives_seen is None:
            self.wizard.look_at_drives(self)

    def on_drives_seen(self, message: DrivesSeen) -> None:
        """For self-tests."""
        self.wizard.drives_seen = message
        self.refill()

    def on_option_pick_taken(self, pick_taken: OptionPick.Taken) -> None:
        key = pick_taken.pick.id or ""
        self._estimate = (_ESTIMATING, "dim")
        self.change(**{key: _NUMBERS[key](pick_taken.key) if key in _NUMBERS else pick_taken.key})
        for field in self.query(NamedField):
            field.display = self.draft.permanent == "yes"
        self.wizard.make_plan(self, self.draft)

    def on_input_changed(self, changed: Input.Changed) -> None:
        if changed.input.id and changed.value.strip() != getattr(self.draft, changed.input.id):
            self.change(**{changed.input.id: changed.value.strip()})

    def on_input_blurred(self, blurred: Input.Blurred) -> None:
        """The plan checks whether the owner exists."""
        if not self._wrongly_typed():
            self.wizard.make_plan(self, self.draft)

    def on_input_submitted(self, submitted: Input.Submitted) -> None:
        submitted.stop()
        self.action_next()

    def blocker(self) -> str:
        if wrong := self._wrongly_typed():
            return wrong
        if self.draft.self_test and self._why_no_self_test:
            return f"Self-test: {self._why_no_self_test}; choose none."
        if self.draft.first_sync == "skip" and self._needs_sync:
            return "Initial resync: a kept array needs it; choose default or wait."
        return self._refused[1] if self._refused and self._refused[0] == self.draft else ""

    def _wrongly_typed(self) -> str:
        answers_given = answers(self.draft)
        typed = {key: text for key in words.BOOT_NAMES if (text := getattr(answers_given, key))}
        wrong = {key: reason for key, text in typed.items() if (reason := JUDGED[key](text))}
        return " ".join(f"{words.BOOT_NAMES[key]}: {reason}." for key, reason in wrong.items())

    def on_plan_made(self, plan_made: PlanMade) -> None:
        if plan_made.draft != self.draft:
            return  # more was changed meanwhile, and is being estimated
        trials = len(plan_made.plan.trials)
        duration = format_duration(plan_made.plan.estimate_s)
        built = len({stage.setup for stage in plan_made.plan.stages if stage.setup})
        sentence = f"{trials} {'test' if trials == 1 else 'tests'}, {duration} with building."
        if plan_made.plan.blocks:
            block_duration = format_duration(estimate.one_block_s(plan_made.plan))
            sentence += f" {plan_made.plan.blocks} passes of {block_duration}, each rebuilds all setups."
        if self.draft.builds == "recipe":
            sentence = f"{built} {'setup' if built == 1 else 'setups'}: {sentence}"
        self._estimate = (f"{sentence} Writes {written_words(plan_made.plan, self.units)}", "accent")
        self._plan = plan_made.plan
        self.refill()

    def on_plan_failed(self, failed: PlanFailed) -> None:
        if failed.draft != self.draft:
            return
        self._refused = (failed.draft, failed.sentence)
        self.show_detail(failed.sentence, "warn")

    def detail(self) -> tuple[str, str]:
        return (reason, "warn") if (reason := self.blocker()) else self._estimate

    # --- all of what is measured --------------------------------------------------------------------------------

    def refill(self) -> None:
        super().refill()
        facts = self.query_one("#facts", Lines)
        if facts.display:
            lines = self._facts(max(20, facts.size.width - 2))
            room = facts.size.height
            if len(lines) > room > 0:
                lines = [*lines[: room - 1], (("d: more", "dim"),)]
            facts.show([((" ", ""), *line) for line in lines])

    def action_details(self) -> None:
        self.app.push_screen(DetailsScreen(self._facts))

    def _facts(self, width: int) -> list[Line]:
        return trial_lines(self._recipe, self._plan, self.units, width)

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
        texts = {"recipe": "default", "yes": "yes"}
        return [Option(key, texts[key], explained) for key, explained in words.PRECONDITION.items()]

    def _self_tests(self) -> list[Option]:
        problem = self._why_no_self_test
        return [
            Option(key, key or "none", explained, problem if key else "") for key, explained in words.SELF_TESTS.items()
        ]

    @property
    def _why_no_self_test(self) -> str:
        drives = self.wizard.drives_seen
        return "drives cannot be queried (why: d on Disks)" if drives and drives.health.why_nothing else ""

    def _permanence(self) -> list[Option]:
        texts = {"": "by hand", "yes": "mount" if self._has_filesystem else "assemble"}
        explanations = words.PERMANENT | ({"yes": words.PERMANENT_IN_PRACTICE} if in_practice() else {})
        return [Option(key, texts[key], explained) for key, explained in explanations.items()]

    def _members(self) -> list[Option]:
        texts = {"disks": "whole disks", "partitions": "partitions"}
        return [Option(key, texts[key], explained) for key, explained in words.MEMBERS.items()]

    def _between(self) -> list[Option]:
        texts: dict[str, str] = {"": "the array"}
        texts |= {kind: row.title for kind, row in LAYERS.items()}
        return [Option(key, texts[key], explained) for key, explained in words.BETWEEN.items()]

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
        return self.draft.after == "keep" and level(self.draft.level_or_suggested).has_sync

    def _syncs(self) -> list[Option]:
        usual = Option("", "default", words.USUAL_SYNC[self.draft.after])
        problems = {"skip": "not possible: a kept array needs it" if self._needs_sync else ""}
        options = words.FIRST_SYNC.items()
        return [usual, *(Option(key, key, explained, problems.get(key, "")) for key, explained in options)]
