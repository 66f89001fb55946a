"""The wizard, on this machine's disks, on practice disks, or over a recorded run."""

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidtui import __version__
from raidtui.cli import completion
from raidtui.cli.output import no_full_screen, open_wizard, print_notice

if TYPE_CHECKING:
    from raidtui.ui.services import Services


def _print_version(version_asked: bool) -> None:
    if version_asked:
        print(f"raidtui {__version__}")
        raise typer.Exit


def wizard(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", "-V", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        open_wizard()


def practice(
    disks: Annotated[int, typer.Option(help="Number of virtual disks.", min=1, max=24)] = 6,
    disk_size: Annotated[str, typer.Option(help="Size of each disk.")] = "512MiB",
    disk_speed: Annotated[str, typer.Option(help="Throughput limit of each disk; 0: none.")] = "94MB/s",
    disk_iops: Annotated[int, typer.Option(help="IOPS limit of each disk (one spindle); 0: none.", min=0)] = 0,
) -> None:
    """Run the wizard on virtual disks; this host is untouched.

    Without a terminal: a quick look at RAID 5, then its report.
    """
    from raidtui.practice import session

    sys.exit(
        session.run(
            disks=disks,
            disk_size=disk_size,
            disk_speed=disk_speed,
            disk_iops=disk_iops,
            full_screen=no_full_screen() is None,
        )
    )


def demo(
    run: Annotated[
        str, typer.Option(help="Recording: raid6-of-6, slow-of-24.", autocompletion=completion.recordings)
    ] = "raid6-of-6",
    record: Annotated[Path | None, typer.Option(help="Write an animated SVG to this new file.")] = None,
) -> None:
    """Replay a recorded run; nothing is touched, no root.

    Through the same screens, 20 times as fast. Without a terminal: the run's report.
    """
    from raidtui.demo import recording

    folder = recording.folder_of(run)
    if record:
        from raidtui.demo.film import film
        from raidtui.system.new_file import write_new

        if os.path.lexists(record):
            raise ValueError(f"{record}: exists already; choose another file")
        write_new(record.absolute(), film(run).encode())
        return
    if no_full_screen() is None:
        from raidtui.ui import launch

        code = launch.wizard(partial(_over, run))
        _tell_own_disks()
        sys.exit(code)
    from raidtui.core.report.markdown import whole

    print_notice(f"DEMO: report of the recorded run {run}; nothing is touched")
    recorded = recording.load(folder)
    print(whole(recorded.plan, recorded.view().state), end="")
    _tell_own_disks()


def _tell_own_disks() -> None:
    from raidtui.system.privilege import as_root

    print_notice(f"The demo touched nothing. On your own disks: `{as_root()}`")


def _over(run: str) -> "Services":
    from raidtui.demo.services import DemoServices

    return DemoServices(run)
