"""What a run left or kept taken away: its array, its entries in boot files, its results. Each is asked for."""

from typing import Annotated

import typer

from raidtui.cli import completion
from raidtui.cli.confirm import as_now, ask, ask_for_code, named_or_asked
from raidtui.cli.groups import Json
from raidtui.cli.output import REFUSED, end, only_json, print_notice
from raidtui.cli.runs import OwnRun, Removed, confirmed_once, own_run, print_action


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
    confirm: Annotated[str, typer.Option(help="Confirmation code of the run's plan.")] = "",
    json: Json = False,
) -> None:
    """Remove a run's entries from mdadm.conf and fstab.

    The array is kept, unmounted. Files that nobody changed since are restored byte for byte; else only the entries are
    removed, and changed entries are refused. Asks for the code. Without RUN: the only persistent run.
    """
    from raidtui.core.text import visible
    from raidtui.runs import directory, launch
    from raidtui.runs.boot import takings
    from raidtui.runs.journal import read_state
    from raidtui.runs.local import LocalHost
    from raidtui.runs.removal.decision import Consent
    from raidtui.runs.waiting import Refused

    path = own_run(run, "persistent", lambda run_status: run_status.permanent)
    plan = confirmed_once(path)
    state = read_state(path / directory.JOURNAL)
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


def forget(
    run: Annotated[str, typer.Argument(help="Run id.", autocompletion=completion.all_runs)], json: Json = False
) -> None:
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
