"""The manual page, made of the program's own help: `python -m packing.manual > docs/raidtui.1`."""

import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import typer
from typer.core import TyperArgument, TyperGroup, TyperOption

import raidtui
from raidtui.cli.app import program

_NAME = "plan, build and benchmark Linux RAID arrays"
# Of all commands but `status`, which has nothing to refuse: docs/status.md.
EXITS = {
    "0": "done",
    "1": "failed; the message has the reason",
    "2": "bad input",
    "3": "refused for safety",
    "130": "stopped by you",
}
FILES = {
    "/var/lib/raidtui/runs": "runs of root",
    "~/.local/state/raidtui": "runs of other users, and on practice disks ($XDG_STATE_HOME)",
    "~/.config/raidtui": "config.toml, recipes and themes of your own ($XDG_CONFIG_HOME); under sudo those of"
    " the person who called it",
}
_VALUES = {"int": "NUMBER", "int range": "NUMBER", "float": "NUMBER", "str": "TEXT", "path": "FILE", "choice": "WORD"}
_BLOCK = "\b"  # click's mark of a paragraph whose lines stay


def page() -> str:
    """The page for man(1)."""
    group = typer.main.get_command(program())
    assert isinstance(group, TyperGroup)
    lines = [
        f'.TH RAIDTUI 1 "" "raidtui {raidtui.__version__}" "User Commands"',
        *_section("NAME", [rf"raidtui \- {_text(_NAME)}"]),
        *_section("SYNOPSIS", [r".B raidtui", r"[\fICOMMAND\fR] [\fIOPTION\fR]... [\fIARGUMENT\fR]..."]),
        *_section("DESCRIPTION", _paragraphs(group.help or "")),
        *_section("OPTIONS", _options(group)),
        ".SH COMMANDS",
    ]
    for name, command in group.commands.items():
        lines += [f'.SS "{_text(" ".join((name, *arguments(command))))}"', *_paragraphs(command.help or "")]
        lines += _options(command)
    lines += [*_section("EXIT STATUS", _rows(EXITS)), *_section("FILES", _rows(FILES))]
    lines += _section("SEE ALSO", [r".BR mdadm (8),", r".BR fio (1),", r".BR md (4),", r".BR smartctl (8)"])
    return "\n".join(lines) + "\n"


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    yield f'.SH "{title}"'
    yield from lines


def _rows(rows: dict[str, str]) -> Iterator[str]:
    for name, meaning in rows.items():
        yield from (".TP", f".B {_text(name)}", _text(meaning))


def arguments(command: Any) -> Iterator[str]:
    for parameter in command.params:
        if isinstance(parameter, TyperArgument):
            name = (parameter.metavar or parameter.name or "").upper()
            name += "..." if parameter.nargs != 1 else ""
            yield name if parameter.required else f"[{name}]"


def parameters(command: Any) -> Iterator[tuple[str, str]]:
    """(names with the value, help) of all that follows a command; an argument's name is its value."""
    for parameter in command.params:
        if isinstance(parameter, TyperOption) and not parameter.hidden:
            names = ", ".join((*parameter.opts, *parameter.secondary_opts))
            yield names if parameter.is_flag else f"{names} {_value(parameter)}", parameter.help or ""
        elif isinstance(parameter, TyperArgument) and (sentence := getattr(parameter, "help", "")):
            yield (parameter.metavar or parameter.name or "").upper(), sentence


def _options(command: Any) -> Iterator[str]:
    for names, sentence in parameters(command):
        shown = re.sub(r"[^ ,]+", lambda word: rf"\f{'B' if word[0][0] == '-' else 'I'}{_text(word[0])}\fR", names)
        yield from (".TP", shown, _text(sentence))


def _value(parameter: TyperOption) -> str:
    """The value of an option, in its own words or by its type."""
    kind = parameter.type.name.lower()
    return parameter.metavar or _VALUES.get(kind, kind.upper())


def paragraphs(help_text: str) -> Iterator[tuple[list[str], bool]]:
    """(lines, whether they stay as they are) of each paragraph."""
    for paragraph in re.split(r"\n\s*\n", help_text.strip()):
        lines = [" ".join(line.split()) for line in paragraph.split("\n") if line.strip() != _BLOCK]
        yield lines, paragraph.lstrip(" \n").startswith(_BLOCK)


def _paragraphs(help_text: str) -> Iterator[str]:
    for number, (lines, is_kept) in enumerate(paragraphs(help_text)):
        if number:
            yield ".PP"
        shown = [_text(line) for line in lines]
        yield from [".nf", *shown, ".fi"] if is_kept else [" ".join(shown)]


def _text(words: str) -> str:
    """Escaped for roff: hyphens that can be copied, no line that is a request."""
    escaped = " ".join(words.split()).replace("\\", r"\e").replace("-", r"\-").replace('"', r"\(dq")
    return rf"\&{escaped}" if escaped[:1] in (".", "'") else escaped


if __name__ == "__main__":
    sys.stdout.write(page())
