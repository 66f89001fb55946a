"""The runs of this machine: listed, watched, stopped, gone on with, cleared away, measured again in part."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidtui.cli import completion
from raidtui.cli.confirm import (
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
from raidtui.cli.output import FAILED, REFUSED, STOPPED, Json, end, need_full_screen, print_json, say

if TYPE_CHECKING:
    from raidtui.core.plan.model import Plan
    from raidtui.runs.status import RunStatus

RunName = Annotated[
    str,
    typer.Argument(
        help="A run's id, or its beginning or end; the newest if left out.", autocompletion=completion.all_runs
    ),
]
OwnRun = Annotated[
    str,
    typer.Argument(help="The run's id; the only one that it can be if left out.", autocompletion=completion.own_runs),
]
Removed = Annotated[
    list[str] | None,
    typer.Option(
        "--erase", metavar="NAME", help="A disk with a warning, or the array, by name.", autocompletion=erasable
    ),
]
_LOST = "Whatever is on these disks now will be lost:"


def runs(
    of: Annotated[Path | None, typer.Option(metavar="ANSWERS", help="Only those that these answers led to.")] = None,
    json: Json = False,
) -> None:
    """The runs of this machine, oldest first."""
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
        kept_words = ", permanent" if run_status.permanent else ", kept" if run_status.kept else ""
        place = "" if run_status.path.parent == directory.runs_root() else ", practice"
        left_words = (
            f", about {format_duration(round(run_status.left_s))} left" if run_status.left_s is not None else ""
        )
        count = "" if run_status.cares else f"{run_status.measured}/{run_status.trials}  "
        what = "  ".join(dict.fromkeys(filter(None, (run_status.setup, run_status.recipe))))
        print(visible(f"{run_status.name}  {run_status.word}{left_words}{kept_words}{place}  {count}{what}"))
        if run_status.cares:
            on = f": `raidtui resume {run_status.name}` goes on" if run_status.resumable else ""
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
        print(f"No runs{whose} below {' or '.join(map(str, directory.roots()))}.")


def _remedy(run: "RunStatus") -> str:
    """What may be done with a run that is not over; "" where there is nothing."""
    resume, clean, undo = (f"`raidtui {word} {run.name}`" for word in ("resume", "clean", "undo"))
    if run.kept and run.resumable:
        return f"{resume} goes on, {undo} takes back what it wrote" if run.permanent else f"{resume} makes it permanent"
    if run.unsettled:
        return f"{resume} goes on, {clean} clears away" if run.resumable else f"{clean} clears away"
    return f"{resume} measures the rest" if run.resumable else ""


def attach(run: RunName = "") -> None:
    """Watch a run, going on or ended, from this terminal."""
    from raidtui.runs import directory

    path = directory.find(run, *directory.roots())
    if directory.read_plan(path).care:  # of that a screen has no more to show than lines
        sys.exit(_followed(path))
    need_full_screen(f"without one use `raidtui report {path.name}`")
    from raidtui.ui import launch as ui_launch

    sys.exit(ui_launch.attach(path))


def passphrase(run: OwnRun = "") -> None:
    """Type what a run waits for: cryptsetup asks in this terminal for the passphrase of its LUKS container.

    Nothing of it passes through raidtui. Without RUN: the only one that waits.
    """
    from raidtui.runs import child
    from raidtui.runs.disks import passphrase as manual_steps
    from raidtui.runs.local import LocalHost
    from raidtui.runs.locks import DiskLocked
    from raidtui.system.doctor import missing_for_run

    path = _own_run(run, "waiting for a passphrase", lambda run_status: run_status.waits)
    if missing := missing_for_run():
        end(missing, FAILED)
    if not sys.stdin.isatty():
        raise ValueError("a passphrase is typed: it needs a terminal (over ssh: `ssh -t`)")
    try:
        manual_steps.carry_out(path, LocalHost(), child.in_this_terminal, say)
    except DiskLocked as held:
        end(str(held), REFUSED)
    print(f"{path.name} goes on; `raidtui attach {path.name}` shows it")


def stop(run: OwnRun = "") -> None:
    """Stop a run: what was measured is kept, the array is cleared away. Without RUN: the only one that is going on."""
    from raidtui.runs import launch

    path = _own_run(run, "going on", lambda run_status: run_status.alive)
    if not launch.stop(path):
        end(f"the run {path.name} is not going on; `raidtui runs` lists them", FAILED)
    print(f"{path.name} is stopping; `raidtui attach {path.name}` shows how it clears away")


def resume(
    run: OwnRun = "",
    confirm: Annotated[str, typer.Option(help="The plan's code.")] = "",
    erase: Removed = None,
    erase_list: EraseList = None,
    detach: Annotated[bool, typer.Option("--detach", help="Do not wait for the end.")] = False,
) -> None:
    """Go on with a run that was cut off, stopped or failed: what it left is cleared away, what it measured is kept.

    Without RUN: the only one that it can be. Nobody held its disks meanwhile, and they may be somebody's by now: it
    asks for the code again. An array that is planned to be kept, or that holds more than the run wrote, is removed once
    its name is typed or given with --erase.
    """
    from raidtui.core.run.permanence import may_go_on
    from raidtui.runs import directory, launch
    from raidtui.runs.journal import read_state
    from raidtui.runs.removal.consent import Consent
    from raidtui.system.doctor import missing_for_run

    path = _own_run(run, "left to go on with", lambda run_status: run_status.resumable)
    if missing := missing_for_run():
        end(missing, FAILED)
    plan = _confirmed_once(path)
    state = read_state(path / directory.JOURNAL)
    if confirm not in ("", plan.code):
        end(f"the code {confirm!r} is not this run's", REFUSED)
    named = [name for name in erase or [] if name in removable(path, plan)]
    of_disks = [name for name in erase or [] if name not in named]
    erases = not (launch.going_on(state) or state.kept or state.is_complete(trial.id for trial in plan.trials))
    if erases:
        members = as_now(plan)
        if confirm:
            need_names(members, of_disks, erase_list)
        else:
            lost = f"{plan.existing.path} is measured, nothing on it is changed." if plan.existing else _LOST
            if plan.care:
                lost = f"What {plan.care.name} does by now is gone on with." + (f" {_LOST}" if plan.members else "")
            say(f"{path.name} {'had ended' if state.ended else 'was cut off'}. {lost}")
            ask_for_code(plan, members)
            ask_for_names(members, of_disks)
    elif may_go_on(plan, state):
        at_boot = " It is stopped, assembled again, and mounted at each boot." if plan.permanence is not None else ""
        say(f"The array of {path.name} is kept; nothing on it is erased.{at_boot}")
        if not confirm:
            ask_for_code(plan, as_now(plan))
    consent = Consent(code=plan.code, typed=erases, arrays=tuple(named))
    named_or_asked(consent, lambda agreed: launch.resume(path, agreed, erases=erases), ask_first=not confirm)
    if detach:
        print(path.name)
        return
    sys.exit(watch_to_its_end(path))


def clean(run: OwnRun = "", erase: Removed = None) -> None:
    """Remove what a run left or kept: its array, file system and superblocks. Asks first.

    A kept array has to be named, too. Without RUN: the only one that kept or left something.
    """
    from raidtui.runs import launch
    from raidtui.runs.removal.consent import Consent

    path = _own_run(run, "left to clear away", lambda run_status: run_status.unsettled or run_status.kept)
    plan = _confirmed_once(path)
    if plan.existing:
        say(f"This removes the test file of {path.name} ({plan.title}), if it is there:")
    elif plan.care:
        say(f"This ends {path.name} ({plan.title}), and a check that it began; the array stays as md has it:")
    else:
        say(f"This stops the array of {path.name} ({plan.title}) and erases its members:")
    ask_for_code(plan, as_now(plan))
    consent = Consent(code=plan.code, typed=True, arrays=tuple(erase or ()))
    named_or_asked(consent, lambda agreed: launch.clean(path, agreed), ask_first=True)
    print(f"{path.name} is cleared away")


def undo(run: OwnRun = "", confirm: Annotated[str, typer.Option(help="The plan's code.")] = "") -> None:
    """Take back what made the array of a run permanent: its lines in what boot reads. The array stays. Asks first.

    Byte for byte where the files are as raidtui left them; else its own lines are taken out, and refused where somebody
    changed them. Without RUN: the only one that is permanent.
    """
    from raidtui.core.text import visible
    from raidtui.runs import directory, launch
    from raidtui.runs.boot.lines import takings
    from raidtui.runs.journal import read_state
    from raidtui.runs.local import LocalHost
    from raidtui.runs.removal.consent import Consent
    from raidtui.runs.waiting import Refused

    path = _own_run(run, "permanent", lambda run_status: run_status.permanent)
    plan = _confirmed_once(path)
    state = read_state(path / directory.JOURNAL)
    try:
        lines_taken = list(takings(path, state, LocalHost()))
    except Refused as changed:
        end(f"{changed}; nothing was done", REFUSED)
    say(
        f"This takes the array of {path.name} ({plan.title}) out of what boot reads. It stays, and is unmounted."
        " Where there is an initramfs it is made again: minutes."
    )
    for line in (line for taking in lines_taken for line in taking.diff):
        say(f"  {visible(line)}")
    if confirm not in ("", plan.code):
        end(f"the code {confirm!r} is not this run's", REFUSED)
    if not confirm:
        ask("", plan.code)
    launch.undo(path, Consent(code=plan.code))
    print(f"{path.name} is undone; its array is kept, and not known at boot any more")


def _confirmed_once(path: Path) -> "Plan":
    """The plan of the run in `path`; the end where it is not the one whose code was typed."""
    from raidtui.core.plan import slots
    from raidtui.runs import directory
    from raidtui.system.discovery import machine_id

    plan = directory.read_plan(path)
    if why_unfit := slots.why_unfit(plan, machine_id()):
        end(f"{path.name}: {why_unfit}; nothing was done", REFUSED)
    return plan


def forget(run: Annotated[str, typer.Argument(help="The run's id.", autocompletion=completion.all_runs)]) -> None:
    """Delete the folder of a run that is over, figures and all. Asks first.

    Refused while it goes on, keeps an array, or holds what is needed to undo something.
    """
    from raidtui.runs import directory
    from raidtui.runs.forget import NotForgotten, why_not
    from raidtui.runs.forget import forget as forget_run

    path = directory.find(run, *directory.roots())
    try:
        if reason := why_not(path):
            raise NotForgotten(reason)
        say(f"This deletes {path}: the figures and the report of {directory.read_plan(path).title}.")
        ask("", "forget")
        forget_run(path)
    except NotForgotten as needed:
        end(str(needed), REFUSED)
    print(f"{path.name} is forgotten")


def _own_run(run: str, state: str, may_be: "Callable[[RunStatus], bool]") -> Path:
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
    from raidtui.runs.journal import read_state

    try:
        return _followed(path, report=report)
    except KeyboardInterrupt:
        stays = directory.read_plan(path).care or read_state(path / directory.JOURNAL).kept
        say("raidtui: stopping" if stays else "raidtui: stopping; the array is being cleared away")
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
            person.carry_out(path, LocalHost(), child.in_this_terminal, say)
            return
        except (ValueError, OSError) as error:
            say(f"raidtui: {error}")
    say(f"raidtui: {progress.manual_step_hint(path.name)}")


def _followed(path: Path, *, report: bool = True) -> int:
    """Follow a run to its end and print its report, or not; its exit code."""
    from raidtui.core.report.markdown import markdown
    from raidtui.runs.follow import Follower
    from raidtui.runs.progress import watch

    view = watch(Follower(path), say, lambda: _type_here(path))
    if report:
        print(markdown(view.plan, view.state), end="")
    if view.state.outcome == "finished":
        return 0
    why = view.state.reason or f"its worker died; {path} holds what was measured"
    say(f"raidtui: the run {view.state.outcome or 'was cut off'}: {why}")
    return STOPPED if view.state.outcome == "stopped" else REFUSED if view.state.refused else FAILED
