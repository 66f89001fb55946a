"""The program: its commands in the order of its help, and how each way of going wrong ends."""

import errno
import os
import sys
from pathlib import Path

import typer

from raidtui.cli import (
    advice,
    care,
    check,
    completion,
    configuration,
    ensure,
    explain,
    export,
    fleet,
    hardware,
    machine,
    model,
    plan,
    report,
    runs,
    schema,
    status,
    themes,
    wizard,
)
from raidtui.cli.output import BAD_INPUT, FAILED, REFUSED, end

_COMMANDS = (
    wizard.practice,
    machine.disks,
    advice.advise,
    model.capacity,
    model.predict,
    plan.plan,
    plan.run,
    ensure.ensure,
    plan.recipes,
    runs.runs,
    runs.attach,
    runs.passphrase,
    runs.stop,
    runs.resume,
    runs.clean,
    runs.undo,
    runs.forget,
    report.report,
    report.commissioning,
    plan.again,
    explain.explain,
    report.compare,
    check.check,
    fleet.fleet,
    export.export,
    status.status,
    care.scrub,
    care.replace,
    care.grow,
    hardware.health,
    hardware.controllers,
    machine.doctor,
    configuration.config,
    themes.themes,
    schema.schema,
    completion.completion,
)

# What another name may mend; a disk that is full or broken is none of it.
_OF_A_NAME = (
    *(errno.ENOENT, errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP),
    *(errno.EACCES, errno.EPERM),
)

app = typer.Typer(
    add_completion=False,  # its two options write to the shell's own files; see `completion`
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Plan, build, measure and prove a server's disk array in one terminal. Without a command: the wizard.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.callback(invoke_without_command=True)(wizard.wizard)
for command in _COMMANDS:
    app.command()(command)


def main() -> None:
    """Entry point: an error is one sentence and an exit code, never a traceback."""
    if completion.is_asked():
        completion.answer(app)
    try:
        try:
            # typer takes 0.1 s to see that nothing was asked
            app(prog_name=completion.PROGRAM) if sys.argv[1:] else wizard.open_wizard()
        finally:
            if sys.stdout:  # None where it was closed before
                sys.stdout.flush()  # here, not at the end of the interpreter, which would say what went wrong then
    except ValueError as error:
        from raidtui.core.plan.answers import PlanNotSafe
        from raidtui.runs.launch import NotDone

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
        end(f"{error.filename}: {error.strerror}" + "; name another" * named, BAD_INPUT if named else FAILED)


def _is_named(filename: str, words: list[str]) -> bool:
    """Is this file what one of the command line's words names, or above or below that?"""
    named = [Path(word.rpartition("=")[2] if word.startswith("-") else word) for word in words]
    try:
        file = Path(filename).absolute()
        paths = [path.absolute() for path in named if "/" in str(path) or path.absolute() == file]
    except OSError:  # the folder that one stands in is gone
        return False
    return any(file == path or file in path.parents or path in file.parents for path in paths)
