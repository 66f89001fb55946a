"""A page as markdown, readable raw. The only place that escapes for it: no text breaks a table or fence."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence

from raidtui.core.page.blocks import (
    Bars,
    Block,
    Bullets,
    Code,
    Fenced,
    FileLink,
    Heading,
    PageTable,
    Span,
    Spread,
    Strong,
    Text,
    Words,
    column_groups,
    spans,
)
from raidtui.core.page.characters import bar_lines

# An underscore inside a word is no emphasis, and models and serials are full of them; nor does a tilde before a word
# end anything. Commands that this program tells a person to type, of plain letters, are code also in a sentence.
_SPECIAL = re.compile(
    r"`(?:raidtui|mdadm|mail|man)(?: [-a-z]+)*`|[\\`*\[\]<>|#$&]|(?<=\S)~|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])"
)
# At the start of a text these would begin a list, a rule or a heading.
_LEADING = re.compile(r"^(\d*)([-+=.)])(?=\2*(?:\s|$))")
NO_CELL = "\N{EN DASH}"
_UNSEEN = ("Cc", "Cf", "Cs", "Cn", "Zl", "Zp")
_GAP = 3  # between two columns
_WIDEST = 100  # of a table: what a narrow window and a page of print show


def markdown(blocks: Iterable[Block], drawn: Callable[[Bars], str] | None = None) -> str:
    """`drawn` makes a picture of a chart; else characters."""
    texts = (drawn(block) if drawn and isinstance(block, Bars) else _block(block) for block in blocks)
    return "\n\n".join(filter(None, texts)) + "\n"


def _block(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"{'#' * level} {escape(text)}"
        case Text(words):
            return escape(words)
        case Bullets(lines):
            return _bullets(map(escape, lines))
        case PageTable(_, rows):
            return _table(block) if rows else ""
        case Fenced(lines):
            return _fenced(lines)
        case Bars(_, bars):
            return _fenced(bar_lines(bars))
        case Spread():
            return ""


def escape(words: Words) -> str:
    return _LEADING.sub(r"\1\\\2", "".join(map(_span, spans(words))).strip())


def _span(span: Span) -> str:
    match span:
        case Strong(text):
            return f"**{_span(text)}**"
        case FileLink(text, target):
            return f"[{_span(text)}]({target})"
        case Code(text) if "`" not in text:
            return f"`{plain(text)}`"
        case Code(text) | text:
            return _SPECIAL.sub(_escaped, plain(text))


def plain(text: str) -> str:
    """One line without control, direction and invisible characters."""
    return re.sub(r"\s+", " ", _seen(text))


def _seen(text: str) -> str:
    return "".join(" " if unicodedata.category(char) in _UNSEEN else char for char in text)


def _escaped(special: re.Match[str]) -> str:
    return special[0] if len(special[0]) > 1 else f"\\{special[0]}"


def _table(block: PageTable) -> str:
    """Padded, numbers right-aligned; too wide tables are split, too wide columns become lists; of a table of names and
    what they are the rows that are too wide.
    """
    heads = [escape(head) for head in block.heads]
    rows = [[escape(cell) or NO_CELL for cell in row] for row in block.rows]
    if len(heads) == block.words == 2:
        return _names_and_words(heads, rows)
    columns, widths = _laid_out(heads, rows)
    tables, lists = [], []
    for group in column_groups(widths, block.words, _WIDEST - 1, _GAP):
        own = group[-1]
        if sum(widths[index] + _GAP for index in group) < _WIDEST or len(heads) == 1:
            words = sum(index < block.words or index == 0 for index in group)
            tables.append(_columns([columns[index] for index in group], [widths[index] for index in group], words))
        else:
            lists.append(_bullets(f"{heads[own]}, {row[0]}: {row[own]}" for row in rows if row[own] != NO_CELL))
    return "\n\n".join(filter(None, [*tables, *lists]))


def _laid_out(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[list[list[str]], list[int]]:
    columns = [[head, *(row[index] for row in rows)] for index, head in enumerate(heads)]
    return columns, [max(3, *map(len, column)) for column in columns]


def _names_and_words(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of what fits, then a list of what does not."""
    name = max(3, *(len(row[0]) for row in rows))
    wide = [row for row in rows if name + len(row[1]) + 2 * _GAP >= _WIDEST]
    columns, widths = _laid_out(heads, [row for row in rows if row not in wide])
    table = _columns(columns, widths, 2) if len(wide) < len(rows) else ""
    return "\n\n".join(filter(None, (table, _bullets(f"{row[0]}: {row[1]}" for row in wide))))


def _columns(columns: Sequence[Sequence[str]], widths: Sequence[int], words: int) -> str:
    heads, *rows = zip(*columns, strict=True)
    rule = ["-" * width if i < words else "-" * (width - 1) + ":" for i, width in enumerate(widths)]
    padded = [
        [
            cell.ljust(width) if i < words else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        for line in (heads, rule, *rows)
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in padded)


def _fenced(lines: Iterable[str]) -> str:
    visible = [_seen(line).rstrip() for line in lines]
    longest = max((len(run) for line in visible for run in re.findall(r"`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}text", *visible, fence])


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
