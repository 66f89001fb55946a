"""What has to be said before anything is erased: the plan's code, and each disk with a warning by itself.

Asks and compares; which disks are doubtful, and what they are called, is `core.plan.confirmation`'s.
"""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidtui.cli import completion
from raidtui.cli.output import REFUSED, end, print_notice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from raidtui.core.plan.model import Member, Plan
    from raidtui.runs.removal.decision import Consent

Code = Annotated[str, typer.Option(help="Confirmation code, printed by this command without it.")]
Detach = Annotated[bool, typer.Option("--detach", help="Return at once; the run continues in the background.")]
Erase = Annotated[
    list[str] | None,
    typer.Option(
        metavar="DISK",
        help="Doubtful disk, by serial or identity; repeat for each.",
        autocompletion=completion.members,
    ),
]


EraseList = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="List of doubtful disks from `plan --erase-list`."),
]


def need_names(members: "Sequence[Member]", erase: list[str], list_file: Path | None = None) -> None:
    """The end where a disk with a warning is not named by itself: the code alone does not erase it."""
    if reason := why_not_named(members, erase, list_file):
        end(reason, REFUSED)


def why_not_confirmed(plan: "Plan", shown_by: str, code: str, erase: list[str], list_file: Path | None = None) -> str:
    """Why the plan is not to be carried out with this code and these names; "" where it is. `shown_by` shows it."""
    if code != plan.code:
        words = "the confirmation code is missing" if not code else f"the code {code!r} is not this plan's"
        return f"{words}: read `{shown_by}` and give the code at its end with --confirm"
    return why_not_named(plan.members, erase, list_file)


def why_not_named(members: "Sequence[Member]", erase: list[str], list_file: Path | None = None) -> str:
    """Which disk with a warning is not named, in a sentence; "" where all are.

    `list_file` is a file that names all of them, with what is on each: any difference counts.
    """
    from raidtui.core.plan import confirmation

    if list_file is not None:
        try:
            differs = confirmation.unlike(members, list_file.read_text())
        except (OSError, ValueError) as error:
            raise ValueError(f"{list_file}: cannot be read: {error}") from error
        if differs:
            return f"{list_file} differs from what is on these disks: {differs}; nothing was done"
        return ""
    if unnamed_disks := confirmation.unnamed(members, erase):
        warnings = "; ".join(
            f"{member.name} ({member.model} {member.serial}): {member.warning}" for member in unnamed_disks
        )
        options = shlex.join(
            word for member in unnamed_disks for word in ("--erase", confirmation.name(member, members))
        )
        return f"{warnings}. To erase {'it' if len(unnamed_disks) == 1 else 'them'} anyway, add {options}"
    return ""


def as_now(plan: "Plan") -> "tuple[Member, ...]":
    from raidtui.core.disks.verdicts import disks_of
    from raidtui.core.plan import confirmation
    from raidtui.system.discovery import read_machine

    return confirmation.as_now(plan.members, disks_of(read_machine()))


def ask_for_code(plan: "Plan", members: "Sequence[Member]") -> None:
    """The members with what is on them now, and the code typed; the end where it is not."""
    for member in members:
        name_and_contents = f"{member.name}, now: {member.found}" if member.name else "not there"
        print_notice(f"  {member.model} {member.serial} ({member.id}): {name_and_contents}")
    ask("", plan.code)


def ask_for_names(members: "Sequence[Member]", erase: list[str]) -> None:
    """Each disk with a warning that was not named yet, named by typing; the end where one is not."""
    from raidtui.core.plan import confirmation

    for member in confirmation.unnamed(members, erase):
        ask(f"{member.name} ({member.model} {member.serial}): {member.warning}. ", confirmation.name(member, members))


def removable(path: Path, plan: "Plan") -> set[str]:
    """What --erase may name besides disks: the run's arrays and pools, and the run itself, of what it built without."""
    from raidtui.core.plan import slots

    return set(slots.names(slots.filled(plan).stages, path.name))


def erasable(context: typer.Context) -> list[str]:
    """What --erase may name of the run on the command line, for a shell: its disks, and what `removable` names.

    Disks have their warning when they are looked at, which completion does not do.
    """
    from raidtui.runs import directory

    path = directory.own(completion.typed(context, "run"))
    return [*completion.members(context), *sorted(removable(path, directory.read_plan(path)))]


def named_or_asked(consent: "Consent", act: "Callable[[Consent], None]", *, ask_first: bool) -> None:
    """Act; where an array has to be named for it, have its name typed, and act once more."""
    import msgspec

    from raidtui.runs.directory import NotDone

    try:
        act(consent)
    except NotDone as missing:
        if not (missing.name and ask_first):
            raise
        ask(f"{missing}. ", missing.name)
        act(msgspec.structs.replace(consent, arrays=(*consent.arrays, missing.name)))


def ask(warning: str, expected: str) -> None:
    """Has `expected` typed; the end where it is not."""
    try:
        typed = input(f"{warning}Type {expected} to continue: ")
    except (EOFError, RuntimeError):  # the latter where it was closed before
        typed = ""
    if typed.strip() != expected:
        end("nothing was done", REFUSED)
