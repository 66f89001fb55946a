"""At the start, if runs are going on or were cut off: watch one, go on with it, keep or clear away what it left."""

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from raidtui.runs.status import RunStatus
from raidtui.ui.confirmation import Prompt, again
from raidtui.ui.messages import MembersSeen, RunCleaned, RunFailed, RunKept
from raidtui.ui.render.cells import Row, Sheet, fit, wrap
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.pick_list import PickList

_NAME, _WORD = 26, 11


class GoingOnScreen(BaseScreen[None]):
    """The runs whose workers are alive, and those that died or left something behind."""

    HELP = (
        "A run goes on in a process of its own; watching it changes nothing about it. A run that was cut off has kept"
        " what it measured: go on with it (what it left is cleared away first, the rest is measured), keep its array as"
        " it stands, or clear it away."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,right", "watch", "look at it", id="going-on.watch"),
        Binding("r", "resume", "go on with it", id="going-on.resume", tooltip="Clear up, measure the rest; asks first"),
        Binding("s", "keep", "let it stand", id="going-on.keep", tooltip="Leave the array as it stands"),
        Binding("c", "clear", "clear away", id="going-on.clear", tooltip="Take apart what it left; asks first"),
        Binding(
            "n,escape",
            "new",
            "new run",
            id="going-on.new",
            key_display="n",
            tooltip="Choose disks for another",
        ),
        Binding("q", "app.quit", "quit", id="quit", tooltip="Leave; the runs go on"),
    ]

    def __init__(self, runs: tuple[RunStatus, ...]) -> None:
        super().__init__()
        self._runs = runs
        self._to_type: tuple[Path, Prompt] | None = None  # what waits for this screen to be shown again

    def content(self) -> ComposeResult:
        yield Lines(id="asked")
        yield PickList(self._lay_out, id="going-on")
        yield Lines(id="detail")

    def on_mount(self) -> None:
        self.query_one(PickList).focus()
        self._ask()

    def on_resize(self) -> None:
        self._describe()

    def on_screen_resume(self) -> None:
        self._take_next_step()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("resume", "keep", "clear"):
            return any(one.unsettled for one in self._runs)
        return True

    def on_pick_list_clicked(self, clicked: PickList.Clicked) -> None:
        self.action_watch()

    def on_pick_list_moved(self, moved: PickList.Moved) -> None:
        self._describe()

    def on_members_seen(self, seen: MembersSeen) -> None:
        """The disks of a run that is to go on: they are asked for before they are written to."""
        self._to_type = seen.path, again(seen.path.name, seen.members, self.wizard.host)
        self._take_next_step()

    def on_run_cleaned(self, cleaned: RunCleaned) -> None:
        """What the run had left is gone."""
        self._settled(cleaned.path)

    def on_run_kept(self, kept: RunKept) -> None:
        """What the run had built stays."""
        self._settled(kept.path)

    def on_run_failed(self, failed: RunFailed) -> None:
        """It could not be done."""
        self._say(failed.sentence, "bad")

    def action_watch(self) -> None:
        self.wizard.show_live(self._chosen.path)

    def action_resume(self) -> None:
        if self._can():
            self._say("Looking at its disks…", "accent")
            self.wizard.look_at_members(self, self._chosen.path)

    def action_keep(self) -> None:
        if self._can():
            self._say("Looking at its array…", "accent")
            self.wizard.keep_run(self, self._chosen.path)

    def action_clear(self) -> None:
        from raidtui.ui.screens.typed import TypedScreen

        if self._can():
            question = f"Clear away what {self._chosen.name} left? Its array and all on it are lost; figures stay."
            self.app.push_screen(TypedScreen(question, "clear away"), self._clear)

    def action_new(self) -> None:
        self.dismiss(None)

    @property
    def _chosen(self) -> RunStatus:
        return self._runs[self.query_one(PickList).cursor]

    def _can(self) -> bool:
        if self._chosen.alive:
            self._say("This run is going on: look at it, and stop it there.", "warn")
        return not self._chosen.alive

    def _type(self, path: Path, prompt: Prompt) -> None:
        """This typed, the run goes on."""
        from raidtui.ui.screens.typed import TypedScreen

        def typed(agreed: bool | None) -> None:
            if agreed:
                self._say("Starting its worker…", "accent")
                self.wizard.resume_run(self, path)
            else:
                self._describe()

        self.app.push_screen(TypedScreen(prompt.question, prompt.expected), typed)

    def _clear(self, agreed: bool | None) -> None:
        if agreed:
            self._say("Clearing away…", "accent")
            self.wizard.clean_run(self, self._chosen.path)

    def _settled(self, path: Path) -> None:
        """This run needs nothing any more."""
        self._runs = tuple(run for run in self._runs if run.path != path)
        self.query_one(PickList).refill()
        self.refresh_bindings()
        if self._runs:
            self._ask()
        self._take_next_step()

    def _take_next_step(self) -> None:
        """Leaves when nothing is left, or asks what waits to be asked; not from under a screen that lies on top."""
        if self.app.screen is not self:
            return
        if not self._runs:
            self.dismiss(None)
        elif self._to_type:
            waiting, self._to_type = self._to_type, None
            self._type(*waiting)

    def _ask(self) -> None:
        alive, dead = (sum(one.alive is wanted for one in self._runs) for wanted in (True, False))
        said = [f"{alive} going on"] if alive else []
        said += [f"{dead} cut off, and to be seen to"] if dead else []
        count = "A run is there" if len(self._runs) == 1 else f"{len(self._runs)} runs are there"
        self.query_one("#asked", Lines).show([(), ((f" {count}: {', '.join(said)}.", "strong"),)])
        self._describe()

    def _describe(self) -> None:
        if self._runs:
            self._say(self._chosen.sentence, "dim")

    def _say(self, text: str, look: str) -> None:
        lines = wrap(text, max(20, self.app.size.width - 3))
        self.query_one("#detail", Lines).show_whole([((f" {line}", look),) for line in lines], least=2)

    def _lay_out(self, width: int) -> Sheet:
        rows = [
            Row(
                (
                    (
                        (fit(f"  {one.name}", _NAME), "strong"),
                        (fit(one.word, _WORD), "good" if one.alive else "warn"),
                        (fit(one.setup, width - _NAME - _WORD), "dim"),
                    ),
                )
            )
            for one in self._runs
        ]
        head = (
            (fit("  started (UTC) and id", _NAME), "dim"),
            (fit("standing", _WORD), "dim"),
            ("setup", "dim"),
        )
        return Sheet(head, tuple(rows))
