"""The reference of the commands: `python -m packing.commands > docs/commands.md`.

Made of the program's help and key bindings. commands.md, beside this module, has the notes that go with them.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import typer
from textual.keys import format_key
from typer.core import TyperGroup

from packing.manual import EXITS, FILES, arguments, paragraphs, parameters
from raidtui.cli.app import program
from raidtui.ui import keys
from raidtui.ui.app import RaidtuiApp

NOTES = Path(__file__).with_name("commands.md")
_KEYS = {"enter": "enter", "backspace": "backspace", "down": "down"}  # signs that few fonts have, in words


def page() -> str:
    """The page in Markdown."""
    head, *sections = re.split(r"^## ", NOTES.read_text(), flags=re.MULTILINE)
    notes = {name: text.strip() for name, _, text in (section.partition("\n") for section in sections)}
    group = typer.main.get_command(program())
    assert isinstance(group, TyperGroup)
    assert RaidtuiApp.BINDINGS  # its keys are known once it is imported
    blocks = [head.strip()]
    blocks += ["## Exit codes", _table(("code", "meaning"), EXITS.items()), notes.pop("Exit codes")]
    blocks += ["## Files", _table(("path", "content"), ((f"`{path}`", text) for path, text in FILES.items()))]
    blocks += ["## raidtui", *_command("raidtui", group), notes.pop("raidtui")]
    for title, commands in groupby(group.commands.items(), lambda item: _group(item[1])):
        blocks.append(f"## {title}")
        for name, command in commands:
            blocks += [f"### {name}", *_command(f"raidtui {name}", command), *filter(None, [notes.pop(name, "")])]
    blocks += ["## Keys", notes.pop("Keys"), _table(("name", "keys", "action"), _bindings())]
    if notes:
        raise ValueError(f"commands.md has notes on no command: {', '.join(notes)}")
    return "\n\n".join(blocks) + "\n"


def _group(command: Any) -> str:
    """Its title in the help."""
    title = getattr(command, "rich_help_panel", None)
    return title if isinstance(title, str) else "Commands"


def _command(words: str, command: Any) -> Iterator[str]:
    rows = [(names, text) for names, text in parameters(command) if text]
    usage = " ".join((words, *(["[OPTION]..."] if rows else []), *arguments(command)))
    yield f"```\n{usage}\n```"
    for lines, is_kept in paragraphs(command.help or ""):
        yield "```\n{}\n```".format("\n".join(lines)) if is_kept else " ".join(lines)
    if rows:
        yield _table(("option", "meaning"), ((f"`{names}`", text) for names, text in rows))


def _bindings() -> Iterator[tuple[str, str, str]]:
    for name, binding in sorted(keys.all_bindings().items()):
        pressed = (f"`{_KEYS.get(key) or format_key(key)}`" for key in binding.key.split(","))
        yield f"`{name}`", " ".join(pressed), binding.tooltip or binding.description


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    cells = [head, ("---",) * len(head), *(tuple(cell.replace("|", r"\|") for cell in row) for row in rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


if __name__ == "__main__":
    sys.stdout.write(page())
