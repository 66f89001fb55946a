"""The colour themes there are, each with its colours beside its name where the terminal has some."""

import sys

from raidtui.cli.output import BAD_INPUT, end


def themes() -> None:
    """The colour themes, each with its colours: RAIDTUI_THEME=NAME begins with one, ctrl+p changes it meanwhile."""
    from raidtui.ui import themes as files

    loaded = files.load()
    files.show(loaded.themes)
    print(f"Own ones, as TOML: {files.folders()[-1]}", file=sys.stderr)
    if loaded.failed:
        end("; ".join(loaded.failed), BAD_INPUT)
