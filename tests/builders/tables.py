"""The tables of a report, read again from its text."""

import re


def tables_of(text: str) -> list[list[list[str]]]:
    """Every table as rows of cells, fences left out."""
    outside = re.sub(r"(?ms)^(`{3,})text$.*?^\1$", "", text)
    found: list[list[list[str]]] = [[]]
    for line in outside.splitlines():
        if line.startswith("|"):
            found[-1].append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
        elif found[-1]:
            found.append([])
    return [one for one in found if one]
