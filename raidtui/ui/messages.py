"""What was done off the screen's thread, each result a message to the screen that asked for it.

A message reaches its screen whatever lies on top of it. `RunsFound`, `RunStarted` and `NotRemembered` are the app's
own: a run that is there is shown, whichever screen is left of those that led to it. Handled as `on_plan_made` …
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message

from raidtui.core.plan.answers import Answers
from raidtui.core.plan.model import Plan
from raidtui.core.plan.recipe import Recipe
from raidtui.runs.status import RunStatus
from raidtui.ui.draft import Draft
from raidtui.ui.services import DrivesTold, Resumption, Scan

if TYPE_CHECKING:
    from raidtui.core.fleet.sections import ReportPart
    from raidtui.core.report.context import RunContext
    from raidtui.ui.render.side_by_side_lines import SideBySide


@dataclass(eq=False)
class Scanned(Message, bubble=False):
    """The machine was looked at."""

    scan: Scan
    recipes: tuple[tuple[str, Recipe], ...]


@dataclass(eq=False)
class DrivesSeen(Message, bubble=False):
    """The drives were asked for their health; and all runs there are, of which some were on them."""

    health: DrivesTold
    runs: tuple[RunStatus, ...]


@dataclass(eq=False)
class ScanFailed(Message, bubble=False):
    """The machine could not be looked at: one sentence."""

    sentence: str


@dataclass(eq=False)
class PracticeTried(Message, bubble=False):
    """Whether practice disks are possible: why not, one sentence; "" where they are."""

    why_not: str


@dataclass(eq=False)
class PlanMade(Message, bubble=False):
    """The draft became a plan. `obstacles`: what keeps it from being started here."""

    draft: Draft
    plan: Plan
    obstacles: tuple[str, ...]


@dataclass(eq=False)
class PlanFailed(Message, bubble=False):
    """The draft cannot be a plan: one sentence."""

    draft: Draft
    sentence: str


@dataclass(eq=False)
class RunsListed(Message, bubble=False):
    """All runs of this machine, as they stand now."""

    runs: tuple[RunStatus, ...]


@dataclass(eq=False)
class RunJudged(Message, bubble=False):
    """The results of one run, computed; None where it cannot be read."""

    path: Path
    run: "RunContext | None"


@dataclass(eq=False)
class RunsCompared(Message, bubble=False):
    """Two runs, test by test."""

    comparison: "SideBySide"


@dataclass(eq=False)
class FleetRead(Message, bubble=False):
    """Collected runs of many hosts, part by part; the first says what there is to say of all."""

    parts: "tuple[ReportPart, ...]"


@dataclass(eq=False)
class RunsChanged(Message, bubble=False):
    """A run does not stand any more as a list of runs may show it."""


@dataclass(eq=False)
class AblationMade(Message, bubble=False):
    """The answers that explain a run, and the machine as it is now."""

    answers: Answers
    scan: Scan
    recipes: tuple[tuple[str, Recipe], ...]


@dataclass(eq=False)
class RunsFound(Message, bubble=False):
    """Some of these runs are going on, need to be seen to, or can be gone on with: all of them are shown first."""

    runs: tuple[RunStatus, ...]


@dataclass(eq=False)
class RunsThatEnd(Message, bubble=False):
    """All runs of a machine that ends with the program."""

    runs: tuple[RunStatus, ...]


@dataclass(eq=False)
class MembersSeen(Message, bubble=False):
    """A run that is to go on was looked at: its members as they are now, and whether its array stands."""

    path: Path
    resumption: Resumption


@dataclass(eq=False)
class RunStarted(Message, bubble=False):
    """The worker was started; its run directory."""

    path: Path


@dataclass(eq=False)
class NotRemembered(Message, bubble=False):
    """What was chosen could not be kept for next time: why."""

    sentence: str


@dataclass(eq=False)
class RunCleaned(Message, bubble=False):
    """What a run had kept or left was cleared away."""

    path: Path


@dataclass(eq=False)
class RunUndone(Message, bubble=False):
    """What made a run's array permanent was taken back; the array stands."""

    path: Path


@dataclass(eq=False)
class NameAsked(Message, bubble=False):
    """What a run built is not removed until its `name` is typed: the reason in one sentence. `go` asks again with it,
    for `doing`, a beginning of a line.
    """

    path: Path
    sentence: str
    name: str
    doing: str
    go: Callable[[], None]


@dataclass(eq=False)
class RunFailed(Message, bubble=False):
    """A run could not be started, stopped or cleared away: one sentence."""

    sentence: str
