"""Requests about runs from several screens: resume, stop, remove. Each needs a typed word."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from raidtui.ui.confirmation import again, permanent
from raidtui.ui.messages import NameAsked, RunFailed
from raidtui.ui.screens.base import BaseScreen
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
        from raidtui.ui.screens.dialogs import TypedScreen

        def typed(agreed: bool | None) -> None:
            if agreed:
                self.present("Starting its worker…", "accent")
                needed.go()
            else:
                self.present("Nothing was done.", "warn")

        self.app.push_screen(TypedScreen(f"{needed.sentence}.", needed.name), typed)

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
