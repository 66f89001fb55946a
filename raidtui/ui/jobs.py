"""What takes longer than a frame: looking, planning, starting, stopping. Done in threads, told by messages.

Nothing here touches a widget; the app hears the messages and hands them to the screen that is shown.
"""

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from textual import work
from textual.app import App
from textual.message import Message

from raidtui.core.plan.model import Plan
from raidtui.core.plan.recipe import Recipe
from raidtui.ui.draft import Draft, answers
from raidtui.ui.messages import (
    MembersSeen,
    PlanFailed,
    PlanMade,
    RunCleaned,
    RunFailed,
    RunKept,
    RunsFound,
    RunStarted,
    ScanFailed,
    Scanned,
)
from raidtui.ui.services import Scan, Services

Look = Future[tuple[Scan, tuple[tuple[str, Recipe], ...]]]


def look_once(services: Services) -> tuple[Scan, tuple[tuple[str, Recipe], ...]]:
    """The machine and the recipes, as they are now."""
    return services.scan(), services.recipes()


class Jobs(App[int]):
    """An app with errands to run; `services` does them."""

    def __init__(self, services: Services, first_look: Look | None, ansi_color: bool | None) -> None:
        super().__init__(ansi_color=ansi_color)
        self.services = services
        self.draft = Draft()
        self.scan = Scan(())
        self.recipes: tuple[tuple[str, Recipe], ...] = ()
        self.first_look = first_look

    @property
    def sweeps(self) -> bool:
        """Does the chosen recipe decide by itself what is built?"""
        return any(name == self.draft.recipe and recipe.sweeps for name, recipe in self.recipes)

    @work(thread=True, exclusive=True, group="scan")
    def look_again(self) -> None:
        """Looks at the machine; the answer comes as a message."""
        try:
            early, self.first_look = self.first_look, None
            self.post_message(Scanned(*(early.result() if early else look_once(self.services))))
        except (OSError, ValueError) as error:
            self.post_message(ScanFailed(str(error)))

    @work(thread=True, exclusive=True, group="plan")
    def make_plan(self) -> None:
        """Makes the plan of the draft; the answer comes as a message."""
        draft = self.draft
        try:
            said = answers(draft, sweeps=self.sweeps)
            plan = self.services.plan(said, self.scan)
            self.post_message(PlanMade(draft, plan, self.services.obstacles(said)))
        except (OSError, ValueError) as error:
            self.post_message(PlanFailed(draft, str(error)))

    @work(thread=True, group="run")
    def start_run(self, plan: Plan) -> None:
        """Starts the worker; the answer comes as a message."""
        try:
            self.post_message(RunStarted(self.services.start(plan)))
        except (OSError, ValueError) as error:
            self.post_message(RunFailed(str(error)))

    def stop_run(self, path: Path) -> None:
        """Asks a run's worker to stop."""
        self._see_to(self.services.stop, path)

    def clean_run(self, path: Path) -> None:
        """Takes a kept array down, or what a killed run left."""
        self._see_to(self.services.clean, path, RunCleaned())

    @work(thread=True, group="run")
    def look_at_members(self, path: Path) -> None:
        """Looks at the disks of a run that is to go on; the answer comes as a message."""
        try:
            self.post_message(MembersSeen(path, self.services.taken_meanwhile(path)))
        except (OSError, ValueError) as error:
            self.post_message(RunFailed(str(error)))

    def resume_run(self, path: Path) -> None:
        """Goes on with a run; the answer comes as a message."""
        self._see_to(self.services.resume, path, RunStarted(path))

    def keep_run(self, path: Path) -> None:
        """Leaves what a killed run built."""
        self._see_to(self.services.keep, path, RunKept())

    @work(thread=True, group="run")
    def _see_to(self, service: Callable[[Path], None], path: Path, then: Message | None = None) -> None:
        """Has it done to a run; `then` says that it was."""
        try:
            service(path)
        except (OSError, ValueError) as error:
            then = RunFailed(str(error))
        if then:
            self.post_message(then)

    @work(thread=True, group="runs")
    def look_for_runs(self) -> None:
        """Looks for runs that are going on, or need to be seen to; none found says nothing."""
        try:
            found = self.services.unsettled()
        except (OSError, ValueError):
            return
        if found:
            self.post_message(RunsFound(found))
