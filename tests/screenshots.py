"""Makes the pictures in screenshots/ from recordings: `python -m tests.screenshots`. Same recordings, same files.

The wizard is driven by its keys over a recorded machine; live and results show a recorded run at one moment of it.
"""

import asyncio
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from textual.pilot import Pilot

from raidtui import recipes
from raidtui.core.disks.machine import decode
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.fleet.sections import ReportPart
from raidtui.core.plan import planner
from raidtui.core.plan.answers import Answers
from raidtui.core.plan.model import Plan
from raidtui.core.plan.recipe import Recipe
from raidtui.runs.follow import View
from raidtui.runs.status import RunStatus
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.draft import Draft
from raidtui.ui.render.side_by_side_lines import SideBySide
from raidtui.ui.screens.live import LiveScreen
from raidtui.ui.services import DrivesTold, Feed, Resumption, Scan
from raidtui.ui.widgets.pick_list import PickList
from tests.replay import RUNS, load

_ROOT = Path(__file__).parents[1]
_FOLDER = _ROOT / "screenshots"
_MACHINE = _ROOT / "tests" / "recordings" / "machines" / "server.json"
_SIZE = (120, 40)
_TERMINAL = {"LANG": "C.UTF-8", "TERM": "xterm-256color"}
_NOT_OF_TERMINAL = ("NO_COLOR", "RAIDTUI_THEME", "LC_ALL", "LC_CTYPE", "COLORTERM")

# The keys that lead from the picture before to this one.
WIZARD = (
    ("wizard-question", ""),
    ("wizard-disks", "enter a down down"),
    ("wizard-use", "enter down down down"),
    ("wizard-level", "enter"),
    ("wizard-layout", "enter"),
    ("wizard-filesystem", "enter down"),
    ("wizard-measure", "enter"),
    ("wizard-review", "enter"),
)


@dataclass(frozen=True)
class Recorded:
    """The outside world as recordings: a machine, and one look at a run. Nothing can be started or stopped."""

    view: View | None = None

    def host(self) -> str:
        return "server"

    def keys(self) -> dict[str, str]:
        return {}

    def scan(self) -> Scan:
        machine = decode(_MACHINE.read_bytes())
        return Scan(disks_of(machine), machine.host)

    def health(self) -> DrivesTold:
        return DrivesTold(why_nothing="of a recording no disk is asked")

    def recipes(self) -> tuple[tuple[str, Recipe], ...]:
        return tuple((name, recipes.load(name)) for name in recipes.names())

    def plan(self, answers: Answers, scan: Scan) -> Plan:
        return planner.make(answers, recipes.load(answers.recipe), scan.disks, scan.machine_id)

    def obstacles(self, answers: Answers) -> tuple[str, ...]:
        return ()

    def runs(self) -> tuple[RunStatus, ...]:
        return ()

    def forget(self, path: Path) -> None:
        raise ValueError("a recording forgets nothing")

    def fleet(self, folder: Path) -> tuple[ReportPart, ...]:
        raise ValueError("a recording is of one host")

    def compare(self, first: Path, second: Path) -> SideBySide:
        raise ValueError("a recording has nothing beside it")

    def feed(self, path: Path) -> Feed:
        return _Still(self.view)

    def start(self, plan: Plan) -> Path:
        raise ValueError("a recording starts nothing")

    def remember(self, draft: Draft) -> None:
        raise ValueError("a recording keeps nothing")

    def stop(self, path: Path) -> None:
        raise ValueError("a recording stops nothing")

    def type_passphrase(self, path: Path) -> None:
        raise ValueError("a recording waits for nobody")

    def clean(self, path: Path) -> None:
        raise ValueError("a recording clears nothing away")

    def resume(self, path: Path, *, erases: bool) -> None:
        raise ValueError("a recording goes on with nothing")

    def keep(self, path: Path) -> None:
        raise ValueError("a recording keeps nothing")

    def resumption(self, path: Path) -> Resumption:
        return Resumption()


class _Still:
    """The same view at every look."""

    def __init__(self, view: View | None) -> None:
        self._view = view

    def poll(self) -> View | None:
        return self._view


async def wizard(pictures: Sequence[tuple[str, str]] = WIZARD) -> dict[str, str]:
    """The steps of the choosing, as SVG by name."""
    app = RaidtuiApp(Recorded())
    taken = {}
    async with app.run_test(size=_SIZE) as pilot:
        await pilot.pause()
        await _reckoned(app, pilot)
        for name, keys in pictures:
            await pilot.press(*keys.split())
            await app.workers.wait_for_complete()
            await pilot.pause()
            taken[name] = svg(app, name)
    return taken


async def _reckoned(app: RaidtuiApp, pilot: Pilot[int]) -> None:
    """Beside every question stands what it costs."""
    questions = app.screen.query_one(PickList)
    while not questions.rows or any(
        len(cells := row.lines[0]) > 1 and not cells[-1][0].strip() for row in questions.rows
    ):
        await pilot.pause(0.05)


async def run(name: str, view: View) -> dict[str, str]:
    """The screen of a run at one moment, as SVG by name."""
    app = RaidtuiApp(Recorded(view), attach=Path("/var/lib/raidtui/runs") / view.state.run)
    async with app.run_test(size=_SIZE) as pilot:
        await pilot.pause()
        if isinstance(app.screen, LiveScreen):
            app.screen.tick()  # the first look came before the layout
            await pilot.pause()
        return {name: svg(app, name)}


def svg(app: RaidtuiApp, name: str) -> str:
    """What the app shows. Rich names the picture's parts by a number of its own: by the picture's name here.

    Some renderers drop blanks at the edge of a text, non-breaking ones too, unless they are told to keep them.
    """
    drawn = re.sub(r"terminal-\d+-", f"{name}-", app.export_screenshot(title="raidtui", simplify=True))
    return drawn.replace("<text ", '<text xml:space="preserve" ')


async def pictures() -> dict[str, str]:
    """All pictures, as SVG by name."""
    rack, three = load(RUNS / "rack-of-24"), load(RUNS / "raid5-of-3")
    return {
        **await wizard(),
        **await run("live", rack.view(rack.at_s("filesystem-seq_read", 0.6))),
        **await run("live-3-disks", three.view(three.at_s("filesystem-seq_write", 0.6))),
        **await run("results", three.view()),
    }


def main() -> None:
    for name in _NOT_OF_TERMINAL:
        os.environ.pop(name, None)
    os.environ.update(_TERMINAL)
    _FOLDER.mkdir(exist_ok=True)
    for name, text in asyncio.run(pictures()).items():
        path = _FOLDER / f"{name}.svg"
        path.write_text(text)
        print(path.relative_to(_ROOT))


if __name__ == "__main__":
    main()
