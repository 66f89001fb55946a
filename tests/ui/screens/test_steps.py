"""The steps of the wizard are one list: each opens its screen, and a new one is a row."""

import pytest
from textual.app import ComposeResult

from raidtui.ui.app import RaidtuiApp
from raidtui.ui.draft import Draft
from raidtui.ui.screens import steps
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.screens.panels import StepScreen
from raidtui.ui.widgets.bars import StepHeader
from raidtui.ui.wizard import Wizard
from tests.ui.machines import RecordedServices, rack
from tests.ui.pilots import LARGE, SMALL, opened_on

CHOOSING = [step.name for step in steps.STEPS if step.load]
OF_A_RUN = [step.name for step in steps.STEPS if not step.load]


@pytest.mark.parametrize("name", CHOOSING)
def test_each_step_opens_the_screen_that_bears_its_name(name: str) -> None:
    assert name == steps.screen_of(name).STEP


@pytest.mark.parametrize("name", ["Levle", "", *OF_A_RUN])
def test_a_step_that_is_not_of_the_choosing_opens_nothing(name: str) -> None:
    with pytest.raises(ValueError, match=repr(name)):
        steps.screen_of(name)


def test_the_app_knows_no_other_steps_either() -> None:
    app: Wizard = RaidtuiApp(RecordedServices())  # it is what the screens need
    assert app.step_names == (*CHOOSING, *OF_A_RUN)


def test_one_step_follows_the_other_and_the_last_none() -> None:
    draft = Draft(disks=("a", "b", "c"), after="keep")
    walked = [CHOOSING[0]]
    while walked[-1] != CHOOSING[-1]:
        walked.append(steps.screen_after(walked[-1], draft).STEP)
    assert walked == CHOOSING
    with pytest.raises(ValueError, match="last step"):
        steps.screen_after(CHOOSING[-1], draft)


class Purpose(BaseScreen[None]):
    """What a new step takes besides its row."""

    STEP = "Purpose"

    def content(self) -> ComposeResult:
        yield self.header()


async def test_a_new_step_is_its_screen_and_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    first, disks, *others = steps.STEPS
    monkeypatch.setattr(steps, "STEPS", (first, disks, steps.Step("Purpose", lambda: Purpose), *others))
    async with opened_on("Disks", rack(3), LARGE) as (app, pilot):
        await pilot.press("enter")
        assert isinstance(app.screen, Purpose)
        names = app.step_names
        assert names.index("Disks") < names.index("Purpose") < names.index("Level")
        assert "✓Disks › ●Purpose › Level" in app.screen.query_one(StepHeader).text
        app.go_on("Purpose")
        await pilot.pause()
        assert type(app.screen).__name__ == "LevelScreen"


@pytest.mark.parametrize("step", ["Level", "File system", "Tests"])
async def test_a_step_that_is_left_while_the_window_changes_shows_nothing_more(step: str) -> None:
    """What was to be shown after the next paint comes when the step's lists and lines are gone."""
    async with opened_on(step, rack(4)) as (app, pilot):
        screen = app.screen
        shown = list[str]()
        screen.call_after_refresh(shown.append, "while it is there")
        await pilot.pause()
        gone = app.pop_screen()
        screen.call_after_refresh(shown.append, "after it was left")
        await gone
        await pilot.pause()
        assert shown == ["while it is there"]


def test_no_steps_question_is_cut_in_the_smallest_window() -> None:
    asked = [screen.QUESTION for name in CHOOSING if isinstance(screen := steps.screen_of(name), StepScreen)]
    assert len(asked) == 5 and max(map(len, asked)) < SMALL[0]
