"""Text in fixed columns: a cell is plain text and the name of a look; no markup, no control characters.

The few drawing characters of the screens, and their stand-ins for terminals that have ASCII alone.
"""

import os
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import chain, groupby, repeat
from operator import itemgetter

import msgspec
from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from raidtui.core.text import in_ascii


class Glyphs(msgspec.Struct, frozen=True):
    """`shades`: tones of heat, the first one empty. `grounds`: can a blank on a coloured ground tell something?"""

    picked: str
    free: str
    proposed: str
    gap: str
    shades: str
    grounds: bool = False


UNICODE = Glyphs(
    picked="●",
    free="○",
    proposed="◆",
    gap="┆",
    shades="  ░░▒▒▓█",
    grounds=True,
)
MONO = msgspec.structs.replace(UNICODE, grounds=False)
ASCII = Glyphs(
    picked="*",
    free="o",
    proposed="+",
    gap=":",
    shades=" .:-=+*#",
)
_colours = True  # Textual takes NO_COLOR out of the environment: the app says what it found


def use_colours(wanted: bool) -> None:
    global _colours
    _colours = wanted


def of_terminal() -> Glyphs:
    """The Linux console, a vt100 and locales without UTF-8 get ASCII, NO_COLOR a set without coloured grounds."""
    charset = next((os.environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if os.environ.get(name)), "")
    plain_console = os.environ.get("TERM", "") in ("linux", "vt100", "vt220", "ansi")
    if plain_console or (charset and "utf" not in charset.lower()):
        return ASCII
    return UNICODE if _colours else MONO


def round_top(value: float) -> float:
    """The next of a few steps at or above `value`: a scale that seldom changes."""
    step = 1.0
    while step * 10 <= value:
        step *= 10
    return next(step * factor for factor in (1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.3, 8, 10) if step * factor >= value)


Piece = tuple[str, str]  # text, look ("" is plain; see widgets.styles)
Line = tuple[Piece, ...]


class Row(msgspec.Struct, frozen=True):
    """One entry of a list, of the list's height; a disabled one can be looked at, not taken; `is_heading`: skipped."""

    lines: tuple[Line, ...]
    possible: bool = True
    is_heading: bool = False


class Sheet(msgspec.Struct, frozen=True):
    """What a list shows at one width: a heading that stays, and the rows."""

    heading: Line
    rows: tuple[Row, ...]


def plain(text: str) -> str:
    """`text` without characters that a terminal obeys."""
    return text if text.isprintable() else "".join(char if char.isprintable() else "?" for char in text)


def fit(text: str, width: int) -> str:
    """`text` in exactly `width` cells: cut with an ellipsis, or padded."""
    text = _cut(text, width)
    return text + " " * (width - cell_len(text))


def fit_right(text: str, width: int) -> str:
    """As `fit`, padded on the left."""
    text = _cut(text, width)
    return " " * (width - cell_len(text)) + text


def _cut(text: str, width: int) -> str:
    text = plain(text)
    if width <= 0:
        return ""
    return text if cell_len(text) <= width else set_cell_size(text, width - 1) + "…"


def shortened(text: str, width: int) -> str:
    """Without its last parts (", " between), as many as have no room; then as `fit`, not padded."""
    text = plain(text)
    while cell_len(text) > width and ", " in text:
        text = text.rpartition(", ")[0]
    return _cut(text, width)


def fit_end(text: str, width: int) -> str:
    """As `fit`, but a text that is too long keeps its end: the part in which serial numbers differ."""
    text = plain(text)
    if cell_len(text) <= width or width <= 1:
        return fit(text, width)
    return "…" + text[-(width - 1) :]


def capital(text: str) -> str:
    """`text` as a sentence begins."""
    return text[:1].upper() + text[1:]


def wrap(text: str, width: int) -> list[str]:
    """`text` broken at blanks into lines of at most `width` cells, one at least; a longer word after a /, if it can."""
    width = max(1, width)  # of a window that is being made small there may be nothing left
    lines: list[str] = []
    line = ""
    for word in plain(text).split():
        while cell_len(word) > width:
            room = width - cell_len(line) - 1 if line else width
            if line and room < 8:
                lines.append(line)
                line = ""
                continue
            broken_at = word.rfind("/", 1, room) + 1 or room
            lines.append(f"{line} {word[:broken_at]}".strip())
            line, word = "", word[broken_at:]
        if line and cell_len(line) + 1 + cell_len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line] if line or not lines else lines


def wrapped(text: str, width: int, look: str = "", indent: str = "", first: str | None = None) -> list[Line]:
    """`text` as `wrap` breaks it, in one look, each line behind `indent`, the first one behind `first`."""
    before = chain([indent if first is None else first], repeat(indent))
    return [((start + line, look),) for start, line in zip(before, wrap(text, width), strict=False)]


def named_lines(rows: Iterable[tuple[str, str, str]], name_width: int, width: int) -> list[Line]:
    """(name, text, look): names in a column, each beside all lines of its text."""
    lines: list[Line] = []
    for name, text, look in rows:
        names = chain([name], repeat(""))
        for beside, line in zip(names, wrap(text, width - name_width), strict=False):
            lines.append(((fit(beside, name_width), "dim"), (line, look)))
    return lines


def inset(text: str, width: int, look: str = "") -> list[Line]:
    """`text` in a window or panel of this width, a cell from its edges."""
    return wrapped(text, width - 2, look, " ")


def reflowed(text: str, width: int, look: str = "") -> list[Line]:
    """`text` over as many lines as it takes; how far it is indented it stays."""
    indent = text[: len(text) - len(text.lstrip(" "))]
    return wrapped(text, max(20, width - len(indent)), look, indent)


def to_strip(cells: Iterable[Piece], width: int, style_of: Callable[[str], Style]) -> Strip:
    """The cells as one line of exactly `width`, in the styles that `style_of` gives their looks."""
    joined = ((look, "".join(text for text, _ in group)) for look, group in groupby(cells, key=itemgetter(1)))
    shown = in_ascii if of_terminal() is ASCII else plain
    segments = [Segment(shown(text), _sent(style_of(look), text.isspace())) for look, text in joined if text]
    return Strip(segments).adjust_cell_length(width, _sent(style_of(""), True))


@lru_cache(maxsize=512)
def _sent(style: Style, blank: bool) -> Style:
    """Without what need not be sent: the terminal's own ground, of blanks the colour of letters."""
    own_ground = style.bgcolor is not None and style.bgcolor.is_default
    if blank and not (style.underline or style.reverse):
        return Style(bgcolor=None if own_ground else style.bgcolor)
    if not own_ground:
        return style
    letters = None if style.color is not None and style.color.is_default else style.color
    return Style(color=letters, bold=style.bold, underline=style.underline, reverse=style.reverse)
