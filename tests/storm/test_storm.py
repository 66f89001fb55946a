"""A little of the storm that `python -m tests.storm` is; and that it tells what broke, hung or was done."""

import random
from pathlib import Path

import pytest
from textual.message import Message

from raidtui.ui.screens.level import LevelScreen
from raidtui.ui.screens.live import LiveScreen
from raidtui.ui.screens.runs import RunsScreen
from tests.storm import storm as storm_module
from tests.storm.scenes import SCENES, services
from tests.storm.storm import StormApp, StormError, Tally, storm
from tests.ui.followed import RUN

_BY_NAME = {scene.name: scene for scene in SCENES}


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", ["Level", "Live"])
async def test_a_short_storm_breaks_nothing(name: str) -> None:
    tallies: dict[str, Tally] = {}
    await storm(_BY_NAME[name], 20, 7, tallies)
    assert sum(tally.events for tally in tallies.values()) == 20
    assert tallies[f"{name}Screen"].offered and any(tally.fired for tally in tallies.values())


async def test_a_fault_is_told_with_the_events_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(self: LevelScreen) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(LevelScreen, "refill", fault)
    with pytest.raises(StormError, match=r"Level-\d+, seed 7: ZeroDivisionError.* in test_storm.py:\d+ after "):
        await storm(_BY_NAME["Level"], 20, 7, {})


async def test_what_was_done_unasked_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RunsScreen, "refresh_status", lambda self: self.wizard.services.forget(Path("/runs/one")))
    with pytest.raises(StormError, match="forgotten"):
        await storm(_BY_NAME["Runs"], 5, 7, {})


async def test_the_first_fault_is_told_not_what_it_sets_off(monkeypatch: pytest.MonkeyPatch) -> None:
    async def throws(app: StormApp, *_: object) -> str:
        app.post_message(Broken())  # comes through while the program is taken apart
        raise ZeroDivisionError

    class Broken(Message):
        pass

    def on_broken(self: StormApp) -> None:
        raise RuntimeError("no screens")

    monkeypatch.setattr(storm_module, "_throw", throws)
    monkeypatch.setattr(StormApp, "on_broken", on_broken, raising=False)
    with pytest.raises(StormError, match="ZeroDivisionError"):
        await storm(_BY_NAME["Level"], 5, 7, {})


async def test_a_live_screen_that_is_only_coming_is_given_no_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    class Coming(random.Random):
        def random(self) -> float:
            return 0.2  # a tick, on Live

    app = StormApp(services())
    async with app.run_test() as pilot:
        screen = LiveScreen(RUN, app.services.feed(RUN))
        assert await storm_module._throw(app, pilot, screen, Coming(7)) != "tick"


async def test_two_marked_runs_can_be_compared() -> None:
    tallies: dict[str, Tally] = {}
    await storm(_BY_NAME["Runs, two marked"], 1, 7, tallies)
    assert "compare" in tallies["RunsScreen"].offered
