"""The few drawing characters of the screens, and their stand-ins for terminals that have ASCII alone."""

import os

import msgspec


class Glyphs(msgspec.Struct, frozen=True):
    """`shares`: how the parts of a capacity bar look. `shades`: tones of heat, the first one empty. `grounds`: can a
    blank on a coloured ground tell something?
    """

    shares: dict[str, str]
    picked: str
    free: str
    step: str
    proposed: str
    gap: str
    shades: str
    grounds: bool = False


UNICODE = Glyphs(
    shares={"usable": "█", "parity": "▓", "mirror": "▒", "unequal": "░", "metadata": "·"},
    picked="●",
    free="○",
    step="\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}",
    proposed="◆",
    gap="┆",
    shades="  ░░▒▒▓█",
    grounds=True,
)
MONO = msgspec.structs.replace(UNICODE, grounds=False)
ASCII = Glyphs(
    shares={"usable": "#", "parity": "P", "mirror": "M", "unequal": "-", "metadata": "."},
    picked="*",
    free="o",
    step=">",
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
