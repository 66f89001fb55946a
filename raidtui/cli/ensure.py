"""An array that shall stand, for programs that ask again and again: nothing where it does, else a plan and its code."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from raidtui.cli import completion
from raidtui.cli.confirm import why_not_confirmed, why_not_named
from raidtui.cli.output import FAILED, REFUSED, end, print_json, print_notice
from raidtui.cli.runs import watch_to_its_end

if TYPE_CHECKING:
    from raidtui.core.care.ensured import Ensured
    from raidtui.core.plan.answers import Answers
    from raidtui.core.plan.model import Plan

ErasedByEnsure = Annotated[
    list[str] | None,
    typer.Option(
        "--erase",
        metavar="NAME",
        help="Doubtful disk; with --absent: the array's UUID.",
        autocompletion=completion.members,
    ),
]


def ensure(
    answers: Annotated[Path, typer.Argument(help="Answer file (TOML) of a kept array.")],
    check: Annotated[bool, typer.Option("--check", help="Dry run: show the difference, change nothing.")] = False,
    absent: Annotated[bool, typer.Option("--absent", help="Remove boot entries; the array with --erase UUID.")] = False,
    confirm: Annotated[str, typer.Option(help="Confirmation code from `raidtui plan`.")] = "",
    erase: ErasedByEnsure = None,
) -> None:
    """Create the array if it does not exist (idempotent).

    Prints JSON: changed, uuid, run, refused, erase, diff; if the array does not exist, its plan. Exit code 3: refused,
    or the code is missing. With --absent: the reverse.
    """
    import msgspec

    from raidtui.core.care import ensured
    from raidtui.core.plan.answers import AnswersError, PlanNotSafe
    from raidtui.runs.planning import read_answers
    from raidtui.system.doctor import missing_for_run

    if missing := missing_for_run():
        end(missing, FAILED)
    wanted_answers = read_answers(answers)
    if reason := ensured.why_not(wanted_answers):
        raise AnswersError(f"{answers}: {reason}")
    if absent:
        from raidtui.runs.care import planning
        from raidtui.runs.locks import machine_here

        _end_with(
            planning.removed(wanted_answers, machine_here(), check=check, confirm=confirm, erase=erase or []), check
        )
    try:
        outcome = _existing_or_planned(wanted_answers)
    except PlanNotSafe as refused:
        _end_with(ensured.Ensured(refused=str(refused)), check)
    if outcome.plan is None:
        _end_with(outcome, check)
    named = erase or []
    if check and not confirm:
        refused_for = why_not_named(outcome.plan.members, named)
    else:
        refused_for = why_not_confirmed(outcome.plan, f"raidtui plan {answers}", confirm, named)
    if check or refused_for:
        _end_with(msgspec.structs.replace(outcome, refused=refused_for, changed=not refused_for), check)
    _carry_out(outcome.plan)


def _existing_or_planned(answers: "Answers") -> "Ensured":
    """What stands, or the plan of what does not."""
    from raidtui.core.care import ensured
    from raidtui.runs import ensuring
    from raidtui.runs.locks import machine_here
    from raidtui.runs.planning import plan_for

    machine = machine_here()
    if standing := ensuring.existing_for(answers, machine):
        return standing
    return ensured.planned(plan_for(answers, machine))


def _carry_out(plan: "Plan") -> NoReturn:
    """The run of the plan, to its end, and what came of it; Ctrl-C stops it."""
    from raidtui.core.care import ensured
    from raidtui.runs import directory, launch

    path = launch.start(plan, directory.runs_root())
    code = watch_to_its_end(path, report=False)
    state = directory.read_state(path)
    ending = "" if code == 0 else state.reason or state.outcome or "its worker died"
    outcome = ensured.carried_out(
        directory.read_plan(path),
        path.name,
        stands=state.kept,
        wrote=bool(state.written),
        refused=ending if state.refused else "",
        failed="" if state.refused else ending,
    )
    print_json("ensured", outcome)
    sys.exit(code)


def _end_with(outcome: "Ensured", check: bool) -> NoReturn:
    """The JSON for the program that asked, a sentence and a check's diff for a person beside it."""
    from difflib import unified_diff

    from raidtui.core.care.ensured import NO_ARRAY

    print_json("ensured", outcome)
    if check:
        lines_before, lines_after = (text.splitlines() for text in (outcome.diff.before, outcome.diff.after))
        for line in unified_diff(lines_before, lines_after, "now", "then", lineterm=""):
            print_notice(line)
    if outcome.refused:
        end(f"refused: {outcome.refused}", REFUSED)
    if outcome.failed:
        end(outcome.failed, FAILED)
    exists_now, exists_then = (text != NO_ARRAY for text in (outcome.diff.before, outcome.diff.after))
    if not outcome.changed:
        done = f"array {'exists' if exists_now else 'does not exist'}; nothing to do"
    elif check:
        done = f"nothing was changed; would be {'built' if exists_then else 'removed'}"
    else:
        done = "array removed"
    print_notice(f"raidtui: {done}")
    sys.exit(0)
