"""Messages of what was done off the screen's thread: the machine looked at, the plan made, the run started."""

from pathlib import Path

from textual.message import Message

from raidtui.core.plan.model import Member, Plan
from raidtui.core.plan.recipe import Recipe
from raidtui.runs.status import RunStatus
from raidtui.ui.draft import Draft
from raidtui.ui.services import Scan


class Scanned(Message):
    """The machine was looked at."""

    def __init__(self, scan: Scan, recipes: tuple[tuple[str, Recipe], ...]) -> None:
        super().__init__()
        self.scan = scan
        self.recipes = recipes


class ScanFailed(Message):
    """The machine could not be looked at: one sentence."""

    def __init__(self, sentence: str) -> None:
        super().__init__()
        self.sentence = sentence


class PlanMade(Message):
    """The draft became a plan. `obstacles`: what keeps it from being started here."""

    def __init__(self, draft: Draft, plan: Plan, obstacles: tuple[str, ...]) -> None:
        super().__init__()
        self.draft = draft
        self.plan = plan
        self.obstacles = obstacles


class PlanFailed(Message):
    """The draft cannot be a plan: one sentence."""

    def __init__(self, draft: Draft, sentence: str) -> None:
        super().__init__()
        self.draft = draft
        self.sentence = sentence


class RunsFound(Message):
    """Runs are going on, or need to be seen to."""

    def __init__(self, runs: tuple[RunStatus, ...]) -> None:
        super().__init__()
        self.runs = runs


class MembersSeen(Message):
    """The members of a run that is to go on, as they are now, if somebody may have taken them meanwhile."""

    def __init__(self, path: Path, members: tuple[Member, ...]) -> None:
        super().__init__()
        self.path = path
        self.members = members


class RunStarted(Message):
    """The worker was started; its run directory."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path


class RunCleaned(Message):
    """What a run had kept or left was taken apart."""


class RunKept(Message):
    """What a killed run had built stays."""


class RunFailed(Message):
    """A run could not be started, stopped or cleared away: one sentence."""

    def __init__(self, sentence: str) -> None:
        super().__init__()
        self.sentence = sentence
