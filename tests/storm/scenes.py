"""Every screen of the program with something on it: from here a storm begins. Made by hand; nothing is carried out."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import msgspec

from raidtui.core.disks.disk import Disk, Usability, Verdict
from raidtui.core.fleet.fleet import fleet_of
from raidtui.runs.status import RunStatus
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.confirmation import Prompt
from raidtui.ui.draft import Draft
from raidtui.ui.render.disk_rows import DiskFacts, disk_lines
from raidtui.ui.render.fleet_rows import hosts_of
from raidtui.ui.screens import dialogs, fleet, help, runs, side_by_side
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.screens.dialogs import DetailsScreen
from raidtui.ui.screens.live import LiveScreen, TimesScreen
from raidtui.ui.screens.results import ResultsScreen
from raidtui.ui.screens.steps import screen_of
from tests.core.fleet.rack import host_run_of
from tests.ui.followed import RUN, ended
from tests.ui.machines import MIXED, OLD_DATA, SYSTEM, RecordedServices, disk, unread
from tests.ui.pages import sweep_view
from tests.ui.runs import view_of

Screen = BaseScreen[Any]

_OTHER = RUN.parent / "20260102T000000Z-dead"
_KEPT_DISK = disk("sdh", verdict=Verdict(Usability.REFUSE, "sdh is a member of md/vms", "stop the array first"))
DISKS: tuple[Disk, ...] = (*MIXED, _KEPT_DISK)
RUNS = (
    RunStatus(RUN, "going on", "3 of 12 measured", "RAID 5", 3, 12, alive=True, begun_s=5e9),
    RunStatus(_OTHER, "cut off", "its worker died", "RAID 6", 5, 12, unsettled=True, resumable=True),
    RunStatus(RUN.parent / "s", "stopped", "7 of 12 measured", "RAID 10 of 6", 7, 12, resumable=True, begun_s=3e9),
    RunStatus(RUN.parent / "k", "finished", "12 of 12 measured", "RAID 6 of 4", 12, 12, kept=True, begun_s=2e9),
    RunStatus(RUN.parent / "e", "finished", "12 of 12 measured", "RAID 1 of 2", 12, 12),
)


@dataclass(frozen=True)
class Scene:
    """How a storm over one screen begins. `screen`: what lies on top of the first step; None: that step itself.

    `keys` are pressed there before the first event.
    """

    name: str
    screen: Callable[[RaidtuiApp], Screen] | None = None
    services: Callable[[], RecordedServices] = field(default=lambda: services())
    draft: dict[str, Any] = field(default_factory=dict)
    in_practice: bool = False
    keys: tuple[str, ...] = ()


def services(*views: Any) -> RecordedServices:
    """A machine with disks of every kind, and runs in every state."""
    following = list(views) or [view_of(3, 40)]
    return RecordedServices(DISKS, views=following, all_runs=RUNS, keepers={_KEPT_DISK.id: RUN.parent / "k"})


def free(app: RaidtuiApp) -> tuple[str, ...]:
    """The disks that can be taken without a question."""
    return tuple(one.id for one in app.scan.disks if one.verdict.standing is Usability.OK)


def _step(name: str) -> Callable[[RaidtuiApp], Screen]:
    return lambda _: screen_of(name)


def _live(app: RaidtuiApp) -> Screen:
    return LiveScreen(RUN, app.services.feed(RUN))


def _of_view(make: Callable[[Any], Screen]) -> Callable[[RaidtuiApp], Screen]:
    def screen(app: RaidtuiApp) -> Screen:
        view = app.services.feed(RUN).poll()
        return make(view)

    return screen


def _details(app: RaidtuiApp) -> Screen:
    facts = DiskFacts(("watch", *("- reallocated sectors" for _ in range(60))))
    return DetailsScreen(partial(disk_lines, app.scan.disks[0], facts))


def _with_last() -> RecordedServices:
    machine = services()
    machine.last = Draft(disks=tuple(disk.id for disk in machine.disks if disk.verdict.standing is Usability.OK))
    return machine


def _without_root() -> RecordedServices:
    machine = services()
    machine.disks, machine.as_root = (SYSTEM, *unread(5)[1:], OLD_DATA), "sudo /home/me/raidtui/.venv/bin/raidtui"
    return machine


def _of_hosts() -> RecordedServices:
    machine = services()
    hosts = [host_run_of(number, slow={1: 0.6} if number == 2 else None, lost=number == 3) for number in range(30)]
    machine.hosts = fleet_of(hosts, ("node9/x: [b]no[/] \u202eplan",))
    return machine


def _dead() -> RecordedServices:
    return services(replace(view_of(3, 40), alive=False))


_PERMANENT = {"level": "1", "filesystem": "ext4", "after": "keep", "permanent": "yes"}
SCENES: tuple[Scene, ...] = (
    Scene("Start"),
    Scene("Start, as last time", services=_with_last),
    Scene("Start, without root", services=_without_root),
    Scene("Recipes", keys=("2",)),
    Scene("Disks", _step("Disks")),
    Scene("Disks, without root", _step("Disks"), services=_without_root),
    Scene("Details", _details),
    Scene("Level", _step("Level"), draft={"after": "keep"}),
    Scene("Level, measured", _step("Level"), draft={"level": "10"}),
    Scene("Chunk", _step("Chunk"), draft={"level": "10"}),
    Scene("File system", _step("File system"), draft={"filesystem": "xfs"}),
    Scene("Tests", _step("Tests")),
    Scene("Tests, a sweep", _step("Tests"), draft={"recipe": "levels-in-short", "builds": "recipe"}, keys=("s",)),
    Scene("Measure, kept at each boot", _step("Tests"), draft=_PERMANENT),
    Scene("Review", _step("Review")),
    Scene("Review of a recipe", _step("Review"), draft={"recipe": "levels-random-4k", "builds": "recipe"}),
    Scene("Live", _live),
    Scene("Live, 24 disks", _live, lambda: services(view_of(24, 60))),
    Scene("Live, 100 disks", _live, lambda: services(view_of(100, 60))),
    Scene("Live, as iostat", lambda _: TimesScreen(RUN), lambda: services(view_of(24, 60))),
    Scene("Live, its worker dead", _live, _dead),
    Scene("Live in practice", _live, in_practice=True),
    Scene("Results", _of_view(lambda view: ResultsScreen(RUN, view)), lambda: services(ended())),
    Scene("Results, kept", _of_view(lambda view: ResultsScreen(RUN, view)), lambda: services(ended(kept=True))),
    Scene(
        "Results, stopped",
        _of_view(lambda view: ResultsScreen(RUN, view)),
        lambda: services(ended("stopped", done=3, reason="stopped by a person")),
    ),
    Scene("Results of a sweep", _of_view(lambda view: ResultsScreen(RUN, view)), lambda: services(sweep_view())),
    Scene("Charts", _of_view(lambda view: ResultsScreen(RUN, view)), lambda: services(sweep_view()), keys=("2",)),
    Scene("Report", _of_view(lambda view: ResultsScreen(RUN, view)), lambda: services(ended()), keys=("5",)),
    Scene("Runs", lambda _: runs.RunsScreen(RUNS)),
    Scene("Runs, two marked", lambda _: runs.RunsScreen(RUNS), keys=("space", "down", "space")),
    Scene("Side by side", lambda _: side_by_side.SideBySideScreen(RUN, _OTHER)),
    Scene("Fleet", lambda _: fleet.FleetScreen(RUN.parent), _of_hosts),
    Scene("Fleet, one host", lambda _: fleet.HostScreen(hosts_of(_of_hosts().hosts)[0][0]), _of_hosts),
    Scene("Help", lambda app: help.HelpScreen(app.screen)),  # type: ignore[arg-type]
    Scene("Typed word", lambda _: dialogs.TypedScreen(Prompt("Stop the run?", "stop, in these words"))),
    Scene("File name", lambda _: dialogs.PathScreen("Write it to which file?", "./report.md")),
)


def place(app: RaidtuiApp, scene: Scene) -> None:
    """Puts the scene's screen on top, with its draft in hand."""
    app.draft = msgspec.structs.replace(Draft(disks=free(app)), **scene.draft)
    if scene.screen:
        app.push_screen(scene.screen(app))
