"""What a screen needs of the app: what has been chosen, where to go, and what it may have done. A protocol.

The app imports the screens; they know only this.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

from textual.message_pump import MessagePump

from raidtui.core.documents.configuration import Configuration
from raidtui.core.plan.answers import Answers
from raidtui.core.plan.model import Plan
from raidtui.core.units import Units
from raidtui.runs.status import RunStatus
from raidtui.ui.draft import Draft
from raidtui.ui.services import DrivesSeen, Recipes, RunView, Scan, Services

Answer = TypeVar("Answer")


class Wizard(Protocol):
    """Jobs are done in threads; `asker` is the screen that hears of them (see `Jobs.ask` and `messages`)."""

    draft: Draft
    units: Units
    services: Services
    drives_seen: DrivesSeen | None  # of the disks of the last look
    marked_runs: tuple[Path, ...]  # two at most, to be compared

    def first_draft(self) -> Draft:
        """Nothing chosen but what config.toml fills in."""
        ...

    @property
    def answers(self) -> Answers:
        """What has been chosen, as the answers file says it."""
        ...

    # --- the last look at the machine -------------------------------------------------------------------------

    @property
    def host(self) -> str: ...
    @property
    def scan(self) -> Scan: ...
    @property
    def recipes(self) -> Recipes: ...
    @property
    def settings(self) -> Configuration: ...

    @property
    def scanned(self) -> bool:
        """Has the machine been looked at since the choosing began?"""
        ...

    @property
    def clearing_away(self) -> bool:
        """Is an array being cleared away? A look at the machine waits for that."""
        ...

    @property
    def removing(self) -> str:
        """What is looked at or removed, and the step it is at; "" where nothing is."""
        ...

    @property
    def removing_path(self) -> Path | None:
        """The run whose array is being removed."""
        ...

    @property
    def scan_problem(self) -> str:
        """Why the last look failed; empty if it did not."""
        ...

    def looked(self, scan: Scan, recipes: Recipes) -> None:
        """Takes what a look gave."""
        ...

    # --- where to go ------------------------------------------------------------------------------------------

    @property
    def step_names(self) -> tuple[str, ...]:
        """The steps that the draft leaves to be walked, in order."""
        ...

    def steps_for(self, draft: Draft) -> tuple[str, ...]:
        """As `step_names`, were `draft` what is chosen."""
        ...

    def go_on(self, step: str) -> None: ...
    def go_to_step(self, step: str) -> None: ...
    def go_back(self) -> None: ...
    def show_live(self, path: Path) -> None: ...
    def review_ablation(self, answers: Answers) -> None: ...
    def show_results(self, path: Path, view: RunView) -> None: ...
    def show_runs(self, runs: tuple[RunStatus, ...] = ()) -> None: ...
    def begin_again(self) -> None: ...
    def new_run(self) -> None: ...

    # --- jobs -------------------------------------------------------------------------------------------------

    def ask(
        self,
        asker: MessagePump,
        job: Callable[[], Answer],
        then: Callable[[Answer], object],
        failed: Callable[[str], object],
    ) -> object:
        """Has `job` done in a thread; `then` takes its answer, `failed` the reason, in the loop of `asker`."""
        ...

    def rescan(self, asker: MessagePump, then: Callable[[], object]) -> None: ...
    def look_at_drives(self, asker: MessagePump, then: Callable[[], object]) -> None: ...
    def forget_run(self, asker: MessagePump, path: Path) -> None: ...
    def make_plan(
        self,
        asker: MessagePump,
        draft: Draft,
        then: Callable[[Plan, tuple[str, ...]], object],
        failed: Callable[[str], object],
    ) -> None: ...
    def explain_run(
        self,
        asker: MessagePump,
        view: RunView,
        trial_id: str,
        then: Callable[[tuple[Answers, Scan, Recipes]], object],
        failed: Callable[[str], object],
    ) -> None: ...
    def start_run(self, asker: MessagePump, plan: Plan) -> None: ...
    def stop_run(self, asker: MessagePump, path: Path) -> None: ...
    def remove_run(self, asker: MessagePump, path: Path) -> None: ...
    def resume_run(self, asker: MessagePump, path: Path, *named: str, erases: bool) -> None: ...
    def keep_run(self, asker: MessagePump, path: Path) -> None: ...
