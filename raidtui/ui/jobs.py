"""What takes longer than a frame: looking, planning, starting, stopping. Done in threads.

Nothing here touches a widget. `ask` hands an answer to whoever asked, in its own loop, whatever lies on top of it then;
a screen that is gone by then hears nothing. What is told to more than one is a message (see `messages`): of what was
cleared away meanwhile the app hears in the place of a screen that is gone. No look at the disks begins while something
on them is being cleared away.
"""

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TypeVar

import msgspec
from textual import work
from textual.app import App
from textual.message import Message
from textual.message_pump import MessagePump

from raidtui.core.documents.configuration import Configuration
from raidtui.core.plan.answers import Answers
from raidtui.core.plan.model import Plan
from raidtui.core.units import Units
from raidtui.ui import questions
from raidtui.ui.draft import Draft, answers
from raidtui.ui.messages import NameAsked, NotRemembered, RunFailed, RunsChanged, RunStarted
from raidtui.ui.services import DrivesSeen, DrivesTold, Recipes, RunView, Scan, Services

FirstLook = Future[tuple[Scan, Recipes]]
Answer = TypeVar("Answer")


def look_once(services: Services) -> tuple[Scan, Recipes]:
    """The machine and the recipes, as they are now."""
    return services.scan(), services.recipes()


def _settings(services: Services) -> Configuration:
    """The defaults where config.toml cannot be used, of which `keys.own` tells."""
    try:
        return services.settings()
    except (OSError, ValueError):
        return Configuration()


class Jobs(App[int]):
    """An app that has things done; `services` does them. `asker` is who hears the answer."""

    def __init__(self, services: Services, first_look: FirstLook | None, ansi_color: bool | None) -> None:
        super().__init__(ansi_color=ansi_color)
        self.services = services
        self.settings = _settings(services)
        self.units = Units(self.settings.units)
        self.draft = self.first_draft()
        self.marked_runs: tuple[Path, ...] = ()  # two at most, to be compared
        self.scan = Scan(())
        self.recipes: Recipes = ()
        self.first_look = first_look
        self.drives_seen: DrivesSeen | None = None  # of the disks of the last look
        self.scan_problem = ""
        self.scanned = False  # has the machine been looked at since it was changed from here?
        self.removing = ""  # what is looked at or removed, and the step it is at
        self.removing_path: Path | None = None  # from the person's word on
        self._clearing_away = Lock()

    def first_draft(self) -> Draft:
        """Nothing chosen but what config.toml fills in."""
        return Draft(mailaddr=self.settings.mailaddr, mount_options=self.settings.mount_options)

    @property
    def answers(self) -> Answers:
        """What has been chosen, as the answers file says it."""
        return answers(self.draft)

    @property
    def host(self) -> str:
        """What this machine calls itself: it is typed with what is to be erased."""
        return self.services.host()

    @property
    def clearing_away(self) -> bool:
        """Is an array being cleared away? A look at the machine waits for that."""
        return self._clearing_away.locked()

    def looked(self, scan: Scan, recipes: Recipes) -> None:
        """Takes what a look gave."""
        self.scan, self.recipes, self.drives_seen = scan, recipes, None
        wished = self.settings.recipe
        if not self.scanned and wished and questions.build(recipes, wished).name != wished:
            sentence = f"config.toml: `recipe` is {wished!r}: none that keeps one array; quick is used"
            self.notify(sentence, title="Recipe left out", severity="warning", markup=False)
        self.scanned, self.scan_problem = True, ""

    @work(thread=True)
    def ask(
        self,
        asker: MessagePump,
        job: Callable[[], Answer],
        then: Callable[[Answer], object],
        failed: Callable[[str], object] = lambda why: None,
    ) -> None:
        """Has `job` done in a thread; `then` takes its answer, `failed` the reason, in the loop of `asker`."""
        try:
            told: Callable[[], object] = partial(then, job())
        except (OSError, ValueError) as error:
            told = partial(failed, str(error))
        self.call_later(self._hand, asker, told)

    def _hand(self, asker: MessagePump, told: Callable[[], object]) -> None:
        """In the loop: a screen that is seen there by a thread may be gone a moment later."""
        if asker.is_attached:
            asker.call_later(told)

    def rescan(self, asker: MessagePump, then: Callable[[], object]) -> None:
        """Looks at the machine; where that fails, what was seen before stays, and `scan_problem` says why."""
        early, self.first_look = self.first_look, None

        def seen(look: tuple[Scan, Recipes]) -> None:
            self.looked(*look)
            then()

        def failed(sentence: str) -> None:
            self.scanned, self.scan_problem = True, sentence
            then()

        self.ask(asker, early.result if early else self._look_once, seen, failed)

    def look_at_drives(self, asker: MessagePump, then: Callable[[], object]) -> None:
        """Asks the drives for their health, and for the runs there are, whatever could not be told: `drives_seen`."""

        def seen(drives: DrivesSeen) -> None:
            self.drives_seen = drives
            then()

        def look() -> DrivesSeen:
            return DrivesSeen(self.services.health(), self.services.runs())

        self.ask(asker, look, seen, lambda why: seen(DrivesSeen(DrivesTold(why_nothing=why), ())))

    def make_plan(
        self,
        asker: MessagePump,
        draft: Draft,
        then: Callable[[Plan, tuple[str, ...]], object],
        failed: Callable[[str], object],
    ) -> None:
        """The plan of a draft on the machine as it was seen last, and what keeps it from being started here."""
        scan = self.scan

        def plan() -> tuple[Plan, tuple[str, ...]]:
            plan_answers = answers(draft)
            return self.services.plan(plan_answers, scan), self.services.obstacles(plan_answers)

        self.ask(asker, plan, lambda made: then(*made), failed)

    def explain_run(
        self,
        asker: MessagePump,
        view: RunView,
        trial_id: str,
        then: Callable[[tuple[Answers, Scan, Recipes]], object],
        failed: Callable[[str], object],
    ) -> None:
        """What is to be measured again to explain a trial (none: that furthest from theory), on the machine as it is
        now.
        """

        def explain() -> tuple[Answers, Scan, Recipes]:
            from raidtui.core.results.ablation import answers_of
            from raidtui.ui.preview import with_measured_speed

            scan, recipes = self._look_once()
            asked = answers_of(view.plan, view.state, trial_id)
            unsaid = msgspec.structs.replace(asked, disk_speed="", disk_iops=0.0)
            known = with_measured_speed(unsaid, scan)  # the run itself has measured them
            return asked if known == unsaid else known, scan, recipes

        self.ask(asker, explain, then, failed)

    def start_run(self, asker: MessagePump, plan: Plan) -> None:
        """Starts the worker, and keeps what was chosen for next time: the app shows the run, or `RunFailed`.

        Where it cannot be kept, `NotRemembered`.
        """
        draft = self.draft

        def start() -> None:
            self.post_message(RunStarted(self.services.start(plan)))
            try:
                self.services.remember(draft)
            except (OSError, ValueError) as error:  # the run goes on without that
                self.post_message(NotRemembered(str(error)))

        self._do(asker, start)

    def stop_run(self, asker: MessagePump, path: Path) -> None:
        """Asks a run's worker to stop: nothing, or `RunFailed`."""
        self._do(asker, lambda: self.services.stop(path))

    def on_runs_changed(self) -> None:
        """Whoever shows runs looks at them again, wherever it lies."""
        for screen in self.screen_stack:
            screen.post_message(RunsChanged())

    def resume_run(self, asker: MessagePump, path: Path, *named: str, erases: bool) -> None:
        """Goes on with a run, as was agreed: the app shows it, or `NameAsked` or `RunFailed`."""
        from raidtui.runs.directory import NotDone

        def resume() -> Message | None:
            try:
                self.services.resume(path, erases=erases, named=named)
            except NotDone as needed:
                if not needed.name:
                    raise
                again = partial(self.resume_run, asker, path, *named, needed.name, erases=erases)
                return NameAsked(str(needed), needed.name, again)
            self.post_message(RunStarted(path))
            return None

        self._do(asker, resume)

    def keep_run(self, asker: MessagePump, path: Path) -> None:
        """Leaves what a killed run built: `RunsChanged`, or `RunFailed` to the asker."""

        def keep() -> None:
            self.services.keep(path)
            self.post_message(RunsChanged())

        self._do(asker, keep)

    def forget_run(self, asker: MessagePump, path: Path) -> None:
        """Deletes a settled run's folder: `RunsChanged`, or `RunFailed` to the asker."""

        def forget() -> None:
            self.services.forget(path)
            self.post_message(RunsChanged())

        self._do(asker, forget)

    def _look_once(self) -> tuple[Scan, Recipes]:
        with self._clearing_away:
            return look_once(self.services)

    def _do(self, asker: MessagePump, job: Callable[[], Message | None]) -> None:
        """Has `job` done; the message that it gives, or `RunFailed`, goes to `asker`."""

        def post(message: Message | None) -> None:
            if message is not None:
                asker.post_message(message)

        self.ask(asker, job, post, lambda sentence: post(RunFailed(sentence)))
