"""Colour themes as TOML: the shipped ones and the person's own. A broken file is a sentence, never a crash."""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import msgspec
from rich.console import Console
from rich.style import Style
from rich.text import Text
from textual.color import Color, ColorParseError
from textual.theme import BUILTIN_THEMES, Theme

from raidtui import configuration
from raidtui.core import document
from raidtui.core.text import brief, check_texts
from raidtui.ui.background import UNKNOWN, Background

DEFAULT = "raidtui-dark"
LIGHT = "raidtui-light"
COLOURLESS = "raidtui-plain"
_SHOWN = ("foreground", "primary", "accent", "success", "warning", "error")
_BLOCK = "  ████"


class ThemeFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One theme file. Colours are #rrggbb or names; those left out are derived from `primary`."""

    name: str
    dark: bool = True
    ansi: bool = False
    primary: str
    secondary: str | None = None
    accent: str | None = None
    foreground: str | None = None
    background: str | None = None
    surface: str | None = None
    panel: str | None = None
    success: str | None = None
    warning: str | None = None
    error: str | None = None
    variables: dict[str, str] = {}


class Loaded(msgspec.Struct, frozen=True):
    """`themes` could be read; `failed` holds a sentence for each file that could not; `saved_at`: see there."""

    themes: tuple[Theme, ...]
    failed: tuple[str, ...]
    saved_at: dict[Path, int]


def folders() -> tuple[Path, ...]:
    """Where themes lie: in the installed program or the checkout, then the person's own, which win."""
    package = Path(__file__).parents[1]
    shipped = package / "themes" if (package / "themes").is_dir() else package.parent / "themes"
    return shipped, configuration.folder() / "themes"


def load(places: tuple[Path, ...] | None = None) -> Loaded:
    """All themes of `places`, those of later places instead of earlier ones of the same name."""
    themes: dict[str, Theme] = {}
    failed = []
    before = saved_at()  # what is saved while they are read is read once more
    for place in folders() if places is None else places:
        for path in _files(place):
            try:
                theme = _read_theme(path)
                themes[theme.name] = theme
            except OSError as error:
                failed.append(f"{path}: {error.strerror}")
            except (ValueError, RecursionError) as error:
                failed.append(f"{path}: {brief(error)}")
    return Loaded(tuple(themes.values()), tuple(failed), before)


def saved_at() -> dict[Path, int]:
    """When each of the person's own theme files was last written, in ns: what changes when one is edited."""
    written = {}
    for path in _files(folders()[-1]):
        with suppress(OSError):  # an editor is just putting another in its place
            written[path] = path.stat().st_mtime_ns
    return written


def _files(place: Path) -> list[Path]:
    return sorted(place.glob("*.toml")) if place.is_dir() else []


def show(themes: Sequence[Theme], coloured: bool) -> None:
    """Print a line a theme; beside its name its colours, where they are wanted."""
    console = Console(highlight=False, soft_wrap=True, force_terminal=coloured)
    longest = max(len(theme.name) for theme in themes)
    for theme in themes:
        line = Text(f"{theme.name:<{longest}}  {'dark' if theme.dark else 'light'}")
        if console.color_system:
            line.pad_right(len("light") - len("dark") if theme.dark else 0)
            for role in _SHOWN:
                colours = Style(color=_of_rich(getattr(theme, role)), bgcolor=_of_rich(theme.background))
                line.append(_BLOCK, colours)
        console.print(line)


def _of_rich(name: str | None) -> str:
    """A colour as rich names it: the terminal's sixteen are Textual's ansi_…; a role left out has the usual one."""
    return name.removeprefix("ansi_") if name else "default"


def usual(background: Background) -> str:
    """The theme for what the terminal said of its background."""
    return LIGHT if background.light else DEFAULT


def chosen(loaded: Loaded, colourless: bool, background: Background = UNKNOWN, configured: str = "") -> str:
    """The theme to begin with: without colours with NO_COLOR, RAIDTUI_THEME or the `configured` one if it is there, the
    terminal's sixteen where it has no more, else the usual one.
    """
    names = {theme.name for theme in loaded.themes}
    wished = os.environ.get("RAIDTUI_THEME", "") or configured
    if wished in names and not colourless:
        return wished
    if colourless or background.sixteen:
        return COLOURLESS if COLOURLESS in names else "ansi-dark"
    return usual(background) if usual(background) in names else "textual-light" if background.light else "textual-dark"


def _read_theme(path: Path) -> Theme:
    theme_document = document.read(configuration.content(path))
    if reason := document.misfit(theme_document, ThemeFile):
        raise ValueError(reason)
    check_texts(theme_document)
    file = msgspec.convert(theme_document, ThemeFile)
    fields = msgspec.structs.asdict(file)
    for key, value in fields.items():
        if isinstance(value, str) and key != "name":
            try:
                Color.parse(value)
            except ColorParseError:
                raise ValueError(f"`{key}` is {value!r}, which is no colour; write #rrggbb") from None
    return _of_terminal_colours(Theme(**fields)) if file.ansi else Theme(**fields)


def _of_terminal_colours(theme: Theme) -> Theme:
    """Textual's own styles want these of a theme of the terminal's colours."""
    like = BUILTIN_THEMES["ansi-dark" if theme.dark else "ansi-light"]
    return replace(theme, ansi=True, variables=like.variables | theme.variables, boost=like.boost)


def in_256(theme: Theme) -> Theme:
    """Its tones are colours that a terminal of 256 has (see `roles`)."""
    return theme if theme.ansi else replace(theme, variables={**theme.variables, "colours": "256"})


def on_own_ground(theme: Theme) -> Theme:
    """On the terminal's own background, in its own foreground: nothing is sent for either."""
    if theme.ansi:
        return theme
    own, mixed = "ansi_default", {"ground": theme.background or "", "letters": theme.foreground or ""}
    theme = replace(theme, foreground=own, background=own, surface=own, panel=own, variables=theme.variables | mixed)
    return _of_terminal_colours(theme)
