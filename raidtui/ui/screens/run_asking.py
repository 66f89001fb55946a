"""Requests about runs from several screens: resume, stop, remove. Each needs a typed word."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from raidtui.ui.confirmation import Prompt, again, permanent
from raidtui.ui.messages import NameAsked, RunFailed
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.screens.dialogs import ask_typed
from raidtui.ui.services import Resumption


class RunAsking(BaseScreen[None]):
    """A screen that can resume runs. Prompts wait until it is visible."""

    def __init__(self) -> None:
        super().__init__()
        self._to_type: Callable[[], None] | None = None

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
        self.present(f"{needed.sentence}.", "warn")
        self._to_type = partial(self._ask_for_name, needed)
        self._ask_what_waits()

    def _ask_for_name(self, needed: NameAsked) -> None:
        def go() -> None:
            self.present("Starting its worker…", "accent")
            needed.go()

        asked = Prompt(f"{needed.sentence}.", needed.name)
        ask_typed(self.app, asked, go, partial(self.present, "Nothing was done.", "warn"))

    def on_screen_resume(self) -> None:
        self._ask_what_waits()

    def _ask_what_waits(self) -> None:
        if self._to_type and self.app.screen is self:
            ask, self._to_type = self._to_type, None
            ask()

    def _type(self, path: Path, resumption: Resumption) -> None:
        members, host = resumption.members, self.wizard.host
        if resumption.kept:
            prompt = permanent(path.name, members, host)
        else:
            prompt = again(path.name, members, host, resumption.proof)

        def resume() -> None:
            self.present("Adding boot entries…" if resumption.kept else "Starting its worker…", "accent")
            self.wizard.resume_run(self, path, erases=not resumption.kept)

        ask_typed(self.app, prompt, resume, self.refresh_status)
