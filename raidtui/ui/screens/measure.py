"""How often each test is repeated, what becomes of the first sync; from here the plan is made, with its estimate."""

from textual.app import ComposeResult
from textual.containers import VerticalScroll

from raidtui.core.boot.lines import FOLDER
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
    """Repetitions and first sync: what the question leaves open."""

    STEP = "Measure"
    QUESTION = "How often shall each test be repeated?"
    HELP = (
        "What is measured, and whether the array is kept, was chosen with the first question. Repetitions tell apart"
        " what differs from what only varies. An array that stays can be known at each boot. The first"
        " sync makes redundancy complete: measuring during it gives lower figures. The estimate counts all of it."
    )

    def __init__(self) -> None:
        super().__init__()
        self._estimate = ("Reckoning the time…", "dim")

    def body(self) -> ComposeResult:
        draft = self.draft
        with VerticalScroll(id="form", can_focus=False):
            yield OptionPick("Repeat each measurement", self._repeats, str(draft.repeat or ""), id="repeat")
            if draft.builds == "chosen" and level(draft.level_or_suggested).has_sync:
                yield OptionPick("First sync", self._syncs, draft.first_sync, id="first_sync")
            if draft.builds == "chosen" and draft.after == "keep":
                yield OptionPick("At each boot", self._permanence, draft.permanent, id="permanent")
            members = chosen(draft, self.wizard.scan.disks)
            if members and all(disk.rotational is False for disk in members):
                yield OptionPick("Precondition", self._preconditions, draft.precondition, id="precondition")

    def on_mount(self) -> None:
        self.query(OptionPick).first().focus()
        self.wizard.make_plan(self, self.draft)

    def on_option_pick_taken(self, taken: OptionPick.Taken) -> None:
        key = taken.pick.id or ""
        self._estimate = ("Reckoning the time…", "dim")
        self.change(**{key: _count(taken.key) if key == "repeat" else taken.key})
        self.wizard.make_plan(self, self.draft)

    def on_plan_made(self, message: PlanMade) -> None:
        """The draft is a plan: how long would it take?"""
        if message.draft != self.draft:
            return  # more was changed meanwhile, and is being reckoned
        trials = len(message.plan.trials)
        duration = format_duration(message.plan.estimate_s)
        included = "building" if self.draft.after == "keep" else "building and clearing away"
        built = len({stage.setup for stage in message.plan.stages if stage.setup})
        sentence = f"{trials} measurements in about {duration}, {included} included."
        if message.plan.blocks:
            once = format_duration(estimate.one_block_s(message.plan))
            sentence += f" In {message.plan.blocks} blocks, each built anew; one alone takes about {once}."
        if self.draft.builds == "recipe":
            sentence = f"{built} {'setup' if built == 1 else 'setups'}: {sentence}"
        self._estimate = (f"{sentence} {written_words(message.plan, self.units)}", "accent")
        self.say(*self._estimate)

    def on_plan_failed(self, failed: PlanFailed) -> None:
        """The draft cannot be a plan: one sentence says why."""
        if failed.draft != self.draft:
            return
        self._estimate = (failed.sentence, "warn")
        self.say(*self._estimate)

    def detail(self) -> tuple[str, str]:
        return self._estimate

    def _repeats(self) -> list[Option]:
        repeats = words.REPEATS.items()
        return [
            Option(str(count or ""), f"{count} x" if count else "as is usual", explanation)
            for count, explanation in repeats
        ]

    def _preconditions(self) -> list[Option]:
        titles = {"recipe": "by recipe", "yes": "yes"}
        return [Option(key, titles[key], explanation) for key, explanation in words.PRECONDITION.items()]

    def _permanence(self) -> list[Option]:
        titles = {"": "not there", "yes": "by its name" if self.draft.filesystem == "none" else f"at {FOLDER}"}
        return [Option(key, titles[key], explanation) for key, explanation in words.PERMANENT.items()]

    def _syncs(self) -> list[Option]:
        return [Option(key, key or "usual", explanation) for key, explanation in words.FIRST_SYNC.items()]
