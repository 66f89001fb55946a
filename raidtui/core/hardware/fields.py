"""Fields of documents of other programs: missing or wrongly typed values are None or ""."""

from collections.abc import Iterator
from typing import Any

import msgspec

from raidtui.core.text import brief, clean

_MOST = 2**63  # no counter of a drive's is larger
_MOST_CHARACTERS = 120


def decode(text: str, program: str) -> dict[str, Any]:
    """ValueError with one sentence if there is no JSON object."""
    if not text.strip():
        raise ValueError(f"{program} printed nothing where JSON was asked for")
    try:
        document = msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise ValueError(f"what {program} printed is not JSON: {brief(error)}") from None
    if not isinstance(document, dict):
        raise ValueError(f"what {program} printed is JSON, but no object")
    return document


def at(document: Any, *path: str) -> Any:
    for key in path:
        document = document.get(key) if isinstance(document, dict) else None
    return document


def count(document: Any, *path: str) -> int | None:
    """Not negative."""
    value = at(document, *path)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST else None


def words(document: Any, *path: str) -> str:
    """One printable line; numbers as digits; "NA" as ""."""
    value = at(document, *path)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _MOST:
        return str(value)
    text = " ".join(clean(value).split())[:_MOST_CHARACTERS] if isinstance(value, str) else ""
    return "" if text in ("NA", "N/A", "-", "Unknown") else text


def flag(document: Any, *path: str) -> bool | None:
    value = at(document, *path)
    return value if isinstance(value, bool) else None


def rows(document: Any, *path: str) -> Iterator[dict[str, Any]]:
    value = at(document, *path)
    yield from (row for row in (value if isinstance(value, list) else ()) if isinstance(row, dict))
