"""What a screen needs of the app: what it may have done (`Jobs`), and where to go.

The app imports the screens; they know only this.
"""

from pathlib import Path

from textual.message_pump import MessagePump

from raidtui.core.plan.answers import Answers
from raidtui.runs.status import RunStatus
from raidtui.ui.draft import Draft
from raidtui.ui.jobs import Jobs
from raidtui.ui.services import RunView


class Wizard(Jobs):
    """The ways are the app's."""

    @property
    def step_names(self) -> tuple[str, ...]:
        """The steps that the draft leaves to be walked, in order."""
        return self.steps_for(self.draft)

    def steps_for(self, draft: Draft) -> tuple[str, ...]:
        """As `step_names`, were `draft` what is chosen."""
        raise NotImplementedError

    def go_on(self, step: str) -> None:
        raise NotImplementedError

    def go_to_step(self, step: str) -> None:
        raise NotImplementedError

    def go_back(self) -> None:
        raise NotImplementedError

    def show_live(self, path: Path) -> None:
        raise NotImplementedError

    def review_ablation(self, answers: Answers) -> None:
        raise NotImplementedError

    def show_results(self, path: Path, view: RunView) -> None:
        raise NotImplementedError

    def show_runs(self, runs: tuple[RunStatus, ...] = ()) -> None:
        raise NotImplementedError

    def begin_again(self) -> None:
        raise NotImplementedError

    def new_run(self) -> None:
        raise NotImplementedError

    def remove_run(self, asker: MessagePump, path: Path) -> None:
        raise NotImplementedError
