"""Blocks of a page as values. Texts are plain, escaped by renderers; code and strong words are values.

Splits wide tables by columns.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec

Role = Literal["one", "all", "array", "theory"]
MEANS: dict[Role, str] = {"one": "one disk", "all": "all disks at once", "array": "the array", "theory": "theory"}


class Code(msgspec.Struct, frozen=True):
    text: str


class Strong(msgspec.Struct, frozen=True):
    text: str


class FileLink(msgspec.Struct, frozen=True):
    """`target`: a file beside the page."""

    text: str
    target: str


Span = str | Code | Strong | FileLink
Words = Span | tuple[Span, ...]


def spans(words: Words) -> tuple[Span, ...]:
    return words if isinstance(words, tuple) else (words,)


def read(words: Words) -> str:
    return "".join(span if isinstance(span, str) else span.text for span in spans(words))


def coded(text: str) -> Words:
    """Own text with code in backticks."""
    return tuple(Code(part) if number % 2 else part for number, part in enumerate(text.split("`")))


class Heading(msgspec.Struct, frozen=True):
    """`level` 1: the title."""

    text: str
    level: int = 2


class Text(msgspec.Struct, frozen=True):
    words: Words


class Bullets(msgspec.Struct, frozen=True):
    """Hidden if empty."""

    lines: Sequence[Words]


class PageTable(msgspec.Struct, frozen=True):
    """First `words` columns are text; empty cells are dashes; hidden if empty. `marked` rows are highlighted."""

    heads: Sequence[str]
    rows: Sequence[Sequence[Words]]
    words: int = 1
    marked: frozenset[int] = frozenset()


class Fenced(msgspec.Struct, frozen=True):
    lines: Sequence[str]


class Bar(msgspec.Struct, frozen=True):
    """`value` None: no bar, `words` give the reason."""

    name: str
    value: float | None
    words: str
    role: Role = "array"


class Bars(msgspec.Struct, frozen=True):
    title: str
    bars: Sequence[Bar]


class Spread(msgspec.Struct, frozen=True):
    """Distribution of a test over hosts or disks, with names of `slow` ones: a picture only."""

    title: str
    unit: str
    values: tuple[float, ...]
    slow: tuple[tuple[str, float], ...]
    what: str


Block = Heading | Text | Bullets | PageTable | Fenced | Bars | Spread


def column_groups(widths: Sequence[int], words: int, room: int, gap: int) -> list[list[int]]:
    """Each repeats the `words` columns that fit in half the room. `gap`: per column. Too wide ones come last."""

    def width(group: Sequence[int]) -> int:
        return sum(widths[index] + gap for index in group)

    columns = range(len(widths))
    if width(columns) <= room:
        return [[*columns]]
    keys = 1
    while keys < min(words, len(widths) - 1) and width(columns[: keys + 1]) <= room // 2:
        keys += 1
    groups: list[list[int]] = []
    too_wide = [[*columns[:keys], index] for index in columns[keys:] if width([*columns[:keys], index]) > room]
    for index in columns[keys:]:
        if any(index == group[-1] for group in too_wide):
            continue
        if not groups or width([*groups[-1], index]) > room:
            groups.append([*columns[:keys]])
        groups[-1].append(index)
    return [*groups, *too_wide] or [[*columns]]
