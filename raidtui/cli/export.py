"""A run for other programs: held against thresholds and an earlier run; figures as CSV, for Prometheus, per second;
what fio gave for fio-plot.
"""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidtui.cli import completion
from raidtui.cli.groups import Json
from raidtui.cli.output import FAILED, print_json, print_notice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from raidtui.core.plan.model import Plan
    from raidtui.core.run.samples import Second
    from raidtui.core.run.state import RunState


class SampleForm(StrEnum):
    """How seconds are written."""

    CSV = "csv"
    JSONL = "jsonl"


def export(
    run: Annotated[str, typer.Argument(help="Run id. Default: the newest.", autocompletion=completion.all_runs)] = "",
    samples: Annotated[
        SampleForm | None, typer.Option("--samples", help="Every second of every disk instead: CSV or JSON lines.")
    ] = None,
    prometheus: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write FILE for node_exporter's textfile collector instead.")
    ] = None,
    fio_plot: Annotated[
        Path | None, typer.Option("--fio-plot", metavar="FOLDER", help="Write fio's results for fio-plot instead.")
    ] = None,
) -> None:
    """Export results (CSV, Prometheus, fio-plot).

    One line per test with host, run and date. Also for a run that is still running.
    """
    if sum(map(bool, (samples, prometheus, fio_plot))) > 1:
        raise ValueError("--samples, --prometheus, --fio-plot: give only one")
    if prometheus is not None and prometheus.suffix != ".prom":
        raise ValueError(f"--prometheus {prometheus}: the file name must end in .prom")
    from raidtui.runs import directory

    path = directory.find(run, *directory.roots())
    plan, state = directory.read_run(path)
    if plan.care:
        raise ValueError(f"{path.name}: maintenance run without measurements; use `raidtui report {path.name}`")
    if samples:
        from raidtui.core.run.samples import seconds
        from raidtui.runs.collected import all_samples

        _print_seconds(
            seconds(*all_samples(path), state), samples, path.name, state.worker.host if state.worker else ""
        )
        return
    if fio_plot is not None:
        _lay_out(plan, state, path, fio_plot)
        return
    from raidtui.core.fleet.host_run import host_run

    host_run_values = host_run(plan, state, path.name, str(path), "")
    if prometheus is not None:
        from raidtui.core.fleet.exports import metrics_of
        from raidtui.runs.status import status_of_run
        from raidtui.system.new_file import replace_file

        status = status_of_run(path)
        replace_file(prometheus, metrics_of(host_run_values, status.alive, status.left_s).encode())
        return
    from raidtui.core.fleet.exports import csv_of
    from raidtui.core.fleet.fleet import fleet_of

    print(csv_of(fleet_of([host_run_values])), end="")


def _text(file: Path) -> str:
    from raidtui.system.files import trusted

    return trusted.read(file, 256 << 20).decode(errors="replace")


def _lay_out(plan: "Plan", state: "RunState", path: Path, folder: Path) -> None:
    """fio's results in a new folder, and what fio-plot is asked for to draw them."""
    import shlex

    from raidtui.core.run.fio_plot import layout
    from raidtui.system.new_file import make_folder, write_new

    files = {trial.id: path / "fio" / f"{trial.id}.json" for trial in plan.trials}
    laid_out = layout(plan, state, {trial: _text(file) for trial, file in files.items() if file.is_file()})
    for sentence in laid_out.left_out:
        print_notice(f"raidtui: left out: {sentence}")
    if not laid_out.folders:
        raise ValueError(f"{path / 'fio'}: no complete fio result that fio-plot could draw")
    if folder.exists():
        raise ValueError(f"{folder}: exists already; give a new folder")
    for series in laid_out.folders:
        make_folder((folder / series.folder).absolute())
        for name, content in series.files.items():
            write_new((folder / series.folder / name).absolute(), content)
        print(shlex.join(("fio-plot", "--input-directory", str(folder / series.folder), *series.options)))


def _print_seconds(samples: "Iterator[Second]", sample_form: SampleForm, run: str, host: str) -> None:
    """A line a second of a device, as they come: a week's run has millions."""
    import csv

    import msgspec

    from raidtui.core.run.samples import Second

    if sample_form is SampleForm.JSONL:
        for second in samples:
            sys.stdout.write(msgspec.json.encode(second).decode() + "\n")
        return
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("host", "run", *Second.__struct_fields__))
    for second in samples:
        writer.writerow((host, run, *("" if value is None else value for value in msgspec.structs.astuple(second))))


if TYPE_CHECKING:
    from collections.abc import Sequence

    from raidtui.core.answer.acceptance import CheckResult, RunValues

_OUTCOME_CELLS = len("skipped")
_FOLDED_FROM = 4  # passed checks of one threshold, from which on one line says all


def check(
    run: Annotated[str, typer.Argument(help="Run id. Default: the newest.", autocompletion=completion.all_runs)] = "",
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-if", metavar="THRESHOLD", help="E.g. `seq_read.gain < 5` or `slow_disks > 0`; repeatable."
        ),
    ] = None,
    against: Annotated[
        str, typer.Option(help="Earlier run: fail if significantly slower.", autocompletion=completion.all_runs)
    ] = "",
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write JUnit XML, for a CI server.")] = None,
    names: Annotated[
        bool, typer.Option("--names", help="List the names a threshold can use, with their values.")
    ] = False,
    json: Json = False,
) -> None:
    """Check a run against thresholds or an earlier run.

    The thresholds are those of --fail-if and of its recipe (`[[expect]]`); "significantly" is as in `compare`. Exit
    code: 0 all passed, 1 one failed or inconclusive, 2 bad input.
    """
    from raidtui.core.answer import acceptance
    from raidtui.core.answer.acceptance import RunValues
    from raidtui.core.text import visible
    from raidtui.runs import directory

    path = directory.find(run, *directory.roots())
    plan, state = directory.read_run(path)
    if plan.care:
        raise ValueError(f"{path.name}: maintenance run without measurements; use `raidtui report {path.name}`")
    values = RunValues(plan, state)
    if names:
        _print_names(values, json)
        return
    checks = acceptance.of_thresholds(values, fail_if or [], plan.expect)
    if against:
        base = directory.find(against, *directory.roots())
        base_state = directory.read_state(base)
        checks += acceptance.against(values, directory.read_plan(base), base_state, base.name)
    if not checks:
        raise ValueError(
            "nothing to check: the recipe has no thresholds; give --fail-if THRESHOLD or --against RUN"
            " (--names lists the names)"
        )
    outcomes = {check_result.outcome for check_result in checks}
    passed = "passed" in outcomes and "failed" not in outcomes
    if json:
        print_json("check", acceptance.CheckDocument(run=path.name, passed=passed, checks=tuple(checks)))
    else:
        for line in _lines(checks):
            print(visible(line))
    if junit is not None:
        from raidtui.core.answer.acceptance import document
        from raidtui.system.new_file import replace_file

        host = state.worker.host if state.worker else ""
        replace_file(junit.absolute(), document(path.name, host, state.started_at_s, checks).encode())
    sys.exit(0 if passed else FAILED)


def _lines(checks: "Sequence[CheckResult]") -> list[str]:
    """A line each, but one for many of one threshold that passed."""
    passed: dict[str, int] = {}
    for check_result in checks:
        passed[check_result.name] = passed.get(check_result.name, 0) + (check_result.outcome == "passed")
    lines = []
    for check_result in checks:
        if check_result.outcome == "passed" and passed[check_result.name] >= _FOLDED_FROM:
            continue
        outcome = "FAILED" if check_result.outcome == "failed" else check_result.outcome
        lines.append(f"{outcome.ljust(_OUTCOME_CELLS)}  {check_result.name}: {check_result.sentence}")
    return lines + [
        f"{'passed'.ljust(_OUTCOME_CELLS)}  {name}: {count} values"
        for name, count in passed.items()
        if count >= _FOLDED_FROM
    ]


def _print_names(values: "RunValues", json: bool) -> None:
    from raidtui.core.answer.acceptance import number
    from raidtui.core.text import visible

    values_named = list(values.every_value())
    if json:
        from raidtui.core.documents.documents import NamedValue, NamesDocument

        print_json(
            "names",
            NamesDocument(
                names=tuple(
                    NamedValue(name=name, unit=named.unit, words=named.words, of=value.of, value=value.value)
                    for name, named, value in values_named
                )
            ),
        )
        return
    heading = ""
    for name, named, value in values_named:
        test, _, figure = name.rpartition(".")
        if value.of != heading:
            heading = value.of
            print()
            print(visible(f"{test}: {heading}"))
        value_text = "unknown" if value.value is None else number(value.value, named.unit)
        print(visible(f"  {'.' if test else ''}{figure:<18}  {value_text:>13}  {named.words}"))
