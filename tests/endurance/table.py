"""Rows as the guests write them and the host prints them."""

import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

GOOD = "ok"
Row = dict[str, str | int]


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def add(file: Path, row: Row) -> None:
    """Append a row; what it has found is kept whatever becomes of the kernel."""
    with file.open("ab") as rows:
        rows.write(msgspec.json.encode(row) + b"\n")


def read(file: Path) -> list[Row]:
    return [msgspec.json.decode(line) for line in file.read_bytes().splitlines()] if file.exists() else []


def markdown(rows: Sequence[Row]) -> str:
    """A table with the first row's keys as its head; nothing for no rows."""
    if not rows:
        return ""
    head = list(rows[0])
    lines = [head, ["---"] * len(head), *([_cell(row.get(key, "")) for key in head] for row in rows)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _cell(value: str | int) -> str:
    return " ".join(str(value).split()).replace("|", "\\|")
