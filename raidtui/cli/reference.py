"""What the program itself has: configuration, themes, JSON schemas. Writes nothing."""

import sys
from typing import Annotated

import typer

from raidtui.cli.groups import Json
from raidtui.cli.output import BAD_INPUT, coloured, end, print_json


def config(json: Json = False) -> None:
    """Print the configuration file with every key.

    With the values in force and the file's path. Writes nothing.
    """
    from raidtui import configuration
    from raidtui.core.text import visible
    from raidtui.system.new_file import behind_sudo

    person = behind_sudo()
    settings = configuration.read(person[0] if person else None)
    if json:
        print_json("config", settings)
        return
    for line in configuration.template(settings).splitlines():
        print(visible(line))


def themes() -> None:
    """List colour themes.

    Select one with RAIDTUI_THEME=NAME, or ctrl+p in the wizard.
    """
    from raidtui.ui import themes as files

    loaded = files.load()
    files.show(loaded.themes, coloured())
    print(f"your own themes (TOML): {files.folders()[-1]}", file=sys.stderr)
    if loaded.failed:
        end("; ".join(loaded.failed), BAD_INPUT)


def schema(document: Annotated[str, typer.Argument(help="Document name. Default: lists all.")] = "") -> None:
    """Print the JSON schema of an output document."""
    from raidtui.core.documents import schema as schemas
    from raidtui.core.text import brief

    if not document:
        for name, document_kind in schemas.DOCUMENTS.items():
            print(f"{name.ljust(13)}v{document_kind.version}  {document_kind.where}")
        return
    if document not in schemas.DOCUMENTS:
        raise ValueError(f"no document {brief(repr(document))}; `raidtui schema` lists all")
    print(schemas.encoded(document).decode(), end="")
