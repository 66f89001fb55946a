"""The program on a full screen: which screen comes when, and who is told what. The screens know the rest.

What is done in threads is in `jobs`; its results go to the screens that asked. Here is heard only of runs that are
there, or were started: they are shown whatever has become of the screen.
"""

import gc
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from rich.console import RenderableType
from rich.text import Text
from textual import events
from textual.actions import ActionParseResult
from textual.command import Provider
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

from raidtui.core.disks.selection import DiskRule
from raidtui.core.plan.answers import Answers
from raidtui.runs.status import RunStatus
from raidtui.ui import keys, themes
from raidtui.ui.background import UNKNOWN, Background
from raidtui.ui.confirmation import farewell
from raidtui.ui.draft import Draft
from raidtui.ui.jobs import FirstLook, look_once
from raidtui.ui.messages import NotRemembered, RunFailed, RunStarted
from raidtui.ui.paths import in_practice, shown_default, written
from raidtui.ui.removals import Removals
from raidtui.ui.render import cells, roles
from raidtui.ui.run_rows import offered
from raidtui.ui.screens import steps
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.screens.dialogs import PathScreen, TypedScreen, ask_typed
from raidtui.ui.services import RunView, Services
from raidtui.ui.terminal import HangUp, SparingDriver, WindowSize
from raidtui.ui.textual_private import FaultApp, ParsedOnce
from raidtui.ui.widgets.bindings import bindings, bound

_LEAVING = ("ctrl+q", "ctrl+c")
_OPEN_S = 1.0  # after the first picture: by then a long run's journal has been read, too


def _commands() -> type[Provider]:
    from raidtui.ui.palette import Commands

    return Commands


class RaidtuiApp(FaultApp, Removals):
    """The wizard; with `attach` the live screen of one run alone, with `alone` another
    screen, which ends the program.
    """

    CSS_PATH = "styles/raidtui.tcss"
    TITLE = "raidtui"
    ALLOW_SELECT = False  # Textual has no text of what is drawn line by line; with shift the terminal itself selects
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {_commands}
    BINDINGS = bindings(
        bound(
            ",".join(_LEAVING),
            "app.leave",
            "quit",
            "app.quit",
            "Quit; asks first if anything would be lost",
            show=False,
            priority=True,
        ),
        bound("ctrl+p", "command_palette", "commands", "app.commands", "All commands by name", show=False),
    )

    def __init__(
        self,
        services: Services,
        *,
        attach: Path | None = None,
        alone: Callable[[], BaseScreen[Any]] | None = None,
        first_look: FirstLook | None = None,
        first_step: str = "Start",
        background: Background = UNKNOWN,
    ) -> None:
        if not (colourless := bool(os.environ.get("NO_COLOR"))):
            os.environ.pop("NO_COLOR", None)  # Textual takes an empty one for a wish
        cells.use_colours(not colourless)
        super().__init__(services, first_look, ansi_color=True if colourless else None)
        self.animation_level = "none"
        self._attached, self._only = attach, alone
        self._begins_with = first_step
        # now: what is wrong with it is said on a sane terminal
        self._feed = services.feed(attach, live=True) if attach else None
        self._leaving = False
        self._draft_before = self.draft  # that an explanation's took the place of
        self._background = background
        self._load_themes()
        self.theme = themes.chosen(self._loaded, colourless, background, self.settings.theme)
        self.stylesheet = ParsedOnce(variables=self.get_css_variables())

    def on_mount(self) -> None:
        if not self.is_headless:
            HangUp(self).watch()
            WindowSize(self).watch()
            self.set_interval(1.0, self.look_at_themes)
        self._tell_broken_themes()
        own_keys, failed_keys = keys.own(self.services)
        self.set_keymap(own_keys)
        for sentence in failed_keys:
            self.notify(sentence, title="Keys left out", severity="warning", markup=False)
        if self._attached is None and self._only is None:
            self.ask(self, self.services.runs, self._offer)

    def on_ready(self) -> None:
        self.set_timer(_OPEN_S, opened)

    def get_default_screen(self) -> BaseScreen[Any]:
        """The first picture is painted at once: no empty screen stands before it."""
        if self._only is not None:
            return self._only()
        if self._attached is None or self._feed is None:
            self._take_first_look()
            return self._first_step()
        from raidtui.ui.screens.live import LiveScreen

        return LiveScreen(self._attached, self._feed)

    def _take_first_look(self) -> None:
        """Uses what was seen meanwhile; what takes longer is awaited off this thread."""
        if self.first_look is not None and self.first_look.done() and self.first_look.exception() is None:
            self.looked(*self.first_look.result())
            self.first_look = None  # the next look is a new one

    # --- where to go ---------------------------------------------------------------------------------------

    def steps_for(self, draft: Draft) -> tuple[str, ...]:
        return steps.open_names(draft)

    def go_on(self, step: str) -> None:
        self.push_screen(steps.screen_after(step, self.draft))

    def go_to_step(self, step: str) -> None:
        self.push_screen(steps.screen_of(step))

    def go_back(self) -> None:
        """To the step before; from the Review of an explanation to what was chosen before it."""
        if self.draft.given is not None:
            self.draft = self._draft_before
        self.pop_screen()

    def show_live(self, path: Path) -> None:
        """The live screen of a run, alone: there is no way back into the choosing."""
        from raidtui.ui.screens.live import LiveScreen

        self._alone(LiveScreen(path, self.services.feed(path, live=True)))

    def show_results(self, path: Path, view: RunView) -> None:
        """What a run gave."""
        from raidtui.ui.screens.results import ResultsScreen

        self._alone(ResultsScreen(path, view))

    def show_runs(self, runs: tuple[RunStatus, ...] = ()) -> None:
        """All runs, over what is shown now; none given: they are looked up."""
        from raidtui.ui.screens.runs import RunsScreen

        self.push_screen(RunsScreen(runs))

    def new_run(self) -> None:
        """From the runs to the choosing: to what is half chosen, if that is where one came from."""
        self.pop_screen()
        if isinstance(self.screen, BaseScreen) and self.screen.STEP not in steps.of_the_choosing():
            self.begin_again()

    def review_ablation(self, answers: Answers) -> None:
        """To Review, with the answers that explain a run in place of what was chosen."""
        assert not isinstance(answers.disks, DiskRule)  # they are a plan's, which names its disks
        if self.draft.given is None:
            self._draft_before = self.draft
        self.draft = Draft(disks=answers.disks, recipe=answers.recipe, given=answers)
        self.go_to_step("Review")

    def begin_again(self) -> None:
        """The choosing from its first step, with nothing chosen."""
        self.draft = self.first_draft()
        self.scanned = False  # the first step looks again
        self._pop_all()
        if self._attached is not None:
            self.push_screen(self._first_step())

    def _first_step(self) -> BaseScreen[Any]:
        return steps.screen_of(self._begins_with)

    def _alone(self, screen: BaseScreen[Any]) -> None:
        self._pop_all()
        self.push_screen(screen)

    def _pop_all(self) -> None:
        """Down to the screen with which the program began; that one cannot be taken away."""
        while len(self.screen_stack) > 1:
            self.pop_screen()

    # --- what all screens have --------------------------------------------------------------------------------

    def action_units(self) -> None:
        self.units = self.units.other()
        for screen in self.screen_stack:
            if isinstance(screen, BaseScreen) and screen.is_mounted:
                screen.units_changed()

    def action_picture(self) -> None:
        if isinstance(self.screen, BaseScreen):
            picture, default = self.export_screenshot(), shown_default(f"{self.screen.picture_name}.svg")
            asked = PathScreen("Write the picture (SVG) to which file?", default)
            self.push_screen(asked, lambda path: self.notify(written(path, picture)[0], markup=False))

    def action_runs(self) -> None:
        self.show_runs()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "runs":  # from a step of the choosing, or of a run: not from what lies over one
            screens = [screen for screen in self.screen_stack if isinstance(screen, BaseScreen)]  # the palette is not
            return bool(screens and screens[-1].STEP)
        return super().check_action(action, parameters)

    def action_help(self) -> None:
        from raidtui.ui.screens.help import HelpScreen

        if isinstance(self.screen, BaseScreen) and not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.screen))

    async def run_action(
        self,
        action: "str | ActionParseResult",
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """As Textual's; not for a screen that is left, or is being left, by the key before."""
        if isinstance(default_namespace, Widget):
            screens = [node for node in default_namespace.ancestors_with_self if isinstance(node, Screen)]
            if not screens or any(isinstance(screen, BaseScreen) and not screen.listens for screen in screens):
                return False
        return await super().run_action(action, default_namespace, namespaces)

    async def on_event(self, event: events.Event) -> None:
        """What is hidden hears no key: below the least size only leaving works. Who has left hears nothing more."""
        if (self.left or self._leaving or not self.screen_stack) and isinstance(event, events.InputEvent):
            return
        typed = isinstance(event, events.Paste) or (isinstance(event, events.Key) and event.key not in _LEAVING)
        if typed and isinstance(self.screen, BaseScreen) and self.screen.too_small:
            return
        await super().on_event(event)

    def exit(self, result: int | None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        self.left = True
        super().exit(result, return_code, message)

    def look_at_themes(self) -> None:
        """A theme that a person edits is shown as soon as it is saved."""
        if themes.saved_at() != self._loaded.saved_at:
            self._load_themes()
            self.mutate_reactive(RaidtuiApp.theme)  # its name is the same
            self._tell_broken_themes()

    def _load_themes(self) -> None:
        self._loaded = themes.load()
        usual = themes.usual(self._background)
        for theme in map(themes.in_256, self._loaded.themes) if self._background.cube else self._loaded.themes:
            self.register_theme(themes.on_own_ground(theme) if self._background.own and theme.name == usual else theme)

    def get_driver_class(self) -> type[SparingDriver]:
        return SparingDriver

    def get_css_variables(self) -> dict[str, str]:
        return roles.css(self.current_theme) | super().get_css_variables()

    def _tell_broken_themes(self) -> None:
        for failed in self._loaded.failed:
            self.notify(failed, title="Theme left out", severity="warning", markup=False)

    def action_leave(self) -> None:
        """Out of the program, from every screen and by every key: `farewell` says what is asked before."""
        if isinstance(self.screen, TypedScreen):
            self.screen.action_no()  # the answer to any question is no until it is typed
        if self.services.demo or not in_practice():
            self._leave(())
        elif not self._leaving:
            self._leaving = True
            self.ask(self, self.services.runs, self._known_to_end, lambda why: self._known_to_end(()))

    def _known_to_end(self, runs: tuple[RunStatus, ...]) -> None:
        """What leaving would end; none where it cannot be told."""
        self._leaving = False
        self._leave(runs)

    def _leave(self, runs: tuple[RunStatus, ...]) -> None:
        screens = [screen for screen in reversed(self.screen_stack) if isinstance(screen, BaseScreen)]
        below = next((screen for screen in screens if screen.STEP), None)
        code, words = below.last_words if below and not self.services.demo else (0, "")
        is_choosing = below is not None and below.STEP in steps.of_the_choosing() and not below.too_small
        half_chosen = is_choosing and self.draft != self.first_draft() and not self.services.demo
        leave = partial(self.exit, return_code=code, message=words or None)
        if asked := farewell(runs, half_chosen=half_chosen):
            ask_typed(self, asked, leave)
        else:
            leave()

    def end_by_fault(self, error: Exception) -> None:
        """A fault of the program itself: one sentence, the details in a file."""
        from raidtui.ui.crash import record

        self.exit(1, return_code=1, message=Text(record(error)))

    # --- messages -----------------------------------------------------------------------------------------------

    def _offer(self, runs: tuple[RunStatus, ...]) -> None:
        """All of them, where some are going on, need to be seen to, or can be gone on with."""
        if offered(runs):
            self.show_runs(runs)

    def on_run_started(self, started: RunStarted) -> None:
        self.show_live(started.path)

    def on_run_failed(self, failed: RunFailed) -> None:
        """The array could not be removed; the screen that asked is gone."""
        self.notify(failed.sentence, title="Not done", severity="error", markup=False)

    def on_not_remembered(self, failed: NotRemembered) -> None:
        self.notify(failed.sentence, title="Choices not saved", severity="warning", markup=False)


def opened() -> None:
    """What stands now stays: it is left out of looking for garbage, which goes on from here (see `opening`)."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def run_wizard(services: Services | None = None, background: Background = UNKNOWN) -> int:
    """The wizard on a full screen, of this machine unless `services` bring another; the exit code."""
    services = services or _local()
    with ThreadPoolExecutor(1) as pool:  # the machine is looked at while the app is being built
        return _shown(RaidtuiApp(services, first_look=pool.submit(look_once, services), background=background))


def run_on(
    background: Background = UNKNOWN,
    *,
    attach: Path | None = None,
    alone: Callable[[], BaseScreen[Any]] | None = None,
) -> int:
    """The live screen of one run, of another terminal's worker too, or this screen and nothing else; the exit code."""
    return _shown(RaidtuiApp(_local(), attach=attach, alone=alone, background=background))


def _shown(app: RaidtuiApp) -> int:
    return app.run() or app.return_code or 0


def _local() -> Services:
    from raidtui.ui.local import LocalServices

    return LocalServices()
