"""Runs of many hosts as one report."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from raidtui.cli.output import Json, need_full_screen, print_json


def fleet(
    folder: Annotated[Path, typer.Argument(help="A folder of collected run folders, at any depth.")],
    html: Annotated[bool, typer.Option("--html", help="Print one self-contained HTML page, with charts.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV: a line a test of a host.")] = False,
    screen: Annotated[bool, typer.Option("--screen", help="Show it on a full screen, part by part.")] = False,
    json: Json = False,
) -> None:
    """Runs of many hosts as one report: what failed, the slow machine and the slow disk, the same answers side by side.

    Runs are copied there by whatever copies files (`rsync -a HOST:/var/lib/raidtui/runs/ FOLDER/HOST/`). Of each host
    and each experiment the newest run counts. Prints markdown.
    """
    if html + csv + json + screen > 1:
        raise ValueError("--html, --csv, --json, --screen: give one of them")
    if screen:
        need_full_screen("without one leave --screen out: the report is printed")
        from raidtui.ui import launch

        sys.exit(launch.fleet(folder))
    from raidtui.runs.fleet import collected

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
