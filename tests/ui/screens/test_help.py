"""Help: each key once, none of Textual's own, the words of the screen; every step has it."""

from typing import Any

import pytest

from raidtui.ui.render.words import WORDS
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.screens.help import HelpScreen
from raidtui.ui.screens.live import LiveScreen
from raidtui.ui.screens.results import ResultsScreen
from raidtui.ui.screens.runs import RunsScreen
from raidtui.ui.screens.steps import STEPS
from raidtui.ui.widgets.bars import KeyBar
from raidtui.ui.widgets.lines import Listing
from tests.ui.machines import rack
from tests.ui.pilots import LARGE, SMALL, Size, opened_on, press, turned_to


async def test_help_shows_each_key_once_and_none_of_textuals_own() -> None:
    async with opened_on("Review", rack(3), LARGE) as (app, pilot):
        await pilot.press("f1")
        lines = app.screen.query_one(Listing).text.splitlines()
        of_keys = lines[lines.index(" Keys") : lines.index(" Other words")]
        keys = [line.split("  ")[1].strip() for line in of_keys if line.startswith("   ")]
        named = [key for row in keys for key in row.split(", ")]
        assert len(named) == len(set(named)) and "super+c" not in named
        assert any("write answers.toml  Write an" in line for line in lines)


async def test_the_screens_own_keys_come_first_and_a_search_finds_words_of_all_screens() -> None:
    async with opened_on("Level", rack(3), SMALL) as (app, pilot):
        await pilot.press("f1")
        listing = app.screen.query_one(Listing)
        lines = [line.split() for line in listing.text.splitlines()]
        assert lines[0] == ["Keys"] and lines[1][0] == "enter"
        keys = [line[0] for line in lines if line]
        assert keys.index("v") < keys.index("R") < keys.index("Words")
        await press(pilot, "slash", *"cable")
        assert listing.text == " No word has that."
        await press(pilot, "escape")
        await press(pilot, "slash", *"write", "space", *"hole")
        assert "a crash during a write, with a member missing" in listing.text and "Keys" not in listing.text
        await press(pilot, "escape", "escape")
        assert not isinstance(app.screen, HelpScreen)


async def test_the_words_of_the_screen_are_explained() -> None:
    async with opened_on("Level", rack(3), SMALL) as (app, pilot):
        await pilot.press("f1")
        text = " ".join(app.screen.query_one(Listing).text.split())
        own, others = text.split("Other words")
        assert "Words array several disks that the kernel (md) shows as one block" in own
        assert "spare idle member" in others and "spare idle" not in own and "several disks that" not in others


def test_every_word_of_the_glossary_is_met_on_a_screen_and_every_screens_word_is_in_it() -> None:
    screens: list[type[BaseScreen[Any]]] = [LiveScreen, ResultsScreen, RunsScreen]
    screens += [step.load() for step in STEPS if step.load]
    assert {word for screen in screens for word in screen.TERMS} == set(WORDS)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_every_step_shows_its_keys_and_has_help(size: Size) -> None:
    steps = [step.name for step in STEPS if step.load]
    async with opened_on(steps[0], rack(24), size, after="keep") as (app, pilot):
        for step in steps:
            await turned_to(step, app, pilot, after="keep")
            screen, keys = app.screen, app.screen.query_one(KeyBar)
            assert keys.region.bottom == size[1], step
            assert "? help" in keys.text, step
            assert step != "Disks" or "a all alike" in keys.text  # a step's own keys stay longer than those of all
            await pilot.press("f1")
            assert isinstance(app.screen, HelpScreen), step
            await pilot.press("escape")
            assert app.screen is screen, step
