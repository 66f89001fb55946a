"""What a run built is removed: asked for once, wherever the person is; its progress is on every screen."""

import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message_pump import MessagePump
from textual.timer import Timer

from raidtui.ui.confirmation import removal_prompt
from raidtui.ui.messages import RunFailed, RunsChanged
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.screens.dialogs import PathScreen, TypedScreen, ask_typed
from raidtui.ui.services import Feed
from raidtui.ui.wizard import Wizard

if TYPE_CHECKING:
    from raidtui.runs.removing import Removal


class Removals(Wizard):
    """One at a time; `asker` is told of a failure, all screens by `RunsChanged` of its begin and its end."""

    _ticks: Timer | None = None
    _step = ""  # of the removal, that was read last

    def remove_run(self, asker: MessagePump, path: Path) -> None:
        if self.removing:
            self.bell()
            return
        self._show(f"looking at {path.name}")
        look = partial(self.services.removal, path)
        self.ask(self, look, partial(self._ask_removal, asker, path), partial(self._not_removed, asker))

    def _ask_removal(self, asker: MessagePump, path: Path, found: "Removal", *, again: bool = False) -> None:
        if isinstance(self.screen, TypedScreen | PathScreen):  # one question at a time
            self.set_timer(0.5, partial(self._ask_removal, asker, path, found, again=again))
            return
        self._show("")
        asked = removal_prompt(path.name, found, again=again)
        ask_typed(self, asked, partial(self._remove, asker, path, found), self._end_removal)

    def _remove(self, asker: MessagePump, path: Path, agreed: "Removal") -> None:
        from raidtui.runs.removing import LookChanged

        def remove() -> "Removal | None":
            try:
                with self._clearing_away:
                    self.services.remove(path, agreed)
            except LookChanged as changed:
                return changed.found
            return None

        def removed(found: "Removal | None") -> None:
            self._end_removal()
            if found:
                self._show(f"looking at {path.name}")
                self._ask_removal(asker, path, found, again=True)
            else:
                self.notify(f"{agreed.name} removed; the results are kept.", markup=False)

        self.removing_path, self._step = path, ""
        tell = partial(self._tell_step, self.services.feed(path), time.monotonic(), f"removing {agreed.name}")
        self._ticks = self.set_interval(1.0, tell)
        tell()
        self.post_message(RunsChanged())
        self.ask(self, remove, removed, partial(self._not_removed, asker))

    def _tell_step(self, feed: Feed, begun_s: float, doing: str) -> None:
        """Each second; the step stays until something newer is read."""
        with suppress(OSError, ValueError):
            if view := feed.poll():
                self._step = view.state.step.what if view.state.step and view.state.step.undoing else ""
        self._show(f"{doing} {time.monotonic() - begun_s:.0f} s · {self._step or 'looking at it again'}")

    def _show(self, words: str) -> None:
        self.removing = words
        for screen in self.screen_stack:
            if isinstance(screen, BaseScreen):
                screen.show_place()

    def _end_removal(self) -> None:
        if self._ticks:
            self._ticks.stop()
            self._ticks, self.scanned, self.removing_path = None, False, None
            self.post_message(RunsChanged())
        self._show("")

    def _not_removed(self, asker: MessagePump, why: str) -> None:
        self._end_removal()
        (asker if asker.is_attached else self).post_message(RunFailed(why))
