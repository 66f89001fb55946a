"""Requests about runs from several screens: resume, stop, remove. Each needs a typed word."""

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from textual.timer import Timer

from raidtui.core.run.kept import is_to_undo
from raidtui.ui.confirmation import Prompt, again, permanent, undo
from raidtui.ui.messages import NameAsked, RunCleaned, RunFailed, RunUndone
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.services import Feed, Resumption, read_whole


def ask_to_clear(
    screen: BaseScreen[None],
    path: Path,
    prompt: Prompt,
    present: Callable[[str, str], None],
    go: Callable[[bool], None],
) -> None:
    """Word for the removal of a kept array; if boot may know it, for undoing permanence first (True to `go`)."""
    from raidtui.ui.screens.dialogs import TypedScreen

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
    """Array name for its removal."""
    from raidtui.ui.screens.dialogs import TypedScreen

    def typed(agreed: bool | None) -> None:
        if agreed:
            go()
            needed.go()
        else:
            present("Nothing was done.", "warn")

    screen.app.push_screen(TypedScreen(f"{needed.sentence}.", needed.name), typed)


class RunAsking(BaseScreen[None]):
    """A screen that can resume runs. Prompts wait until it is visible."""

    def __init__(self) -> None:
        super().__init__()
        self._to_type: Callable[[], None] | None = None
        self._clearing: Timer | None = None
        self._clearing_path: Path | None = None
        self._clearing_step = ""
        self._undoes = False

    @property
    def is_clearing(self) -> bool:
        """Requested here."""
        return self._clearing is not None and not self._undoes

    def present(self, text: str, look: str) -> None:
        raise NotImplementedError

    def refresh_status(self) -> None:
        raise NotImplementedError

    def go_on_with(self, path: Path) -> None:
        """Checks run and disks; what would be done is confirmed first."""
        self.present("Looking at its disks…", "accent")
        services = self.wizard.services
        self.wizard.ask(self, partial(services.resumption, path), partial(self._seen, path), self.fail)

    def fail(self, sentence: str) -> None:
        """Whoever shows it handles it with all that can fail."""
        self.post_message(RunFailed(sentence))

    def _seen(self, path: Path, resumption: Resumption) -> None:
        self._to_type = partial(self._type, path, resumption)
        self._ask_what_waits()

    def on_name_asked(self, needed: NameAsked) -> None:
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
        from raidtui.ui.screens.dialogs import TypedScreen

        members, host = resumption.members, self.wizard.host
        if resumption.kept:
            prompt = permanent(path.name, members, host)
        else:
            prompt = again(path.name, members, host, resumption.proof)

        def typed(agreed: bool | None) -> None:
            if agreed:
                self.present("Adding boot entries…" if resumption.kept else "Starting its worker…", "accent")
                self.wizard.resume_run(self, path, erases=not resumption.kept)
            else:
                self.refresh_status()

        self.app.push_screen(TypedScreen(prompt.question, prompt.expected), typed)

    def ask_to_clear(self, path: Path, question: str) -> None:
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
        """The current teardown step, each second."""
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
        if cleaned.path == self._clearing_path:
            self._stop_showing()

    def on_run_undone(self, undone: RunUndone) -> None:
        if undone.path == self._clearing_path:
            self._stop_showing()

    def on_run_failed(self, failed: RunFailed) -> None:
        self._stop_showing()
