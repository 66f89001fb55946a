"""Opens the full screen. While the program is being built up nothing of it is garbage: none is looked for."""

import gc
from pathlib import Path


def wizard() -> int:
    """The wizard on a full screen; the exit code."""
    gc.disable()  # before the imports: an eighth of the time to the first picture went into looking
    from raidtui.ui.app import run_wizard

    return run_wizard()


def fleet(folder: Path) -> int:
    """The screen of the runs collected in `folder`; the exit code."""
    gc.disable()
    from raidtui.ui.app import run_on

    return run_on(fleet=folder)


def attach(path: Path) -> int:
    """The live screen of the run in `path`; the exit code."""
    gc.disable()
    from raidtui.ui.app import run_on

    return run_on(attach=path)
