"""The few drawing characters of the screens, and their stand-ins for terminals that have ASCII alone."""

import os
from collections.abc import Sequence

import msgspec


class Glyphs(msgspec.Struct, frozen=True):
    """`levels`: heights of a history strip, the first one empty. `shares`: how the parts of a capacity bar look."""

    levels: str
    full: str
    empty: str
    shares: dict[str, str]
    picked: str
    free: str
    step: str
    proposed: str
    gap: str


UNICODE = Glyphs(
    levels=" ▁▂▃▄▅▆▇█",
    full="█",
    empty="░",
    shares={"usable": "█", "parity": "▓", "mirror": "▒", "unequal": "░", "metadata": "·"},
    picked="●",
    free="○",
    step="\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}",
    proposed="◆",
    gap="┆",
)
ASCII = Glyphs(
    levels=" .:-=+*#",
    full="#",
    empty=".",
    shares={"usable": "#", "parity": "P", "mirror": "M", "unequal": "-", "metadata": "."},
    picked="*",
    free="o",
    step=">",
    proposed="+",
    gap=":",
)


def of_terminal() -> Glyphs:
    """The set that this terminal can show: the Linux console and non-UTF-8 locales get ASCII."""
    charset = next((os.environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if os.environ.get(name)), "")
    plain_console = os.environ.get("TERM", "") in ("linux", "vt100", "vt220", "ansi")
    said_otherwise = charset and "utf" not in charset.lower() and charset not in ("C", "POSIX")
    return ASCII if plain_console or said_otherwise else UNICODE


def history_strip(values: Sequence[float | None], width: int, top: float, glyphs: Glyphs) -> str:
    """The newest `width` values as heights against `top`, the newest at the right; unknown ones are blank."""
    return history_rows(values, width, top, 1, glyphs)[0]


def history_rows(values: Sequence[float | None], width: int, top: float, rows: int, glyphs: Glyphs) -> tuple[str, ...]:
    """As `history_strip`, over `rows` lines, the uppermost first: so many times as many heights."""
    eighths = len(glyphs.levels) - 1
    highest = eighths * rows
    heights = [
        0 if not value or top <= 0 else max(1, min(highest, round(value / top * highest)))
        for value in (values[-width:] if width > 0 else ())
    ]
    return tuple(
        "".join(glyphs.levels[max(0, min(eighths, height - eighths * cells_below))] for height in heights).rjust(width)
        for cells_below in reversed(range(rows))
    )


def bar(share: float, width: int, glyphs: Glyphs) -> str:
    """A bar of `width` of which `share` (0 to 1) is full."""
    filled = round(max(0.0, min(1.0, share)) * width)
    return glyphs.full * filled + glyphs.empty * (width - filled)


def round_top(value: float) -> float:
    """The next of 1, 2, 5 x 10^n at or above `value`: a scale that seldom changes."""
    step = 1.0
    while step * 10 <= value:
        step *= 10
    return next(step * factor for factor in (1, 2, 5, 10) if step * factor >= value)
