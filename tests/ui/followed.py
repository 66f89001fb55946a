"""A run that is followed: the app attached to it, its end, what its screen shows."""

from pathlib import Path

from raidtui.core.run import events
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.services import RunView
from raidtui.ui.widgets.lines import Lines, Sliced
from tests.ui.machines import RecordedServices
from tests.ui.runs import START_S, View, view_of

RUN = Path("/var/lib/raidtui/runs/20260101T000000Z-abcd")


def live_app(*views: RunView) -> RaidtuiApp:
    return RaidtuiApp(RecordedServices(views=list(views)), attach=RUN)


def ended(outcome: str = "finished", kept: bool = False, done: int = 100, reason: str = "") -> View:
    end = events.RunEnded(at_s=START_S + 90, outcome=outcome, kept=kept, reason=reason)
    return view_of(3, 40, end, done=done, after="keep" if kept else "teardown")


def text(app: RaidtuiApp, selector: str) -> str:
    return app.screen.query_one(selector, Lines).text


def live_text(app: RaidtuiApp) -> str:
    """All that Live says in words."""
    return "\n".join(text(app, f"#{name}") for name in ("hero-title", "axis", "status", "disks-title", "trials"))


def disks_text(app: RaidtuiApp) -> str:
    return sliced_text(app.screen.query_one("#disks", Sliced))


def sliced_text(sliced: Sliced) -> str:
    """Its columns beside each other."""
    columns = [
        [row.ljust(end - first) for row in one.text.split("\n")]
        for one, first, end in zip(sliced._slices, sliced._cuts, sliced._cuts[1:], strict=False)
    ]
    most = max(map(len, columns), default=0)
    columns = [[*rows, *[" " * len(rows[0])] * (most - len(rows))] for rows in columns]
    return "\n".join("".join(row).rstrip() for row in zip(*columns, strict=False))
