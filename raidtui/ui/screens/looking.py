"""What the screens before the disks share: a look at the machine, and what a choice would cost on its disks.

Screens that show the marks of runs: results are computed one run after the other, each in a thread.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from raidtui.runs.status import RunStatus
from raidtui.ui import questions
from raidtui.ui.draft import Draft
from raidtui.ui.questions import QuestionCost
from raidtui.ui.render.cells import Line
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.services import Services, read_whole

if TYPE_CHECKING:
    from raidtui.core.report.context import RunContext

_LOOKING = "Scanning this machine…"
_REMOVING = "Removing an array first…"
_STILL_S = 0.3  # after the look, or a way back: who types on at once is not kept waiting by plans that nobody reads


class LookingScreen(BaseScreen[None]):
    """Costs are estimated one by one while the screen is visible, in the order of `wanted`."""

    def __init__(self) -> None:
        super().__init__()
        self.looking = False
        self.costs: dict[Draft, QuestionCost] = {}
        self._estimating: Draft | None = None

    def refill(self) -> None:
        """Something is known that was not."""

    def wanted(self) -> Iterable[Draft]:
        """Whose cost is shown."""
        return ()

    @property
    def due(self) -> Draft | None:
        """Whose cost is estimated next; None once all are known."""
        return next((draft for draft in self.wanted() if draft.disks and draft not in self.costs), None)

    @property
    def looking_words(self) -> str:
        return _REMOVING if self.wizard.clearing_away else _LOOKING

    def on_screen_resume(self) -> None:
        """At first, and after each restart of the selection."""
        if not self.wizard.scanned:
            self.action_look()
        elif self.is_mounted:
            self.refill()
            self.estimate_soon()

    def action_look(self) -> None:
        if not self.looking:
            self.looking = True
            self.wizard.rescan(self, self._looked)
            self.refill()

    def _looked(self) -> None:
        """Costs may have changed."""
        self.looking = False
        if self.wizard.scan_problem:
            self.refill()
        else:
            self.costs.clear()
            self.refill()
            self.estimate_soon()

    def _estimated(self, draft: Draft, cost: QuestionCost) -> None:
        self.costs[draft] = cost
        self._estimating = None
        self.refill()
        self._estimate_next()

    def estimate_soon(self) -> None:
        self.set_timer(_STILL_S, self._estimate_next)

    def _estimate_next(self) -> None:
        if self._estimating or self.looking or self.app.screen is not self:
            return
        self._estimating = self.due
        if self._estimating:
            draft = self._estimating
            self.wizard.make_plan(
                self,
                draft,
                lambda plan, obstacles: self._estimated(draft, questions.cost_of(plan)),
                lambda why: self._estimated(draft, QuestionCost(problem=why)),
            )

    def refuse(self, reason: str) -> None:
        self.app.bell()
        self.notify(reason, severity="warning", markup=False)

    def fit_window(self) -> None:
        self.refill()

    def units_changed(self) -> None:
        self.refill()

    def show_details(self, lay_out: Callable[[int], Sequence[Line]]) -> None:
        from raidtui.ui.screens.dialogs import DetailsScreen

        self.app.push_screen(DetailsScreen(lay_out))


_ENDED = ("finished", "stopped", "failed")
_MOST_JUDGED = 60


def read_run(services: Services, path: Path) -> "RunContext | None":
    """What a run's figures mean; None where it has none. In a thread, whose screen may be gone by then."""
    from raidtui.core.report.context import RunContext  # the first picture is of no run

    view = read_whole(services.feed(path))
    run = RunContext(view.plan, view.state) if view else None
    return run if run and run.answer and run.ranking else None


class JudgingScreen(BaseScreen[None]):
    """`judged`: results known so far, by the run's folder. A run that goes on after it was judged is judged again."""

    def __init__(self) -> None:
        super().__init__()
        self.judged: dict[Path, RunContext] = {}
        self._waiting: Sequence[RunStatus] = ()
        self._tried: set[tuple[Path, str, int]] = set()

    def marks_changed(self) -> None:
        """Another run is judged."""
        raise NotImplementedError

    def _judged(self, path: Path, run: "RunContext | None") -> None:
        if run:
            self.judged[path] = run
            self.marks_changed()
        self._judge_next()

    def _unread(self, path: Path, why: str) -> None:
        self._judged(path, None)

    def judge(self, runs: Sequence[RunStatus]) -> None:
        """The first one first; instead of those that were asked for before."""
        self._waiting = runs
        self._judge_next()

    def _judge_next(self) -> None:
        for run in self._waiting:
            attempt = (run.path, run.word, run.measured)
            if run.word in _ENDED and not run.alive and not run.cares and attempt not in self._tried:
                if len(self._tried) < _MOST_JUDGED:
                    self._tried.add(attempt)
                    take = partial(self._judged, run.path)
                    read = partial(read_run, self.wizard.services, run.path)
                    self.wizard.ask(self, read, take, partial(self._unread, run.path))
                return
