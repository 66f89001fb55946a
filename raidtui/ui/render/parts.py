"""Drawn parts: bars, heat, graphs, big figures, edges. The glyphs say what the terminal can draw.

A full cell is a blank on a coloured ground where there are colours, else a block or a shade: both tell the same.
"""

from collections.abc import Iterable, Sequence

from raidtui.ui.render.cells import ASCII, Glyphs, Line, Piece, of_terminal
from raidtui.ui.render.roles import TONES

IDLE = 0.05  # a share below it is drawn as nothing
_STACKED = 0.08  # of a second: a direction below it is not drawn apart
_TIPS = " ▁▂▃▄▅▆▇"
_PARTS = {"data": "█", "mirror": "▒", "parity": "░", "parity2": "▪", "lost": "·"}
_FONT = {  # 5 pixels high
    "0": ("####", "#  #", "#  #", "#  #", "####"), "1": (" ## ", "  # ", "  # ", "  # ", " ###"),
    "2": ("####", "   #", "####", "#   ", "####"), "3": ("####", "   #", " ###", "   #", "####"),
    "4": ("#  #", "#  #", "####", "   #", "   #"), "5": ("####", "#   ", "####", "   #", "####"),
    "6": ("####", "#   ", "####", "#  #", "####"), "7": ("####", "   #", "   #", "   #", "   #"),
    "8": ("####", "#  #", "####", "#  #", "####"), "9": ("####", "#  #", "####", "   #", "####"),
    ".": (" ", " ", " ", " ", "#"), "k": ("#  #", "# # ", "##  ", "# # ", "#  #"), " ": ("  ",) * 5,
    "M": ("#   #", "## ##", "# # #", "#   #", "#   #"), "–": ("   ", "   ", "###", "   ", "   "),
    "G": ("####", "#   ", "# ##", "#  #", "####"), ",": (" ", " ", " ", "#", "#"),
}  # fmt: skip
_HALVES = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


def join(pieces: Iterable[Piece]) -> Line:
    """Neighbours of one look as one; a blank without a ground takes the look on its left."""
    joined: list[Piece] = []
    for text, look in pieces:
        if not text:
            continue
        if joined and (joined[-1][1] == look or (not text.strip() and not {*look, *joined[-1][1]} & set("/!_"))):
            joined[-1] = (joined[-1][0] + text, joined[-1][1])
        else:
            joined.append((text, look))
    return tuple(joined)


def clipped(share: float) -> float:
    return max(0.0, min(1.0, share))


def bar(share: float, width: int, look: str, rest: str = " ") -> Line:
    """Half a line high, so that rows below each other stay apart, to half a cell; what is left is `rest`."""
    halves = min(2 * width, max(round(clipped(share) * width * 2), share > 0))
    full, half = ("█", "·") if of_terminal() is ASCII else ("▄", "▖")
    drawn = full * (halves // 2) + half * (halves % 2)
    return ((drawn, look), (rest * (width - len(drawn)), "lost" if rest.strip() else ""))


def one_disk_bar(share: float, width: int) -> Line:
    full = max(1, round(clipped(share) * width)) if share > 0 else 0
    return (("▒" * full, "one"), (" " * (width - full), ""))


def expected_bar(share: float, width: int) -> Line:
    full = max(1, round(clipped(share) * width))
    return (("╌" * (full - 1) + "┤", "expected"), (" " * (width - full), ""))


def split_bar(parts: Sequence[tuple[float, str]], width: int) -> Line:
    """(share, role) one after the other, half a line high; without colours each role has its own pattern."""
    pieces: list[Piece] = []
    reach, drawn = 0.0, 0
    for share, role in parts:
        reach += share
        cells = max(0, round(clipped(reach) * width) - drawn)
        drawn += cells
        pieces.append((swatch(role)[0] * cells, role))
    return (*pieces, (" " * (width - drawn), ""))


def signs(is_chosen: bool, is_proposed: bool) -> Piece:
    """Before a row of proposals."""
    return (f"{'▸' if is_chosen else ' '}{of_terminal().proposed if is_proposed else ' '} ", "accent")


def swatch(role: str) -> Piece:
    """The sign of a part in a legend, as `split_bar` draws it."""
    return ("▄" if of_terminal().grounds else _PARTS[role], role)


def tone(share: float | None) -> int:
    """0 (idle, or unknown) to 6."""
    if share is None or share <= IDLE:
        return 0
    return 1 + min(TONES - 2, int(share * (TONES - 1) * 0.9999))


def heat(share: float | None, ramp: str, glyphs: Glyphs) -> Piece:
    """One cell: the faster the stronger, without grounds the denser."""
    step = tone(share)
    if not step:
        return (" ", "")
    return (" ", f"/{ramp}{step}") if glyphs.grounds else (glyphs.shades[step + 1], "")


def column(values: tuple[float, float], top: float, rows: int) -> tuple[Piece, ...]:
    """(read, write) as one column of a graph, from the top down: one direction in its tones, both stacked, writes
    below.
    """
    (read, write), glyphs = values, of_terminal()
    share = (read + write) / top if top > 0 else 0.0
    if min(read, write) > _STACKED * (read + write):
        return _stacked(write / top, share, rows, glyphs)
    return _area(share, rows, "w" if write > read else "r", glyphs)


def _area(share: float, rows: int, ramp: str, glyphs: Glyphs) -> tuple[Piece, ...]:
    eighths = round(clipped(share) * rows * 8) or (1 if share > 0 else 0)
    pieces = []
    for row in reversed(range(rows)):
        level = max(0, min(8, eighths - row * 8))
        look = f"{ramp}{2 + round(row / max(1, rows - 1) * (TONES - 3))}"
        pieces.append(_cell(level, look, glyphs, "█"))
    return tuple(pieces)


def _cell(level: int, look: str, glyphs: Glyphs, solid: str) -> Piece:
    if level == 0:
        return (" ", "")
    if level < 8:
        return (_TIPS[level], look)
    return (" ", f"/{look}") if glyphs.grounds else (solid, look)


def _stacked(write: float, both: float, rows: int, glyphs: Glyphs) -> tuple[Piece, ...]:
    low, top = (round(clipped(share) * rows * 8) for share in (write, both))
    pieces = []
    for row in reversed(range(rows)):
        writes, all_of_it = (max(0, min(8, eighths - row * 8)) for eighths in (low, top))
        if writes == all_of_it:
            pieces.append(_cell(writes, "w5", glyphs, "▒"))
        elif writes == 0 or all_of_it < 8:
            pieces.append(_cell(all_of_it, "r5", glyphs, "█"))
        else:
            pieces.append((_TIPS[writes], "w5/r5") if glyphs.grounds else ("▓", "r5"))
    return tuple(pieces)


def columns_to_lines(columns: Sequence[Sequence[Piece]]) -> tuple[Line, ...]:
    return tuple(join(row) for row in zip(*columns, strict=True))


def big(text: str, look: str) -> tuple[Line, ...]:
    """Three lines of half blocks; bold text in the middle one where there are none."""
    if of_terminal() is ASCII:
        blank = ((" " * len(text), ""),)
        return (blank, ((text, f"*{look}"),), blank)
    pixels = ["".join(_FONT[char][row] + " " for char in text) for row in range(5)]
    pixels.append(" " * len(pixels[0]))
    return tuple(
        (("".join(_HALVES[upper != " ", lower != " "] for upper, lower in zip(*pair, strict=True)), look),)
        for pair in zip(pixels[::2], pixels[1::2], strict=True)
    )


def title_line(title: Iterable[Piece], width: int, low: bool) -> Line:
    """The upper edge of a panel as a line of its own: a title that changes repaints itself, not the panel."""
    pieces = tuple(title)
    used = sum(len(text) for text, _ in pieces)
    if low:
        return join((("─", "line"), *pieces, (" ", ""), ("─" * max(0, width - used - 2), "line")))
    return join((("╭─ ", "line"), *pieces, (" ", ""), ("─" * max(0, width - used - 5), "line"), ("╮", "line")))


def spread(left: Iterable[Piece], right: Iterable[Piece], width: int) -> Line:
    """The right pieces at the right end, if both fit."""
    first, last = tuple(left), tuple(right)
    room = width - sum(len(text) for text, _ in (*first, *last))
    return join((*first, (" " * room, ""), *last)) if room > 0 else join(first)
