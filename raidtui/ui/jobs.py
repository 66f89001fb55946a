"""What takes longer than a frame: looking, planning, starting, stopping. Done in threads, told by messages.

Nothing here touches a widget. A screen hands itself in as the one that asks, and the answer is posted to it: whatever
lies on top of it then, the answer arrives. A screen that is gone by then hears nothing; of what was cleared away
meanwhile the app hears in its place. No look at the disks begins while something on them is being cleared away.
"""

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from threading import Lock

import msgspec
from textual import work
from textual.app import App
from textual.message import Message
from textual.message_pump import MessagePump

from raidtui.core.documents.configuration import Configuration
from raidtui.core.plan.model import Plan
from raidtui.core.plan.recipe import Recipe
from raidtui.ui import questions
from raidtui.ui.draft import Draft, answers
from raidtui.ui.messages import (
    AblationMade,
    DrivesSeen,
    FleetRead,
    MembersSeen,
    NameAsked,
    NotRemembered,
    PlanFailed,
    PlanMade,
    PracticeTried,
    RunCleaned,
    RunFailed,
    RunJudged,
    RunsChanged,
    RunsCompared,
    RunsFound,
    RunsListed,
    RunStarted,
    RunsThatEnd,
    RunUndone,
    ScanFailed,
    Scanned,
)
from raidtui.ui.preview import with_measured_speed
from raidtui.ui.run_rows import offered
from raidtui.ui.services import DrivesTold, RunView, Scan, Services, read_whole

FirstLook = Future[tuple[Scan, tuple[tuple[str, Recipe], ...]]]


def look_once(services: Services) -> tuple[Scan, tuple[tuple[str, Recipe], ...]]:
    """The machine and the recipes, as they are now."""
    return services.scan(), services.recipes()


def _not_done(asker: MessagePump, path: Path, doing: str, again: Callable[[str], None], error: Exception) -> Message:
    """Why the run in `path` was not resumed or removed; where a name is missing, with that `again` is asked.

    An asker that is gone has no place where the name could be typed.
    """
    from raidtui.runs.directory import NotDone

    if isinstance(error, NotDone) and error.name and asker.is_attached:
        return NameAsked(path, str(error), error.name, doing, partial(again, error.name))
    return RunFailed(str(error))


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
        self.draft = self.first_draft()
        self.scan = Scan(())
        self.recipes: tuple[tuple[str, Recipe], ...] = ()
        self.first_look = first_look
        self.drives_seen: DrivesSeen | None = None
        self.scan_problem = ""
        self.scanned = False  # has the machine been looked at since it was changed from here?
        self._clearing_away = Lock()

    def first_draft(self) -> Draft:
        """Nothing chosen but what config.toml fills in."""
        return Draft(mailaddr=self.settings.mailaddr, mount_options=self.settings.mount_options)

    @property
    def host(self) -> str:
        """What this machine calls itself: it is typed with what is to be erased."""
        return self.services.host()

    @property
    def clearing_away(self) -> bool:
        """Is an array being cleared away? A look at the machine waits for that."""
        return self._clearing_away.locked()

    def looked(self, scan: Scan, recipes: tuple[tuple[str, Recipe], ...]) -> None:
        """Takes what a look gave."""
        self.scan, self.recipes, self.drives_seen = scan, recipes, None
        wished = self.settings.recipe
        if not self.scanned and wished and questions.build(recipes, wished).name != wished:
            sentence = f"config.toml: `recipe` is {wished!r}: none that keeps one array; quick is used"
            self.notify(sentence, title="Recipe left out", severity="warning", markup=False)
        self.scanned, self.scan_problem = True, ""

    def look_failed(self, sentence: str) -> None:
        """Takes that the machine could not be looked at; what was seen before stays."""
        self.scanned, self.scan_problem = True, sentence

    def rescan(self, asker: MessagePump) -> None:
        """Looks at the machine: `Scanned` or `ScanFailed`."""
        early, self.first_look = self.first_look, None

        def look() -> Message:
            return Scanned(*(early.result() if early else self._look_once()))

        self._do(asker, look, ScanFailed)

    def look_at_drives(self, asker: MessagePump) -> None:
        """Asks the drives for their health, and for the runs there are: `DrivesSeen`, whatever could not be told."""

        def look() -> Message:
            return DrivesSeen(self.services.health(), self.services.runs())

        self._do(asker, look, lambda why: DrivesSeen(DrivesTold(why_nothing=why), ()))

    def try_practice(self, asker: MessagePump) -> None:
        """Tries whether practice disks are possible here: `PracticeTried`."""
        self._do(asker, lambda: PracticeTried(self.services.no_practice()), PracticeTried)

    def make_plan(self, asker: MessagePump, draft: Draft) -> None:
        """Makes the plan of a draft on the machine as it was seen last: `PlanMade` or `PlanFailed`."""
        scan = self.scan

        def plan() -> Message:
            plan_answers = answers(draft)
            return PlanMade(draft, self.services.plan(plan_answers, scan), self.services.obstacles(plan_answers))

        self._do(asker, plan, partial(PlanFailed, draft))

    def explain_run(self, asker: MessagePump, view: RunView, trial_id: str) -> None:
        """Finds what is to be measured again to explain a trial (none: that furthest from theory): `AblationMade` or
        `RunFailed`.
        """

        def explain() -> Message:
            from raidtui.core.results.ablation import answers_of

            scan, recipes = self._look_once()
            asked = answers_of(view.plan, view.state, trial_id)
            unsaid = msgspec.structs.replace(asked, disk_speed="", disk_iops=0.0)
            known = with_measured_speed(unsaid, scan)  # the run itself has measured them
            return AblationMade(asked if known == unsaid else known, scan, recipes)

        self._do(asker, explain, RunFailed)

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

        self._do(asker, start, RunFailed)

    def stop_run(self, asker: MessagePump, path: Path) -> None:
        """Asks a run's worker to stop: nothing, or `RunFailed`."""
        self._do(asker, lambda: self.services.stop(path), RunFailed)

    def clean_run(self, asker: MessagePump, path: Path, *named: str) -> None:
        """Takes a kept array down, or what a killed run left: `RunCleaned`, `NameAsked` or `RunFailed`, to the app if
        need be. `named`: arrays whose names were typed for it.
        """
        again = partial(self.clean_run, asker, path, *named)
        not_done = partial(_not_done, asker, path, "Removing", again)
        self._take_back(asker, partial(self.services.clean, path, named), RunCleaned(path), not_done)

    def undo_run(self, asker: MessagePump, path: Path) -> None:
        """Takes back what made a run's array permanent: `RunUndone` or `RunFailed`, to the app if need be."""
        self._take_back(asker, partial(self.services.undo, path), RunUndone(path), lambda error: RunFailed(str(error)))

    def _take_back(
        self, asker: MessagePump, job: Callable[[], None], done: Message, not_done: Callable[[Exception], Message]
    ) -> None:
        def take_back() -> None:
            try:
                with self._clearing_away:
                    job()
                    self.scanned = False
                answer = done
            except (OSError, ValueError) as error:
                answer = not_done(error)
            (asker if asker.is_attached else self).post_message(answer)
            if answer is done:  # else the sentence stays that says why not
                self.post_message(RunsChanged())

        self._do(asker, take_back, RunFailed)

    def on_runs_changed(self, changed: RunsChanged) -> None:
        """Whoever shows runs looks at them again, wherever it lies."""
        for screen in self.screen_stack:
            screen.post_message(RunsChanged())

    def look_at_members(self, asker: MessagePump, path: Path) -> None:
        """Looks at the disks of a run that is to go on: `MembersSeen` or `RunFailed`."""
        self._do(asker, lambda: MembersSeen(path, self.services.resumption(path)), RunFailed)

    def resume_run(self, asker: MessagePump, path: Path, *named: str, erases: bool) -> None:
        """Goes on with a run, as was agreed: the app shows it, or `NameAsked` or `RunFailed`."""

        def resume() -> Message | None:
            try:
                self.services.resume(path, erases=erases, named=named)
            except (OSError, ValueError) as error:
                again = partial(self.resume_run, asker, path, *named, erases=erases)
                return _not_done(asker, path, "Starting its worker", again, error)
            self.post_message(RunStarted(path))
            return None

        self._do(asker, resume, RunFailed)

    def keep_run(self, asker: MessagePump, path: Path) -> None:
        """Leaves what a killed run built: `RunsChanged`, or `RunFailed` to the asker."""

        def keep() -> None:
            self.services.keep(path)
            self.post_message(RunsChanged())

        self._do(asker, keep, RunFailed)

    def look_for_runs(self) -> None:
        """Looks for runs to offer first; where there is none, or no way to look, nothing is said."""

        def look() -> Message | None:
            runs = self.services.runs()
            return RunsFound(runs) if offered(runs) else None

        self._do(self, look, lambda _: None)

    def look_what_ends(self) -> None:
        """Looks up all runs of a machine that ends with the program: `RunsThatEnd`, none where they cannot be told."""
        self._do(self, lambda: RunsThatEnd(self.services.runs()), lambda _: RunsThatEnd(()))

    def look_at_runs(self, asker: MessagePump) -> None:
        """Looks up all runs: `RunsListed` or `RunFailed`."""
        self._do(asker, lambda: RunsListed(self.services.runs()), RunFailed)

    def compare_runs(self, asker: MessagePump, first: Path, second: Path) -> None:
        """Reads two runs: `RunsCompared` or `RunFailed`."""
        self._do(asker, lambda: RunsCompared(self.services.compare(first, second)), RunFailed)

    def judge_run(self, asker: MessagePump, path: Path) -> None:
        """Computes what a run's figures mean: `RunJudged`."""

        def judge() -> RunJudged:
            from raidtui.core.report.context import RunContext

            view = read_whole(self.services.feed(path))
            run = RunContext(view.plan, view.state) if view else None
            return RunJudged(path, run if run and run.answer and run.ranking else None)

        self._do(asker, judge, lambda _: RunJudged(path, None))

    def read_fleet(self, asker: MessagePump, folder: Path) -> None:
        """Reads all runs below a folder: `FleetRead` or `RunFailed`."""
        self._do(asker, lambda: FleetRead(self.services.fleet(folder)), RunFailed)

    def forget_run(self, asker: MessagePump, path: Path) -> None:
        """Deletes a settled run's folder: `RunsChanged`, or `RunFailed` to the asker."""

        def forget() -> None:
            self.services.forget(path)
            self.post_message(RunsChanged())

        self._do(asker, forget, RunFailed)

    def _look_once(self) -> tuple[Scan, tuple[tuple[str, Recipe], ...]]:
        with self._clearing_away:
            return look_once(self.services)

    @work(thread=True)
    def _do(
        self, asker: MessagePump, job: Callable[[], Message | None], failed: Callable[[str], Message | None]
    ) -> None:
        """Has `job` done in a thread. Its answer, or what `failed` makes of the reason, goes to `asker`."""
        try:
            answer = job()
        except (OSError, ValueError) as error:
            answer = failed(str(error))
        if answer is not None:
            asker.post_message(answer)
