"""The runs of this machine: listed, watched, stopped, gone on with; what one left or kept is taken away on request."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidtui.cli import completion
from raidtui.cli.confirm import (
    Detach,
    EraseList,
    as_now,
    ask,
    ask_for_code,
    ask_for_names,
    erasable,
    named_or_asked,
    need_names,
    removable,
)
from raidtui.cli.groups import Json
from raidtui.cli.output import (
    FAILED,
    REFUSED,
    STOPPED,
    end,
    need_full_screen,
    only_json,
    print_json,
    print_notice,
)

if TYPE_CHECKING:
    from raidtui.core.plan.model import Plan
    from raidtui.runs.status import RunStatus

RunName = Annotated[
    str,
    typer.Argument(help="Run id, or its start or end. Default: the newest.", autocompletion=completion.all_runs),
]
GivenRun = Annotated[str, typer.Argument(help="Run id.", autocompletion=completion.all_runs)]
OwnRun = Annotated[
    str,
    typer.Argument(help="Run id. Default: the only one possible.", autocompletion=completion.own_runs),
]
Removed = Annotated[
    list[str] | None,
    typer.Option(
        "--erase", metavar="NAME", help="Doubtful disk, or the array, by name; repeatable.", autocompletion=erasable
    ),
]
PlansCode = Annotated[str, typer.Option(help="Confirmation code of the run's plan.")]
_LOST = "Whatever is on these disks now will be lost:"


def runs(
    of: Annotated[Path | None, typer.Option(metavar="ANSWERS", help="Only runs of this answer file.")] = None,
    json: Json = False,
) -> None:
    """List runs.

    Oldest first.
    """
    from raidtui.core.run import progress
    from raidtui.core.text import visible
    from raidtui.core.units import format_duration
    from raidtui.runs import directory
    from raidtui.runs.status import all_statuses, of_answers

    statuses = [run_status for root in directory.roots() for run_status in all_statuses(root)]
    if of is not None:
        from raidtui.runs.planning import read_answers

        statuses = of_answers(read_answers(of), statuses)
    if json:
        from raidtui.core.documents.documents import RunLine, RunsDocument

        lines = (
            RunLine(
                run=run_status.name,
                standing=run_status.word,
                alive=run_status.alive,
                resumable=run_status.resumable,
                sentence=run_status.sentence,
                code=run_status.code,
                setup=run_status.setup,
                kept=run_status.kept,
                permanent=run_status.permanent,
                measured=run_status.measured,
                trials=run_status.trials,
                left_s=run_status.left_s,
                damage=run_status.damage,
                path=str(run_status.path),
                waits=run_status.waits,
                keeps=run_status.keeps,
            )
            for run_status in statuses
        )
        print_json("runs", RunsDocument(runs=tuple(lines)))
        return
    for run_status in statuses:
        kept_words = ", persistent" if run_status.permanent else ", kept" if run_status.kept else ""
        place = "" if run_status.path.parent == directory.runs_root() else ", practice"
        left_words = (
            f", about {format_duration(round(run_status.left_s))} left" if run_status.left_s is not None else ""
        )
        count = "" if run_status.cares else f"{run_status.measured}/{run_status.trials}  "
        what = "  ".join(dict.fromkeys(filter(None, (run_status.setup, run_status.recipe))))
        print(visible(f"{run_status.name}  {run_status.label}{left_words}{kept_words}{place}  {count}{what}"))
        if run_status.cares:
            on = f": `raidtui resume {run_status.name}` continues" if run_status.resumable else ""
            print(visible(f"    {run_status.sentence}{on}"))
            continue
        if run_status.path.parent == directory.runs_root() and (remedy := _remedy(run_status)):
            print(visible(f"    {run_status.sentence}: {remedy}"))
        elif run_status.word == "elsewhere" or (run_status.word == "unreadable" and run_status.unsettled):
            print(visible(f"    {run_status.sentence}"))
        if run_status.waits:
            print(f"    {progress.manual_step_hint(run_status.name)}")
        if run_status.damage:
            print(visible(f"    {run_status.damage}."))
    if not statuses:
        whose = f" of {of}" if of else ""
        print(f"no runs{whose} in {' or '.join(map(str, directory.roots()))}")


def _remedy(run: "RunStatus") -> str:
    """What may be done with a run that is not over; "" where there is nothing."""
    resume, clean, undo = (f"`raidtui {word} {run.name}`" for word in ("resume", "clean", "undo"))
    if run.kept and run.resumable:
        if run.permanent:
            return f"{resume} continues, {undo} removes its boot entries"
        return f"{resume} adds it to mdadm.conf and fstab"
    if run.unsettled:
        return f"{resume} continues, {clean} removes the array" if run.resumable else f"{clean} removes the array"
    return f"{resume} measures the rest" if run.resumable else ""


def attach(run: RunName = "") -> None:
    """Watch a run."""
    from raidtui.runs import directory

    path = directory.find(run, *directory.roots())
    if directory.read_plan(path).care:  # of that a screen has no more to show than lines
        sys.exit(_followed(path))
    need_full_screen(f"use `raidtui report {path.name}`")
    from raidtui.ui import launch as ui_launch

    sys.exit(ui_launch.attach(path))


def passphrase(run: OwnRun = "") -> None:
    """Enter the LUKS passphrase a run waits for.

    cryptsetup reads it in this terminal; raidtui never sees it. Without RUN: the only waiting one.
    """
    from raidtui.runs import child
    from raidtui.runs.disks import passphrase as manual_steps
    from raidtui.runs.local import LocalHost
    from raidtui.runs.locks import DiskLocked
    from raidtui.system.doctor import missing_for_run

    path = own_run(run, "waiting for a passphrase", lambda run_status: run_status.waits)
    if missing := missing_for_run():
        end(missing, FAILED)
    if not sys.stdin.isatty():
        raise ValueError("a passphrase needs a terminal; over ssh use `ssh -t`")
    try:
        manual_steps.carry_out(path, LocalHost(), child.in_this_terminal, print_notice)
    except DiskLocked as held:
        end(str(held), REFUSED)
    print(f"{path.name} continues; `raidtui attach {path.name}` shows it")


def stop(run: OwnRun = "", json: Json = False) -> None:
    """Stop a run: keep its results, remove its array.

    Without RUN: the only running one.
    """
    from raidtui.runs import launch

    path = own_run(run, "running", lambda run_status: run_status.alive)
    if not launch.stop(path):
        end(f"{path.name}: not running; `raidtui runs` lists all runs", FAILED)
    print_action(json, path, "stop", "stopping", f" is stopping; `raidtui attach {path.name}` shows its progress")


def resume(
    run: OwnRun = "",
    confirm: PlansCode = "",
    erase: Removed = None,
    erase_list: EraseList = None,
    acknowledged: Annotated[
        str, typer.Option(help="Last line of a power cut's witness, or its file.", metavar="LINE|FILE")
    ] = "",
    cut_again: Annotated[bool, typer.Option("--cut-again", help="Write again until another power cut.")] = False,
    no_cut: Annotated[bool, typer.Option("--no-cut", help="Continue a proof without its power cut.")] = False,
    detach: Detach = False,
    json: Json = False,
) -> None:
    """Continue an interrupted, stopped or failed run.

    Its results are kept; an unfinished array is removed and built again, unless it is being proved. Its disks were
    not locked meanwhile, so it asks for the code again. An array that was to be kept, or that holds other data, is
    removed only after its name is typed or given with --erase. So is the proof of one that is newer than its journal
    continued. Without RUN: the only run that can continue.
    """
    from raidtui.core.run.kept import may_go_on
    from raidtui.core.run.proof import continued_on, why_not_resumed
    from raidtui.runs import directory, launch
    from raidtui.runs.journal import going_on
    from raidtui.runs.proof import witness
    from raidtui.runs.removal.decision import Consent
    from raidtui.system import block
    from raidtui.system.doctor import missing_for_run

    path = own_run(run, "resumable", lambda run_status: run_status.resumable)
    if missing := missing_for_run():
        end(missing, FAILED)
    plan = confirmed_once(path)
    state = directory.read_state(path)
    if bool(acknowledged) + cut_again + no_cut > 1:
        raise ValueError("--acknowledged, --cut-again and --no-cut: give one of them")
    number = 0 if no_cut else 1 if acknowledged else None
    if reason := why_not_resumed(plan, state, block.boot_id(), number, again=cut_again):
        end(f"{path.name}: {reason}", REFUSED)
    number = witness.acknowledged(acknowledged, state.cut.tag) if acknowledged and state.cut else number
    if confirm not in ("", plan.code):
        end(f"the code {confirm!r} is not this run's", REFUSED)
    named = [name for name in erase or [] if name in removable(path, plan)]
    of_disks = [name for name in erase or [] if name not in named]
    with only_json(json):
        erases = not (going_on(state) or state.kept or state.is_complete(trial.id for trial in plan.trials))
        if erases:
            members, proof = as_now(plan), continued_on(plan, state)
            if confirm:
                if proof:
                    print_notice(f"{path.name}: {proof}")
                need_names(members, of_disks, erase_list)
            else:
                lost = f"{plan.existing.path} is measured, nothing on it is changed." if plan.existing else _LOST
                lost = f"{proof} These:" if proof else lost
                if plan.care:
                    lost = f"The operation of md on {plan.care.name} continues." + (f" {_LOST}" if plan.members else "")
                print_notice(f"{path.name} {'had ended' if state.ended else 'was interrupted'}. {lost}")
                ask_for_code(plan, members)
                ask_for_names(members, of_disks)
        elif may_go_on(plan, state):
            at_boot = (
                " It is stopped, assembled again, and mounted at each boot." if plan.permanence is not None else ""
            )
            print_notice(f"The array of {path.name} is kept; nothing on it is erased.{at_boot}")
            if not confirm:
                ask_for_code(plan, as_now(plan))
        consent = Consent(code=plan.code, typed=erases, arrays=tuple(named), acknowledged=number, cut_again=cut_again)
        named_or_asked(consent, lambda agreed: launch.resume(path, agreed, erases=erases), ask_first=not confirm)
    if detach:
        print_action(json, path, "resume", "running", "")
        return
    code = watch_to_its_end(path, report=not json)
    if json:
        state = directory.read_state(path)
        print_action(json, path, "resume", state.outcome or "interrupted", "", state.reason)
    sys.exit(code)


def confirmed_once(path: Path) -> "Plan":
    """The plan of the run in `path`; the end where it is not the one whose code was typed."""
    from raidtui.core.plan import slots
    from raidtui.runs import directory
    from raidtui.system.discovery import machine_id

    plan = directory.read_plan(path)
    if why_unfit := slots.why_unfit(plan, machine_id()):
        end(f"{path.name}: {why_unfit}; nothing was done", REFUSED)
    return plan


def print_action(json: bool, path: Path, command: str, result: str, words: str, reason: str = "") -> None:
    """What a command did to the run in `path`: `words` after its name, or the document."""
    if not json:
        print(f"{path.name}{words}")
        return
    from msgspec import convert

    from raidtui.core.documents.documents import ActionDocument

    fields = {"run": path.name, "command": command, "result": result, "path": str(path), "reason": reason}
    print_json("action", convert(fields, ActionDocument))


def own_run(run: str, state: str, may_be: "Callable[[RunStatus], bool]") -> Path:
    """The run of this machine called `run`; without a name the only one that `may_be` meant. ValueError if not one."""
    from raidtui.runs import directory
    from raidtui.runs.status import all_statuses

    root = directory.runs_root()
    if run:
        return directory.own(run)
    paths = [run_status.path for run_status in all_statuses(root) if may_be(run_status)]
    if len(paths) != 1:
        names = ", ".join(path.name for path in paths)
        raise ValueError(f"{len(paths)} runs are {state}; name one: {names}" if paths else f"no run is {state}")
    return paths[0]


def watch_to_its_end(path: Path, *, report: bool = True) -> int:
    """Follow a run without a screen and print its report, or not; Ctrl-C stops the run, a hang-up does not."""
    from raidtui.runs import directory, launch

    try:
        return _followed(path, report=report)
    except KeyboardInterrupt:
        stays = directory.read_plan(path).care or directory.read_state(path).kept
        print_notice("raidtui: stopping" if stays else "raidtui: stopping; removing the array")
        launch.stop(path)
        return _followed(path, report=report)


def _type_here(path: Path) -> None:
    """The run waits for a person: who follows it in a terminal is one, and is told what to do elsewhere."""
    from raidtui.core.run import progress
    from raidtui.runs import child
    from raidtui.runs.disks import passphrase as person
    from raidtui.runs.local import LocalHost

    if sys.stdin.isatty():
        try:
            person.carry_out(path, LocalHost(), child.in_this_terminal, print_notice)
            return
        except (ValueError, OSError) as error:
            print_notice(f"raidtui: {error}")
    print_notice(f"raidtui: {progress.manual_step_hint(path.name)}")


def _followed(path: Path, *, report: bool = True) -> int:
    """Follow a run to its end and print its report, or not; its exit code."""
    from raidtui.core.report.markdown import markdown
    from raidtui.runs.follow import Follower
    from raidtui.runs.progress import watch

    view = watch(Follower(path), print_notice, lambda: _type_here(path))
    if report:
        print(markdown(view.plan, view.state), end="")
    if view.state.outcome == "finished":
        return 0
    why = view.state.reason or f"its worker died; results so far: {path}"
    print_notice(f"raidtui: the run {view.state.outcome or 'was interrupted'}: {why}")
    return STOPPED if view.state.outcome == "stopped" else REFUSED if view.state.refused else FAILED


def clean(run: OwnRun = "", erase: Removed = None, json: Json = False) -> None:
    """Remove the array a run left or kept.

    With its file system and superblocks. Asks for the code, and for the name of a kept array. Without RUN: the only one
    with an array.
    """
    from raidtui.runs import launch
    from raidtui.runs.removal.decision import Consent

    path = own_run(run, "left to clean", lambda run_status: run_status.unsettled or run_status.kept)
    plan = confirmed_once(path)
    if plan.existing:
        print_notice(f"This removes the test file of {path.name} ({plan.title}), if it is there:")
    elif plan.care:
        print_notice(f"This ends {path.name} ({plan.title}), and its check if any; the array stays as it is:")
    else:
        print_notice(f"This stops the array of {path.name} ({plan.title}) and erases its members:")
    with only_json(json):
        ask_for_code(plan, as_now(plan))
        consent = Consent(code=plan.code, typed=True, arrays=tuple(erase or ()))
        named_or_asked(consent, lambda agreed: launch.clean(path, agreed), ask_first=True)
    print_action(json, path, "clean", "removed", ": array removed")


def undo(
    run: OwnRun = "",
    confirm: PlansCode = "",
    json: Json = False,
) -> None:
    """Remove a run's entries from mdadm.conf and fstab.

    The array is kept, unmounted. Files that nobody changed since are restored byte for byte; else only the entries are
    removed, and changed entries are refused. Asks for the code. Without RUN: the only persistent run.
    """
    from raidtui.core.text import visible
    from raidtui.runs import directory, launch
    from raidtui.runs.boot import takings
    from raidtui.runs.local import LocalHost
    from raidtui.runs.removal.decision import Consent
    from raidtui.runs.waiting import Refused

    path = own_run(run, "persistent", lambda run_status: run_status.permanent)
    plan = confirmed_once(path)
    state = directory.read_state(path)
    try:
        lines_taken = list(takings(path, state, LocalHost()))
    except Refused as changed:
        end(f"{changed}; nothing was done", REFUSED)
    print_notice(
        f"This removes the array of {path.name} ({plan.title}) from mdadm.conf and fstab. The array is kept, unmounted."
        " An initramfs is rebuilt if there is one: minutes."
    )
    for line in (line for taking in lines_taken for line in taking.diff):
        print_notice(f"  {visible(line)}")
    if confirm not in ("", plan.code):
        end(f"the code {confirm!r} is not this run's", REFUSED)
    with only_json(json):
        if not confirm:
            ask("", plan.code)
        launch.undo(path, Consent(code=plan.code))
    print_action(json, path, "undo", "undone", ": boot entries removed; its array is kept")


def forget(run: GivenRun, json: Json = False) -> None:
    """Delete a finished run and its results.

    Asks first. Refused while it is running, keeps an array, or holds data that `undo` needs.
    """
    from raidtui.runs import directory
    from raidtui.runs.forget import NotForgotten, why_not
    from raidtui.runs.forget import forget as forget_run

    path = directory.find(run, *directory.roots())
    try:
        if reason := why_not(path):
            raise NotForgotten(reason)
        print_notice(f"This deletes {path}: results and report of {directory.read_plan(path).title}.")
        with only_json(json):
            ask("", "forget")
        forget_run(path)
    except NotForgotten as needed:
        end(str(needed), REFUSED)
    print_action(json, path, "forget", "deleted", ": deleted")
