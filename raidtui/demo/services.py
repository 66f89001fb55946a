"""The screens' services over a recorded run and its machine: nothing is looked up, started, stopped or written."""

import time
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import msgspec

from raidtui import recipes
from raidtui.core.disks.machine import Machine, decode
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.documents.configuration import Configuration
from raidtui.core.plan import planner
from raidtui.core.plan.answers import Answers
from raidtui.core.plan.model import Plan
from raidtui.demo import recording
from raidtui.demo.recording import Clock, Replay
from raidtui.runs.status import GOING_ON, RunStatus, status_of_run
from raidtui.ui.draft import Draft
from raidtui.ui.local import LocalServices
from raidtui.ui.services import DrivesTold, Feed, Recipes, Scan

if TYPE_CHECKING:
    from raidtui.ui.render.side_by_side_lines import SideBySide

SPEED = 20
NOTHING = "DEMO: nothing is carried out"


class DemoServices:
    """The recording `name`, replayed from each confirmation on. `clock`: seconds of any origin."""

    def __init__(self, name: str, clock: Clock = time.monotonic) -> None:
        self._folder, self._clock = recording.folder_of(name), clock
        self._started_s: float | None = None
        self._recorded = cache(recording.load)

    @cached_property
    def _machine(self) -> Machine:
        return decode((self._folder / recording.MACHINE).read_bytes())

    @property
    def demo(self) -> str:
        plan = self._recorded(self._folder).plan
        return f"DEMO: nothing is erased. The phrase replays a recorded run, whatever was planned: {plan.title}."

    def host(self) -> str:
        return self._machine.host

    def settings(self) -> Configuration:
        return LocalServices().settings()

    def scan(self) -> Scan:
        chosen = _chosen(self._recorded(self._folder).plan.answers)
        return Scan(disks_of(self._machine), self._machine.host, last=chosen)

    def health(self) -> DrivesTold:
        return DrivesTold(why_nothing="DEMO: health was not recorded")

    def recipes(self) -> Recipes:
        return LocalServices().recipes()

    def plan(self, answers: Answers, scan: Scan) -> Plan:
        return planner.make(answers, recipes.load(answers.recipe), scan.disks, scan.machine_id)

    def obstacles(self, answers: Answers) -> tuple[str, ...]:
        return ()

    def why_not_here(self, answers: Answers) -> dict[str, str]:
        return {}

    def no_practice(self) -> str:
        return NOTHING

    def start(self, plan: Plan) -> Path:
        """Of whatever was planned the recorded run is shown: Review names it."""
        self._started_s = self._clock()
        return self._folder

    def remember(self, draft: Draft) -> None:
        pass

    def type_passphrase(self, path: Path) -> None:
        pass

    def _refuse(self, *given: object, **named: object) -> NoReturn:
        raise ValueError(NOTHING)

    stop = removal = remove = keep = resumption = resume = forget = fleet = _refuse

    def compare(self, first: Path, second: Path) -> "SideBySide":
        return LocalServices().compare(first, second)

    def runs(self) -> tuple[RunStatus, ...]:
        """The recorded ones, that of this machine as far as its replay is."""
        return tuple(self._status(recording.folder_of(name)) for name in recording.SHIPPED)

    def _status(self, path: Path) -> RunStatus:
        status, recorded = status_of_run(path), self._recorded(path)
        if not self._is_replayed(path) or (state := recorded.view(self._moment_s()).state).ended:
            return status
        measured = sum(state.is_final(trial.id) for trial in recorded.plan.trials)
        return msgspec.structs.replace(
            status, word=GOING_ON, alive=True, kept=False, measured=measured, sentence="replayed now"
        )

    def feed(self, path: Path, *, live: bool = False) -> Feed:
        return Replay(self._recorded(path), self._moment_s if self._is_replayed(path) else lambda: float("inf"))

    def _is_replayed(self, path: Path) -> bool:
        return path == self._folder and self._started_s is not None

    def _moment_s(self) -> float:
        began_s = self._recorded(self._folder).events[0].at_s
        return began_s + (self._clock() - (self._started_s or 0.0)) * SPEED


def _chosen(answers: Answers) -> Draft | None:
    """What the recorded run was planned from, as the wizard has it."""
    if not isinstance(answers.disks, tuple):
        return None
    setup = answers.setup
    return Draft(
        disks=answers.disks, use=answers.use, level=setup.level, layout=setup.layout, chunk=setup.chunk,
        filesystem=setup.filesystem, recipe=answers.recipe, after=answers.after, first_sync=setup.first_sync,
    )  # fmt: skip
