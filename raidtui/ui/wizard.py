"""What a screen needs of the app: what has been chosen, where to go, and what it may have done. A protocol.

The app imports the screens; they know only this.
"""

from pathlib import Path
from typing import Protocol

from textual.message_pump import MessagePump

from raidtui.core.plan.answers import Answers
from raidtui.core.plan.model import Plan
from raidtui.core.plan.recipe import Recipe
from raidtui.core.units import Units
from raidtui.ui.draft import Draft
from raidtui.ui.services import RunView, Scan, Services


class Wizard(Protocol):
    """Jobs are done in threads; `asker` is the screen that hears the answer (see `messages`)."""

    draft: Draft
    units: Units
    services: Services

    @property
    def answers(self) -> Answers:
        """What has been chosen, as the answers file says it."""
        ...

    @property
    def sweeps(self) -> bool:
        """Does the chosen recipe decide by itself what is built?"""
        ...

    # --- the last look at the machine -------------------------------------------------------------------------

    @property
    def host(self) -> str: ...
    @property
    def scan(self) -> Scan: ...
    @property
    def recipes(self) -> tuple[tuple[str, Recipe], ...]: ...

    @property
    def scanned(self) -> bool:
        """Has the machine been looked at since the choosing began?"""
        ...

    @property
    def scan_problem(self) -> str:
        """Why the last look failed; empty if it did not."""
        ...

    def looked(self, scan: Scan, recipes: tuple[tuple[str, Recipe], ...]) -> None:
        """Takes what a look gave."""
        ...

    def look_failed(self, sentence: str) -> None:
        """Takes that the machine could not be looked at."""
        ...

    # --- where to go ------------------------------------------------------------------------------------------

    @property
    def step_names(self) -> tuple[str, ...]:
        """All steps, in order."""
        ...

    def go_on(self, step: str) -> None: ...
    def go_back(self) -> None: ...
    def seen(self, step: str) -> bool: ...
    def show_live(self, path: Path) -> None: ...
    def show_results(self, path: Path, view: RunView) -> None: ...
    def begin_again(self) -> None: ...

    # --- jobs -------------------------------------------------------------------------------------------------

    def look_again(self, asker: MessagePump) -> None: ...
    def look_for_runs(self) -> None: ...
    def make_plan(self, asker: MessagePump) -> None: ...
    def start_run(self, asker: MessagePump, plan: Plan) -> None: ...
    def stop_run(self, asker: MessagePump, path: Path) -> None: ...
    def clean_run(self, asker: MessagePump, path: Path) -> None: ...
    def look_at_members(self, asker: MessagePump, path: Path) -> None: ...
    def resume_run(self, asker: MessagePump, path: Path) -> None: ...
    def keep_run(self, asker: MessagePump, path: Path) -> None: ...
