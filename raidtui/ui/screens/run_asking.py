"""What runs are asked for from several screens: to go on, to stop, to be cleared away. Each time a word is typed."""

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from textual.timer import Timer

from raidtui.core.run.permanence import is_to_undo
from raidtui.ui.confirmation import Prompt, again, permanent, undo
from raidtui.ui.messages import MembersSeen, NameAsked, RunCleaned, RunFailed, RunUndone
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.services import Feed, Resumption, read_whole


def ask_to_clear(
    screen: BaseScreen[None],
    path: Path,
    prompt: Prompt,
    present: Callable[[str, str], None],
    go: Callable[[bool], None],
) -> None:
    """Has the word of `prompt` typed before what a run keeps is cleared away; where boot may know of its array, as the
    run stands now, the word that undoes this first. `go` is told whether that is to be done.
    """
    from raidtui.ui.screens.typed import TypedScreen

    try:
        view = read_whole(screen.wizard.services.feed(path))
    except (OSError, ValueError) as error:
        present(str(error), "bad")
        return
    undoes = view is not None and is_to_undo(view.state)
    asked = undo(path.name) if undoes else prompt

    def typed(agreed: bool | None) -> None:
        if agreed:
            go(undoes)

    screen.app.push_screen(TypedScreen(asked.question, asked.expected), typed)


def ask_for_name(
    screen: BaseScreen[None], needed: NameAsked, present: Callable[[str, str], None], go: Callable[[], None]
) -> None:
    """Has the name of an array typed that is not removed without it; `go` where it was."""
    from raidtui.ui.screens.typed import TypedScreen

    def typed(agreed: bool | None) -> None:
        if agreed:
            go()
            needed.go()
        else:
            present("Nothing was done.", "warn")

    screen.app.push_screen(TypedScreen(f"{needed.sentence}.", needed.name), typed)


class RunAsking(BaseScreen[None]):
    """A screen from which a run can be gone on with. What waits to be typed waits until the screen is seen."""

    def __init__(self) -> None:
        super().__init__()
        self._to_type: Callable[[], None] | None = None
        self._clearing: Timer | None = None
        self._clearing_path: Path | None = None
        self._clearing_step = ""
        self._undoes = False

    @property
    def is_clearing(self) -> bool:
        """Is what a run built being taken apart, as was asked for here?"""
        return self._clearing is not None and not self._undoes

    def present(self, text: str, look: str) -> None:
        """Says something about a run, where this screen says such things."""
        raise NotImplementedError

    def show_status(self) -> None:
        """Says what stood there before."""
        raise NotImplementedError

    def go_on_with(self, path: Path) -> None:
        """Has the run and its disks looked at as they are now; what would be done is asked for before it is done."""
        self.present("Looking at its disks…", "accent")
        self.wizard.look_at_members(self, path)

    def on_members_seen(self, members_seen: MembersSeen) -> None:
        """The disks of the run as they are now."""
        self._to_type = partial(self._type, members_seen.path, members_seen.resumption)
        self._ask_what_waits()

    def on_name_asked(self, needed: NameAsked) -> None:
        """The array is not removed before its name is typed."""
        self._stop_showing()
        self.present(f"{needed.sentence}.", "warn")
        self._to_type = partial(ask_for_name, self, needed, self.present, partial(self._do_named, needed))
        self._ask_what_waits()

    def _do_named(self, needed: NameAsked) -> None:
        if self._clearing_path == needed.path:
            self._show_steps(needed.path, needed.doing)
        else:
            self.present(f"{needed.doing}…", "accent")

    def on_screen_resume(self) -> None:
        self._ask_what_waits()

    def _ask_what_waits(self) -> None:
        if self._to_type and self.app.screen is self:
            ask, self._to_type = self._to_type, None
            ask()

    def _type(self, path: Path, resumption: Resumption) -> None:
        from raidtui.ui.screens.typed import TypedScreen

        asks = permanent if resumption.kept else again
        prompt = asks(path.name, resumption.members, self.wizard.host)

        def typed(agreed: bool | None) -> None:
            if agreed:
                self.present("Adding boot entries…" if resumption.kept else "Starting its worker…", "accent")
                self.wizard.resume_run(self, path, erases=not resumption.kept)
            else:
                self.show_status()

        self.app.push_screen(TypedScreen(prompt.question, prompt.expected), typed)

    def ask_to_clear(self, path: Path, question: str) -> None:
        """Has the word typed that clears away what a run built, or undoes first what boot knows of it."""
        if self._clearing and path == self._clearing_path:  # it is being done
            self.app.bell()
        else:
            ask_to_clear(self, path, Prompt(question, "remove"), self.present, partial(self._take_back, path))

    def _take_back(self, path: Path, undoes: bool) -> None:
        self._undoes = undoes
        self._show_steps(path, "Removing boot entries" if undoes else "Removing")
        take_back = self.wizard.undo_run if undoes else self.wizard.clean_run
        take_back(self, path)

    def _show_steps(self, path: Path, doing: str) -> None:
        """Says each second which step of what a run has built is being taken back."""
        self._stop_showing()
        feed, begun_s = self.wizard.services.feed(path), time.monotonic()
        self._clearing_path, self._clearing_step = path, "checking the array"
        self._show_step(feed, begun_s, doing)
        self._clearing = self.set_interval(1.0, lambda: self._show_step(feed, begun_s, doing))

    def _stop_showing(self) -> None:
        if self._clearing:
            self._clearing.stop()
            self._clearing = None

    def _show_step(self, feed: Feed, begun_s: float, doing: str) -> None:
        with suppress(OSError, ValueError):  # what cannot be read is told by what clears away
            view = feed.poll()
            if view and view.state.step and view.state.step.undoing:
                self._clearing_step = view.state.step.what
        self.present(f"{doing}, {time.monotonic() - begun_s:.0f} s: {self._clearing_step}…", "accent")

    def on_run_cleaned(self, cleaned: RunCleaned) -> None:
        """What a run had built is gone."""
        if cleaned.path == self._clearing_path:
            self._stop_showing()

    def on_run_undone(self, undone: RunUndone) -> None:
        """What a run had built is not known at boot any more."""
        if undone.path == self._clearing_path:
            self._stop_showing()

    def on_run_failed(self, failed: RunFailed) -> None:
        """It could not be done; which of two is not said, and the other tells in the end."""
        self._stop_showing()
