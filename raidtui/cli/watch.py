"""A machine at work, without a run."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from raidtui.cli.output import no_full_screen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from raidtui.core.page.blocks import PageTable
    from raidtui.core.run.at_work import DeviceLine
    from raidtui.core.run.samples import DeviceTimes


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
    from raidtui.system.arrays.at_work import MachineAtWork

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
