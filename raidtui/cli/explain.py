"""Why a test of a run is not what theory expects: the ablation that tells, shown as a plan and carried out as a run."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from raidtui.cli import completion
from raidtui.cli.confirm import Erase, EraseList
from raidtui.cli.groups import Json
from raidtui.cli.output import BAD_INPUT, end
from raidtui.cli.plan import carry_out, print_as_json, show


def explain(
    run: Annotated[str, typer.Argument(help="Run id.", autocompletion=completion.all_runs)],
    trial: Annotated[
        str,
        typer.Argument(
            help="Trial, as in `report`. Default: furthest from expected.",
            autocompletion=completion.trials,
        ),
    ] = "",
    target: Annotated[
        Path | None, typer.Option(help="Kept array: device (read-only test) or folder (one test file).")
    ] = None,
    confirm: Annotated[str, typer.Option(help="Confirmation code, printed by this command without it.")] = "",
    erase: Erase = None,
    erase_list: EraseList = None,
    detach: Annotated[
        bool, typer.Option("--detach", help="Return at once; the run continues in the background.")
    ] = False,
    json: Json = False,
) -> None:
    """Find a test's bottleneck, one change at a time.

    The test is repeated unchanged and with each suspect changed. Without --confirm: shows the plan, changes nothing.
    """
    from raidtui.core.results.ablation import NothingToExplain, answers_of
    from raidtui.runs import directory
    from raidtui.runs.journal import read_state
    from raidtui.runs.planning import plan_here

    path = directory.find(run, *directory.roots())
    plan, state = directory.read_plan(path), read_state(path / directory.JOURNAL)
    if state.kept and not target:
        end(f"{path.name}: its array is kept; give --target, its device or a folder on it", BAD_INPUT)
    try:
        answers = answers_of(plan, state, trial, str(target or ""))
    except NothingToExplain as error:
        end(f"{path.name}: {error}", BAD_INPUT)
    words = ["raidtui", "explain", path.name, *([trial] if trial else [])]
    words += ["--target", str(target)] if target else []
    if confirm:
        carry_out(answers, shlex.join(words), confirm, erase, erase_list, detach=detach)
        return
    planned = plan_here(answers)
    if json:
        print_as_json(planned)
    else:
        show(planned, words)
