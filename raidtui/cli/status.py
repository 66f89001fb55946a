"""The md arrays of this machine, raidtui's or not: how they do and what to do, for people and for monitoring.

A machine at work, without a run.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidtui.cli.groups import Json
from raidtui.cli.machine import machine_of
from raidtui.cli.output import FAILED, no_full_screen, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from raidtui.core.arrays.conditions import ArraysStatus
    from raidtui.core.page.blocks import PageTable
    from raidtui.core.run.at_work import DeviceLine
    from raidtui.core.run.samples import DeviceTimes


GOOD, ATTENTION, LOST = 0, FAILED, 3  # as monitoring takes them; 2 is bad input, as everywhere


def status(
    machine: Annotated[Path | None, typer.Option(help="Recorded machine (`raidtui doctor --dump`).")] = None,
    prometheus: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write FILE for node_exporter's textfile collector instead.")
    ] = None,
    json: Json = False,
) -> None:
    """Show md arrays and ZFS pools: health, resync, boot.

    With members, and what to do. Exit code: 0 healthy, 1 needs attention, 3 degraded or failed. Only reads; starts
    nothing.
    """
    from raidtui.core.arrays.array import Grade

    if prometheus is not None and prometheus.suffix != ".prom":
        raise ValueError(f"--prometheus {prometheus}: the file name must end in .prom")
    array_status = _recorded(machine) if machine is not None else _arrays_here()
    if prometheus is not None:
        from raidtui.core.arrays.prometheus import text_of
        from raidtui.system.new_file import replace_file

        replace_file(prometheus, text_of(array_status).encode())
    if json:
        print_json("status", array_status)
    elif prometheus is None:
        from raidtui.core.arrays.status import lines_of
        from raidtui.core.text import visible

        for line in lines_of(array_status):
            print(_wrapped(visible(line)))
    codes = {Grade.GOOD: GOOD, Grade.ATTENTION: ATTENTION, Grade.DEGRADED: LOST, Grade.FAILED: LOST}
    sys.exit(codes[array_status.grade])


def _wrapped(line: str) -> str:
    """Within the terminal, what goes on below where the words begin; whole where there is none."""
    if not sys.stdout.isatty():
        return line
    import shutil
    import textwrap

    return textwrap.fill(line, shutil.get_terminal_size().columns, subsequent_indent=" " * 12, break_long_words=False)


def _arrays_here() -> "ArraysStatus":
    from raidtui.runs import kept_arrays
    from raidtui.system.arrays import now

    return now.look(kept_arrays.kept_arrays, kept_arrays.kept_pools)


def _recorded(path: Path) -> "ArraysStatus":
    import time

    from raidtui.core.arrays.status import Surroundings, status_of

    recorded = machine_of(path)
    if recorded.origin != "live":
        raise ValueError(f"{path}: this dump lacks md's state; use a recording by `raidtui doctor --dump`")
    around = Surroundings(not_read=("the files of boot, checks, runs, SMART: a recording does not hold them",))
    return status_of(recorded, around, time.time())


def watch(
    seconds: Annotated[float, typer.Option(help="Without a terminal: seconds to count.", min=0.1, max=3600)] = 2.0,
) -> None:
    """Show what disks and md arrays are doing; no root.

    As `iostat -x`. Without a terminal: one table of the next seconds.
    """
    if no_full_screen() is None:
        from raidtui.ui import launch

        sys.exit(launch.watch())
    import time

    from raidtui.core.page.markdown import markdown
    from raidtui.core.run import at_work
    from raidtui.core.run.samples import times
    from raidtui.system.arrays.now import MachineAtWork

    machine = MachineAtWork()
    devices = machine.devices()
    names = [device.name for device in devices]
    first = machine.read(names)
    time.sleep(seconds)
    found = dict(zip(names, times(first, machine.read(names)), strict=True))
    print(markdown([_devices_table(at_work.entries(devices, found, "arrays"))]), end="")


_HEADS = ("Device", "Of", "rMB/s", "wMB/s", "r/s", "w/s", "r_await, ms", "w_await, ms", "aqu-sz", "%util")


def _devices_table(lines: "Sequence[DeviceLine]") -> "PageTable":
    """Figures as `iostat -x` names them."""
    from raidtui.core.page.blocks import PageTable

    rows, array = [], ""
    for line in lines:
        array = line.device.name if line.device.level else array if line.is_member else ""
        rows.append([line.device.name, line.device.level or array, *_cells(line.times)])
    return PageTable(_HEADS, rows, 2)


def _cells(found: "DeviceTimes | None") -> list[str]:
    from raidtui.core.units import MB

    if found is None:
        return [""] * (len(_HEADS) - 2)
    rates = found.rates
    rest = (found.read_await_ms, found.write_await_ms, found.queue)
    return [
        *(f"{value / MB:.1f}" for value in (rates.read_bytes_per_s, rates.write_bytes_per_s)),
        *(f"{value or 0:.0f}" for value in (rates.reads_per_s, rates.writes_per_s)),
        *("" if value is None else f"{value:.2f}" for value in rest),
        f"{100 * rates.util:.0f}",
    ]
