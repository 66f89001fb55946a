"""A run for other programs: its figures as CSV, its standing and results for Prometheus, its seconds one by one."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidtui.cli import completion

if TYPE_CHECKING:
    from collections.abc import Iterator

    from raidtui.core.run.seconds import Second


class SampleForm(StrEnum):
    """How seconds are written."""

    CSV = "csv"
    JSONL = "jsonl"


def export(
    run: Annotated[
        str, typer.Argument(help="A run's id; the newest if left out.", autocompletion=completion.all_runs)
    ] = "",
    samples: Annotated[
        SampleForm | None, typer.Option("--samples", help="Each second of each disk instead: CSV or JSON lines.")
    ] = None,
    prometheus: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write it for node_exporter's textfile collector instead.")
    ] = None,
) -> None:
    """A run's figures as CSV, a line a test with host, run and date; of a run that is going on, too."""
    if samples and prometheus:
        raise ValueError("--samples, --prometheus: give one of them")
    if prometheus is not None and prometheus.suffix != ".prom":
        raise ValueError(f"--prometheus {prometheus}: the collector reads files that end in .prom; name it so")
    from raidtui.runs import directory
    from raidtui.runs.journal import read_state

    path = directory.find(run, *directory.roots())
    plan, state = directory.read_plan(path), read_state(path / directory.JOURNAL)
    if plan.care:
        raise ValueError(f"{path.name} cares for an array and measures nothing; `raidtui report` tells what came of it")
    if samples:
        from raidtui.core.run.seconds import seconds
        from raidtui.runs.fleet.recorded import all_samples

        _print_seconds(
            seconds(*all_samples(path), state), samples, path.name, state.worker.host if state.worker else ""
        )
        return
    from raidtui.core.fleet.host_run import host_run

    host_run_values = host_run(plan, state, path.name, str(path), "")
    if prometheus is not None:
        from raidtui.core.fleet.metrics import text_of
        from raidtui.runs.status import standing
        from raidtui.system.new_file import replace_file

        status = standing(path)
        replace_file(prometheus, text_of(host_run_values, status.alive, status.left_s).encode())
        return
    from raidtui.core.fleet.fleet import fleet_of
    from raidtui.core.fleet.lines import lines

    print(lines(fleet_of([host_run_values])), end="")


def _print_seconds(seconds_told: "Iterator[Second]", sample_form: SampleForm, run: str, host: str) -> None:
    """A line a second of a device, as they come: a week's run has millions."""
    import csv

    import msgspec

    from raidtui.core.run.seconds import Second

    if sample_form is SampleForm.JSONL:
        for second in seconds_told:
            sys.stdout.write(msgspec.json.encode(second).decode() + "\n")
        return
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("host", "run", *Second.__struct_fields__))
    for second in seconds_told:
        writer.writerow((host, run, *("" if value is None else value for value in msgspec.structs.astuple(second))))
