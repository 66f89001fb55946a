"""Screens that show the marks of runs: results are computed one run after the other, each in a thread."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from raidtui.core.report.context import RunContext
from raidtui.runs.status import RunStatus
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.services import read_whole

_ENDED = ("finished", "stopped", "failed")
_MOST_JUDGED = 60


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

    def _judged(self, path: Path, run: RunContext | None) -> None:
        if run:
            self.judged[path] = run
            self.marks_changed()
        self._judge_next()

    def _unread(self, path: Path, why: str) -> None:
        self._judged(path, None)

    def _read(self, path: Path) -> RunContext | None:
        """What a run's figures mean; None where it has none."""
        view = read_whole(self.wizard.services.feed(path))
        run = RunContext(view.plan, view.state) if view else None
        return run if run and run.answer and run.ranking else None

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
                    self.wizard.ask(self, partial(self._read, run.path), take, partial(self._unread, run.path))
                return
