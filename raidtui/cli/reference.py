"""What the program itself has: configuration, themes, JSON schemas. Writes nothing."""

import sys
from typing import Annotated

import typer

from raidtui.cli.output import BAD_INPUT, Json, end, print_json


def config(json: Json = False) -> None:
    """Print config.toml as it holds, every key explained; it says where it belongs. Nothing is written."""
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
    """The colour themes, each with its colours: RAIDTUI_THEME=NAME begins with one, ctrl+p changes it meanwhile."""
    from raidtui.ui import themes as files

    loaded = files.load()
    files.show(loaded.themes)
    print(f"Own ones, as TOML: {files.folders()[-1]}", file=sys.stderr)
    if loaded.failed:
        end("; ".join(loaded.failed), BAD_INPUT)


def schema(document: Annotated[str, typer.Argument(help="Its name; a list of all if left out.")] = "") -> None:
    """The JSON schema of a document that raidtui writes: disks, plan, run, answer and others."""
    from raidtui.core.documents import schema as schemas
    from raidtui.core.text import brief

    if not document:
        for name, document_kind in schemas.DOCUMENTS.items():
            print(f"{name.ljust(13)}v{document_kind.version}  {document_kind.where}")
        return
    if document not in schemas.DOCUMENTS:
        raise ValueError(f"there is no document {brief(repr(document))}; there are {', '.join(schemas.DOCUMENTS)}")
    print(schemas.encoded(document).decode(), end="")
