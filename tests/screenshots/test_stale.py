"""The pictures show the screens as they are: `make screenshots` makes them anew."""

import html
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from unittest import mock

import pytest
from rich.style import Style
from textual.strip import Strip
from textual.theme import Theme

from raidtui.demo.recording import SHIPPED, folder_of, load
from raidtui.ui import themes
from raidtui.ui.render import roles
from raidtui.ui.render.cells import Piece, to_strip
from raidtui.ui.render.roles import contrast
from raidtui.ui.widgets import lines, pick_list
from raidtui.ui.widgets.styles import SAME
from tests.screenshots import stills
from tests.screenshots.pictures import FOLDER, NAMES, PARTS, made
from tests.screenshots.stills import FOLDERS, SCREENS

THEMES = themes.load(themes.folders()[:1]).themes
_CELL = 12.2  # of a picture, wide


_READ = re.compile("[^\\s\u2500-\u259f\u2571]")  # no lines, no tones of a bar or of heat
_GROUNDS = ("bg", "surface", "panel", "cursor")


@cache
def _drawn(part: str) -> tuple[dict[str, str], frozenset[tuple[str, str]]]:
    """The pictures, and the looks of all that is read on them, each with the ground below it."""
    looks: set[tuple[str, str]] = set()

    def seen(cells: Iterable[Piece], width: int, style_of: Callable[[str], Style]) -> Strip:
        cells = tuple(cells)
        back = style_of("").bgcolor
        ground = back.get_truecolor().hex if back else ""
        looks.update((look, ground) for text, look in cells if _READ.search(text))
        return to_strip(cells, width, style_of)

    with mock.patch.object(lines, "to_strip", seen), mock.patch.object(pick_list, "to_strip", seen):
        return made(part), frozenset(looks)


@pytest.mark.parametrize("part", PARTS)
def test_what_is_read_on_a_picture_stands_out_in_every_theme(part: str) -> None:
    """By WCAG 2.1, 1.4.3; of themes in which no picture is drawn by the roles of its colours."""
    drawn_in = [roles.of(theme) for theme in THEMES if theme.name in stills.THEMES]
    named = {colours[role].lower(): role for colours in drawn_in for role in reversed(_GROUNDS)}
    _, looks = _drawn(part)
    assert len(looks) > 30
    low = {
        f"{theme.name}: {look or 'text'} on {named[ground]} {found:.1f}"
        for look, ground in looks
        for theme in THEMES
        if not theme.ansi and (found := contrast(*_colours(theme, look, named[ground]))) < 4.5
    }
    assert not sorted(low)


def _colours(theme: Theme, look: str, ground: str) -> tuple[str, str]:
    """Of letters and of what they lie on."""
    colours = roles.of(theme)
    role, _, own = SAME.get(look, look).lstrip("*_!").partition("/")
    back = colours[own or ground]
    return roles.text_on(back) if role == "on" else colours[role or "text"], back


@pytest.mark.parametrize("part", PARTS)
def test_no_picture_is_stale(part: str) -> None:
    drawn, _ = _drawn(part)
    stale = [name for name, text in drawn.items() if (FOLDER / f"{name}.svg").read_text() != text]
    assert not stale, "the screens have changed since: `make screenshots`, look at them, and commit them"


_TEXT = re.compile(r'<text [^>]*x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</text>')


def _texts(picture: Path) -> list[str]:
    """Its lines, whatever looks their parts have."""
    rows: dict[float, dict[int, str]] = {}
    for x, y, text in _TEXT.findall(picture.read_text()):
        at = round(float(x) / _CELL)
        rows.setdefault(float(y), {}).update(enumerate(html.unescape(text), at))
    blank = "\N{NO-BREAK SPACE}"
    return [
        "".join(row.get(at, " ") for at in range(max(row) + 1)).replace(blank, " ").rstrip() for row in rows.values()
    ]


@pytest.mark.parametrize("screen", SCREENS)
def test_dark_and_light_pictures_say_the_same(screen: str) -> None:
    """One that was made before its last layout has another size's texts."""
    for dark, light in zip(FOLDERS[:2], FOLDERS[2:], strict=True):
        texts = [_texts(FOLDER / folder / f"{screen}.svg") for folder in (dark, light)]
        assert texts[0] == texts[1] and len(texts[0]) >= 24, light


def test_none_is_missing_or_left_over() -> None:
    """Each screen in each theme at each size, and the whole path."""
    kept = {str(path.relative_to(FOLDER).with_suffix("")) for path in FOLDER.rglob("*.svg")}
    assert kept == NAMES and len(NAMES) > 70


def test_the_whole_path_plans_the_run_that_it_replays() -> None:
    title = load(folder_of(SHIPPED[0])).plan.title
    drawn = html.unescape((FOLDER / "whole-path.svg").read_text()).replace("\xa0", " ")
    planned = set(re.findall(r"RAID \w+(?: \w\d)? of 6 disks, chunk \d+ KiB, xfs", drawn))
    assert planned == {title}
