"""Themes: the shipped ones all load, a broken one is a sentence, the person's own win, NO_COLOR has none."""

import os
import re
from itertools import permutations
from pathlib import Path

import pytest
from rich.color import ColorSystem
from textual.color import Color
from textual.theme import Theme

from raidtui.ui import themes
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.background import Background
from raidtui.ui.render import cells, roles
from raidtui.ui.render.roles import contrast
from tests.ui.machines import RecordedServices, rack
from tests.ui.pilots import LARGE, opened, opened_on, press

SHIPPED = {f"raidtui-{name}" for name in ("dark", "light", "sharp", "colourblind", "plain", "mono", "amber", "forest")}


@pytest.fixture
def own_themes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The person's own folder of themes, empty."""
    monkeypatch.delenv("SUDO_USER", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    folder = tmp_path / "raidtui" / "themes"
    folder.mkdir(parents=True)
    return folder


def test_all_shipped_themes_load() -> None:
    loaded = themes.load(themes.folders()[:1])
    assert {theme.name for theme in loaded.themes} == SHIPPED and {themes.DEFAULT, themes.COLOURLESS} <= SHIPPED
    assert not loaded.failed


@pytest.mark.parametrize("theme", themes.load(themes.folders()[:1]).themes, ids=lambda theme: theme.name)
def test_what_is_read_stands_out_from_what_it_lies_on(theme: Theme) -> None:
    """By WCAG 2.1: 4.5:1 for text (1.4.3), 7:1 in the theme that promises it (1.4.6)."""
    if theme.name == themes.COLOURLESS:
        return  # the terminal's own colours are unknown
    least = 7.0 if theme.name == "raidtui-sharp" else 4.5
    for back in (theme.background, theme.surface, theme.panel):
        for role in ("foreground", "primary", "accent", "success", "warning", "error"):
            assert contrast(getattr(theme, role), back or "") >= least, (role, back)


@pytest.mark.parametrize("theme", themes.load(themes.folders()[:1]).themes, ids=lambda theme: theme.name)
def test_each_role_stands_out_on_each_ground_and_text_on_each_tone(theme: Theme) -> None:
    if theme.ansi:
        return  # the terminal's own colours are unknown
    colours = roles.of(theme)
    least = 7.0 if theme.name == "raidtui-sharp" else 4.5
    reading = [
        "text",
        "strong",
        "dim",
        "accent",
        "ok",
        "warn",
        "bad",
        "read",
        "write",
        "one",
        "all",
        "array",
        "expected",
    ]
    low = [
        (role, ground)
        for role in reading
        for ground in ("bg", "surface", "panel", "cursor")
        if contrast(colours[role], colours[ground]) < (4.5 if ground == "cursor" else least)
    ]
    grounds = [f"{ramp}{tone}" for ramp in roles.RAMPS for tone in range(roles.TONES)] + ["warn", "data", "mirror"]
    low += [("on", ground) for ground in grounds if contrast(roles.text_on(colours[ground]), colours[ground]) < 4.5]
    placed = ("data", "mirror", "parity", "parity2")
    low += [("ink", ground) for ground in placed if contrast(colours["ink"], colours[ground]) < 4.5]
    assert not low


@pytest.mark.parametrize("theme", themes.load(themes.folders()[:1]).themes, ids=lambda theme: theme.name)
def test_a_warning_alone_is_amber(theme: Theme) -> None:
    colours = roles.of(theme)
    assert colours["warn"] not in {colours[role] for role in ("read", "write", "mirror", "parity", "expected", "array")}


@pytest.mark.parametrize("theme", themes.load(themes.folders()[:1]).themes, ids=lambda theme: theme.name)
def test_green_is_a_verdict_alone(theme: Theme) -> None:
    """Reads are not looked at: without green a verdict is blue, and has its sign."""
    colours = roles.of(theme)
    others = ("write", "one", "all", "array", "data", "mirror", "parity", "r5", "w5")
    assert not [role for role in others if colours[role] == colours["ok"]]
    if not theme.ansi:
        assert min(_turn(Color.parse(colours["ok"]), Color.parse(colours[role])) for role in ("array", "data")) > 0.07


READ = re.compile("[\\s\u2500-\u259f]*")  # blanks and edges
THEMES = themes.load(themes.folders()[:1]).themes


def _turn(one: Color, other: Color) -> float:
    """Between two hues, 0 to 0.5 of a whole turn."""
    turn = abs(one.hsl.h - other.hsl.h)
    return min(turn, 1 - turn)


def _sent(colour: str) -> Color:
    """What is seen of it on a terminal of 256 colours."""
    red, green, blue = Color.parse(colour).rich_color.downgrade(ColorSystem.EIGHT_BIT).get_truecolor()
    return Color(red, green, blue)


@pytest.mark.parametrize("theme", [one for one in THEMES if not one.ansi], ids=lambda theme: theme.name)
def test_in_256_colours_no_tone_of_a_role_is_nearer_to_another_role(theme: Theme) -> None:
    """Of roles that the theme tells apart by hue."""
    colours = roles.of(themes.in_256(theme))
    pure = {ramp: Color.parse(colours[role]) for ramp, role in roles.RAMPS.items()}
    pairs = [(one, other) for one, other in permutations(pure, 2) if _turn(pure[one], pure[other]) > 0.1]
    assert len(pairs) >= 2
    for one, other in pairs:
        tones, others = ([_sent(colours[f"{ramp}{tone}"]) for tone in range(roles.TONES)] for ramp in (one, other))
        assert not set(tones) & set(others)
        if max(pure[one].rgb) - min(pure[one].rgb) < 40:
            continue  # a grey has no hue
        for number, tone in enumerate(tones):
            assert _turn(tone, pure[one]) < _turn(tone, pure[other]), f"{one}{number} is {tone.hex6}"


@pytest.mark.parametrize("theme", [one for one in THEMES if not one.ansi], ids=lambda theme: theme.name)
def test_in_256_colours_a_stronger_tone_is_further_from_the_ground(theme: Theme) -> None:
    colours = roles.of(themes.in_256(theme))
    for ramp in roles.RAMPS:
        lights = [_sent(colours[f"{ramp}{tone}"]).brightness for tone in range(roles.TONES)]
        assert lights == sorted(lights, reverse=not theme.dark) and len(set(lights)) >= 4, ramp


def test_a_terminal_of_256_colours_has_tones_of_its_own() -> None:
    few, many = (RaidtuiApp(RecordedServices(), background=Background(cube=cube)) for cube in (True, False))
    assert roles.of(few.current_theme)["r3"] != roles.of(many.current_theme)["r3"]


@pytest.mark.parametrize("theme", [one.name for one in THEMES if not one.ansi])
async def test_what_textual_draws_itself_stands_out_too(theme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hints in empty fields, titles, the palette."""
    monkeypatch.setenv("RAIDTUI_THEME", theme)
    told, low = "", []
    async with opened_on("File system", rack(3), LARGE, level="5", after="keep") as (app, pilot):
        for keys, shown in ((("m", "down"), ("#form", "#named")), (("ctrl+p",), ("CommandInput", "CommandList"))):
            await press(pilot, *keys)
            strips = app.screen._compositor.render_strips()
            for region in (app.screen.query_one(one).region for one in shown):
                for strip in strips[region.y : region.bottom]:
                    for text, style, _ in strip.crop(region.x, region.right):
                        if not (style and style.color and style.bgcolor) or READ.fullmatch(text):
                            continue
                        told += text
                        front, back = (colour.get_truecolor().hex for colour in (style.color, style.bgcolor))
                        if contrast(front, back) < 4.5:
                            low.append((text, front, back))
    assert not low and "default: /srv/array" in told and "earch for commands" in told and "key " in told


def shown_red(app: RaidtuiApp) -> int:
    """Of the primary colour, which Textual rounds on its way."""
    return Color.parse(app.theme_variables["primary"]).r


async def test_a_theme_that_is_edited_is_shown_once_it_is_saved(
    own_themes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAIDTUI_THEME", "mine")
    (own_themes / "mine.toml").write_text('name = "mine"\nprimary = "#123456"')
    app = RaidtuiApp(RecordedServices(rack(3)))
    async with opened(app) as pilot:
        (own_themes / "mine.toml").write_text('name = "mine"\nprimary = "#ff0000"')
        os.utime(own_themes / "mine.toml", ns=(0, 1))  # a clock of whole milliseconds may not have gone on
        app.look_at_themes()
        await pilot.pause()
        assert app.theme == "mine" and shown_red(app) > 0xF0  # 0x12 before
        (own_themes / "mine.toml").write_text("[[[")
        os.utime(own_themes / "mine.toml", ns=(0, 2))
        app.look_at_themes()
        await pilot.pause()
        assert any("mine.toml" in notice.message for notice in app._notifications)
        assert shown_red(app) > 0xF0


@pytest.mark.parametrize(
    "text, said",
    [
        ('name = "x"\nprimary = "#5fafd7"\nprimry = "#000000"', "primry"),
        ('name = "x"\nprimary = "#5fafd7"\naccent = "loud"', "`accent` is 'loud'"),
        ('name = "x', "x.toml"),
        ('name = "x"\nprimary = 5', "`primary` is 5; it must be text"),
        ('name = "x\\u001b[31m"\nprimary = "#5fafd7"', "U+001B"),
    ],
)
def test_a_broken_theme_is_a_sentence_with_its_file(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "x.toml").write_text(text)
    loaded = themes.load((tmp_path,))
    assert not loaded.themes
    assert len(loaded.failed) == 1
    assert said in loaded.failed[0] and str(tmp_path) in loaded.failed[0]


def test_a_person_s_own_theme_wins_over_a_shipped_one(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('name = "raidtui-dark"\nprimary = "#123456"')
    loaded = themes.load((themes.folders()[0], tmp_path))
    assert next(theme.primary for theme in loaded.themes if theme.name == "raidtui-dark") == "#123456"


async def test_a_broken_theme_is_a_notice_and_not_a_crash(own_themes: Path) -> None:
    (own_themes / "x.toml").write_text("[[[")
    app = RaidtuiApp(RecordedServices(rack(3)))
    async with opened(app):
        assert any("x.toml" in notice.message for notice in app._notifications)


@pytest.mark.parametrize("name", sorted(SHIPPED))
async def test_every_theme_paints_the_wizard(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAIDTUI_THEME", name)
    app = RaidtuiApp(RecordedServices(rack(3)))
    async with opened(app):
        assert app.theme == name
        assert "raidtui" in app.export_screenshot()


async def test_an_empty_no_color_means_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "")
    app = RaidtuiApp(RecordedServices(rack(3)))
    async with opened(app):
        assert not app.no_color and app.theme == themes.DEFAULT
        assert cells.of_terminal().grounds


async def test_no_color_means_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = RaidtuiApp(RecordedServices(rack(3)))
    async with opened(app) as pilot:
        await app.workers.wait_for_complete()
        await pilot.press("a")
        assert app.no_color and app.native_ansi_color
        assert app.theme == themes.COLOURLESS
