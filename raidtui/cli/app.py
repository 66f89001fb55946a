"""The program: its commands in the order of its help, and how each way of going wrong ends."""

import errno
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typer import Typer


# In the order of the help: each group's title, and of its commands the module and, in it, the function of that name.
_GROUPS = {
    "Plan (changes nothing)": "machine.disks advice.advise model.capacity model.predict plan.recipes plan.plan",
    "Build and benchmark": "plan.run ensure.ensure wizard.practice wizard.demo",
    "Runs": "runs.runs runs.attach runs.stop runs.resume plan.again runs.passphrase runs.clean runs.undo runs.forget",
    "Results": "report.report plan.explain report.compare export.check report.fleet export.export report.commissioning",
    "Maintain": "status.status status.watch care.scrub care.replace care.grow machine.health machine.controllers"
    " machine.locate",
    "Setup": "machine.doctor reference.config reference.themes reference.schema completion.completion",
}
_COMMANDS = {
    name: (module, title)
    for title, places in _GROUPS.items()
    for module, _, name in (place.partition(".") for place in places.split())
}
_HELP = ("-h", "--help")

# What another name may mend; a disk that is full or broken is none of it.
_OF_A_NAME = (
    *(errno.ENOENT, errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP),
    *(errno.EACCES, errno.EPERM),
)


def program(words: Sequence[str] = ()) -> "Typer":
    """The commands; the one that `words` begin with alone, as typer takes 25 ms to be told of all."""
    from typer import Typer

    from raidtui.cli import wizard
    from raidtui.cli.groups import GroupedCommands

    app = Typer(
        cls=GroupedCommands,
        subcommand_metavar="[COMMAND]",
        add_completion=False,  # its two options write to the shell's own files; see `completion`
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        help="Plan, build and benchmark Linux RAID arrays. Without COMMAND: the wizard.",
        context_settings={"help_option_names": [*_HELP]},
    )
    app.callback(invoke_without_command=True)(wizard.wizard)
    first = words[0] if words else ""
    for name in (first,) if first in _COMMANDS else _COMMANDS:
        module, title = _COMMANDS[name]
        command = getattr(import_module(f"raidtui.cli.{module}"), name)
        summary = command.__doc__.partition("\n")[0].rstrip(".")
        listed = app.command(name, help=command.__doc__, short_help=summary, rich_help_panel=title)
        listed(_listed if first in _HELP else command)
    return app


def _listed() -> None:
    """In the place of a command whose options nobody asks for."""


def main() -> None:
    """Entry point: an error is one sentence and an exit code, never a traceback."""
    gc.disable()  # what is imported is no garbage, and to look for some takes a tenth of the time
    from raidtui.cli.output import BAD_INPUT, COMPLETES, FAILED, PROGRAM, REFUSED, end, open_wizard, replace_signs

    replace_signs()
    if sys.argv[1:2] == ["help"]:  # `help COMMAND` is `COMMAND --help`
        sys.argv[1:] = [*sys.argv[2:], "--help"]
    words = sys.argv[1:]
    asked = os.environ.get(COMPLETES)  # by a shell, to be told what fits
    app = program(words) if words or asked else None
    gc.freeze()
    gc.enable()
    if app and asked:
        from raidtui.cli import completion

        completion.answer(app)
    try:
        try:
            # typer takes 0.1 s to see that nothing was asked
            app(prog_name=PROGRAM) if app else open_wizard()
        finally:
            if sys.stdout:  # None where it was closed before
                sys.stdout.flush()  # here, not at the end of the interpreter, which would say what went wrong then
    except ValueError as error:
        from raidtui.core.plan.answers import PlanNotSafe
        from raidtui.runs.directory import NotDone

        if isinstance(error, PlanNotSafe):
            end(f"refused: {error}", REFUSED)
        if isinstance(error, NotDone):
            end(str(error), REFUSED if error.refused else FAILED)
        end(str(error), BAD_INPUT)
    except BrokenPipeError:
        os._exit(FAILED)  # whoever read our output has gone
    except OSError as error:
        if not isinstance(error.filename, str):
            end(error.strerror or str(error), FAILED)
        named = error.errno in _OF_A_NAME and _is_named(error.filename, sys.argv[1:])
        end(f"{error.filename}: {error.strerror}", BAD_INPUT if named else FAILED)


def _is_named(filename: str, words: list[str]) -> bool:
    """Is this file what one of the command line's words names, or above or below that?"""
    named = [Path(word.rpartition("=")[2] if word.startswith("-") else word) for word in words]
    try:
        file = Path(filename).absolute()
        paths = [path.absolute() for path in named if "/" in str(path) or path.absolute() == file]
    except OSError:  # the folder that one stands in is gone
        return False
    return any(file == path or file in path.parents or path in file.parents for path in paths)
