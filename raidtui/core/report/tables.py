"""The pieces of a markdown document that reads well raw and rendered: tables, fenced text, bars, and escaped words.

Knows markdown and nothing of disks. Text from a device or a tool goes through `escape` or `fenced`, always.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from raidtui.core.results.figure import Figure

# An underscore inside a word is no emphasis, and models and serials are full of them. Commands that this program tells
# a person to type, of plain letters, are code also where they stand in a sentence.
_SPECIAL = re.compile(r"`(?:raidtui|mdadm|mail|man)(?: [-a-z]+)*`|[\\`*\[\]<>|~#$&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
# At the start of a text these would begin a list, a rule or a heading.
_LEADING = re.compile(r"^(\d*)([-+=.)])(?=\2*(?:\s|$))")
NO_CELL = "\N{EN DASH}"
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_BAR_CELLS = 40
_WIDEST = 100  # of a table: what a narrow window and a page of print show


def plain(text: str) -> str:
    """`text` on one line without control, direction and other invisible characters."""
    visible = (" " if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Cn", "Zl", "Zp") else char for char in text)
    return " ".join("".join(visible).split())


def escape(text: str) -> str:
    """`text` so that markdown shows it as it is, in a cell, a list or a paragraph."""
    return _LEADING.sub(r"\1\\\2", _SPECIAL.sub(_escaped, plain(text)))


def _escaped(special: re.Match[str]) -> str:
    return special[0] if len(special[0]) > 1 else f"\\{special[0]}"


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], word_columns: int = 1) -> str:
    """A markdown table with padded columns: the first `word_columns` are words, the others numbers, set to the right.

    Cells are markdown already: escape what comes from outside. An empty cell becomes a dash. What is wider than a
    window goes into several tables with the same first columns, and a column that fits into none below them.
    """
    cells = [[cell or NO_CELL for cell in row] for row in rows]
    columns = [[header, *(row[index] for row in cells)] for index, header in enumerate(headers)]
    widths = [max(3, *map(len, column)) for column in columns]
    keys = 1
    while keys < min(word_columns, len(headers) - 1) and _width(widths[: keys + 1]) <= _WIDEST // 2:
        keys += 1
    if _width(widths) <= _WIDEST:
        return _table(columns, widths, word_columns)
    groups: list[list[int]] = [[]]
    too_wide: list[int] = []
    for index in range(keys, len(columns)):
        if _width([*widths[:keys], widths[index]]) > _WIDEST:
            too_wide.append(index)
        elif groups[-1] and _width([*widths[:keys], *(widths[k] for k in (*groups[-1], index))]) > _WIDEST:
            groups.append([index])
        else:
            groups[-1].append(index)
    tables = []
    for group in groups:
        if group or not too_wide:
            group_columns = [*range(keys), *group]
            words = keys + sum(index < word_columns for index in group)
            tables.append(
                _table([columns[index] for index in group_columns], [widths[index] for index in group_columns], words)
            )
    tables += [
        bullets(f"{headers[index]}, {row[0]}: {row[index]}" for row in cells if row[index] != NO_CELL)
        for index in too_wide
    ]
    return "\n\n".join(text for text in tables if text)


def _width(widths: Sequence[int]) -> int:
    return sum(widths) + 3 * len(widths) + 1


def _table(columns: Sequence[Sequence[str]], widths: Sequence[int], word_columns: int) -> str:
    rule = ["-" * width if i < word_columns else "-" * (width - 1) + ":" for i, width in enumerate(widths)]
    lines = [list(row) for row in zip(*columns, strict=True)]
    padded = [
        [cell.ljust(widths[i]) if i < word_columns else cell.rjust(widths[i]) for i, cell in enumerate(row)]
        for row in [lines[0], rule, *lines[1:]]
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in padded)


def fenced(lines: Iterable[str]) -> str:
    """Lines as they are, in a fence that none of them can close."""
    visible = [_without_controls(line) for line in lines]
    longest = max((len(run) for line in visible for run in re.findall(r"`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}text", *visible, fence])


def _without_controls(line: str) -> str:
    return "".join(
        " " if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") else char for char in line
    ).rstrip()


def bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def bars(named: Sequence[tuple[str, float | None, str]]) -> list[str]:
    """Lines of a bar chart: name, bar, and the value as given in words. Bars share one scale; None has no bar."""
    largest = max((value for _, value, _ in named if value), default=0.0)
    width = max((len(name) for name, _, _ in named), default=0)
    return [f"{name.ljust(width)}  {_bar(value or 0.0, largest)}  {words}" for name, value, words in named]


def _bar(value: float, largest: float) -> str:
    eighths = round(value / largest * _BAR_CELLS * 8) if largest else 0
    full_cells, last_eighth = divmod(eighths, 8)
    return ("█" * full_cells + (_EIGHTHS[last_eighth] if last_eighth else "")).ljust(_BAR_CELLS)


def cell(figure: Figure, scale: float) -> str:
    """A figure, or why there is none."""
    if figure.value is None:
        return figure.standing if figure.standing in ("running", "not run") else figure.standing.upper()
    spread = f" (spread {100 * figure.spread:.1f} % of {figure.runs})" if figure.spread is not None else ""
    return number(figure.value, scale) + spread


def number(value: float | None, scale: float = 1.0) -> str:
    """`value / scale` with one decimal, whole from 10,000 on."""
    if value is None:
        return ""
    scaled = value / scale
    return f"{scaled:.0f}" if scaled >= 10_000 else f"{scaled:.1f}"


def _percent(share: float | None) -> str:
    return f"{100 * share:.0f}" if share is not None else ""
