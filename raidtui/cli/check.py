"""A run held against thresholds and an earlier run, for people and for CI: a sentence each, and an exit code."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidtui.cli import completion
from raidtui.cli.groups import Json
from raidtui.cli.output import FAILED, print_json

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
    from raidtui.runs.journal import read_state

    path = directory.find(run, *directory.roots())
    plan, state = directory.read_plan(path), read_state(path / directory.JOURNAL)
    if plan.care:
        raise ValueError(f"{path.name}: maintenance run without measurements; use `raidtui report {path.name}`")
    values = RunValues(plan, state)
    if names:
        _print_names(values, json)
        return
    checks = acceptance.of_thresholds(values, fail_if or [], plan.expect)
    if against:
        base = directory.find(against, *directory.roots())
        base_state = read_state(base / directory.JOURNAL)
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
