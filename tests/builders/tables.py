"""The tables of a report, read again from its text."""

import csv
import io
import re
from itertools import takewhile


def tables_of(text: str) -> list[list[list[str]]]:
    """Every table as rows of cells, fences left out; what was too wide for one table is joined again."""
    found: list[list[list[str]]] = []
    for block in re.sub(r"(?ms)^(`{3,})text$.*?^\1$", "|||", text).split("\n\n"):
        lines = block.strip().splitlines()
        if not lines or not all(line.startswith("|") for line in lines):
            found.append([])
            continue
        rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
        keys = len(_alike(found[-1], rows)) if found and found[-1] else 0
        if keys:
            found[-1] = [[*before, *more[keys:]] for before, more in zip(found[-1], rows, strict=True)]
        else:
            found.append(rows)
    return [one for one in found if len(one) > 1]


def rows_of(text: str, heading: str) -> list[dict[str, str]]:
    """The first table after a heading, as dicts."""
    block = text.split(f"{heading}\n", 1)[1].split("\n#", 1)[0]
    first = tables_of(block)[0]
    return [dict(zip(first[0], row, strict=True)) for row in first[2:]]


def csv_rows(text: str) -> list[dict[str, str]]:
    """The lines of a CSV file, as dicts."""
    return list(csv.DictReader(io.StringIO(text)))


def _alike(before: list[list[str]], rows: list[list[str]]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The first columns, as far as both tables have the same."""
    if len(before) != len(rows):
        return []
    pairs = zip(zip(*before, strict=True), zip(*rows, strict=True), strict=False)
    return list(takewhile(lambda pair: pair[0] == pair[1], pairs))
