"""An array that shall stand, for programs that ask again and again: nothing where it does, else a plan and its code."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import typer

from raidtui.cli import completion
from raidtui.cli.confirm import why_not_confirmed, why_not_named
from raidtui.cli.output import FAILED, REFUSED, end, print_json, print_notice
from raidtui.cli.runs import watch_to_its_end

if TYPE_CHECKING:
    from raidtui.core.care.ensured import Ensured
    from raidtui.core.plan.answers import Answers
    from raidtui.core.plan.model import Plan
    from raidtui.runs.care.absence import Standing

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
        _take_away(wanted_answers, check, confirm, erase or [])
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
    from raidtui.runs.care import ensuring
    from raidtui.runs.locks import machine_here
    from raidtui.runs.planning import plan_for

    machine = machine_here()
    if standing := ensuring.existing_for(answers, machine):
        return standing
    return ensured.planned(plan_for(answers, machine))


def _take_away(answers: "Answers", check: bool, confirm: str, erase: list[str]) -> NoReturn:
    """Its boot entries with the code of its run, the array itself only with its own UUID too."""
    import msgspec

    from raidtui.core.care import ensured
    from raidtui.core.plan.answers import PlanNotSafe
    from raidtui.runs.care import absence
    from raidtui.runs.locks import machine_here

    try:
        standing = absence.standing_for(answers, machine_here())
    except PlanNotSafe as refused:
        _end_with(ensured.Ensured(refused=str(refused)), check)
    if standing is None:
        _end_with(ensured.no_array(), check)
    plan, run, array = standing.plan, standing.run, standing.array
    if refused_for := _why_not_taken_away(standing, confirm, erase, check):
        outcome = ensured.absent(plan, run, at_boot=standing.at_boot, then="as now")
        _end_with(msgspec.structs.replace(outcome, refused=refused_for), check)
    outcome = ensured.absent(plan, run, at_boot=standing.at_boot, then="removed" if erase else "not at boot")
    if not erase:
        refused_for = f"{array.name} is kept; `--erase {array.uuid}` removes it, with all data on it"
        outcome = msgspec.structs.replace(outcome, refused=refused_for)
    _end_with(outcome if check else _taken_away(standing, outcome, erase), check)


def _why_not_taken_away(standing: "Standing", confirm: str, erase: list[str], check: bool) -> str:
    """Looked at before anything is changed."""
    from raidtui.core.disks.uuids import digits

    run, array = standing.run, standing.array
    if confirm != standing.plan.code and (confirm or not check):
        words = f"the code {confirm!r} is not that of run {run}" if confirm else "the confirmation code is missing"
        return f"{words}; `raidtui runs --json` has it"
    if others := [name for name in erase if digits(name) != digits(array.uuid)]:
        return f"{others[0]!r} is not the UUID of {array.name}, which run {run} keeps; nothing was changed"
    if erase and standing.foreign:
        return f"{array.name} is not removed: {standing.foreign}; nothing was changed; see `raidtui clean {run}`"
    return ""


def _taken_away(standing: "Standing", outcome: "Ensured", erase: list[str]) -> "Ensured":
    """`outcome`, or how it ended otherwise."""
    import msgspec

    from raidtui.core.care import ensured
    from raidtui.runs import directory, launch
    from raidtui.runs.journal import read_state
    from raidtui.runs.removal.consent import Consent

    path, code = directory.own(standing.run), standing.plan.code
    steps_before = len(read_state(path / directory.JOURNAL).steps)
    try:
        if standing.at_boot:
            launch.undo(path, Consent(code=code))
        if erase:
            launch.clean(path, Consent(code=code, typed=True, arrays=(standing.array.name,)))
    except directory.NotDone as stopped:
        state = read_state(path / directory.JOURNAL)
        then: Literal["as now", "not at boot"] = "as now" if state.is_at_boot else "not at boot"
        return msgspec.structs.replace(
            ensured.absent(standing.plan, standing.run, at_boot=standing.at_boot, then=then),
            changed=len(state.steps) > steps_before,
            refused=str(stopped) if stopped.refused else "",
            failed="" if stopped.refused else str(stopped),
        )
    return outcome


def _carry_out(plan: "Plan") -> NoReturn:
    """The run of the plan, to its end, and what came of it; Ctrl-C stops it."""
    from raidtui.core.care import ensured
    from raidtui.runs import directory, launch
    from raidtui.runs.journal import read_state

    path = launch.start(plan, directory.runs_root())
    code = watch_to_its_end(path, report=False)
    state = read_state(path / directory.JOURNAL)
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
