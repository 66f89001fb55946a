"""Opens the full screen. While the program is being built up nothing of it is garbage: none is looked for."""

import gc
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from raidtui.ui.background import BackgroundQuery

if TYPE_CHECKING:
    from raidtui.ui.services import Services


def wizard(services: "Callable[[], Services] | None" = None) -> int:
    """The wizard on a full screen, of this machine unless `services` makes another's; the exit code."""
    gc.disable()  # before the imports: an eighth of the time to the first picture went into looking
    asked = BackgroundQuery()  # its answer comes while the program is imported
    from raidtui.ui.app import run_wizard

    return run_wizard(services() if services else None, background=asked.answer())


def fleet(folder: Path) -> int:
    """The screen of the runs collected in `folder`; the exit code."""
    gc.disable()
    asked = BackgroundQuery()
    from raidtui.ui.app import run_on
    from raidtui.ui.screens.fleet import FleetScreen

    return run_on(asked.answer(), alone=lambda: FleetScreen(folder))


def attach(path: Path) -> int:
    """The live screen of the run in `path`; the exit code."""
    gc.disable()
    asked = BackgroundQuery()
    from raidtui.ui.app import run_on

    return run_on(asked.answer(), attach=path)


def watch() -> int:
    """The screen of this machine at work; the exit code."""
    gc.disable()
    asked = BackgroundQuery()
    from raidtui.system.arrays.now import MachineAtWork
    from raidtui.ui.app import run_on
    from raidtui.ui.screens.watch import WatchScreen

    return run_on(asked.answer(), alone=lambda: WatchScreen(MachineAtWork()))
