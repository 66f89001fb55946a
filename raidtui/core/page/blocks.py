"""The blocks of a page as values: headings, text, lists, tables, commands and charts; how they look is a renderer's.

Texts are plain: a renderer escapes them. Inside a text code and strong words are values of their own.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec

Role = Literal["one", "all", "array", "theory"]
MEANS: dict[Role, str] = {"one": "one disk", "all": "all disks at once", "array": "the array", "theory": "theory"}


class Code(msgspec.Struct, frozen=True):
    """What a person types, or a name of a program's."""

    text: str


class Strong(msgspec.Struct, frozen=True):
    """What is not to be overlooked."""

    text: str


Span = str | Code | Strong
Words = Span | tuple[Span, ...]


def spans(words: Words) -> tuple[Span, ...]:
    return words if isinstance(words, tuple) else (words,)


def read(words: Words) -> str:
    """The words without what they look like."""
    return "".join(span if isinstance(span, str) else span.text for span in spans(words))


def coded(text: str) -> Words:
    """A text that is this program's own, in which code stands between backticks."""
    return tuple(Code(part) if number % 2 else part for number, part in enumerate(text.split("`")))


class Heading(msgspec.Struct, frozen=True):
    """`level` 1 is the page's title."""

    text: str
    level: int = 2


class Text(msgspec.Struct, frozen=True):
    """A paragraph."""

    words: Words


class Bullets(msgspec.Struct, frozen=True):
    """A list; without lines it is not shown."""

    lines: Sequence[Words]


class PageTable(msgspec.Struct, frozen=True):
    """The first `words` columns are words, the others figures; an empty cell is a dash. Without rows it is not shown.

    `marked` rows want attention.
    """

    heads: Sequence[str]
    rows: Sequence[Sequence[Words]]
    words: int = 1
    marked: frozenset[int] = frozenset()


class Fenced(msgspec.Struct, frozen=True):
    """Lines as they are: of a shell, of a file."""

    lines: Sequence[str]


class Bar(msgspec.Struct, frozen=True):
    """`value` None: there is no bar, and `words` say why."""

    name: str
    value: float | None
    words: str
    role: Role = "array"


class Bars(msgspec.Struct, frozen=True):
    """Bars on one scale, from 0."""

    title: str
    bars: Sequence[Bar]


class Spread(msgspec.Struct, frozen=True):
    """How values of one test over hosts or disks lie, those that are `slow` with their names: a picture alone."""

    title: str
    unit: str
    values: tuple[float, ...]
    slow: tuple[tuple[str, float], ...]
    what: str


Block = Heading | Text | Bullets | PageTable | Fenced | Bars | Spread
