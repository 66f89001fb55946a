"""The colour themes there are, each with its colours beside its name where the terminal has some."""

import sys

from raidtui.cli.output import BAD_INPUT, end


def themes() -> None:
    """List colour themes.

    Select one with RAIDTUI_THEME=NAME, or ctrl+p in the wizard.
    """
    from raidtui.ui import themes as files

    loaded = files.load()
    files.show(loaded.themes)
    print(f"your own themes (TOML): {files.folders()[-1]}", file=sys.stderr)
    if loaded.failed:
        end("; ".join(loaded.failed), BAD_INPUT)
