"""A little of the storm that `python -m tests.storm` is; and that it tells what broke, hung or was done."""

from pathlib import Path

import pytest

from raidtui.ui.screens.level import LevelScreen
from raidtui.ui.screens.runs import RunsScreen
from tests.storm.scenes import SCENES
from tests.storm.storm import StormError, Tally, storm

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
    monkeypatch.setattr(RunsScreen, "tell_again", lambda self: self.wizard.services.forget(Path("/runs/one")))
    with pytest.raises(StormError, match="forgotten"):
        await storm(_BY_NAME["Runs"], 5, 7, {})
