"""What the screens ask, answered from recordings. Nothing is started, stopped or written."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

from raidtui.core.disks.machine import decode
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.fleet.fleet import Fleet
from raidtui.core.plan.model import Plan
from raidtui.core.run.samples import Sample, first_at
from raidtui.demo.recording import load
from raidtui.runs import collected, status
from raidtui.runs.follow import View
from raidtui.runs.status import RunStatus
from raidtui.ui.local import LocalServices
from raidtui.ui.render.side_by_side_lines import SideBySide
from raidtui.ui.services import DrivesTold, Feed, Scan
from tests.replay import RUNS
from tests.ui.machines import ListFeed, RecordedServices

SERVER = RUNS.parent / "machines" / "server.json"


def path_of(view: View) -> Path:
    """Where such a run lies on a server."""
    return Path("/var/lib/raidtui/runs") / view.state.run


@dataclass
class Recorded(RecordedServices):
    """A machine, and one look at a run, which may be followed by another."""

    machine: Path = SERVER
    view: View | None = None

    def host(self) -> str:
        return "server"

    def health(self) -> DrivesTold:
        return DrivesTold(why_nothing="a recording has no disks to ask")

    def scan(self) -> Scan:
        machine = decode(self.machine.read_bytes())
        return Scan(disks_of(machine), machine.host)

    def runs(self) -> tuple[RunStatus, ...]:
        return status.all_statuses(RUNS)

    def fleet(self, folder: Path) -> Fleet:
        """The recorded runs of a rack and of a small server, as they are collected."""
        with TemporaryDirectory() as place:
            for host, name in (("rack", "rack-of-24"), ("server", "raid5-of-3")):
                copytree(RUNS / name, Path(place) / host / name)
            return collected.fleet(Path(place))

    def compare(self, first: Path, second: Path) -> SideBySide:
        return LocalServices().compare(first, second)

    def feed(self, path: Path, *, live: bool = False) -> Feed:
        """Of a recorded run it, of another the one that is shown now."""
        return ListFeed([load(path).view()]) if path.is_dir() else self

    def poll(self) -> View | None:
        """The look at the run that is shown now."""
        return self.view

    def at(self, moments_s: Sequence[float]) -> Sequence[Sample | None]:
        return first_at(self.view.history if self.view else (), moments_s)

    def start(self, plan: Plan) -> Path:
        """Only the run that was recorded."""
        if self.view is None or (plan.title, plan.answers.recipe) != (
            self.view.plan.title,
            self.view.plan.answers.recipe,
        ):
            raise ValueError("a recording starts nothing else")
        return path_of(self.view)
