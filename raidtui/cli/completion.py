"""What a shell is told when somebody presses TAB: the values that fit, and the scripts that make it ask.

Typer finds out which argument is being written, and in its words for fish hands over what fits: one value a line, with
its help behind a tab. All three shells ask so. Values come from files and tables alone: no disk is looked at, no screen
is opened, and what goes wrong is an empty answer, since a line that is being typed has no room for a sentence.
"""

import io
import shlex
import sys
from collections.abc import Iterable
from contextlib import redirect_stderr, redirect_stdout, suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from raidtui.cli.output import COMPLETES, PROGRAM


class Shell(StrEnum):
    """A shell that can be told."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


_FISH_ASKS = f"env {COMPLETES}=complete_fish _TYPER_COMPLETE_FISH_ACTION=get-args _TYPER_COMPLETE_ARGS="
_SCRIPTS = {
    # COMP_LINE and not COMP_WORDS, which breaks `--layout=o2` in three
    Shell.BASH: """\
_raidtui_completion() {
    mapfile -t COMPREPLY < <(@ASKED@"${COMP_LINE:0:COMP_POINT}" @PROGRAM@ 2>/dev/null | cut -f 1)
}
complete -o default -F _raidtui_completion raidtui
""",
    Shell.ZSH: """\
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
_raidtui_completion() {
    local -a values
    values=(${(f)"$(@ASKED@"${(j: :)words[1,CURRENT]}" @PROGRAM@ 2>/dev/null)"})
    if (( ! $#values )); then _files; return; fi
    compset -P '--*='
    values=(${values//:/\\\\:})
    values=(${values/$'\\t'/:})
    _describe raidtui values
}
compdef _raidtui_completion raidtui
""",
    Shell.FISH: """\
function __raidtui_completion
    set -l values (@ASKED@(commandline -cp | string collect) @PROGRAM@ 2>/dev/null)
    set -l option (string match --regex -- '^--[^=]+=' (commandline -ct))
    if set -q values[1]
        string join \\n -- "$option"$values
    else
        __fish_complete_path (commandline -ct)
    end
end
complete --command raidtui --no-files --arguments '(__raidtui_completion)'
""",
}


def completion(shell: Annotated[Shell, typer.Argument(help="Shell to print it for.")]) -> None:
    """Print a shell completion script.

    Completes commands, options, runs, trials, recipes, levels and layouts. Install once, with this program's path:

    \b
    bash:  .venv/bin/raidtui completion bash >> ~/.bashrc
    zsh:   .venv/bin/raidtui completion zsh >> ~/.zshrc
    fish:  .venv/bin/raidtui completion fish > ~/.config/fish/completions/raidtui.fish

    It completes `raidtui` by any path, and after `sudo` if the shell supports that (bash: package bash-completion).
    Runs started by root are completed in a root shell only: nobody else may read them.
    """
    # -P: what lies in the folder where TAB is pressed is not Python's to import
    program = shlex.join([sys.executable, "-P", "-m", "raidtui"])
    print(script(shell, program), end="")


def script(shell: Shell, program: str) -> str:
    """What makes this shell ask `program`, a command as the shell reads it."""
    return _SCRIPTS[shell].replace("@ASKED@", _FISH_ASKS).replace("@PROGRAM@", program)


def answer(app: typer.Typer) -> NoReturn:
    """What fits, to a shell; nothing where anything is wrong."""
    from typer.completion import get_completion_inspect_parameters

    values = io.StringIO()
    with suppress(Exception, SystemExit), redirect_stdout(values), redirect_stderr(io.StringIO()):
        get_completion_inspect_parameters()  # has Typer know its shells, as `add_completion` would
        typer.main.get_command(app).main(args=[], prog_name=PROGRAM, complete_var=COMPLETES)
    with suppress(Exception):
        sys.stdout.write(values.getvalue().lstrip("\n"))  # Typer ends no values with a line, too
        sys.stdout.flush()
    sys.exit(0)


def typed(context: typer.Context, name: str) -> str:
    """The argument `name` of the line; "" where it has none. Behind an option without its value Typer has not come to
    the arguments yet: they are left over, in their order.
    """
    arguments = [parameter.name for parameter in context.command.params if parameter.param_type_name == "argument"]
    return str(context.params.get(name) or dict(zip(arguments, context.args, strict=False)).get(name) or "")


def own_runs() -> list[str]:
    """The runs of this machine, which can be stopped, resumed and cleaned."""
    from raidtui.runs import directory

    return [path.name for path in directory.list_runs(directory.runs_root())]


def all_runs() -> list[str]:
    """The runs that can be looked at, those on practice disks included."""
    from raidtui.runs import directory

    return [path.name for root in directory.roots() for path in directory.list_runs(root)]


def trials(context: typer.Context) -> list[str]:
    """The trials of the run that the command line names."""
    from raidtui.runs import directory

    path = directory.find(typed(context, "run"), *directory.roots())
    return [trial.id for trial in directory.read_plan(path).trials]


def members(context: typer.Context) -> list[str]:
    """The disks of the answers or of the run that the command line names, as these have them: none is looked at."""
    from raidtui.core.disks.selection import DiskRule
    from raidtui.core.plan import confirmation
    from raidtui.runs import directory
    from raidtui.runs.planning import read_answers

    if "answers" in context.params:
        disks = read_answers(Path(typed(context, "answers"))).disks
        return [] if isinstance(disks, DiskRule) else list(disks)
    plan = directory.read_plan(directory.find(typed(context, "run"), directory.runs_root()))
    return [confirmation.name(member, plan.members) for member in plan.members]


def recordings() -> tuple[str, ...]:
    """The recorded runs that the demo has."""
    from raidtui.demo.recording import SHIPPED

    return SHIPPED


def levels() -> list[str]:
    """The levels of the table."""
    from raidtui.core.raid.levels import LEVELS

    return [level.key for level in LEVELS]


def layouts(context: typer.Context) -> list[str]:
    """The layouts of the level that the command line names; of all levels where it names none of these."""
    from raidtui.core.raid.levels import LEVELS

    key = typed(context, "level")
    rows = [row for row in LEVELS if row.key == key] or LEVELS
    return list(dict.fromkeys(layout for row in rows for layout in row.layouts))


def uses() -> list[str]:
    """What an array may be for."""
    from raidtui.core.raid.purposes import Workload

    return list(Workload)


def filesystems() -> list[str]:
    """The file systems of the table."""
    from raidtui.core.raid.filesystems import FILE_SYSTEMS

    return [row.key for row in FILE_SYSTEMS]


def recipe_names() -> tuple[str, ...]:
    """The recipes that can be read."""
    from raidtui import recipes

    return recipes.names()


def variants(context: typer.Context) -> Iterable[str]:
    """The variants of the recipe that the command line names."""
    from raidtui import recipes

    return recipes.load(typed(context, "name")).variant
