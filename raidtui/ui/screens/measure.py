"""Step 5: what is measured, how often, and what becomes of the array afterwards; with an estimate of the time."""

from textual.app import ComposeResult
from textual.containers import VerticalScroll

from raidtui.core.plan import estimate
from raidtui.core.raid.levels import level
from raidtui.core.units import format_duration
from raidtui.ui.draft import chosen
from raidtui.ui.messages import PlanFailed, PlanMade
from raidtui.ui.render import words
from raidtui.ui.render.choice_rows import Option
from raidtui.ui.render.review_lines import written_words
from raidtui.ui.screens.step import StepScreen
from raidtui.ui.widgets.option_list import OptionPick


def _count(key: str) -> int | None:
    return int(key) if key else None


class MeasureScreen(StepScreen):
    """Recipe, repetitions, first sync, and after."""

    STEP = "Measure"
    QUESTION = "What shall be measured, and what becomes of the array?"
    HELP = (
        "A recipe is a set of fio jobs, run on disks alone and on the array, so that the two can be compared. The first"
        " sync makes redundancy complete: measuring during it gives lower figures. The estimate counts all of it."
    )

    def __init__(self) -> None:
        super().__init__()
        self._estimate = ("Reckoning the time…", "dim")

    def body(self) -> ComposeResult:
        draft = self.draft
        with VerticalScroll(id="form", can_focus=False):
            yield OptionPick("Recipe", self._recipes, draft.recipe, id="recipe")
            yield OptionPick("Repeat each measurement", self._repeats, str(draft.repeat or ""), id="repeat")
            yield OptionPick("Afterwards", self._afters, draft.after, id="after")
            if level(draft.level_or_suggested).has_sync:
                yield OptionPick("First sync", self._syncs, draft.first_sync, id="first_sync")
            members = chosen(draft, self.wizard.scan.disks)
            if members and all(disk.rotational is False for disk in members):
                yield OptionPick("Precondition", self._preconditions, draft.precondition, id="precondition")

    def on_mount(self) -> None:
        self.query(OptionPick).first().focus()
        self.wizard.make_plan(self)

    def on_option_pick_taken(self, taken: OptionPick.Taken) -> None:
        key = taken.pick.id or ""
        self._estimate = ("Reckoning the time…", "dim")
        self.change(**{key: _count(taken.key) if key == "repeat" else taken.key})
        self.wizard.make_plan(self)

    def on_plan_made(self, made: PlanMade) -> None:
        """The draft is a plan: how long would it take?"""
        if made.draft != self.draft:
            return  # more was changed meanwhile, and is being reckoned
        trials = len(made.plan.trials)
        took = format_duration(made.plan.estimate_s)
        included = "building" if self.draft.after == "keep" else "building and clearing away"
        built = len({stage.setup for stage in made.plan.stages if stage.setup})
        said = f"{trials} measurements in about {took}, {included} included."
        if made.plan.blocks:
            once = format_duration(estimate.one_block_s(made.plan))
            said += f" In {made.plan.blocks} blocks, each built anew; one alone takes about {once}."
        if self.wizard.sweeps:
            said = f"The recipe's own {built} setups, instead of the one that you chose: {said}"
        self._estimate = (f"{said} {written_words(made.plan, self.units)}", "accent")
        self.say(*self._estimate)

    def on_plan_failed(self, failed: PlanFailed) -> None:
        """The draft cannot be a plan: one sentence says why."""
        if failed.draft != self.draft:
            return
        self._estimate = (failed.sentence, "warn")
        self.say(*self._estimate)

    def detail(self) -> tuple[str, str]:
        return self._estimate

    def _recipes(self) -> list[Option]:
        found = self.wizard.recipes
        return [Option(name, recipe.title, recipe.summary) for name, recipe in found] or [Option("quick", "Quick look")]

    def _repeats(self) -> list[Option]:
        shown = words.REPEATS.items()
        return [Option(str(count or ""), f"{count} x" if count else "as is usual", said) for count, said in shown]

    def _afters(self) -> list[Option]:
        shown = {"teardown": "tear down", "keep": "keep"}
        return [Option(key, shown[key], said) for key, said in words.AFTER.items()]

    def _preconditions(self) -> list[Option]:
        shown = {"recipe": "by recipe", "yes": "yes"}
        return [Option(key, shown[key], said) for key, said in words.PRECONDITION.items()]

    def _syncs(self) -> list[Option]:
        return [Option(key, key or "usual", said) for key, said in words.FIRST_SYNC.items()]
