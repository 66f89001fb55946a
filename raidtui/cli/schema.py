"""The JSON schemas of what raidtui says in JSON."""

from typing import Annotated

import typer


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
