"""Colours by role. A theme gives the ten of its file and may give any role in `variables`; the others are derived.

Green is a verdict and nothing else: as expected, alike, free, safe. The array and its space are teal, reads blue,
writes pink, of any test; what is neither (busy, one disk) is grey.
"""

from functools import cache, lru_cache
from itertools import product

from textual.color import Color
from textual.theme import Theme

TONES = 7  # of each heat: read, write, good
RAMPS = {"r": "read", "w": "write", "g": "ok"}
_LEVELS = (0, 95, 135, 175, 215, 255)  # of each part of the colours 16 to 231 that xterm and others have
_HUE_WEIGHT, _STRENGTH_WEIGHT = 1.5, 0.25  # of a whole turn, and of a pure colour's, over brightness from 0 to 1
_LEAST_STRENGTH = 0.15  # a grey stays one
_SHARES = (0.12, 0.25, 0.40, 0.56, 0.71, 0.86, 1.0)  # of the role's colour, from the background
_DARK = {
    "write": "#e07fd0", "one": "#9fb0c0", "all": "#b3a7e8", "array": "#4cc3b4", "data": "#2fb5a5", "mirror": "#a3ad55",
    "parity": "#b8916a", "parity2": "#9f7a58", "ink": "#06100c",
}  # fmt: skip
_LIGHT = {
    "write": "#9a2f86", "one": "#52627a", "all": "#5a4fa0", "array": "#0f6a62", "data": "#4fbcae", "mirror": "#b8bf6a",
    "parity": "#cfa77c", "parity2": "#bb8f60", "ink": "#101010",
}  # fmt: skip
_SIXTEEN = {
    "text": "ansi_default", "strong": "ansi_default", "dim": "ansi_cyan", "lost": "ansi_cyan",
    "line": "ansi_bright_black", "accent": "ansi_bright_cyan", "cursor": "ansi_blue", "ok": "ansi_bright_green",
    "warn": "ansi_bright_yellow", "bad": "ansi_bright_red", "read": "ansi_bright_blue", "write": "ansi_bright_magenta",
    "one": "ansi_white", "all": "ansi_cyan", "array": "ansi_green", "expected": "ansi_default",
    "data": "ansi_green", "mirror": "ansi_cyan", "parity": "ansi_yellow", "parity2": "ansi_white", "ink": "ansi_black",
    "bg": "ansi_default", "surface": "ansi_default", "panel": "ansi_default",
}  # fmt: skip
_SIXTEEN_TONES = {
    "r": ("ansi_blue", "ansi_blue", "ansi_blue", "ansi_bright_blue", "ansi_bright_blue", "ansi_cyan", "ansi_cyan"),
    "w": (*("ansi_magenta",) * 4, *("ansi_bright_magenta",) * 3),
    "g": (*("ansi_green",) * 4, *("ansi_bright_green",) * 3),
}
NAMES = tuple(_SIXTEEN)


def of(theme: Theme) -> dict[str, str]:
    """Role or tone ("r0" to "g6") -> colour as Textual parses it; all of `NAMES` and all tones."""
    given = tuple(sorted(theme.variables.items()))
    base = (theme.foreground, theme.background, theme.surface, theme.panel)
    said = (theme.primary, theme.accent, theme.success, theme.warning, theme.error)
    return _of(theme.dark, theme.variables.get("colours", ""), base, said, given)


@lru_cache(maxsize=16)
def _of(
    dark: bool,
    colours_had: str,
    base: tuple[str | None, ...],
    said: tuple[str | None, ...],
    given: tuple[tuple[str, str], ...],
) -> dict[str, str]:
    own = dict(given)
    if colours_had == "16":
        tones = {f"{ramp}{tone}": colour for ramp, row in _SIXTEEN_TONES.items() for tone, colour in enumerate(row)}
        return _SIXTEEN | tones | {role: own[role] for role in NAMES if role in own}
    text, ground, surface, panel = base
    # on the terminal's own background colours are mixed with the theme's, which is as dark or as light
    real = own.get("ground") or ground or ("#121212" if dark else "#ffffff")
    letters = own.get("letters") or text or ("#d0d0d0" if dark else "#262626")
    primary, accent, success, warning, error = said
    colours = {
        "text": text or letters, "strong": text or letters, "dim": _mix(real, letters, 0.76),
        "lost": _mix(real, letters, 0.72), "line": _mix(real, letters, 0.26), "accent": accent or primary,
        "cursor": _mix(real, primary or letters, 0.16), "ok": success, "warn": warning, "bad": error, "read": primary,
        "expected": text or letters, "bg": ground or real, "surface": surface or ground or real,
        "panel": panel or ground or real,
    }  # fmt: skip
    colours |= _DARK if dark else _LIGHT
    colours |= {role: own[role] for role in NAMES if role in own}
    known = {role: colour or letters for role, colour in colours.items()}
    tones = {
        f"{ramp}{tone}": _mix(real, known[role], share)
        for ramp, role in RAMPS.items()
        for tone, share in enumerate(_SHARES)
    }
    if colours_had == "256":
        tones = {tone: _in_256(colour, known[RAMPS[tone[0]]]) for tone, colour in tones.items()}
    return known | tones


@cache
def _cube() -> tuple[tuple[Color, float, float, float], ...]:
    """With their hues, brightness and strength, each 0 to 1: what `_in_256` asks 4,000 times at each start."""
    colours = (Color(red, green, blue) for red, green, blue in product(_LEVELS, _LEVELS, _LEVELS))
    return tuple((one, one.hsl.h, one.brightness, s) for one in colours if (s := _strength(one)) > _LEAST_STRENGTH)


def _strength(colour: Color) -> float:
    """0 to 1; of a grey 0."""
    return (max(colour.rgb) - min(colour.rgb)) / 255


def _in_256(tone: str, role: str) -> str:
    """Nearest by brightness, in the hue of its role: part by part a dark blue would be rounded to purple."""
    wanted, pure = Color.parse(tone), Color.parse(role)
    hue, brightness, strength = pure.hsl.h, wanted.brightness, _strength(wanted)

    def distance(of_cube: tuple[Color, float, float, float]) -> float:
        _, its_hue, its_brightness, its_strength = of_cube
        apart = abs(its_hue - hue)
        turn = _HUE_WEIGHT * (apart if apart < 0.5 else 1 - apart)
        stronger = _STRENGTH_WEIGHT * (its_strength - strength)
        return (its_brightness - brightness) ** 2 + turn * turn + stronger * stronger

    return min(_cube(), key=distance)[0].hex6 if _strength(pure) > _LEAST_STRENGTH else tone


def _mix(ground: str, colour: str, share: float) -> str:
    return Color.parse(ground).blend(Color.parse(colour), share, alpha=1.0).hex6


def text_on(ground: str) -> str:
    """Black or white, whichever stands out more; a terminal colour of its own: black on the bright ones."""
    if ground.startswith("ansi_"):
        return "ansi_black" if "bright" in ground or ground.endswith(("cyan", "white", "yellow")) else "ansi_white"
    return max(("#000000", "#ffffff"), key=lambda text: contrast(text, ground))


def contrast(one: str, other: str) -> float:
    """1 to 21, by WCAG 2.1 (relative luminance)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    linear = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in Color.parse(colour).normalized
    )
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def css(theme: Theme) -> dict[str, str]:
    """What the stylesheet names: lines of panels, quiet text."""
    colours = of(theme)
    return {"rule": colours["line"], "muted": colours["dim"], "cursor": colours["cursor"]}
