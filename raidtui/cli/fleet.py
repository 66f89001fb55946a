"""Runs of many hosts as one report."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from raidtui.cli.groups import Json
from raidtui.cli.output import need_full_screen, print_json


def fleet(
    folder: Annotated[Path, typer.Argument(help="Folder with collected run folders, at any depth.")],
    html: Annotated[bool, typer.Option("--html", help="Print one self-contained HTML page, with charts.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV, one line per host and test.")] = False,
    screen: Annotated[bool, typer.Option("--screen", help="Show it full screen, section by section.")] = False,
    json: Json = False,
) -> None:
    """Summarize runs collected from many hosts.

    Failures, slow hosts and disks, the same answer files side by side, as Markdown. Collect runs first, e.g.
    `rsync -a HOST:/var/lib/raidtui/runs/ FOLDER/HOST/`. The newest run of each host and experiment counts.
    """
    if html + csv + json + screen > 1:
        raise ValueError("--html, --csv, --json, --screen: give only one")
    if screen:
        need_full_screen("leave --screen out to print the report")
        from raidtui.ui import launch

        sys.exit(launch.fleet(folder))
    from raidtui.runs import collected

    runs_collected = collected.fleet(folder)
    if json:
        print_json("fleet", runs_collected)
    elif csv:
        from raidtui.core.fleet.exports import csv_of

        print(csv_of(runs_collected), end="")
    elif html:
        from raidtui.core.fleet.sections import blocks, sections
        from raidtui.core.page.html import html as page

        title = f"raidtui fleet: {sections(runs_collected)[0].title}"
        print(page(title, blocks(runs_collected)), end="")
    else:
        from raidtui.core.fleet.sections import blocks
        from raidtui.core.page.markdown import markdown

        print(markdown(blocks(runs_collected)), end="")
