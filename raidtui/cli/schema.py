"""The JSON schemas of what raidtui says in JSON."""

from typing import Annotated

import typer


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
